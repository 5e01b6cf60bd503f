import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BufferSource, type EncodedPacket, EncodedPacketSink, Input, MP4 } from 'mediabunny';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appendSound } from '../../src/engine/codec/packet-file.ts';
import { LoudnessMeter } from '../../src/engine/sound/loudness-meter.ts';
import { TemporaryFile } from '../../src/kernel/temporary-file.ts';
import type { EditAnswer, FieldEdit } from '../../src/studio/edit-protocol.ts';
import type { DraftState, VideoDetail } from '../../src/studio/protocol.ts';
import type { MixGraph, SoundGraphs } from '../../src/studio/timeline-protocol.ts';
import { decodedTrack, rms } from '../engine/media/decoded-track.ts';
import { stereoWav } from '../engine/media/media-files.ts';
import { PreviewClient } from '../support/preview-client.ts';
import { makeRepository } from '../support/repository.ts';
import { writeFiles } from '../support/temporary-repository.ts';
import { reelform } from '../support/test-io.ts';

const FILM = `title: Spring
# Mixed for phones.
loudness: -16
audio: {music: {source: ./tone.wav, loop: true, duck: {under: voice, depth: 12}}} # quiet
resources: { c_01: "#EEADA7", t_01: Spring }
scenes:
  - id: one
    template: small
    duration: 4
    audio:
      # Anna
      voice: ./voice.wav # first take
  - { id: two, template: small, duration: 2, audio: { voice: { source: ./voice.wav, start: 0.5 } } }
`;

const RATE = 48_000;

function tone(seconds: number, amplitude: number): Buffer {
  const sample = (_: unknown, at: number): number => amplitude * Math.sin((2 * Math.PI * 1000 * at) / RATE);
  return stereoWav(RATE, Float64Array.from({ length: seconds * RATE }, sample));
}

let root: string;
let page: PreviewClient;

beforeAll(async () => {
  root = makeRepository({
    'videos/film.yaml': FILM,
    'videos/tone.wav': tone(1, 0.25),
    'videos/voice.wav': tone(1, 0.5),
    'videos/one.yaml':
      'template: small\ntitle: One\nresources: { t_01: One, c_01: "#EEADA7" }\naudio: { music: ./tone.wav }\n',
  });
  page = await PreviewClient.start(root);
  await page.listen();
});

afterAll(async () => {
  expect(await page.close()).toBe(0);
});

it('shows in its plan what lint has measured of a mix, and measures nothing for it', async () => {
  const plan = async () => (await page.get('/api/plan.html')).bytes.toString();
  expect(await plan()).not.toContain('measured by lint');
  expect((await reelform(root, ['lint', 'film'])).exitCode).toBe(0);
  expect(await plan()).toMatch(/new sound.*-16\.0 LUFS, peaks -\d+\.\d dBTP, measured by lint/);
});

const text = (): string => readFileSync(join(root, 'videos/film.yaml'), 'utf8');
const detail = (id = 'film'): Promise<VideoDetail> => page.json<VideoDetail>(`/api/video?id=${id}`);

async function graphs(kind: 'sounds' | 'mix', id = 'film'): Promise<unknown> {
  const { videos } = await page.state();
  const { fingerprint } = videos.find((video) => video.id === id)!;
  return page.json(`/api/${kind}/${encodeURIComponent(fingerprint)}`);
}

async function edit(...changes: FieldEdit[]): Promise<EditAnswer> {
  const { status, json } = await page.post('/api/edit', { id: 'film', changes });
  expect({ status, json }).toMatchObject({ status: 200 });
  return json as EditAnswer;
}

