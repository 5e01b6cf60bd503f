import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it, onTestFinished } from 'vitest';
import { putDatabase } from '../../support/databases.ts';
import { makeFolder, makeRepository } from '../../support/repository.ts';
import { smallPackage } from '../../support/small-package.ts';
import { PROGRAM } from '../../support/spawned-program.ts';
import { type Ran, reelform } from '../../support/test-io.ts';

const { spec } = smallPackage();

interface Serving {
  readonly url: string;
  readonly stderr: string;
  /** Sends a signal to stop. */
  interrupt(): void;
  readonly ended: Promise<Ran>;
}

/** Starts `reelform serve` in this process; resolves when it prints its URL. */
function serve(root: string, ...args: string[]): Promise<Serving> {
  return new Promise((resolve, reject) => {
    const ended = reelform(root, ['serve', '--port', '0', ...args], {
      now: Date.now,
      onStderr(stderr, interrupt) {
        const url = /is listening at (\S+)\n/.exec(stderr)?.[1];
        if (url !== undefined) resolve({ url, stderr, interrupt, ended });
      },
    });
    ended.then(({ stderr }) => reject(new Error(stderr)), reject);
  });
}

function levelsOf(log: string): string[] {
  return log
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { level: string }).level);
}

describe('reelform serve', () => {
  it('serves the templates of its repository to clients with a token, and stops on request', async () => {
    const root = makeRepository();
    await putDatabase(join(root, '.reelform/server'));
    const serving = await serve(root, '--concurrency', '1');
    expect(serving.stderr).toBe(`Reelform is listening at ${serving.url}
  the API      ${serving.url}/docs
  database     PGlite, in the data folder
  data folder  ${join(root, '.reelform/server')}
  templates    small, of reelform.yaml
There are no tokens yet. Create one in another terminal:
  export REELFORM_TOKEN=$(reelform token create)
`);
    const made = await reelform(root, ['token', 'create'], { now: Date.now });
    expect(made.exitCode).toBe(0);
    const token = made.stdout.trim();
    const run = (repository: string, ...args: string[]): Promise<Ran> =>
      reelform(repository, args, { env: { REELFORM_TOKEN: token } });

    const client = makeRepository({
      'reelform.yaml': `service: {url: "${serving.url}"}\ntemplates: {small: ./templates/small}\nconcurrency: 2\n`,
    });
    expect(await run(client, 'template', 'push')).toMatchObject({
      exitCode: 0,
      stdout: `✓ small  ${spec.id}  already there\n`,
    });
    const applied = await run(client, 'apply', '--auto-approve');
    expect(applied).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^Done: 3 rendered in /) });
    const lock = readFileSync(join(client, 'reelform.lock.json'), 'utf8');
    const { videos } = JSON.parse(lock) as { videos: Record<string, { video_url: string }> };
    for (const { video_url } of Object.values(videos)) {
      const video = await fetch(video_url);
      expect(
        Buffer.from(await video.arrayBuffer())
          .subarray(4, 8)
          .toString(),
      ).toBe('ftyp');
    }
    expect(await run(client, 'plan', '--detailed-exitcode')).toMatchObject({ exitCode: 0 });

    // A template that is not registered yet.
    const manifest = join(client, 'templates/small/animation.json');
    writeFileSync(
      manifest,
      readFileSync(manifest, 'utf8').replace('"nm":"small"', '"nm":"other"').replace('[0,0,1,1]', '[0,1,0,1]'),
    );
    expect(await run(client, 'template', 'push')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/pushed\n$/),
    });

    serving.interrupt();
    const { exitCode, stdout, stderr } = await serving.ended;
    expect(exitCode).toBe(0);
    expect(stderr).toContain('Stopping after running renders have finished. Interrupt again to stop them too.');
    expect(new Set(levelsOf(stdout))).toEqual(new Set(['info']));
    expect(`${stdout}${stderr}${lock}${applied.stderr}`).not.toContain(token);

    const later = await reelform(root, ['token', 'list', '--json']);
    expect(later.stdout).toContain('"state": "valid"');
  });

  it('serves outside of a repository, locks its data folder, and exits with 8 on the second signal', async () => {
    const folder = makeFolder({});
    await putDatabase(join(folder, 'data'));
    await reelform(folder, ['token', 'create', '--data', 'data']);
    const serving = await serve(
      folder,
      '--data',
      'data',
      '--log-format',
      'pretty',
      '--public-url',
      'https://x.example.com',
    );
    expect(serving.stderr).toBe(`Reelform is listening at https://x.example.com
  the API      ${/http:\S+(?=\/docs)/.exec(serving.stderr)?.[0]}/docs
  database     PGlite, in the data folder
  data folder  ${join(folder, 'data')}
`);
    const second = await reelform(folder, ['serve', '--port', '0', '--data', 'data']);
    expect(second).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('error data_in_use: ') });
    serving.interrupt();
    serving.interrupt();
    const { exitCode, stdout } = await serving.ended;
    expect(exitCode).toBe(8);
    expect(stdout).toMatch(/^\d\d:\d\d:\d\d\.\d{3} info {2}\S.*$/m);
  });

  it('does not start with invalid settings, and reports all of them', async () => {
    const folder = makeFolder({ 'reelform-server.yaml': 'prt: 4400\nmetrics: no\n' });
    const { exitCode, stdout, stderr } = await reelform(folder, ['serve', '--port', 'x', '--allow-source', 'a b']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toContain('reelform-server.yaml:1:1');
    expect(stderr).toContain('Did you mean port?');
    expect(stderr).toContain('--port must be a whole number from 0 to 65535, not "x"');
    expect(stderr).toContain('The allowed host "a b"');
    expect(stderr).toContain('4 errors');
  });

  it('does not start with an invalid template in the repository', async () => {
    const root = makeRepository();
    rmSync(join(root, 'templates/small/animation.json'));
    const { exitCode, stderr } = await reelform(root, ['serve', '--port', '0']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('template_invalid');
  });

  it('exits if starting fails late, without work left that would keep the process alive', async () => {
    const root = makeRepository();
    const data = join(root, '.reelform/server');
    await putDatabase(data);
    mkdirSync(join(data, 'objects'));
    // Blocks the path where the package of the repository will be stored.
    writeFileSync(join(data, 'objects/packages'), '');
    const { exitCode, stderr } = await execa(process.execPath, [PROGRAM, 'serve', '--port', '0'], {
      cwd: root,
      reject: false,
    });
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining('error file_system: ') });
  });

  it('fails if the port is in use', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const { exitCode, stderr } = await reelform(makeFolder({}), ['serve', '--port', String(port)]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`error address_in_use: The service cannot listen on 127.0.0.1:${port}`);
  });
});
