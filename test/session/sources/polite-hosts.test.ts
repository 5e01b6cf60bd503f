import { expect, it, onTestFinished } from 'vitest';
import { ALLOW_EVERYTHING } from '../../../src/session/sources/allow-list.ts';
import { createFetch } from '../../../src/session/sources/fetch-source.ts';
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
