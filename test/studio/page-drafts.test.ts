import { BufferSource, EncodedPacketSink, Input, type InputTrack, MP4 } from 'mediabunny';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DraftState } from '../../src/studio/protocol.ts';
import { stereoWav } from '../engine/media/media-files.ts';
import { PreviewClient } from '../support/preview-client.ts';
import { makeRepository } from '../support/repository.ts';

const FILM = `title: Spring
audio: { music: { source: ./tone.wav } }
resources: { c_01: "#EEADA7" }
scenes:
  - { id: one, template: small, duration: 2.5, resources: { t_01: Spring } }
  - { id: two, template: small, resources: { t_01: Lamp } }
`;

const RATE = 48_000;
const TONE = Float64Array.from({ length: 4 * RATE }, (_, at) => Math.sin((2 * Math.PI * 440 * at) / RATE) / 2);

let root: string;
let page: PreviewClient;

beforeAll(async () => {
  root = makeRepository({ 'videos/film.yaml': FILM, 'videos/tone.wav': stereoWav(RATE, TONE) });
  page = await PreviewClient.start(root);
  await page.listen();
});

afterAll(async () => {
  expect(await page.close()).toBe(0);
});

interface Packet {
  readonly timestamp: number;
  readonly duration: number;
}

async function packetsOf(track: InputTrack): Promise<Packet[]> {
  const packets: Packet[] = [];
  for await (const { timestamp, duration } of new EncodedPacketSink(track).packets())
    packets.push({ timestamp, duration });
  return packets;
}

async function openDraft(id: string): Promise<{ readonly state: DraftState; readonly address: string }> {
  const { videos } = await page.state();
  const { fingerprint } = videos.find((video) => video.id === id)!;
  const address = `/api/draft/${encodeURIComponent(fingerprint)}`;
  return { address, state: await page.json<DraftState>(address) };
}

describe('a draft', () => {
  it('is a fragmented MP4 per segment, with the codecs in its type and ranges', async () => {
    const { address, state } = await openDraft('rome');
    expect(state).toMatchObject({ width: 64, height: 36, frameCount: 10, error: null });
    expect(state.segments).toMatchObject([{ first: 0, end: 10 }]);
    const segment = await page.get(`${address}/0.mp4`);
    expect(segment.status).toBe(200);
    expect(segment.headers['content-type']).toMatch(/^video\/mp4; codecs="avc1\.[0-9a-f]{6}"$/);
    expect(segment.bytes.subarray(4, 8).toString()).toBe('ftyp');
    expect(segment.bytes.includes('moof')).toBe(true);
    const tail = await page.get(`${address}/0.mp4`, { range: 'bytes=-10' });
    expect(tail.status).toBe(206);
    expect(tail.bytes.equals(segment.bytes.subarray(-10))).toBe(true);
    expect((await page.get(`${address}/1.mp4`)).status).toBe(404);
    expect((await page.json<DraftState>(address)).segments).toEqual([{ first: 0, end: 10, isReady: true }]);
    expect(page.events.some(({ name }) => name === 'draft')).toBe(true);
  });

  it('continues from segment to segment in pictures and sound', async () => {
    const { address, state } = await openDraft('film');
    const { segments, fps, frameCount, leadSeconds } = state;
    // Two seconds, the rest of the first scene, and the second scene.
    expect(segments.map(({ first, end }) => [first / fps, end / fps])).toEqual([
      [0, 2],
      [2, 2.5],
      [2.5, frameCount / fps],
    ]);
    const pictures: Packet[] = [];
    const sounds: Packet[] = [];
    for (const index of segments.keys()) {
      const { bytes, headers } = await page.get(`${address}/${index}.mp4`);
      expect(headers['content-type']).toMatch(/codecs="avc1\.[0-9a-f]{6}, mp4a\.40\.2"$/);
      const input = new Input({ source: new BufferSource(bytes), formats: [MP4] });
      pictures.push(...(await packetsOf((await input.getPrimaryVideoTrack())!)));
      sounds.push(...(await packetsOf((await input.getPrimaryAudioTrack())!)));
    }
    const times = pictures.map(({ timestamp }) => timestamp).sort((a, b) => a - b);
    expect(times.length).toBe(frameCount);
    for (const [frame, time] of times.entries()) expect(time - leadSeconds).toBeCloseTo(frame / fps, 6);
    // The delay of the encoder comes before the video.
    expect(sounds[0]!.timestamp).toBeLessThan(leadSeconds);
    for (const [at, { timestamp, duration }] of sounds.slice(0, -1).entries()) {
      expect(sounds[at + 1]!.timestamp).toBeCloseTo(timestamp + duration, 6);
    }
    const { timestamp, duration } = sounds.at(-1)!;
    expect(timestamp + duration - leadSeconds).toBeGreaterThanOrEqual(frameCount / fps);
  });
});
