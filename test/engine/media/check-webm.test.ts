import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checkClip } from '../../../src/engine/media/check-media.ts';
import { findElementProblem } from '../../../src/engine/media/check-webm.ts';
import { MATROSKA_BOMBS } from '../../support/bombs/matroska-bombs.ts';
import { mediaFile } from './media-files.ts';

const EXPECTED: readonly [name: string, sizeBytes: number, problem: string][] = [
  ['an index of the same moment', 2_000_000, 'it has more than 50000 entries of its index'],
  ['an index that leads to a hidden cluster', 10_000, 'its index points into the middle of an element'],
  ['clusters', 2_000_000, 'it has more than 50000 clusters'],
  ['blocks of one cluster', 700_000, 'it has too many blocks'],
  ['frames of one cluster', 10_000, 'its blocks have too many frames'],
  ['empty frames of one cluster', 10_000, 'its blocks have too many frames'],
  ['a cluster of unknown length', 800_000, 'it has too many blocks'],
  ['clusters of unknown length', 1_600_000, 'it has more than 50000 clusters'],
  ['tracks', 20_000, 'it has more than 100 tracks'],
  ['entries that lead to indexes', 30_000, 'it has more than 1000 entries of its index'],
  ['tags', 700_000, 'it has more than 50000 tags'],
  ['attachments', 20_000, 'it has more than 1000 attachments'],
  ['elements within elements', 10_000, 'its elements are nested too deep'],
  ['nothing in particular', 500_000, 'it has too many elements'],
];

function bombFile(name: string, sizeBytes: number): Uint8Array {
  return MATROSKA_BOMBS.find((bomb) => bomb.name === `WebM: ${name}`)!.make(sizeBytes);
}

test.each(EXPECTED)('findElementProblem() rejects %s', async (name, sizeBytes, problem) => {
  expect(findElementProblem(bombFile(name, sizeBytes))).toBe(problem);
  await expect(checkClip(bombFile(name, sizeBytes), 'clip')).rejects.toMatchObject({ code: 'asset_decode_failed' });
});

test('findElementProblem() accepts real files', () => {
  const names = readdirSync(new URL('clips/', import.meta.url)).filter((name) => name.endsWith('.webm'));
  expect(names.map((name) => findElementProblem(mediaFile(name)))).toEqual(names.map(() => undefined));
});

test('findElementProblem() accepts truncated files and files of unknown length', async () => {
  const file = mediaFile('vp9-29.97.webm');
  for (let length = 500; length < file.length; length += 97) {
    expect(findElementProblem(file.subarray(0, length)), String(length)).toBeUndefined();
  }
  // The index offsets stay valid when the segment does not declare its length.
  const live = Buffer.from(file);
  live.fill(0xff, live.indexOf(Buffer.from('18538067', 'hex')) + 5, live.indexOf(Buffer.from('18538067', 'hex')) + 12);
  expect(findElementProblem(live)).toBeUndefined();
});
