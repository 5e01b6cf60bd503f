import { expect, it } from 'vitest';
import { encodeFlac } from '../../../src/engine/codec/flac-encoder.ts';
import { openSound } from '../../../src/engine/media/open-sound.ts';
import { soundLength } from '../../../src/engine/media/sound-length.ts';

// The last frame has fewer bytes than the longest header of a frame.
it.each([
  ['one sample', 23_041],
  ['silence', 60_000],
])('soundLength() counts the last frame of a FLAC file with %s', async (_, count) => {
  const samples = Int16Array.from({ length: count }, (_sample, at) => (at < 23_041 ? 5000 * Math.sin(at / 5) : 0));
  const flac = await encodeFlac({ samples, channels: 1, rate: 48_000 });
  expect(await soundLength(flac, 'a')).toEqual({ samples: count, rate: 48_000 });
  const sound = (await openSound(flac, 'a'))!;
  const heard: number[] = [];
  for await (const { left } of sound.samples(0)) heard.push(...left);
  sound.close();
  expect(heard).toEqual([...samples].map((sample) => sample / 32_768));
});
