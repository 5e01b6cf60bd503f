import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findBoxProblem } from '../../../src/engine/media/check-mp4.ts';
import { u32 } from '../../support/bombs/bomb.ts';
import { box, MP4_BOMBS, withBoxes } from '../../support/bombs/mp4-bombs.ts';
import { mediaFile } from './media-files.ts';

const EXPECTED: readonly [name: string, sizeBytes: number, problem: string][] = [
  ['offsets of chunks', 48_000_000, 'its tables are too large'],
  ['offsets of chunks in 64 bits', 96_000_000, 'its index has more than 64 MB'],
  ['sizes of samples', 44_000_000, 'its tables are too large'],
  ['sizes of samples in half bytes', 6_000_000, 'its tables are too large'],
  ['durations of samples', 16_000_000, 'its tables are too large'],
  ['shifts of samples', 29_000_000, 'its tables are too large'],
  ['samples of chunks', 40_000_000, 'its tables are too large'],
  ['key samples', 48_000_000, 'its tables are too large'],
  ['billions of samples in an entry', 10_000, 'it names too many samples'],
  ['billions of samples of sound that are shifted by nothing', 10_000, 'it names too many samples'],
  ['chunks that go back and forth', 100_000, 'its chunks are not in order'],
  ['empty boxes', 9_000_000, 'it has too many boxes'],
  ['tracks', 500_000, 'it has more than 100 tracks'],
  ['boxes within boxes', 1_000, 'it has too many boxes'],
  ['descriptions of samples', 1_010_000, 'the description of its samples is too long'],
  ['names of properties', 14_000_000, 'its tables are too large'],
  ['a run of billions of samples', 10_000, 'it names too many samples'],
  ['a run of millions of samples', 6_000_000, 'it names too many samples'],
  ['fragments', 6_000_000, 'it has more than 50000 fragments'],
  ['an index of fragments', 600_000, 'its index names too many fragments'],
  ['an index that leads to a hidden fragment', 10_000, 'its index names fragments that it does not have'],
  [
    'a fragment within the description of samples',
    10_000,
    'the description of its samples contains boxes that belong elsewhere',
  ],
  ['misplaced tables', 10_000, 'it names too many samples'],
];

function bombFile(name: string, sizeBytes: number): Uint8Array {
  return MP4_BOMBS.find((bomb) => bomb.name === `MP4: ${name}`)!.make(sizeBytes);
}

test.each(EXPECTED)('findBoxProblem() rejects %s', (name, sizeBytes, problem) => {
  expect(findBoxProblem(bombFile(name, sizeBytes))).toBe(problem);
});

test('findBoxProblem() accepts real files', () => {
  const names = readdirSync(new URL('clips/', import.meta.url)).filter((name) => /\.(?:mp4|mov|m4a)$/.test(name));
  expect(names.map((name) => findBoxProblem(mediaFile(name)))).toEqual(names.map(() => undefined));
});

test('findBoxProblem() accepts an hour of reordered pictures at 60 per second', () => {
  const entries = Buffer.alloc(216_000 * 8, u32(1, 512));
  const file = withBoxes('ctts', [box('ctts', u32(0, 216_000), entries)]);
  expect(findBoxProblem(withBoxes('stts', [box('stts', u32(0, 1, 216_000, 512))], file))).toBeUndefined();
});

test('findBoxProblem() uses the last sample description, as the reader does', () => {
  const entry = (type: string): Buffer => box(type, Buffer.alloc(28));
  const named = (...types: string[]): string | undefined =>
    findBoxProblem(
      withBoxes(
        'stsd',
        [box('stsd', u32(0, types.length), ...types.map(entry))],
        withBoxes('stts', [box('stts', u32(0, 1, 5_000_000, 1))], withBoxes('ctts', [])),
      ),
    );
  expect([named('sowt'), named('sowt', 'mp4a')]).toEqual([undefined, 'it names too many samples']);
});
