import { copyFileSync, linkSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pid, platform } from 'node:process';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openSandbox, type Sandbox, type SandboxSetting } from '../../../src/service/sandbox/sandbox.ts';

const ALLOWED = ['own folder: write', 'own folder: read', 'own process: read', 'own thread: start'];
/**
 * Bubblewrap gives a program its own temporary directory, network and mounts, so using or listing them shows nothing of the
 * system.
 */
const ALLOWED_BY: Readonly<Record<'landlock' | 'bubblewrap', readonly string[]>> = {
  landlock: ALLOWED,
  bubblewrap: [
    ...ALLOWED,
    'own process: list mounts',
    'own process: list connections',
    'own process: list descriptors',
    'package: read attributes',
    'system: temporary files',
    'network: listen',
  ],
};
const ANSWERS = {
  'own program: run': 'EPERM',
  'own process: become another program': 'EPERM',
  'own process: lead a session': 'EPERM',
  'own process: leave its group': 'EPERM',
  'own process: list mounts': 'EACCES',
  'own process: list connections': 'EACCES',
  'data folder: change attributes': 'EPERM',
  'package: read attributes': 'ENOTTY',
  'system calls: unknown': 'ENOSYS',
  'system calls: list mounts': 'EPERM',
};
const PACKAGE = join(import.meta.dirname, '../../..');

/** Opens the named sandbox, or returns null where this system lacks it. */
function sandboxOf(setting: SandboxSetting): Sandbox | null {
  try {
    return openSandbox(setting);
  } catch {
    return null;
  }
}

describe.each(['landlock', 'bubblewrap'] as const)('openSandbox(%s)', (setting) => {
  const sandbox = sandboxOf(setting);
  const servers: Server[] = [];
  let data = '';
  let socket = '';
  let port = 0;

  const listen = async (at: string | number): Promise<Server> => {
    const server = createServer((connection) => connection.end()).listen(at);
    servers.push(server);
    await new Promise((resolve, reject) => server.once('listening', resolve).once('error', reject));
    return server;
  };

  beforeAll(async () => {
    data = mkdtempSync(join(tmpdir(), 'data-'));
    socket = join(data, 'c.sock');
    writeFileSync(join(data, 'secret.txt'), 'secret');
    port = ((await listen(0)).address() as { port: number }).port;
    await listen(socket);
    if (platform === 'linux') await listen('\0reelform-abstract');
  });
  afterAll(() => {
    for (const server of servers) server.close();
  });

  it.skipIf(sandbox === null)('denies a program everything except its own directory and process', async () => {
    // `system: temporary files` writes to /tmp, while the temporary directory of the tests may be elsewhere.
    const folder = mkdtempSync('/tmp/reelform-own-');
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const program = join(folder, 'hostile.mjs');
    copyFileSync(join(import.meta.dirname, '../../support/hostile-program.mjs'), program);
    const { file, args, env } = sandbox!.command({
      args: [program, String(pid), data, socket, String(port), folder, PACKAGE],
      folder,
      programs: [],
    });
    const { stdout } = await execa(file, args, { env: { ...env, HOME_OF_THE_SERVER: homedir() }, extendEnv: false });
    const results = JSON.parse(stdout) as Record<string, string>;
    const allowed = Object.keys(results).filter((name) => results[name] === 'allowed');
    expect({ allowed: allowed.sort(), results }).toMatchObject({ allowed: [...ALLOWED_BY[setting]].sort() });
    // The calls reach the filter, and not only a kernel that lacks them.
    if (setting === 'landlock') expect(results).toMatchObject(ANSWERS);
  });

  it.skipIf(sandbox === null)(
    'lets a program read linked files of a folder, and change neither them nor what they are linked to',
    async () => {
      const [folder, readable, outside] = ['own-', 'sources-', 'outside-'].map((name) =>
        mkdtempSync(join(tmpdir(), name)),
      );
      const [secret, linked] = [join(outside!, 'clip'), join(readable!, 'clip')];
      writeFileSync(secret, 'clip');
      linkSync(secret, linked);
      const program = join(folder!, 'program.mjs');
      writeFileSync(
        program,
        `import fs from 'node:fs';
       const [linked, folder, outside] = process.argv.slice(2);
       const mine = folder + '/mine';
       const tries = {
         read: () => fs.readFileSync(linked, 'utf8'),
         write: () => fs.writeFileSync(linked, 'x'),
         append: () => fs.appendFileSync(linked, 'x'),
         truncate: () => fs.truncateSync(linked),
         remove: () => fs.rmSync(linked),
         rename: () => fs.renameSync(linked, mine),
         link: () => { fs.linkSync(linked, mine); fs.writeFileSync(mine, 'x'); },
         mode: () => fs.chmodSync(linked, 0o777),
         add: () => fs.writeFileSync(linked + '2', 'x'),
         original: () => fs.readFileSync(outside, 'utf8'),
       };
       const results = Object.entries(tries).map(([name, run]) => {
         try { return [name, run() ?? 'done']; } catch (error) { return [name, 'refused']; }
       });
       process.stdout.write(JSON.stringify(Object.fromEntries(results)));`,
      );
      const options = {
        args: [program, linked, folder!, secret],
        folder: folder!,
        programs: [],
        readable: [readable!],
      };
      const { file, args, env } = sandbox!.command(options);
      const { stdout } = await execa(file, args, { env, extendEnv: false });
      const refused = ['write', 'append', 'truncate', 'remove', 'rename', 'link', 'mode', 'add', 'original'];
      expect(JSON.parse(stdout)).toEqual({
        read: 'clip',
        ...Object.fromEntries(refused.map((name) => [name, 'refused'])),
      });
      expect([readFileSync(secret, 'utf8'), readdirSync(readable!)]).toEqual(['clip', ['clip']]);
    },
  );

  it.skipIf(sandbox === null)(
    'passes descriptor 3 to a program, and what the parent sends before it starts',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'own-'));
      const program = join(folder, 'echo.mjs');
      writeFileSync(
        program,
        `import { Socket } from 'node:net';
       const chunks = await process.stdin.toArray();
       new Socket({ fd: 3 }).end(String(Buffer.concat(chunks).length));`,
      );
      const { file, args, env } = sandbox!.command({ args: [program], folder, programs: [] });
      const stdio = ['pipe', 'ignore', 'inherit', 'pipe'] as const;
      const subprocess = execa(file, args, { stdio, env, extendEnv: false });
      subprocess.stdin.end(Buffer.alloc(5_000_000));
      expect((await subprocess).stdio[3]).toBe('5000000');
    },
  );
});

