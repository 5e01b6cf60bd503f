import { afterEach, expect, test, vi } from 'vitest';
import { runGit } from '../../../src/reconciler/git/run-git.ts';
import { startGitHttp } from '../../support/git-http-server.ts';
import { cloneOf, newRemote } from '../../support/git-repository.ts';

const TOKEN = 'ghs_0canary0';

afterEach(() => void vi.unstubAllEnvs());

test("git uses the token of a job only for the job's own server", async () => {
  const remote = await newRemote();
  const clone = await cloneOf(remote);
  await clone.commit({ a: '1' });
  const { url, passwords } = await startGitHttp(remote, TOKEN);
  await clone.git('remote', 'set-url', 'origin', `${url}/shop.git`);
  const push = (): Promise<string> => runGit(clone.root, ['push', '--quiet', 'origin', 'main']);
  vi.stubEnv('GIT_CONFIG_GLOBAL', '/dev/null');
  vi.stubEnv('GITHUB_TOKEN', TOKEN);

  for (const server of ['', 'https://github.com', 'http://127.0.0.1', `${url}.evil.test`]) {
    vi.stubEnv('GITHUB_SERVER_URL', server);
    const refused = await push().catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'git_failed' });
    expect(`${(refused as Error).stack}${JSON.stringify(refused)}`).not.toContain(TOKEN);
  }
  expect(new Set(passwords)).toEqual(new Set([null]));

  vi.stubEnv('GITHUB_SERVER_URL', url);
  await push();
  expect(await runGit(clone.root, ['ls-remote', 'origin'])).toContain(await remote.git('rev-parse', 'main'));
  expect(await clone.git('config', '--list')).not.toContain(TOKEN);
});
