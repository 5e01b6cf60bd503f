import { expect, it, onTestFinished } from 'vitest';
import { SessionFailure } from '../../../src/session/ports.ts';
import { ALLOW_EVERYTHING } from '../../../src/session/sources/allow-list.ts';
import { createFetch } from '../../../src/session/sources/fetch-source.ts';
import { PassingFailure, PoliteHosts } from '../../../src/session/sources/polite-hosts.ts';
import { startServer } from '../../support/http-server.ts';

const { signal } = new AbortController();

it('createFetch() asks a host that limits its rate one request at a time, until all files are fetched', async () => {
  let isLimited = false;
  let served = 0;
  const server = await startServer((_, answer) => {
    if (isLimited || served % 2 === 1) {
      if (!isLimited)
        setTimeout(() => {
          isLimited = false;
          served += 1;
        }, 900);
      isLimited = true;
      answer.writeHead(429, { 'retry-after': '1' }).end();
      return;
    }
    served += 1;
    answer.end('picture');
  });
  onTestFinished(() => server.close());
  const fetch = createFetch({ allow: ALLOW_EVERYTHING });
  const urls = Array.from({ length: 4 }, (_, index) => `${server.url}/${index}`);
  const answers = await Promise.all(urls.map((url) => fetch(url, signal)));
  expect(answers.map(({ status }) => status)).toEqual(new Array(4).fill('fetched'));
});

it('createFetch() repeats a cut body, and gives up with the number of tries', async () => {
  let cuts = 0;
  const server = await startServer(({ url }, answer) => {
    if (url === '/gone') answer.writeHead(502).end();
    else if (cuts++ === 0) answer.writeHead(200, { 'content-length': '100' }).write('x', () => answer.destroy());
    else answer.end('picture');
  });
  onTestFinished(() => server.close());
  const fetch = createFetch({ allow: ALLOW_EVERYTHING });
  expect(await fetch(`${server.url}/cut`, signal)).toMatchObject({ status: 'fetched' });
  await expect(fetch(`${server.url}/gone`, signal)).rejects.toMatchObject({
    error: { detail: expect.stringMatching(/returned 502, after 4 tries$/) },
  });
});

it('PoliteHosts forgets a host when none waits for it, and drops an aborted fetch at once', async () => {
  let releasePause = (): void => {};
  const paused = new Promise<void>((resolve) => {
    releasePause = resolve;
  });
  const hosts = new PoliteHosts(() => paused);
  const error = { code: 'asset_unreachable', title: 'Unreachable', detail: 'returned 429', retryable: true } as const;
  let tries = 0;
  const limited = hosts.run('a.example', signal, async () => {
    tries += 1;
    if (tries === 1) throw new PassingFailure(new SessionFailure(error), 1000);
    return tries;
  });
  await new Promise(setImmediate);
  const leaving = new AbortController();
  let wasAsked = false;
  const second = hosts.run('a.example', leaving.signal, async () => {
    wasAsked = true;
  });
  const reason = new Error('enough');
  leaving.abort(reason);
  await expect(second).rejects.toBe(reason);
  releasePause();
  expect(await limited).toBe(2);
  expect(wasAsked).toBe(false);
  // Two fetches run at once again: each ends only when both have begun.
  let begun = 0;
  let bothBegun = (): void => {};
  const both = new Promise<void>((resolve) => {
    bothBegun = resolve;
  });
  const meet = async (): Promise<void> => {
    begun += 1;
    if (begun === 2) bothBegun();
    await both;
  };
  await Promise.all([hosts.run('a.example', signal, meet), hosts.run('a.example', signal, meet)]);
});
