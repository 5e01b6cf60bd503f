import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findCommentProblem } from '../../../src/engine/media/check-comments.ts';
import { checkSound } from '../../../src/engine/media/check-media.ts';
import { readGifFrames } from '../../../src/engine/media/decode-gif.ts';
import { animatedGif } from '../../service/sessions/sources/bomb-pictures.ts';
import { SOUND_BOMBS } from '../../support/bombs/sound-bombs.ts';
import { mediaFile } from './media-files.ts';

function bombFile(name: string, sizeBytes: number): Uint8Array {
  return SOUND_BOMBS.find((bomb) => bomb.name === name)!.make(sizeBytes);
}

test.each([
  ['FLAC: comments', 200_000, 'it has too many comments'],
  ['FLAC: blocks', 40_000, 'it has too many blocks before its sound'],
  ['Ogg: streams', 40_000, 'it has more than 100 streams'],
] as const)('findCommentProblem() rejects %s', async (name, sizeBytes, problem) => {
  const bytes = bombFile(name, sizeBytes);
  expect(findCommentProblem(bytes, name.startsWith('Ogg') ? 'ogg' : 'flac')).toBe(problem);
  await expect(checkSound(bytes, 'sound')).rejects.toMatchObject({ code: 'asset_decode_failed' });
});

test('findCommentProblem() counts the comments of a stream', () => {
  const file = Buffer.from(mediaFile('beep.ogg'));
  const at = file.indexOf('OpusTags');
  const many = Buffer.from(file);
  many.writeUInt32LE(1_000_000, at + 12 + file.readUInt32LE(at + 8));
  expect([findCommentProblem(file, 'ogg'), findCommentProblem(many, 'ogg')]).toEqual([
    undefined,
    'it has too many comments',
  ]);
});

test('findCommentProblem() accepts real files', () => {
  const names = readdirSync(new URL('clips/', import.meta.url)).filter((name) => /\.(?:ogg|flac)$/.test(name));
  const problems = names.map((name) => findCommentProblem(mediaFile(name), name.endsWith('ogg') ? 'ogg' : 'flac'));
  expect(problems).toEqual(names.map(() => undefined));
});

test('readGifFrames() stops after a quarter of a million pictures', () => {
  expect(() => readGifFrames(animatedGif(1, 1, 250_001), 'clip')).toThrow('more than 250000 pictures');
});
