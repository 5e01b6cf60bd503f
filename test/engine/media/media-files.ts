import { readFileSync } from 'node:fs';
import { encoderOf, SOFTWARE } from '../../../src/engine/codec/video-encoder.ts';
import { muxMp4 } from '../../../src/engine/writers/mux.ts';
import { wavFile } from '../../../templates/source/wav-file.ts';
import { bytesOf } from '../../support/in-memory.ts';

/** Reads a file of `clips/`. */
export function mediaFile(name: string): Buffer {
  return readFileSync(new URL(`clips/${name}`, import.meta.url));
}

/** An M4A whose sound declares the codec of phone calls, AMR. */
export function speechSound(): Buffer {
  const file = mediaFile('alac.m4a');
  file.write('samr', file.indexOf('alac'), 'latin1');
  return file;
}

/** A stereo WAV; samples in -1..1. */
export function stereoWav(rate: number, left: ArrayLike<number>, right: ArrayLike<number> = left): Buffer {
  return wavFile(
    rate,
    [left, right].map((samples) => Int16Array.from(samples, (sample) => Math.round(sample * 32_767))),
  );
}

/** An MP4 whose n-th picture (64 × 36) shows n as bits in eight columns, the lowest on the left. */
export async function numberedClip(fps: number, count: number): Promise<Uint8Array> {
  const format = { width: 64, height: 36, rate: { numerator: fps, denominator: 1 } };
  const encoder = await encoderOf(SOFTWARE)(format, 'high');
  try {
    const i420 = new Uint8Array(64 * 36 * 1.5).fill(128);
    for (let picture = 0; picture < count; picture++) {
      for (let at = 0; at < 64 * 36; at++) i420[at] = (picture >> ((at % 64) >> 3)) & 1 ? 235 : 16;
      await encoder.encode(i420, picture);
    }
    return await bytesOf(await muxMp4(await encoder.finish(), { sound: null, fingerprint: null }));
  } finally {
    encoder.close();
  }
}

/** Decodes the number that a picture 64 pixels wide shows in a row. */
export function numberIn(rgba: Uint8Array, row = 18): number {
  let number = 0;
  for (let bit = 0; bit < 8; bit++) if (rgba[(row * 64 + bit * 8 + 4) * 4]! > 127) number |= 1 << bit;
  return number;
}
