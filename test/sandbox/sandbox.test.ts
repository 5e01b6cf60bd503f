import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pid, platform } from 'node:process';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openSandbox, type Sandbox, type SandboxSetting } from '../../src/sandbox/sandbox.ts';

const ALLOWED = ['own folder: write', 'own folder: read', 'own process: read', 'own thread: start', 'own program: run'];
/** Under bubblewrap a program has a temporary folder and a network of its own: they lead nowhere. */
const ALLOWED_BY = {
  landlock: ALLOWED,
  bubblewrap: [...ALLOWED, 'system: temporary files', 'network: listen'],
} as const;

/** The sandbox of a name, or null where this system lacks it. */
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

  it.skipIf(sandbox === null)('refuses a program everything but its own folder and process', async () => {
    // Where programs expect temporary files: `system: temporary files` writes there, and the tests' own may lie elsewhere.
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
    'gives a program the channel of its parent, with messages sent before it runs',
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
  it('throws sandbox_missing, with the reasons, for one that the system lacks', () => {
    const setting = (['landlock', 'bubblewrap'] as const).find((one) => sandboxOf(one) === null);
    if (setting === undefined) return;
    expect(() => openSandbox(setting)).toThrow(expect.objectContaining({ code: 'sandbox_missing' }));
  });

  it('throws sandbox_missing where one is required and the system has none', () => {
    const found = openSandbox('auto').kind;
    if (found === 'none')
      expect(() => openSandbox('required')).toThrow(/There is no sandbox as asked for \(required\)/);
    else expect(openSandbox('required').kind).toBe(found);
  });

  it('says why there is none', () => {
    expect(openSandbox('none')).toMatchObject({ kind: 'none', description: 'none', gap: 'it is switched off' });
  });
});
