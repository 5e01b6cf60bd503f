import { rmSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { openLocalSources } from '../../../src/cli/render/open-inputs.ts';
import { cachedLengths } from '../../../src/cli/state/cached-lengths.ts';
import { measureRemoteSounds } from '../../../src/cli/state/measure-remote-sounds.ts';
import { ALLOW_EVERYTHING } from '../../../src/service/sessions/sources/allow-list.ts';
import { createUrlProbe } from '../../../src/service/sessions/sources/fetch-source.ts';
import { stereoWav } from '../../engine/media/media-files.ts';
import { startServer } from '../../support/http-server.ts';
import { openPool } from '../../support/render-pools.ts';
import { makeFolder } from '../../support/repository.ts';

/** A server with sounds of one second, one of which never arrives, one without a version, and a text. */
async function openSounds() {
  const body = stereoWav(8000, new Float32Array(8000));
  const server = await startServer(({ url, method }, response) => {
    if (url === '/slow.wav' && method === 'GET') return;
    if (url === '/gone.wav') return void response.writeHead(404).end();
    const version = url === '/plain.wav' ? {} : { etag: '"1"' };
    response.writeHead(200, { 'content-type': 'audio/wav', ...version });
    response.end(method === 'HEAD' ? undefined : url === '/text.wav' ? 'Hello, this is a text' : body);
  });
  onTestFinished(() => server.close());
  const root = makeFolder({ 'reelform.yaml': '' });
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const urlOf = (name: string): string => `${server.url}/${name}.wav`;
  return {
    urlOf,
    requests: () => server.requests.splice(0).length,
    measure: (...names: string[]) =>
      measureRemoteSounds(names.map(urlOf), {
        root,
        probeUrl: createUrlProbe({ allow: ALLOW_EVERYTHING }),
        sources: openLocalSources(root, { now: Date.now }, 'lengths').reader,
        openPool: async () => openPool(),
      }),
    known: (name: string) => cachedLengths({ root, assets: new Map() })(urlOf(name)),
  };
}

it('stores each length as soon as it is known, so that an interrupted measurement loses nothing', async () => {
  const { measure, known } = await openSounds();
  // It never ends.
  void measure('voice', 'slow').catch(() => undefined);
  await expect.poll(() => known('voice')).toEqual({ samples: 8000, rate: 8000 });
  expect(known('slow')).toBeNull();
});

it('fetches a sound again only if its version is another, or its server sends none', async () => {
  const { measure, requests } = await openSounds();
  await measure('voice', 'plain');
  expect(requests()).toBe(4);
  await measure('voice', 'plain');
  expect(requests()).toBe(3);
});

it('returns why a sound cannot be measured', async () => {
  const { measure, urlOf } = await openSounds();
  const measured = await measure('gone', 'text', 'voice');
  expect(measured.get(urlOf('gone'))).toMatchObject({ error: { code: 'content_unknown' } });
  expect(measured.get(urlOf('text'))).toMatchObject({ error: { code: 'sound_unreadable' } });
  expect(measured.get(urlOf('voice'))).toEqual({ length: { samples: 8000, rate: 8000 } });
});
