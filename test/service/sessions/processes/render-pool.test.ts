import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { execa } from 'execa';
import { describe, expect, it, onTestFinished, test, vi } from 'vitest';
import { builtFile } from '../../../../src/engine/built-file.ts';
import { packRenderInput } from '../../../../src/engine/packed-input.ts';
import { openSandbox } from '../../../../src/service/sandbox/sandbox.ts';
import {
  chooseEncoder,
  freeProcessors,
  quotaOf,
  renderCapacity,
} from '../../../../src/service/sessions/processes/render-pool.ts';
import { inputOf, movingInput, placed, rectangleLayer } from '../../../engine/inputs.ts';
import { bytesOf, renderFile } from '../../../support/in-memory.ts';
import { begun, openPool } from '../../../support/render-pools.ts';

/** Process ids of this test process's render processes. */
async function children(): Promise<number[]> {
  // The pattern must not match itself: several of these commands may run at once, each as a child of this process.
  const { stdout } = await execa('pgrep', ['-P', String(process.pid), '-f', '[r]ender-process.cjs'], { reject: false });
  return stdout.split('\n').filter(Boolean).map(Number);
}

/** Waits for a number of processes: pgrep misses a process that has just become another program. */
async function childrenOnceThere(count: number): Promise<number[]> {
  const found = async () => {
    const pids = await children();
    return pids.length === count && pids;
  };
  return vi.waitUntil(found, { timeout: 40_000 });
}

/** Two seconds of black and white in turn. */
function flashingInput() {
  const opacity = Array.from({ length: 20 }, (_, index) => ({ t: 3 * index, s: [index % 2 === 0 ? 100 : 0], h: 1 }));
  const box = [0, 0, 640, 360] as const;
  const white = rectangleLayer(1, box, [1, 1, 1], { ks: placed(0, 0, { o: { a: 1, k: opacity } }) });
  const layers = [white, rectangleLayer(2, box, [0, 0, 0])];
  return inputOf(layers, { width: 640, height: 360, frameCount: 60, fps: 30 });
}

