import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { VideoDetail } from '../../src/studio/protocol.ts';
import { PreviewClient } from '../support/preview-client.ts';
import { makeSpeakingRepository, speaking } from '../support/speaking-repository.ts';
import { reelform } from '../support/test-io.ts';

const FILM = speaking('Film', 'Light that lands softly.');
const VOICES = 'anna: {command: [./voice.mjs]}\n  broken: {command: [./lost.mjs]}';

let repository: ReturnType<typeof makeSpeakingRepository>;
let page: PreviewClient;

beforeAll(async () => {
  const film = FILM.replace('softly."', 'softly.", voice: anna');
  repository = makeSpeakingRepository({ 'videos/film.yaml': film }, VOICES);
  await reelform(repository.root, ['speak']);
  page = await PreviewClient.start(repository.root);
  await page.listen();
});

afterAll(async () => {
  expect(await page.close()).toBe(0);
});

const detail = (): Promise<VideoDetail> => page.json<VideoDetail>('/api/video?id=film');
const setText = (text: string) =>
  page.post('/api/edit', { id: 'film', changes: [{ path: ['audio', 'voice', 'speak'], value: text }] });
const speak = () => page.post('/api/speak', { id: 'film', path: ['audio', 'voice'] });

describe('a track that a voice speaks', () => {
  it('has its text and its voice', async () => {
    const { sounds, card } = await detail();
    expect(card.state).not.toBe('waiting');
    expect(sounds).toMatchObject([
      { name: 'voice', to: 0.4, speech: { text: 'Light that lands softly.', voice: 'anna', isMissing: false } },
    ]);
  });

  it('waits with its former sound after an edit of the text, until the voice has spoken', async () => {
    await setText('Made of paper');
    const { videos } = await page.until((state) => state.videos.some(({ state: card }) => card === 'waiting'));
    const waiting = videos.find(({ id }) => id === 'film')!;
    expect(waiting).toMatchObject({ reason: 'speech of 1 text is missing', problems: [{ code: 'speech_missing' }] });
    expect(waiting.fingerprint).not.toBe('');
    const { sounds } = await detail();
    expect(sounds).toMatchObject([{ to: 0.4, speech: { text: 'Made of paper', isMissing: true } }]);
    expect(await speak()).toMatchObject({ status: 200, json: {} });
    await page.until((state) => state.videos.every(({ state: card }) => card !== 'waiting'));
    expect((await detail()).sounds).toMatchObject([{ to: 0.3, speech: { isMissing: false } }]);
    expect(repository.speech()).toHaveLength(4);
  });

  it('is spoken again only when that is asked for', async () => {
    const calls = (): number => readFileSync(join(repository.root, 'calls.log'), 'utf8').trim().split('\n').length;
    const before = calls();
    await speak();
    expect(calls()).toBe(before + 1);
    expect(repository.speech()).toHaveLength(4);
  });

  it('says why the voice has not spoken', async () => {
    await page.post('/api/edit', {
      id: 'film',
      changes: [{ path: ['audio', 'voice', 'voice'], value: 'broken' }],
    });
    expect(await speak()).toMatchObject({
      status: 422,
      json: { code: 'speech_failed', message: expect.stringContaining('broken') },
    });
    expect(await page.post('/api/speak', { id: 'film', path: ['audio', 'music'] })).toMatchObject({ status: 404 });
  });
});