describe('openSandbox()', () => {
  it('throws sandbox_missing with the reasons for a sandbox that the system lacks', () => {
    const setting = (['landlock', 'bubblewrap'] as const).find((one) => sandboxOf(one) === null);
    if (setting === undefined) return;
    expect(() => openSandbox(setting)).toThrow(expect.objectContaining({ code: 'sandbox_missing' }));
  });

  it('throws sandbox_missing when a sandbox is required and the system has none', () => {
    const found = openSandbox('auto').kind;
    if (found === 'none')
      expect(() => openSandbox('required')).toThrow(/There is no sandbox as asked for \(required\)/);
    else expect(openSandbox('required').kind).toBe(found);
  });

  it('reports why there is no sandbox', () => {
    expect(openSandbox('none')).toMatchObject({ kind: 'none', description: 'none', gap: 'disabled' });
  });

  it.skipIf(platform !== 'linux').each(['auto', 'none'] as const)(
    'lets a program of the sandbox %s end with its parent while it is busy',
    async (setting) => {
      const folder = mkdtempSync(join(tmpdir(), 'reelform-sandbox-'));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      const program = join(folder, 'program.cjs');
      writeFileSync(
        program,
        `const endWithParent = globalThis[Symbol.for('reelform.parent-end')];
        const hasParent = [endWithParent(true), endWithParent(false), endWithParent(true)];
        require('node:fs').writeSync(1, hasParent.join());
        for (;;);`,
      );
      const { file, args, env } = openSandbox(setting).command({ args: [program], folder, programs: [] });
      const options = { stdio: ['ignore', 'pipe', 'inherit'], env };
      const parent = execa(
        'node',
        [
          '-e',
          `const child = require('node:child_process').spawn(${[file, args, options].map((one) => JSON.stringify(one)).join(', ')});
        child.stdout.once('data', (text) => {
          require('node:fs').writeSync(1, text);
          process.kill(process.pid, 'SIGKILL');
        });`,
        ],
        { reject: false },
      );
      // The program inherits the error output, so this resolves only when it has ended too.
      expect(await parent).toMatchObject({ signal: 'SIGKILL', stdout: 'true,true,true', stderr: '' });
    },
  );

  it.skipIf(platform !== 'linux')('leaves a program without a sandbox its only process', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'own-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const program = join(folder, 'starter.mjs');
    writeFileSync(
      program,
      `import { spawnSync } from 'node:child_process';
       import { createRequire } from 'node:module';
       import { Worker } from 'node:worker_threads';
       const koffi = createRequire(process.argv[2])('koffi');
       const setsid = koffi.load(null).func('int setsid()');
       const run = spawnSync(process.execPath, ['--version'], { detached: true }).error?.code ?? 'runs';
       const session = setsid() === -1 ? koffi.errno() : 'leads';
       const thread = await new Promise((resolve) => new Worker('', { eval: true }).once('exit', resolve));
       process.stdout.write(JSON.stringify({ run, session, thread }));`,
    );
    const { file, args, env } = openSandbox('none').command({ args: [program, `${PACKAGE}/`], folder, programs: [] });
    // At the head of no group, where setsid() would fail by itself.
    const { stdout } = await execa(file, args, { env, extendEnv: false });
    expect(JSON.parse(stdout)).toEqual({ run: 'EPERM', session: 1, thread: 0 });
  });
});
