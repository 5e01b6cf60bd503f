import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it, onTestFinished } from 'vitest';
import { anyDatabases } from '../../support/databases.ts';
import { freePort } from '../../support/free-port.ts';
import { makeFolder } from '../../support/repository.ts';
import { PROGRAM } from '../../support/spawned-program.ts';

/** Starts the built program in a shell that redirects its output. */
function start(cwd: string, command: string, env: Readonly<Record<string, string>> = {}) {
  return execa('bash', ['-c', `exec "$0" "$1" ${command}`, process.execPath, PROGRAM], {
    cwd,
    reject: false,
    env: { CI: 'true', NO_COLOR: '1', ...env },
  });
}

/** Starts `reelform serve` of the built program, with a redirected log. */
async function serveTo(
  redirection: string,
  more: Readonly<Record<string, string>> = {},
): Promise<{ url: string; process: ReturnType<typeof start> }> {
  const folder = makeFolder({});
  const port = await freePort();
  const { url: databaseUrl, directory } = await anyDatabases.address();
  const data = directory || join(folder, 'data');
  const env = databaseUrl === null ? more : { DATABASE_URL: databaseUrl, ...more };
  const child = start(folder, `serve --port ${port} --data "${data}" --concurrency 1 ${redirection}`, env);
  onTestFinished(() => void child.kill('SIGKILL'));
  const url = `http://127.0.0.1:${port}`;
  for (let isReady = false; !isReady; ) {
    if (child.exitCode !== null) throw new Error(`It ended early: ${(await child).stderr}`);
    isReady = await fetch(`${url}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    );
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { url, process: child };
}

async function expectToServe({ url, process: child }: Awaited<ReturnType<typeof serveTo>>): Promise<string> {
  for (let count = 0; count < 3; count++) expect((await fetch(`${url}/v2/render_sessions`)).status).toBe(401);
  child.kill('SIGTERM');
  const { exitCode, stderr } = await child;
  expect(exitCode).toBe(0);
  return String(stderr);
}

describe('a signal during the start', () => {
  it('ends the process at once', async () => {
    const env = { DATABASE_URL: `postgres://user@127.0.0.1:${await freePort()}/none` };
    const child = start(makeFolder({}), 'serve --port 0 --start-seconds 600', env);
    onTestFinished(() => void child.kill('SIGKILL'));
    await new Promise<void>((resolve) => {
      child.stdout.on('data', (text) => String(text).includes('waiting for dependencies') && resolve());
    });
    child.kill('SIGTERM');
    expect(await child).toMatchObject({ exitCode: 0 });
  });
});

describe.skipIf(process.platform === 'win32')('an error that no code handles', () => {
  it.each(['throw new Error("broken")', 'Promise.reject(new Error("broken"))'])(
    'ends the service in order: %s',
    async (fault) => {
      const code = `import { isMainThread } from 'node:worker_threads';
      if (isMainThread) process.on('SIGUSR2', () => setImmediate(() => { ${fault} }));`;
      const options = `--import=data:text/javascript,${encodeURIComponent(code)}`;
      const { process: child } = await serveTo('', { NODE_OPTIONS: options });
      child.kill('SIGUSR2');
      const { exitCode, stderr, stdout } = await child;
      expect(exitCode).toBe(1);
      expect(stderr).toContain('Internal error, please report it: Error: broken');
      expect(stderr).toContain('Running renders return to the queue');
      expect(stdout).toContain('"msg":"stopped"');
    },
  );
});

// Only Linux has /dev/full.
describe.runIf(process.platform === 'linux')('an unwritable log', () => {
  it('does not stop the service, which reports it once', async () => {
    const stderr = await expectToServe(await serveTo('> /dev/full'));
    expect(stderr.match(/The log cannot be written \(ENOSPC\)/g)).toHaveLength(1);
  });

  it('does not stop the service if neither output can be written', async () => {
    await expectToServe(await serveTo('> /dev/full 2> /dev/full'));
  });

  it('does not stop the service if the reader of the log exits', async () => {
    const stderr = await expectToServe(await serveTo('> >(head -c 1 > /dev/null)'));
    expect(stderr).toContain('The log cannot be written (EPIPE)');
  });
});

describe('other commands', () => {
  it.runIf(process.platform === 'linux')('fail when their result cannot be written', async () => {
    const { exitCode } = await start(makeFolder({}), '--help > /dev/full');
    expect(exitCode).not.toBe(0);
  });
});
