import { describe, expect, it } from 'vitest';
import { checkSound } from '../../../src/engine/media/check-media.ts';
import { knownSizes } from '../../../src/engine/media/streamed-wav.ts';
import { ByteView } from '../../../src/kernel/byte-view.ts';
import { toneWav } from '../../support/tone.ts';

const UNKNOWN = 0xffff_ffff;

/** Returns a tone of 0.5 s with these sizes in its header. */
function withHeader(riff: number, data: number): Buffer {
  const file = Buffer.from(toneWav(0.5));
  file.writeUInt32LE(riff, 4);
  file.writeUInt32LE(data, file.indexOf('data') + 4);
  return file;
}

describe('a WAV that was written to a pipe', () => {
  it.each([
    ['0 and 0', 0, 0],
    ['the maximum twice', UNKNOWN, UNKNOWN],
    ['0 and the maximum', 0, UNKNOWN],
    ['the header alone', 36, 0],
    ['the maximum and 0', UNKNOWN, 0],
    ['0x7fffffff', 0x7fff_ffff, 0x7fff_ffff - 36],
  ])('is read to the end of the file: %s', async (_, riff, data) => {
    const whole = Buffer.from(toneWav(0.5));
    const streamed = withHeader(riff, data);
    expect((await checkSound(streamed, 'a')).durationSeconds).toBeCloseTo(0.5, 3);
    expect(ByteView.open(streamed, knownSizes(streamed)).bytes().equals(whole)).toBe(true);
  });

  it('is left alone if its sizes are known, also with a chunk behind an empty sound', () => {
    const whole = toneWav(0.5);
    expect(knownSizes(whole)).toEqual([]);
    const header = Buffer.from(whole).subarray(0, 44);
    const tags = Buffer.from('LIST\x04\0\0\0INFO', 'latin1');
    const empty = Buffer.concat([header, tags]);
    empty.writeUInt32LE(empty.length - 8, 4);
    empty.writeUInt32LE(0, 40);
    expect(knownSizes(empty)).toEqual([]);
    for (let length = 0; length < 60; length++) {
      const cut = withHeader(0, 0).subarray(0, length);
      expect(ByteView.open(cut, knownSizes(cut)).length).toBe(length);
    }
  });
});