describe('graphs of sounds', () => {
  it('have the peaks of each track, and music lowered under the voices of scenes', async () => {
    const { sounds: blocks } = await detail();
    expect(blocks.map(({ graph, path, fields }) => [graph, path?.join('.'), fields])).toEqual([
      ['audio_tracks.music', 'audio.music', { loop: true, duck_under: 'voice', duck_depth: 12 }],
      ['one.audio_tracks.voice', 'scenes.0.audio.voice', {}],
      ['two.audio_tracks.voice', 'scenes.1.audio.voice', { start: 0.5 }],
    ]);
    const { columns, sounds } = (await graphs('sounds')) as SoundGraphs;
    const [music, ...voices] = blocks.map(({ graph }) => sounds.find(({ name }) => name === graph)!);
    const columnAt = (seconds: number): number => Math.floor((seconds / 6) * columns);
    expect(voices.map(({ firstColumn }) => firstColumn)).toEqual([0, columnAt(4.5)]);
    const curveAt = (seconds: number): number => music!.curve[columnAt(seconds)]!;
    expect([0.5, 3, 4.9].map(curveAt)).toEqual([12, 0, 12]);
    expect(music!.peaks[columnAt(3)]! / 255).toBeCloseTo(0.25, 1);
    expect(voices[0]!.loudness).toBeCloseTo(-6, 0);
  });

  it('have the loudness of the finished file', async () => {
    const mix = (await graphs('mix')) as MixGraph;
    expect(mix.target).toEqual({ loudness: -16, truePeak: -1 });
    expect(mix.whole.integrated).toBeCloseTo(-16, 0);
    expect(mix.steps).toHaveLength(60);
    expect(mix.peaks).toHaveLength(((await graphs('sounds')) as SoundGraphs).columns);
  });

  it('are those of a video of one template, and none of a silent one', async () => {
    const { scenes, sounds } = await detail('one');
    expect({ scenes, sounds }).toMatchObject({ scenes: [], sounds: [{ name: 'music', scene: null, from: 0, to: 1 }] });
    const { sounds: drawn } = (await graphs('sounds', 'one')) as SoundGraphs;
    expect(drawn.map(({ name }) => name)).toEqual([sounds[0]!.graph]);
    expect(await graphs('sounds', 'rome')).toMatchObject({ sounds: [] });
    expect(await graphs('mix', 'rome')).toBeNull();
  });

  it('say why a sound cannot be measured', async () => {
    writeFiles(root, {
      'videos/damaged.wav': 'RIFF',
      'videos/bad.yaml':
        'template: small\ntitle: Bad\nresources: { t_01: One, c_01: "#EEADA7" }\naudio: { music: ./damaged.wav }\n',
    });
    const { videos } = await page.until((state) => state.videos.some(({ id }) => id === 'bad'));
    const { fingerprint } = videos.find(({ id }) => id === 'bad')!;
    const answer = await page.get(`/api/sounds/${encodeURIComponent(fingerprint)}`);
    expect(answer).toMatchObject({ status: 422, json: { message: expect.stringContaining('music') } });
  });
});

describe('the sound of a draft', () => {
  it('is that of the finished file: music is lowered as the graph shows, and the video as loud as its target', async () => {
    const { videos } = await page.state();
    const { fingerprint } = videos.find(({ id }) => id === 'film')!;
    const address = `/api/draft/${encodeURIComponent(fingerprint)}`;
    const { segments, leadSeconds } = await page.json<DraftState>(address);
    const packets: EncodedPacket[] = [];
    let description: unknown;
    for (const index of segments.keys()) {
      const { bytes } = await page.get(`${address}/${index}.mp4`);
      const input = new Input({ source: new BufferSource(bytes), formats: [MP4] });
      const track = (await input.getPrimaryAudioTrack())!;
      description ??= (await track.getDecoderConfig())?.description;
      for await (const packet of new EncodedPacketSink(track).packets()) packets.push(packet);
    }
    const file = TemporaryFile.create();
    await appendSound(
      file,
      packets.map(({ data, timestamp, duration }) => ({ bytes: data, time: timestamp - leadSeconds, duration })),
    );
    const { left, right } = await decodedTrack({
      codec: 'aac',
      sampleRate: RATE,
      channels: 2,
      configuration: description as Uint8Array,
      packets: file,
    });
    file.close();
    const meter = new LoudnessMeter();
    meter.add([left.subarray(0, 6 * RATE), right.subarray(0, 6 * RATE)]);
    const mix = (await graphs('mix')) as MixGraph;
    expect(meter.result().integrated).toBeCloseTo(mix.whole.integrated!, 0);
    // Voice and lowered music, music alone.
    const level = (from: number): number => 20 * Math.log10(rms(left, from * RATE, (from + 0.4) * RATE));
    const step = (seconds: number): number => mix.steps[Math.round(seconds * 10) - 1]!.momentary!;
    expect(level(0.3) - level(3.3)).toBeCloseTo(step(0.7) - step(3.7), 0);
    expect(step(0.7) - step(3.7)).toBeGreaterThan(4);
  });
});

