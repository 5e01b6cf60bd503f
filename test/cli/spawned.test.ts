import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import module from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CONFIG, definition, makeRepository } from '../support/repository.ts';
import { smallAnimation } from '../support/small-package.ts';
import { PROGRAM } from '../support/spawned-program.ts';

/** Creates three videos of this many frames, long enough to interrupt. */
function longRepository(frames = 300): string {
  const animation = JSON.stringify(smallAnimation())
    .replaceAll('"op":10', `"op":${frames}`)
    .replace('"w":64,"h":36', '"w":640,"h":360');
  return makeRepository({ 'templates/small/animation.json': animation });
}

function start(root: string, args: readonly string[]) {
  return execa(process.execPath, [PROGRAM, ...args], { cwd: root, reject: false, env: { CI: 'true', NO_COLOR: '1' } });
}

/** Starts an apply that renders one video at a time, and collects its output. */
function startOneByOne(root: string, ...flags: string[]) {
  const run = start(root, ['apply', '--auto-approve', '--concurrency', '1', ...flags]);
  let stderr = '';
  run.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  return { run, said: () => stderr };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Waits for child processes and returns their ids. Slim Linux images have no `ps`; macOS has no /proc. */
async function childrenOf(parent: number): Promise<number[]> {
  for (;;) {
    const list = existsSync('/proc/self')
      ? readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8')
      : (await execa('pgrep', ['-P', String(parent)], { reject: false })).stdout;
    const children = list.split(/\s+/).filter((pid) => pid !== '');
    if (children.length > 0) return children.map(Number);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('the built program', () => {
  it('keeps compiled code beside itself where Node can, and runs where it cannot', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'reelform-compiled-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const canKeep = 'enableCompileCache' in module;
    for (const [name, isWritable] of Object.entries({ writable: true, full: false })) {
      const root = join(folder, name);
      cpSync(join(PROGRAM, '../..'), join(root, 'dist'), { recursive: true });
      cpSync(join(import.meta.dirname, '../../package.json'), join(root, 'package.json'));
      if (!isWritable) writeFileSync(join(root, 'node_modules'), '');
      const { exitCode, stdout, stderr } = await execa(process.execPath, [join(root, 'dist/cli/main.js'), '--version']);
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
      expect(stdout).toMatch(/^\d+\.\d+\.\d+/);
      expect(existsSync(join(root, 'node_modules/.cache'))).toBe(canKeep && isWritable);
    }
  });

  it('renders and exits by itself', async () => {
    const root = makeRepository();
    const { exitCode, stdout, stderr } = await start(root, ['apply', '--auto-approve']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringMatching(/^Done: 3 rendered in /) });
    expect(stderr).toContain('✓ berlin');
    expect(stderr).not.toContain('\x1b[');
  });

  it.each(['SIGINT', 'SIGKILL'] as const)(
    'starts render processes while it plans, which end with it by %s',
    async (signal) => {
      // The count of segments waits for a picture that never arrives.
      const server = createServer(() => undefined).listen(0, '127.0.0.1');
      onTestFinished(() => void server.closeAllConnections());
      onTestFinished(() => void server.close());
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const picture = `  (Footage)/USER/photo.png: http://127.0.0.1:${port}/photo.png\n`;
      const root = makeRepository({ 'videos/berlin.yaml': definition('Berlin', picture) });
      const { run, said } = startOneByOne(root);
      const requested = once(server, 'request');
      await requested;
      // Without those processes it waits here.
      const idle = await childrenOf(run.pid!);
      run.kill(signal);
      await run;
      await expect.poll(() => idle.filter(isAlive), { timeout: 10_000 }).toEqual([]);
      expect(said()).not.toContain('berlin  begun');
    },
  );

  it.runIf(existsSync('/proc/self'))('takes over from a killed apply that is still a zombie', async () => {
    const root = makeRepository();
    // The shell replaces itself by a program that never waits for the child.
    const parent = execa('bash', ['-c', 'sleep 60 & echo $!; exec sleep 60'], { reject: false });
    let said = '';
    parent.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    // Until then the shell would reap the child.
    await until(() => said.includes('\n') && readFileSync(`/proc/${parent.pid}/comm`, 'utf8') === 'sleep\n');
    process.kill(Number(said), 'SIGKILL');
    await until(() => / Z /.test(readFileSync(`/proc/${Number(said)}/stat`, 'utf8')));
    mkdirSync(join(root, '.reelform'));
    writeFileSync(join(root, '.reelform/apply.pid'), `${Number(said)} old\n`);
    expect((await start(root, ['apply', '--auto-approve', '--target-file', '/dev/null'])).exitCode).toBe(0);
    parent.kill();
    await parent;
  });

  it('exits quietly if the reader of its output exits', async () => {
    const root = makeRepository();
    const { exitCode, stderr } = await execa(
      'bash',
      ['-c', `set -o pipefail; "${process.execPath}" "${PROGRAM}" plan | head -n 1`],
      { cwd: root, reject: false },
    );
    expect(exitCode).toBe(0);
    expect(stderr).not.toContain('EPIPE');
  });

  it('continues an apply if the reader of its output exits', async () => {
    const root = makeRepository();
    const pipe = `"${process.execPath}" "${PROGRAM}" apply --auto-approve 2>&1 | head -n 1; exit "${'${PIPESTATUS[0]}'}"`;
    expect((await execa('bash', ['-c', pipe], { cwd: root, reject: false })).exitCode).toBe(0);
    expect((await start(root, ['plan', '--detailed-exitcode'])).exitCode).toBe(0);
  });

  it('completes the running video on the first SIGINT and skips the rest', async () => {
    // Short enough for the grace period of an unattended run.
    const root = longRepository(40);
    const { run, said } = startOneByOne(root);
    await until(() => said().includes('begun'));
    run.kill('SIGINT');
    const { exitCode, stdout } = await run;
    expect({ exitCode, stdout }).toEqual({
      exitCode: 8,
      stdout: expect.stringMatching(/^Interrupted: 1 rendered, 2 not started/),
    });
    expect(
      Object.keys((JSON.parse(readFileSync(join(root, 'reelform.lock.json'), 'utf8')) as { videos: object }).videos),
    ).toHaveLength(1);
  });

  it('exits at once with 8 on the second SIGINT', async () => {
    const root = longRepository();
    const { run, said } = startOneByOne(root, '--json');
    await until(() => said().includes('begun'));
    run.kill('SIGINT');
    await until(() => said().includes('Stopping'));
    const children = await childrenOf(run.pid!);
    run.kill('SIGINT');
    const { exitCode, stdout } = await run;
    expect(exitCode).toBe(8);
    const last = JSON.parse(stdout.split('\n').at(-1)!);
    expect(last).toMatchObject({ type: 'outcome', ended_by: 'interrupted', skipped: ['oslo', 'rome'] });
    await until(() => !children.some(isAlive));
  });

  it('survives SIGKILL without partial files or orphans, and the next apply continues', async () => {
    const root = longRepository();
    const { run, said } = startOneByOne(root);
    await until(() => said().includes('✓ berlin') && /oslo +begun/.test(said()));
    const children = await childrenOf(run.pid!);
    run.kill('SIGKILL');
    await run;
    await until(() => !children.some(isAlive));
    expect(readdirSync(join(root, 'renders')).filter((name) => name.endsWith('.mp4'))).toHaveLength(1);
    expect(existsSync(join(root, '.reelform/apply.pid'))).toBe(true);
    const next = await start(root, ['apply', '--auto-approve']);
    expect({ exitCode: next.exitCode, stdout: next.stdout }).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(/^Done: 2 rendered/),
    });
    expect(existsSync(join(root, '.reelform/apply.pid'))).toBe(false);
    expect((await start(root, ['plan', '--detailed-exitcode'])).exitCode).toBe(0);
  });

  it('keeps the segments of a killed shard, and the joining apply renders the rest', async () => {
    const root = longRepository(400);
    const segments = () => {
      const folder = join(root, '.reelform/segments');
      if (!existsSync(folder)) return [];
      return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /[0-9a-f]{64}$/.test(name));
    };
    const run = start(root, ['apply', '--shard', '1/1', '--target', 'berlin']);
    await until(() => segments().length > 0);
    const children = await childrenOf(run.pid!);
    run.kill('SIGKILL');
    await run;
    await until(() => !children.some(isAlive));
    const kept = segments().length;
    expect(kept).toBeLessThan(20);
    expect(existsSync(join(root, 'reelform.lock.json')) || existsSync(join(root, 'renders'))).toBe(false);
    const joining = await start(root, ['apply', '--auto-approve', '--target', 'berlin']);
    expect(joining.exitCode, joining.stderr).toBe(0);
    const lastRun = JSON.parse(readFileSync(join(root, '.reelform/segments/last-run.json'), 'utf8'));
    // One of the kept files may be the still of the first segment.
    expect([kept - 1, kept]).toContain(lastRun.reused);
    expect(lastRun).toEqual({ reused: lastRun.reused, rendered: 20 - lastRun.reused });
    expect(readdirSync(join(root, 'renders')).filter((name) => name.endsWith('.mp4'))).toHaveLength(1);
  });

  it('reports errors of a definition with a code frame', async () => {
    const root = makeRepository({
      'reelform.yaml': CONFIG,
      'videos/rome.yaml': definition('Rome').replace('c_01', 'c_1'),
    });
    const { exitCode, stderr } = await start(root, ['plan']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('videos/rome.yaml:5:3');
    expect(stderr).toContain('Did you mean c_01 (Background)?');
    expect(stderr).toMatch(/> 5 \|\s+c_1: /);
  });
});
