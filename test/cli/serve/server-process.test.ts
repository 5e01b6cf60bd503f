import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it, onTestFinished } from 'vitest';
import { putDatabase } from '../../support/databases.ts';
import { freePort } from '../../support/free-port.ts';
import { makeFolder } from '../../support/repository.ts';
import { PROGRAM } from '../../support/spawned-program.ts';

/** The built program in a shell, which decides where its output goes. */
function start(cwd: string, command: string) {
  return execa('bash', ['-c', `exec "$0" "$1" ${command}`, process.execPath, PROGRAM], {
    ...{ cwd, reject: false, env: { CI: 'true', NO_COLOR: '1' } },
  });
}

/** `reelform serve` of the built program, whose shell decides where its log goes. */
async function serveTo(redirection: string): Promise<{ url: string; process: ReturnType<typeof start> }> {
  const folder = makeFolder({});
  const port = await freePort();
  const data = join(folder, 'data');
  mkdirSync(data);
  await putDatabase(data);
  const child = start(folder, `serve --port ${port} --data "${data}" --concurrency 1 ${redirection}`);
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

// /dev/full is Linux's.
describe.runIf(process.platform === 'linux')('a log that cannot be written', () => {
  it('does not end the service, which says so once', async () => {
    const stderr = await expectToServe(await serveTo('> /dev/full'));
    expect(stderr.match(/The log cannot be written \(ENOSPC\)/g)).toHaveLength(1);
  });

  it('does not end the service when neither output can be written', async () => {
    await expectToServe(await serveTo('> /dev/full 2> /dev/full'));
  });

  it('does not end the service when the reader of the log has gone away', async () => {
    const stderr = await expectToServe(await serveTo('> >(head -c 1 > /dev/null)'));
    expect(stderr).toContain('The log cannot be written (EPIPE)');
  });
});

describe('the other commands', () => {
  it.runIf(process.platform === 'linux')('fail when their result cannot be written', async () => {
    const { exitCode } = await start(makeFolder({}), '--help > /dev/full');
    expect(exitCode).not.toBe(0);
  });
});
