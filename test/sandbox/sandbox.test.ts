import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pid, platform } from 'node:process';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openSandbox, type Sandbox, type SandboxSetting } from '../../src/sandbox/sandbox.ts';

const ALLOWED = ['own folder: write', 'own folder: read', 'own process: read', 'own thread: start', 'own program: run'];
/** Bubblewrap gives a program its own temporary directory and network, so using them has no effect outside. */
const ALLOWED_BY = {
  landlock: ALLOWED,
  bubblewrap: [...ALLOWED, 'system: temporary files', 'network: listen'],
} as const;

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
    copyFileSync(join(import.meta.dirname, '../support/hostile-program.mjs'), program);
    const { file, args, env } = sandbox!.command({
      args: [program, String(pid), data, socket, String(port), folder],
      folder,
      programs: [],
    });
    const { stdout } = await execa(file, args, { env: { ...env, HOME_OF_THE_SERVER: homedir() }, extendEnv: false });
    const results = JSON.parse(stdout) as Record<string, string>;
    const allowed = Object.keys(results).filter((name) => results[name] === 'allowed');
    expect({ allowed, results }).toMatchObject({ allowed: ALLOWED_BY[setting] });
  });

  it.skipIf(sandbox === null)(
    "passes the parent's IPC channel to a program, including messages sent before it starts",
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'own-'));
      const program = join(folder, 'echo.mjs');
      writeFileSync(program, `process.once('message', (m) => process.send(m.length, () => process.disconnect()));`);
      const { file, args, env } = sandbox!.command({ args: [program], folder, programs: [] });
      const subprocess = execa(file, args, { ipc: true, serialization: 'advanced', env, extendEnv: false });
      const answer = new Promise((resolve) => subprocess.once('message', resolve));
      subprocess.send(Buffer.alloc(5_000_000));
      expect(await answer).toBe(5_000_000);
      await subprocess;
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
});
