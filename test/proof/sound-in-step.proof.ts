import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { decodedTrack } from '../../src/engine/media/encode-at-loudness.ts';
import { makeSound } from '../../src/engine/media/make-sound.ts';
import { openMix } from '../../src/engine/media/mix-sounds.ts';
import { openSound } from '../../src/engine/media/open-sound.ts';
import { videoPictures } from '../../src/engine/media/video-pictures.ts';
import { inputOf, rectangleLayer } from '../engine/inputs.ts';
import { onset } from '../engine/media/decoded-track.ts';
import { stereoWav } from '../engine/media/media-files.ts';
import { hasFfprobe } from '../support/ffprobe.ts';
import { renderFile } from '../support/in-memory.ts';
import { count, tell } from '../support/proof.ts';

// One flash of a frame and one beep per second: both must start together in the finished MP4, up to its end.

const RATE = 48_000;
const FPS = 30_000 / 1001;
/** One AAC frame. */
const TOLERANCE = 1024;
const seconds = count(60, 8);
const hasFfmpeg = await hasFfprobe();

/** The flashing frames, which start at a second and a quarter, two and a quarter, and so on. */
const flashes = Array.from({ length: seconds - 1 }, (_, second) => Math.ceil((second + 1.25) * FPS));
const starts = flashes.map((frame) => Math.round((frame * RATE) / FPS));

async function rendered(): Promise<Uint8Array> {
  const samples = new Float32Array((seconds + 1) * RATE);
  for (const start of starts) {
    for (let at = 0; at < RATE / 20; at++) samples[start + at] = 0.5 * Math.sin((2 * Math.PI * 1000 * at) / RATE);
  }
  const layers = flashes.map((frame, index) =>
    rectangleLayer(index + 1, [0, 0, 64, 36], [1, 1, 1], { ip: frame, op: frame + 1 }),
  );
  const sound = {
    bytes: stereoWav(RATE, samples),
    startSeconds: 0,
    endSeconds: seconds + 1,
    transform: {},
    name: 'beeps',
    optional: false,
  };
  const frameCount = Math.round(seconds * FPS);
  return (await renderFile(inputOf(layers, { fps: 29.97, frameCount, sounds: [sound] }))).video;
}

/** Offset of each beep from its flash in samples. */
function offsets(samples: Float32Array): number[] {
  return starts.map((start) => onset(samples, 0.15, start - RATE / 4) - start);
}

test('sound and picture are within one AAC frame of each other', async () => {
  const video = await rendered();
  const pictures = await videoPictures(video, 'video', { from: 0, to: seconds });
  for (const frame of flashes) {
    const light = [];
    for (const at of [frame - 1, frame, frame + 1]) light.push((await pictures.picture(at)).bgra[4 * 64 * 18]! > 127);
    expect(light).toEqual([false, true, false]);
  }
  pictures.close();

  const sound = (await openSound(video, 'video'))!;
  const blocks: Float32Array[] = [];
  for await (const { left } of sound.samples(0)) blocks.push(left);
  sound.close();
  const own = Buffer.concat(blocks.map((block) => Buffer.from(block.buffer, block.byteOffset, block.byteLength)));
  const samples = new Float32Array(own.buffer.slice(own.byteOffset, own.byteOffset + own.byteLength));
  expect(samples).toHaveLength(Math.round((Math.round(seconds * FPS) * RATE) / FPS));
  const heard = offsets(samples);
  tell(
    `${heard.length} beeps in ${seconds} s: ${Math.min(...heard)} to ${Math.max(...heard)} samples behind their flash`,
  );
  for (const offset of heard) expect(Math.abs(offset)).toBeLessThan(TOLERANCE);

  if (!hasFfmpeg) return;
  const folder = await mkdtemp(join(tmpdir(), 'reelform-step-'));
  try {
    await writeFile(join(folder, 'a.mp4'), video);
    const pcm = ['-map', '0:a', '-ac', '1', '-f', 'f32le', '-'];
    const { stdout } = await execa('ffmpeg', ['-v', 'error', '-i', join(folder, 'a.mp4'), ...pcm], {
      encoding: 'buffer',
    });
    const other = offsets(new Float32Array(stdout.slice().buffer));
    tell(`by ffmpeg: ${Math.min(...other)} to ${Math.max(...other)} samples`);
    for (const offset of other) expect(Math.abs(offset)).toBeLessThan(TOLERANCE);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test.each([24, 25, 30_000 / 1001, 30, 60])(
  '55 cues of a long video are heard at their sample at %f frames a second',
  async (fps) => {
    const minutes = count(30, 3);
    const impulse = stereoWav(
      RATE,
      Float32Array.from({ length: 480 }, (_, at) => (at === 0 ? 0.9 : 0)),
    );
    const cues = Array.from({ length: 55 }, (_, cue) => 0.0317 + (cue * (minutes * 60 - 1)) / 54);
    const sounds = cues.map((startSeconds) => {
      return { bytes: impulse, startSeconds, endSeconds: minutes * 60, transform: {}, name: 'cue', optional: false };
    });
    const mix = (await openMix({ sounds, fps, frameCount: Math.ceil(minutes * 60 * fps) }))!;
    const heard: number[] = [];
    let position = 0;
    for await (const { left } of mix.blocks()) {
      for (const [at, sample] of left.entries()) if (sample > 0.5) heard.push(position + at);
      position += left.length;
    }
    await mix.close();
    expect(heard).toEqual(cues.map((time) => Math.round(time * RATE)));
  },
);

test.each(['aac', 'opus'] as const)(
  '55 cues of a long video are heard within 1 ms after encoding to %s',
  async (codec) => {
    const minutes = count(30, 3);
    const length = Math.round(0.08 * RATE);
    const click = stereoWav(
      RATE,
      Float32Array.from({ length }, (_, at) => 0.8 * Math.sin(at / 5) * Math.min(1, (length - at) / 480)),
    );
    const cues = Array.from({ length: 55 }, (_, cue) => 0.2317 + (cue * (minutes * 60 - 1)) / 54);
    const sounds = cues.map((startSeconds) => {
      return { bytes: click, startSeconds, endSeconds: minutes * 60, transform: {}, name: 'cue', optional: false };
    });
    const frameCount = Math.ceil(minutes * 60 * FPS);
    const track = (await makeSound(inputOf([], { fps: FPS, frameCount, sounds }), codec))!;
    let position = 0;
    let quietSince = 0;
    const heard: number[] = [];
    for await (const { left } of decodedTrack(track)) {
      for (const [at, sample] of left.entries()) {
        if (Math.abs(sample) < 0.3) continue;
        // A cue starts after at least 50 ms below its level.
        if (position + at - quietSince > RATE / 20) heard.push(position + at);
        quietSince = position + at;
      }
      position += left.length;
    }
    track.packets.close();
    expect(heard).toHaveLength(cues.length);
    // The click passes 0.3 two samples after its start.
    const late = heard.map((sample, cue) => sample / RATE - cues[cue]!);
    const worst = Math.max(...late.map(Math.abs));
    tell(`${codec}, ${minutes} minutes: 55 cues at most ${(worst * 1000).toFixed(2)} ms late`);
    expect(worst).toBeLessThanOrEqual(0.001);
  },
);
