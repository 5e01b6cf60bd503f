import { describe, expect, test } from 'vitest';
import { describeColour } from '../../../src/engine/h264/avc-configuration.ts';
import { BitReader } from '../../../src/engine/h264/bit-string.ts';

/** What x264 in @napi-rs/webcodecs 1.3.1 gives for 1920 × 1080 at 30 fps. */
const CONFIGURATION = Buffer.from(
  '01640028ffe1001867640028acb403c0113f2c20000003002000000791e3065401000468ef0fcb',
  'hex',
);
/** Bits before the usability information, as ffmpeg's trace_headers counts them. */
const VUI_START = 86;
const NTSC = { numerator: 30_000, denominator: 1001 };

function sequenceSet(configuration: Uint8Array): Buffer {
  const record = Buffer.from(configuration);
  return record.subarray(8, 8 + record.readUInt16BE(6));
}

/** The bits of a NAL unit without its emulation prevention. */
function bitsOf(nalUnit: Buffer): string {
  const bytes = Buffer.from(nalUnit.toString('hex').replace(/((?:..)*?0000)03/g, '$1'), 'hex');
  return [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
}

describe('describeColour()', () => {
  const described = describeColour(CONFIGURATION, NTSC);

  test('writes BT.709, limited range, and two ticks per frame of the exact rate', () => {
    const bits = bitsOf(sequenceSet(described));
    const colour = `1${'101'}01${'00000001'.repeat(3)}`;
    const timing = `1${(1001).toString(2).padStart(32, '0')}${(60_000).toString(2).padStart(32, '0')}1`;
    expect(bits).toContain(`${colour}0${timing}`);
    expect(bitsOf(sequenceSet(CONFIGURATION))).not.toContain(colour);
  });

  test('keeps profile, level and everything before the usability information', () => {
    expect(described.subarray(0, 6)).toEqual(CONFIGURATION.subarray(0, 6));
    const [before, after] = [bitsOf(sequenceSet(CONFIGURATION)), bitsOf(sequenceSet(described))];
    expect(after.slice(0, VUI_START)).toBe(before.slice(0, VUI_START));
  });

  test('keeps the picture parameter sets and adds what high profiles ask for behind them', () => {
    expect(Buffer.from(described.subarray(-4 - 7)).toString('hex')).toBe('01000468ef0fcbfdf8f800');
  });

  test('changes nothing when it is applied again', () => {
    expect(describeColour(described, NTSC)).toEqual(described);
  });

  test('has no three zero bytes in a row, nor anything else that looks like a start code', () => {
    expect(sequenceSet(described).toString('hex')).not.toMatch(/^(..)*?0000(00|01|02)/);
  });

  test('leaves a stream of another form as it is', () => {
    const baseline = Buffer.from('0142c01effe1000a6742c01ed900a047011001000468ce3c80', 'hex');
    expect(describeColour(baseline, NTSC)).toEqual(baseline);
  });
});

describe('BitReader', () => {
  test('reads Exp-Golomb codes', () => {
    const reader = new BitReader(Uint8Array.of(0b1_010_011_0, 0b0100_0000));
    expect([1, 2, 3, 4].map(() => reader.exponentialGolomb())).toEqual([0, 1, 2, 3]);
  });

  test('refuses to read beyond the end', () => {
    expect(() => new BitReader(Uint8Array.of(0)).exponentialGolomb()).toThrow(RangeError);
  });
});