describe('edits of tracks', () => {
  const of = (scene: number | null, field: string): string[] => [
    ...(scene === null ? [] : ['scenes', String(scene)]),
    'audio',
    scene === null ? 'music' : 'voice',
    field,
  ];

  it('change only the track, in the form in which it is written', async () => {
    const done = await edit(
      { path: of(0, 'start'), value: 1.25 },
      { path: of(1, 'level'), value: -18 },
      { path: of(null, 'duck_depth'), value: 6 },
    );
    expect(text()).toBe(
      FILM.replace(
        'voice: ./voice.wav # first take',
        'voice:\n        source: ./voice.wav # first take\n        start: 1.25',
      )
        .replace('start: 0.5 }', 'start: 0.5, level: -18 }')
        .replace('depth: 12', 'depth: 6'),
    );
    expect((await detail()).sounds[1]).toMatchObject({ from: 1.25, to: 2.25, fields: { start: 1.25 } });
    await page.post('/api/undo', { undo: done.undo });
    expect(text()).toBe(FILM);
  });

  it('set a default where a fragment has another value', async () => {
    writeFiles(root, {
      'videos/_sound.yaml': 'audio: { music: { source: ./tone.wav, start: 0.5, level: -20 }, noise: ./tone.wav }\n',
      'videos/child.yaml':
        'extends: ./_sound.yaml\ntemplate: small\ntitle: Child\nresources: { t_01: One, c_01: "#EEADA7" }\n',
    });
    await page.until((state) => state.videos.some(({ id }) => id === 'child'));
    const send = (...changes: FieldEdit[]) => page.post('/api/edit', { id: 'child', changes });
    expect((await send({ path: ['audio', 'music', 'start'], value: null })).status).toBe(200);
    expect((await send({ path: ['audio', 'noise', 'start'], value: 0.25 })).status).toBe(200);
    const written = readFileSync(join(root, 'videos/child.yaml'), 'utf8');
    expect(written).toMatch(
      /\naudio:\n {2}music:\n {4}start: 0\n {2}noise:\n {4}source: videos\/tone.wav\n {4}start: 0.25\n$/,
    );
    expect((await detail('child')).sounds.map(({ name, from }) => [name, from])).toEqual([
      ['music', 0],
      ['noise', 0.25],
    ]);
    expect(await send({ path: ['audio', 'music', 'level'], value: null })).toMatchObject({ status: 400 });
  });

  it('name the tracks under which a track is lowered, and end it', async () => {
    const done = await edit({ path: of(null, 'duck_under'), value: 'line,voice' });
    expect(text()).toBe(FILM.replace('under: voice', 'under: [ line, voice ]'));
    const ended = await edit(
      { path: of(null, 'duck_under'), value: null },
      { path: of(null, 'duck_depth'), value: null },
    );
    expect(text()).toBe(FILM.replace(', duck: {under: voice, depth: 12}', ''));
    await page.post('/api/undo', { undo: ended.undo });
    await page.post('/api/undo', { undo: done.undo });
    expect(text()).toBe(FILM);
  });
});
