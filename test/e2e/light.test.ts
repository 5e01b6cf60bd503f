import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mediaFile } from '../engine/media/media-files.ts';
import { freePort } from '../support/free-port.ts';
import { packPackages, type Tarballs } from '../support/packed-packages.ts';
import { createToken, type SpawnedService, spawnService } from '../support/spawned-service.ts';

/**
 * Installs the published packages in empty folders: `reelform` with `--omit=optional`, which is enough for everything that
 * draws nothing, and then the packages that its errors name.
 */
const folder = mkdtempSync(join(tmpdir(), 'reelform-light-'));
const served = mkdtempSync(join(tmpdir(), 'reelform-served-'));
const user = join(folder, 'user');
let tarballs: Tarballs;
let service: SpawnedService;
let token: string;

const environment = () => ({ CI: 'true', NO_COLOR: '1', REELFORM_TOKEN: token, SERVICE: service.url });

/** Runs the installed program. */
async function reelform(cwd: string, ...args: string[]) {
  const program = join(user, 'node_modules/reelform/dist/cli/main.js');
  const { exitCode, stdout, stderr } = await execa(process.execPath, [program, ...args], {
    cwd,
    reject: false,
    stdin: 'ignore',
    env: environment(),
  });
  return { exitCode, stdout, stderr };
}

function install(...args: string[]) {
  return execa('npm', ['install', '--no-audit', '--no-fund', ...args], { cwd: user });
}

/** Size of all files, in bytes. */
function sizeOf(path: string): number {
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return names.reduce((sum, name) => {
    const stats = statSync(join(path, name));
    return sum + (stats.isFile() ? stats.size : 0);
  }, 0);
}

beforeAll(async () => {
  tarballs = await packPackages();
  service = await spawnService(served, { port: await freePort() });
  token = await createToken(served);
  mkdirSync(user);
  writeFileSync(join(user, 'package.json'), '{"name": "a-user", "private": true}');
});

afterAll(async () => {
  expect(await service.stop()).toBe(0);
  for (const path of [folder, served]) rmSync(path, { recursive: true, force: true });
});

