import { expect, it } from 'vitest';
import { frameRateOf } from '../../../src/contract/timeline/frame-rate.ts';
import { resolveTimeline } from '../../../src/contract/timeline/resolve-timeline.ts';
import { makeSound } from '../../../src/engine/media/make-sound.ts';
import { sceneSounds } from '../../../src/template/bind/scene-sounds.ts';
import { movingInput } from '../inputs.ts';
import { decodedTrack, onset } from '../media/decoded-track.ts';
import { stereoWav } from '../media/media-files.ts';

const RATE = 48_000;
/** Frame of the template in which its sound begins, and the lengths of both scenes in frames of the timeline. */
const [BEGIN, FIRST, SECOND] = [390, 1000, 400];

/** A sound of which only the first sample is not silent. */
function impulse(): Uint8Array {
  const samples = new Float32Array(4800);
  samples[0] = 0.9;
  return stereoWav(RATE, samples);
}

/** Returns the first sample that a video with a sound in its second scene plays. */
async function firstSample(fps: number, template: number): Promise<number> {
  const size = { width: 1920, height: 1080 };
  const { timeline } = resolveTimeline({
    templates: {
      a: { ...size, rate: fps, frames: FIRST, stillcuts: {} },
      b: { ...size, rate: template, frames: SECOND, stillcuts: {} },
    },
    scenes: [
      { id: 'a', template: 'a' },
      { id: 'b', template: 'b' },
    ],
  });
  // As an animation is bound, which counts `fr` frames as a second.
  const times = { startSeconds: BEGIN / template, endSeconds: SECOND / template };
  const sound = { ...times, bytes: impulse(), transform: {}, name: 'impulse', optional: false };
  const sounds = sceneSounds(timeline!, 1, { sounds: [sound], template: { fps: template }, fetched: new Map() });
  const input = { ...movingInput({ fps, frameCount: timeline!.frames }), sounds };
  const track = await makeSound(input, 'pcm');
  const { left } = await decodedTrack(track!);
  track!.packets.close();
  return onset(left, 0.5);
}

const secondsPerFrame = (fps: number): number => frameRateOf(fps).denominator / frameRateOf(fps).numerator;

it.each([
  [24, 24],
  [25, 25],
  [29.97, 29.97],
  [30, 30],
  [60, 60],
  [30, 29.97],
  [29.97, 25],
  [59.94, 23.976],
])('a sound of a scene starts at its sample: video of %s, template of %s frames per second', async (fps, template) => {
  const seconds = FIRST * secondsPerFrame(fps) + BEGIN * secondsPerFrame(template);
  expect(await firstSample(fps, template)).toBe(Math.round(seconds * RATE));
});