describe('createRenderPool()', () => {
  test('starts no process before the first render', async () => {
    openPool();
    expect(await children()).toEqual([]);
  });

  test('returns the same result as renderFile() in this process', async () => {
    const progress: number[] = [];
    const { video, stills } = await openPool().run('video', movingInput(), {
      onProgress: (done) => progress.push(done),
    });
    const here = await renderFile(movingInput());
    expect(Buffer.compare(await bytesOf(video), here.video)).toBe(0);
    expect(stills.map(({ name }) => name)).toEqual(['end']);
    expect(Buffer.compare(stills[0]!.bytes, here.stills[0]!.bytes)).toBe(0);
    expect(progress).toEqual(Array.from({ length: 12 }, (_, frame) => frame + 1));
  });

  test('reuses a process up to its number of renders', async () => {
    const pool = openPool({ size: 1, tasksPerProcess: 2 });
    const seen: number[] = [];
    for (let render = 0; render < 3; render++) {
      await pool.run('video', movingInput(), { onProgress: () => undefined });
      seen.push(...(await children()));
    }
    // The process ends after the second render; the third starts a new one.
    expect(seen).toHaveLength(2);
    expect(seen[0]).not.toBe(seen[1]);
  });

  test.skipIf(process.platform !== 'linux')('frees the fonts of drawings in a process', async () => {
    const pool = openPool({ size: 1 });
    const draw = async (count: number): Promise<number> => {
      await pool.run('frames', { renderInput: movingInput(), frames: Array.from({ length: count }, () => 3) });
      const [pid] = await children();
      return Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1024;
    };
    const before = await draw(20);
    // A font takes 0.25 MB, and each drawing opens its own.
    expect((await draw(200)) - before).toBeLessThan(15_000_000);
  });

  test('renders at most its size at once and queues the rest', async () => {
    const pool = openPool({ size: 2 });
    const counts = await Promise.all(
      [1, 2, 3, 4].map(async () => {
        let most = 0;
        await pool.run('video', movingInput(), {
          onProgress: async (done) => {
            if (done === 1) most = Math.max(most, (await children()).length);
          },
        });
        return most;
      }),
    );
    expect(Math.max(...counts)).toBeLessThanOrEqual(2);
    expect(await children()).toHaveLength(2);
  });

  test('keeps a process whose input was rejected', async () => {
    const pool = openPool({ size: 1 });
    await pool.run('video', movingInput());
    const before = await children();
    const refused = pool.run('video', inputOf([], { document: { fr: 1e308 } }));
    await expect(refused).rejects.toMatchObject({ name: 'RenderError', code: 'template_invalid' });
    expect(await children()).toEqual(before);
  });

  test('fails only the render whose process crashes', async () => {
    const pool = openPool({ size: 2 });
    // Starts the process first, because finding its id takes long on a busy machine.
    await pool.run('video', movingInput());
    const [victim] = await children();
    const { rendering: doomed } = await begun(pool);
    const other = pool.run('video', movingInput());
    process.kill(victim!, 'SIGSEGV');
    expect(await doomed).toMatchObject({ code: 'render_crashed' });
    expect((await other).frameCount).toBe(12);
    expect((await pool.run('video', movingInput())).frameCount).toBe(12);
  });

  test('reports render_crashed when the process cannot start', async () => {
    const pool = openPool({ environment: { NODE_OPTIONS: '--require=/nonexistent.js' } });
    await expect(pool.run('video', movingInput())).rejects.toMatchObject({ code: 'render_crashed' });
  });

  test('kills the process of an aborted render and rejects with the reason', async () => {
    const pool = openPool({ size: 1 });
    const controller = new AbortController();
    const { rendering } = await begun(pool, controller.signal);
    controller.abort(new Error('enough'));
    expect(await rendering).toMatchObject({ message: 'enough' });
    expect(await children()).toEqual([]);
  });

  test('reports render_timeout when no frame arrives in time', async () => {
    await expect(openPool({ stallMs: 1 }).run('video', movingInput())).rejects.toMatchObject({
      code: 'render_timeout',
    });
  });

  test('reports render_timeout when the render takes too long in total', async () => {
    await expect(openPool({ totalMs: 1 }).run('video', movingInput())).rejects.toMatchObject({
      code: 'render_timeout',
    });
  });

  test.skipIf(process.platform !== 'linux')('hides the environment from its processes', async () => {
    process.env.REELFORM_TOKEN = 'rf_secret';
    const pool = openPool({ environment: { LANG: 'C' } });
    await pool.run('video', movingInput());
    const [pid] = await children();
    delete process.env.REELFORM_TOKEN;
    const names = readFileSync(`/proc/${pid}/environ`, 'utf8')
      .split('\0')
      .map((entry) => entry.split('=')[0]);
    const ofSandbox = openSandbox('auto').kind === 'none' ? [] : ['HOME', 'OPENSSL_CONF'];
    const ofKoffi = ['SANDBOX_KOFFI'];
    const ofHeap = ['MALLOC_ARENA_MAX', 'MALLOC_MMAP_THRESHOLD_', 'MALLOC_TOP_PAD_', 'MALLOC_TRIM_THRESHOLD_'];
    const ofMalloc = ['GLIBC_TUNABLES', ...ofHeap];
    const ofLibraries = [...ofMalloc, 'DISABLE_SYSTEM_FONTS_LOAD', 'MIMALLOC_PURGE_DELAY', 'SVT_LOG'];
    // Node's own channel is not open: its messages could end the parent.
    expect(names.filter(Boolean).sort()).toEqual(['LANG', ...ofLibraries, 'TMPDIR', ...ofSandbox, ...ofKoffi].sort());
  });

  test('close() ends running and waiting renders and leaves no process', async () => {
    const pool = openPool({ size: 1 });
    const { rendering } = await begun(pool);
    const waiting = pool.run('video', movingInput()).catch((error: unknown) => error);
    await pool.close();
    expect(await rendering).toMatchObject({ code: 'render_crashed' });
    expect(await waiting).toMatchObject({ code: 'render_crashed' });
    expect(await children()).toEqual([]);
  });
});