describe('reelform installed with --omit=optional', () => {
  it('is one package of at most 8 MB, which every supported Node accepts', async () => {
    const { stderr } = await install('--omit=optional', '--engine-strict', tarballs.reelform);
    expect(stderr).not.toContain('EBADENGINE');
    expect(readdirSync(join(user, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['reelform']);
    expect(sizeOf(join(user, 'node_modules'))).toBeLessThan(8e6);
  });

  it('creates a repository, plans it, and renders it with a service', async () => {
    const init = await reelform(folder, 'init', 'videos', '--yes', '--ci', 'none', '--service', service.url);
    expect(init).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('files written') });
    const videos = join(folder, 'videos');
    for (const args of [['validate'], ['fmt', '--check'], ['list'], ['explain', 'hello'], ['lock', 'verify']]) {
      expect([args, await reelform(videos, ...args)]).toMatchObject([args, { exitCode: 0, stderr: '' }]);
    }
    const plan = await reelform(videos, 'plan');
    expect(plan).toMatchObject({ exitCode: 0, stderr: '' });
    expect(plan.stdout).toMatch(/1 to create/);
    expect(plan.stdout.replaceAll(/\s+/g, ' ')).toContain(
      '1 video was not checked by lint, because @reelform/engine is not installed.',
    );
    const { stdout: document } = await reelform(videos, 'plan', '--json');
    expect(JSON.parse(document)).toMatchObject({
      lint: { videos: 0, left_out: [{ id: 'hello', reason: 'engine_missing' }] },
    });
    const applied = await reelform(videos, 'apply', '--auto-approve');
    expect(applied).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('1 rendered') });
    expect(await reelform(videos, 'drift')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('Everything matches'),
    });
    expect(await reelform(videos, 'plan')).toMatchObject({ stdout: expect.stringContaining('No changes') });
  });

  it('plans a video that is as long as a voice, and says what measures it', async () => {
    const voiced = join(folder, 'voiced');
    cpSync(join(folder, 'videos'), voiced, { recursive: true });
    writeFileSync(join(voiced, 'videos/voice.mp3'), mediaFile('beep.mp3'));
    const audio = 'audio: { voice: { source: ./voice.mp3 } }\nduration: { content: true, max: 8 }\n';
    appendFileSync(join(voiced, 'videos/hello.yaml'), audio);
    const { stdout } = await reelform(voiced, 'plan', '--json');
    expect(JSON.parse(stdout).diagnostics).toContainEqual(
      expect.objectContaining({
        code: 'engine_missing',
        severity: 'warning',
        file: 'videos/hello.yaml',
        message: expect.stringMatching(/^The length of "videos\/voice.mp3" is not known\. .* @reelform\/engine/),
        hint: 'Run npm install --include=optional @reelform/engine@0.1.0',
      }),
    );
  });

  it('reads and writes lockfiles through its JavaScript API', async () => {
    const script =
      "import { emptyLock, serialiseLock } from 'reelform'; console.log(serialiseLock(emptyLock).length > 9)";
    const { stdout } = await execa('node', ['--input-type=module', '-e', script], { cwd: user });
    expect(stdout).toBe('true');
  });

  it.each([
    ['lint', '--no-cache'],
    ['render', 'hello', '--out', 'hello.mp4'],
    ['preview', '--port', '0'],
    ['apply', '--auto-approve'],
  ])('%s ends with the command that installs the engine', async (...args) => {
    const local = join(folder, `local-${args[0]}`);
    cpSync(join(folder, 'videos'), local, { recursive: true });
    rmSync(join(local, 'reelform.lock.json'));
    const config = readFileSync(join(local, 'reelform.yaml'), 'utf8');
    writeFileSync(join(local, 'reelform.yaml'), config.replace(/^service:.*(?:\n .*)*/m, 'service: embedded'));
    const { exitCode, stderr } = await reelform(local, ...args);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: expect.stringMatching(
        /error engine_missing: .* @reelform\/engine, which is not installed\nhint: Run npm install --include=optional @reelform\/engine@0\.1\.0\s*$/,
      ),
    });
  });

  it.each([['serve'], ['worker'], ['token', 'list']])(
    '%s ends with the command that installs the server',
    async (...args) => {
      expect(await reelform(folder, ...args)).toEqual({
        exitCode: 1,
        stdout: '',
        stderr:
          'error server_missing: The commands serve, worker and token need the package @reelform/server, which is not installed\n' +
          'hint: Run npm install @reelform/server@0.1.0',
      });
    },
  );
});

describe('the packages that the errors name', () => {
  it('@reelform/engine renders, and every supported Node accepts it', async () => {
    const { stderr } = await install('--include=optional', '--engine-strict', tarballs.engine);
    expect(stderr).not.toContain('EBADENGINE');
    const local = join(folder, 'local-apply');
    const applied = await reelform(local, 'apply', '--auto-approve');
    expect(applied).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('1 rendered') });
    expect(await reelform(local, 'lint', '--no-cache')).toMatchObject({ exitCode: 0 });
  });

  it('an engine without its native code is reported as incomplete', async () => {
    const native = readdirSync(join(user, 'node_modules/@napi-rs')).filter((name) => name !== 'canvas');
    const hidden = join(folder, 'hidden');
    mkdirSync(hidden);
    const move = (from: string, to: string): void => {
      for (const name of native) {
        cpSync(join(from, name), join(to, name), { recursive: true });
        rmSync(join(from, name), { recursive: true });
      }
    };
    move(join(user, 'node_modules/@napi-rs'), hidden);
    const { exitCode, stderr } = await reelform(join(folder, 'local-lint'), 'lint', '--no-cache');
    move(hidden, join(user, 'node_modules/@napi-rs'));
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: expect.stringContaining('@reelform/engine, which is incomplete: @napi-rs/canvas has no native code for'),
    });
  });

  it('@reelform/server runs the service', async () => {
    await install(tarballs.server);
    const port = await freePort();
    const data = join(folder, 'served');
    mkdirSync(data);
    const program = join(user, 'node_modules/reelform/dist/cli/main.js');
    const own = await spawnService(data, { port, program });
    expect((await fetch(`${own.url}/healthz`)).status).toBe(200);
    expect(await reelform(data, 'token', 'create')).toMatchObject({ exitCode: 0 });
    expect(await own.stop()).toBe(0);
  });
});
