import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtFile } from '../../../src/engine/built-file.ts';
import { openSandbox, type Sandbox } from '../../../src/service/sandbox/sandbox.ts';
import { measureByPs } from '../../../src/service/sessions/processes/process-limits.ts';
import type { RenderPool, RenderPoolOptions } from '../../../src/service/sessions/processes/render-pool.ts';
import type { RenderInput } from '../../../src/template/render-input.ts';
import { imageLayer, inputOf, movingInput } from '../../engine/inputs.ts';
import { begun, openPool } from '../../support/render-pools.ts';
import { solidPng } from '../../support/small-package.ts';

// Needs /proc to see the state of processes. The other behaviour is tested in render-pool.test.ts.
const onLinux = test.skipIf(process.platform !== 'linux');

let folder: string;
let forking: string;
/** Directory of the last render process. */
let written: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelform-isolation-'));
  // Preloaded into the render process: starts a child process and records both process ids.
  forking = join(folder, 'fork.cjs');
  await writeFile(
    forking,
    `if (require('node:worker_threads').isMainThread && process.argv[1]?.endsWith('render-process.cjs')) {
      const { pid } = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
        stdio: ['ignore', 'ignore', 'inherit'],
        env: { OPENSSL_CONF: '/dev/null' },
      });
      require('node:fs').writeFileSync(process.env.TMPDIR + '/pids', process.pid + ' ' + pid);
      require('node:fs').writeSync(1, 'forked');
    }`,
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function forkingPool(options: Partial<RenderPoolOptions> = {}): RenderPool {
  return openPool({ ...loading(forking), ...options });
}

/** Makes the render process preload a file, which its sandbox allows it to read. */
function loading(file: string): Pick<RenderPoolOptions, 'environment' | 'sandbox'> {
  const sandbox = openSandbox('auto');
  const command: Sandbox['command'] = (program) => {
    written = program.folder;
    return sandbox.command({ ...program, programs: [file] });
  };
  return { environment: { NODE_OPTIONS: `--require=${file}` }, sandbox: { ...sandbox, command } };
}

/** Process ids of the last render process and its child. */
function forked(): [parent: number, child: number] {
  return readFileSync(join(written, 'pids'), 'utf8').split(' ').map(Number) as [number, number];
}

/** Returns whether a process is running; zombies count as ended. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** RenderInput whose images are a few kB each and decode to 64 MB each. */
function greedyInput(imageCount: number): RenderInput {
  const bytes = solidPng('#123456', 4096, 4096);
  const ids = Array.from({ length: imageCount }, (_, index) => `image_${index}`);
  return inputOf(
    ids.map((id, index) => imageLayer(index + 1, id)),
    {
      images: ids.map((id) => ({ assetId: id, width: 4096, height: 4096, bytes, transform: {}, name: id })),
      document: { assets: ids.map((id) => ({ id, w: 4096, h: 4096, u: '', p: 'image.png' })) },
    },
  );
}

describe('a render process and its children', () => {
  onLinux('share a process group', async () => {
    const pool = forkingPool();
    await pool.run('video', movingInput());
    const [parent, child] = forked();
    const groups = await Promise.all(
      [parent, child].map(async (pid) => (await execa('ps', ['-o', 'pgid=', '-p', String(pid)])).stdout.trim()),
    );
    expect(groups).toEqual([String(parent), String(parent)]);
  });

  onLinux('have ended when an aborted render rejects', async () => {
    const controller = new AbortController();
    const { rendering } = await begun(forkingPool(), controller.signal);
    // Read now: the file is removed with the directory of the process.
    const pids = forked();
    expect(pids.map(isRunning)).toEqual([true, true]);
    controller.abort(new Error('enough'));
    expect(await rendering).toMatchObject({ message: 'enough' });
    expect(pids.map(isRunning)).toEqual([false, false]);
  });

  onLinux.each(['SIGSEGV', 'SIGABRT', 'SIGKILL'] as const)('end when it dies by %s', async (signal) => {
    const pool = forkingPool();
    const { rendering } = await begun(pool);
    const [parent, child] = forked();
    process.kill(parent, signal);
    expect(await rendering).toMatchObject({ code: 'render_crashed', message: expect.stringContaining(signal) });
    // The kill was sent before the render rejected, but the system may take a moment to act on it.
    await expect.poll(() => isRunning(child)).toBe(false);
    expect((await pool.run('video', movingInput())).frameCount).toBe(12);
  });

  onLinux('have ended after close()', async () => {
    const pool = forkingPool();
    await pool.run('video', movingInput());
    const pids = forked();
    await pool.close();
    expect(pids.map(isRunning)).toEqual([false, false]);
  });

  onLinux('end when the parent is killed', async () => {
    const path = builtFile(
      import.meta.url.replace('/test/', '/src/'),
      'service/sessions/processes/render-process.cjs',
    ).pathname;
    const args = [`--require=${forking}`, path];
    const script = `require('node:child_process').spawn(process.execPath, ${JSON.stringify(args)}, {
        detached: true,
        env: { TMPDIR: ${JSON.stringify(folder)} },
        stdio: ['pipe', 'inherit', 'inherit', 'pipe'],
      });`;
    written = folder;
    const parent = execa('node', ['-e', script], { reject: false });
    parent.stdout.once('data', () => parent.kill('SIGKILL'));
    // The group inherits the output pipes, so this resolves only when every process in it has ended.
    expect((await parent).signal).toBe('SIGKILL');
    // A process closes its files shortly before it ends.
    await expect.poll(() => forked().map(isRunning)).toEqual([false, false]);
  });
});

describe('limits of one render', () => {
  onLinux('memory: reports render_crashed with the limit, and the pool continues', async () => {
    const pool = openPool({ memoryBytes: 400 * 2 ** 20 });
    const overrun = pool.run('video', greedyInput(100));
    await expect(overrun).rejects.toMatchObject({
      name: 'RenderError',
      code: 'render_crashed',
      message: 'The render exceeded its memory limit of 400 MB',
    });
    expect((await pool.run('video', movingInput())).frameCount).toBe(12);
  });

  onLinux('memory: includes child processes', async () => {
    await writeFile(
      join(folder, 'hoard.cjs'),
      `if (require('node:worker_threads').isMainThread && process.argv[1]?.endsWith('render-process.cjs'))
        require('node:child_process').spawn(process.execPath, ['-e', 'const held = Buffer.alloc(600e6, 1); setInterval(() => held, 1000)'], { env: { OPENSSL_CONF: '/dev/null' } });`,
    );
    const pool = openPool({ memoryBytes: 500 * 2 ** 20, ...loading(join(folder, 'hoard.cjs')) });
    await expect(pool.run('video', movingInput({ frameCount: 15_000 }))).rejects.toMatchObject({
      code: 'render_crashed',
    });
  });

  onLinux('processor time: reports render_timeout with the limit', async () => {
    const pool = openPool({ cpuMs: 500 });
    await expect(pool.run('video', movingInput({ frameCount: 15_000 }))).rejects.toMatchObject({
      code: 'render_timeout',
      message: 'The render exceeded its CPU time limit of 0.5 s',
    });
  });

  test('JavaScript heap: is limited to less than the memory limit', async () => {
    const { stdout } = await execa('node', [
      '--max-semi-space-size=1',
      '--max-old-space-size=200',
      '-p',
      'v8.getHeapStatistics().heap_size_limit',
    ]);
    expect(Number(stdout)).toBeLessThan(300 * 2 ** 20);
    const pool = openPool({ memoryBytes: 400 * 2 ** 20 });
    const { rendering } = await begun(pool);
    const { stdout: arguments_ } = await execa('pgrep', ['-P', String(process.pid), '-af', 'render-process.cjs']);
    expect(arguments_).toMatch(/--max-semi-space-size=1 --single-threaded-gc .*--max-old-space-size=200 /);
    await pool.close();
    expect(await rendering).toMatchObject({ code: 'render_crashed' });
  });
});

describe('RenderPool', () => {
  test('rejects a waiting render as soon as it is aborted', async () => {
    const pool = openPool();
    const { rendering } = await begun(pool);
    const controller = new AbortController();
    const waiting = pool.run('video', movingInput(), { signal: controller.signal });
    controller.abort(new Error('not any more'));
    await expect(waiting).rejects.toThrow('not any more');
    await pool.close();
    expect(await rendering).toMatchObject({ code: 'render_crashed' });
  });

  onLinux('starts its processes without the values of the environment', async () => {
    const secrets = { REELFORM_TOKEN: 'rf_secret_1', DATABASE_URL: 'postgres://u:secret_2@h/d', NODE_OPTIONS: '' };
    const before = { ...process.env };
    Object.assign(process.env, secrets);
    try {
      const pool = openPool();
      const { rendering } = await begun(pool);
      const { stdout } = await execa('pgrep', ['-P', String(process.pid), '-f', 'render-process.cjs']);
      const seen = readFileSync(`/proc/${stdout.trim()}/environ`, 'utf8');
      expect(seen).not.toMatch(/secret|TOKEN|DATABASE/);
      expect(seen).toContain('MALLOC_ARENA_MAX=1');
      await pool.close();
      await rendering;
    } finally {
      for (const name of Object.keys(secrets)) delete process.env[name];
      Object.assign(process.env, before);
    }
  });

  test('run() draws the stills of an input as PNG, without a video', async () => {
    const progress: number[] = [];
    const renderInput = movingInput({
      stills: [
        { name: 'end', frame: 11 },
        { name: 'start', frame: 0 },
      ],
    });
    const stills = await openPool().run('stills', renderInput, { onProgress: (done) => progress.push(done) });
    expect(stills.map(({ name }) => name)).toEqual(['end', 'start']);
    for (const { bytes } of stills) expect(Buffer.from(bytes).subarray(1, 4).toString()).toBe('PNG');
    expect(Buffer.compare(stills[0]!.bytes, stills[1]!.bytes)).not.toBe(0);
    expect(progress).toEqual([1, 2]);
  });

  test('run() rejects the same inputs for stills as for videos and keeps the process', async () => {
    const pool = openPool();
    const refused = pool.run('stills', inputOf([], { document: { fr: 1e308 }, stills: [{ name: 'a', frame: 0 }] }));
    await expect(refused).rejects.toMatchObject({ name: 'RenderError', code: 'template_invalid' });
    expect(await pool.run('stills', movingInput())).toHaveLength(1);
  });
});

test.skipIf(process.platform === 'win32')('measureByPs() reports the usage of a process group', async () => {
  const child = execa('node', ['-e', 'console.log("up"); setInterval(() => {}, 1000)'], {
    detached: true,
    reject: false,
  });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  const usage = (await measureByPs(new Set([child.pid!]))).get(child.pid!);
  process.kill(-child.pid!, 'SIGKILL');
  await child;
  expect(usage?.memoryBytes).toBeGreaterThan(10 * 2 ** 20);
  expect(existsSync(`/proc/${child.pid}`)).toBe(false);
});