test('the render process ends when its parent is killed', async () => {
  const path = builtFile(
    import.meta.url.replace('/test/', '/src/'),
    'service/sessions/processes/render-process.cjs',
  ).pathname;
  const script = `const child = require('node:child_process').spawn(process.execPath, [${JSON.stringify(path)}], { stdio: ['pipe', 'inherit', 'ignore', 'pipe'] });
    child.on('spawn', () => process.stderr.write('started'));`;
  const parent = execa('node', ['-e', script], { reject: false });
  parent.stderr.once('data', () => parent.kill('SIGKILL'));
  // The child inherits stdout, so this resolves only when it has ended too.
  expect((await parent).signal).toBe('SIGKILL');
});

test.skipIf(process.platform === 'win32').each(['auto', 'none'] as const)(
  'the render process empties its directory when its parent is killed, in the sandbox %s',
  async (setting) => {
    const folder = mkdtempSync(join(tmpdir(), 'reelform-render-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    mkdirSync(join(folder, 'pictures'));
    writeFileSync(join(folder, 'pictures/0.png'), 'x');
    const path = builtFile(
      import.meta.url.replace('/test/', '/src/'),
      'service/sessions/processes/render-process.cjs',
    ).pathname;
    const { file, args, env } = openSandbox(setting).command({ args: [path], folder, programs: [] });
    const options = { stdio: ['pipe', 'inherit', 'ignore', 'pipe'] };
    const child = [file, args, { ...options, env: { ...env, TMPDIR: folder } }].map((one) => JSON.stringify(one));
    const script = `require('node:child_process').spawn(${child.join(', ')}).once('spawn', () => process.kill(process.pid, 'SIGKILL'));`;
    expect((await execa('node', ['-e', script], { reject: false })).signal).toBe('SIGKILL');
    expect(readdirSync(folder)).toEqual([]);
  },
);

describe('createRenderPool() for tasks of one video', () => {
  test('runs two at once in one process, and those of another video in another', async () => {
    const pool = openPool({ size: 3 });
    const [video, other] = [Symbol('video'), Symbol('other')];
    let most = 0;
    const count = async (): Promise<void> => {
      most = Math.max(most, (await children()).length);
    };
    const run = (of: symbol) =>
      pool.run('video', movingInput(), { video: of, onProgress: (done) => void (done === 1 && count()) });
    const [one, two] = await Promise.all([run(video), run(video)]);
    expect(Buffer.compare(await bytesOf(one.video), await bytesOf(two.video))).toBe(0);
    expect(await children()).toHaveLength(1);
    await Promise.all([run(video), run(other), run(video)]);
    expect(await children()).toHaveLength(2);
    expect(most).toBeLessThanOrEqual(2);
  });

  test('a crash ends both', async () => {
    const pool = openPool({ size: 2 });
    const video = Symbol('video');
    const started = Array.from({ length: 2 }, () => {
      let task: Promise<unknown> = Promise.resolve();
      const begins = new Promise<void>((resolve) => {
        const options = { video, onProgress: () => resolve() };
        task = pool.run('video', movingInput({ frameCount: 1_000 }), options).catch((error: unknown) => error);
      });
      return { begins, task };
    });
    await Promise.all(started.map(({ begins }) => begins));
    const [victim] = await children();
    process.kill(victim!, 'SIGSEGV');
    const ends = await Promise.all(started.map(({ task }) => task));
    expect(ends).toEqual([0, 1].map(() => expect.objectContaining({ code: 'render_crashed' })));
    expect((await pool.run('video', movingInput(), { video })).frameCount).toBe(12);
  });
});

describe('freeProcessors()', () => {
  test('counts the tasks of other videos, and leaves one', () => {
    const [video, foreign] = [Symbol('video'), Symbol('foreign')];
    expect(freeProcessors(3, [], video)).toBe(3);
    expect(freeProcessors(3, [video, video, foreign], video)).toBe(2);
    expect(freeProcessors(2, [foreign, undefined, foreign], video)).toBe(1);
    expect(freeProcessors(3, [undefined], undefined)).toBe(2);
  });
});

describe('warm()', () => {
  test('starts a process for two tasks of a video, and counts those that are idle', async () => {
    const pool = openPool({ size: 4 });
    pool.warm(1, 'videos');
    const first = await childrenOnceThere(1);
    pool.warm(2, 'lint');
    expect(await childrenOnceThere(1)).toEqual(first);
    pool.warm(100, 'videos');
    const started = await childrenOnceThere(2);
    await pool.run('video', movingInput());
    expect((await childrenOnceThere(2)).sort()).toEqual(started.sort());
  });

  test('gives a process to the first owner that needs one, and to no other', async () => {
    const pool = openPool({ size: 2 });
    pool.warm(1, 'videos');
    const [warm] = await childrenOnceThere(1);
    await pool.run('video', movingInput(), { owner: 'a' });
    expect(await children()).toEqual([warm]);
    await pool.run('video', movingInput(), { owner: 'b' });
    const [other, ...rest] = (await children()).filter((pid) => pid !== warm);
    expect([typeof other, rest]).toEqual(['number', []]);
    process.kill(other!, 'SIGKILL');
    await pool.run('video', movingInput(), { owner: 'a' });
    expect(await children()).toContain(warm);
  });

  test('replaces a process that has ended before its first task', async () => {
    const pool = openPool();
    pool.warm(1, 'videos');
    const [pid] = await childrenOnceThere(1);
    process.kill(pid!, 'SIGKILL');
    await expect.poll(children).toEqual([]);
    // The pool hears of the end a moment after the list of processes has lost it.
    await setTimeout(200);
    expect((await pool.run('video', movingInput())).frameCount).toBe(12);
  });

  test.runIf(process.platform === 'linux')('loads the encoder for videos only', async () => {
    const warmed = async (purpose: 'videos' | 'pictures' | 'lint'): Promise<() => string> => {
      const before = await children();
      openPool().warm(1, purpose);
      const started = async () => (await children()).find((pid) => !before.includes(pid));
      const pid = await vi.waitUntil(started, { timeout: 40_000 });
      return () => readFileSync(`/proc/${pid}/maps`, 'utf8');
    };
    const libraries = { timeout: 30_000 };
    await expect.poll(await warmed('videos'), libraries).toContain('node-av');
    for (const purpose of ['lint', 'pictures'] as const) {
      const loaded = await warmed(purpose);
      // A thread loads it later than the process would load an encoder.
      await expect.poll(loaded, libraries).toContain('skia');
      expect(loaded()).not.toContain('node-av');
    }
  });

  test('draws the same pictures in the thread of a process for pictures, also for two tasks at once', async () => {
    const input = movingInput();
    const comparison = {
      before: packRenderInput({ ...input, stills: [{ name: 'first', frame: 0 }] }),
      after: packRenderInput({ ...input, stills: [{ name: 'first', frame: 7 }] }),
      jpegQuality: 80,
    };
    const draw = async (purpose: 'pictures' | 'videos') => {
      const pool = openPool();
      pool.warm(1, purpose);
      const [first, video] = [(await childrenOnceThere(1))[0]!, Symbol('video')];
      const steps: number[] = [];
      const pictures = await Promise.all([
        pool.run('compare', comparison, { video, onProgress: (done) => steps.push(done) }),
        pool.run('stills', input, { video }),
      ]);
      await expect(pool.run('stills', { ...input, width: 0 })).rejects.toThrow();
      expect(await children()).toEqual([first]);
      await pool.close();
      return { pictures, steps };
    };
    const [inThread, here] = [await draw('videos'), await draw('pictures')];
    expect(here.pictures).toEqual(inThread.pictures);
    expect(here.steps).toEqual([1, 2]);
    expect(inThread.steps).toEqual([1, 2]);
  });

  test('finds the same in the thread of a process for lint, with and without a thread for flashes', async () => {
    const renderInput = packRenderInput(flashingInput());
    const find = async (purpose: 'lint' | 'videos', processors: number) => {
      const pool = openPool();
      pool.warm(processors, purpose);
      const first = (await childrenOnceThere(1))[0]!;
      const found = await pool.run('lint', { renderInput, safeAreas: [null] }, { processors });
      const broken = packRenderInput({ ...flashingInput(), width: 0 });
      await expect(pool.run('lint', { renderInput: broken, safeAreas: [null] }, { processors })).rejects.toThrow();
      expect(await children()).toEqual([first]);
      await pool.close();
      return found;
    };
    const inThread = await find('videos', 1);
    expect(inThread.findings.map(({ code }) => code)).toContain('flashes');
    for (const processors of [1, 2]) expect(await find('lint', processors)).toEqual(inThread);
  });

  test('starts nothing in a closed pool', async () => {
    const pool = openPool();
    pool.warm(1, 'videos');
    await pool.close();
    pool.warm(1, 'videos');
    expect(await children()).toEqual([]);
  });
});

describe('createRenderPool() for several owners', () => {
  test('dedicates each process to one owner and keeps no more processes than its size', async () => {
    const pool = openPool({ size: 2 });
    const processOf = async (owner: string): Promise<number[]> => {
      const before = await children();
      await pool.run('video', movingInput(), { owner });
      const after = await children();
      return after.filter((pid) => !before.includes(pid));
    };
    const [first] = await processOf('a');
    const [second] = await processOf('b');
    expect(new Set([first, second, undefined]).size).toBe(3);
    expect([await processOf('a'), await processOf('b')]).toEqual([[], []]);
    const [third] = await processOf('c');
    await expect.poll(async () => (await children()).sort()).toEqual([second, third].sort());
  });
});

it.each([
  [{ 'cpu.max': '150000 100000\n' }, 1.5],
  [{ 'cpu.max': 'max 100000\n' }, Number.POSITIVE_INFINITY],
  [{ 'cpu/cpu.cfs_quota_us': '200000\n', 'cpu/cpu.cfs_period_us': '100000\n' }, 2],
  [{ 'cpu/cpu.cfs_quota_us': '-1\n', 'cpu/cpu.cfs_period_us': '100000\n' }, Number.POSITIVE_INFINITY],
  [{}, Number.POSITIVE_INFINITY],
])('quotaOf() reads %j as %s cores', (files: Record<string, string>, cores) => {
  expect(quotaOf((name) => files[name] ?? null)).toBe(cores);
});

it('renderCapacity() is one slot per core and GB, at least one', () => {
  expect(renderCapacity({ cores: 3.7, memoryBytes: 16e9 })).toBe(3);
  expect(renderCapacity({ cores: 8, memoryBytes: 2.5e9 })).toBe(2);
  expect(renderCapacity({ cores: 0.5, memoryBytes: 0.2e9 })).toBe(1);
  expect(renderCapacity()).toBeGreaterThanOrEqual(1);
});

describe('chooseEncoder()', () => {
  test('prefers the encoder from the environment to the configured one', () => {
    expect(chooseEncoder({ h264: 'x264' }, {})).toEqual({ h264: 'x264' });
    expect(chooseEncoder({ h264: 'nvenc' }, { REELFORM_ENCODER: '' })).toEqual({ h264: 'nvenc' });
    expect(chooseEncoder({ h264: 'nvenc' }, { REELFORM_ENCODER: 'videotoolbox' })).toEqual({ h264: 'videotoolbox' });
  });

  test('reports settings_invalid for an unknown encoder, with a hint for former names', () => {
    const refused = (hint: string): object =>
      expect.objectContaining({ code: 'settings_invalid', hint: expect.stringContaining(hint) });
    const choose = (name: string) => () => chooseEncoder({ h264: 'x264' }, { REELFORM_ENCODER: name });
    expect(choose('x265')).toThrow(refused('x264, videotoolbox, nvenc'));
    expect(choose('ffmpeg')).toThrow(refused('remove it: the default encoder'));
    expect(choose('embedded')).toThrow(refused('remove it: x264 is the default'));
    expect(choose('vaapi')).toThrow(refused('use x264: VAAPI encoders take only frames in graphics memory'));
  });
});
