import { readdirSync } from 'node:fs';
import { platform } from 'node:process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkClip, checkSound } from '../../../src/engine/media/check-media.ts';
import { gifPictures } from '../../../src/engine/media/decode-gif.ts';
import { mediaLength } from '../../../src/engine/media/examine-media.ts';
import { mediaTypeOf } from '../../../src/engine/media/media-type.ts';
import { openSound } from '../../../src/engine/media/open-sound.ts';
import { videoPictures } from '../../../src/engine/media/video-pictures.ts';
import { sha256 } from '../../../src/kernel/digest.ts';
import type { SourceBytes } from '../../../src/kernel/source-file.ts';
import { colorsGif } from '../../support/colors-gif.ts';
import { sourceFile } from '../../support/source-file.ts';
import { toneWav } from '../../support/tone.ts';
import { mediaFile } from './media-files.ts';

const FILES: readonly (readonly [name: string, bytes: Buffer])[] = [
  ...readdirSync(new URL('clips/', import.meta.url))
    .filter((name) => !name.endsWith('.md'))
    .map((name) => [name, mediaFile(name)] as const),
  ['tone.wav', Buffer.from(toneWav(2))],
  ['streamed.wav', streamed()],
];

function streamed(): Buffer {
  const file = Buffer.from(toneWav(2));
  file.writeUInt32LE(0, 4);
  file.writeUInt32LE(0, file.indexOf('data') + 4);
  return file;
}

async function outcomeOf(run: () => Promise<unknown>): Promise<unknown> {
  try {
    return await run();
  } catch (error) {
    return String(error);
  }
}

async function samplesOf(bytes: SourceBytes): Promise<string> {
  const sound = await openSound(bytes, 'media');
  if (sound === undefined) return 'silent';
  const digests: string[] = [];
  try {
    for (const from of [0, 0.2]) {
      for await (const { left, right } of sound.samples(from)) {
        digests.push(
          ...[left, right].map((side) => sha256(Buffer.from(side.buffer, side.byteOffset, side.byteLength))),
        );
      }
    }
    return JSON.stringify([sound.durationSeconds, await sound.length(), digests]);
  } finally {
    sound.close();
  }
}

async function picturesOf(bytes: SourceBytes): Promise<string> {
  const pictures =
    mediaTypeOf(bytes) === 'gif'
      ? gifPictures(bytes, 'media')
      : await videoPictures(bytes, 'media', { from: 0, to: 9 });
  try {
    const digests: string[] = [];
    for (const seconds of [0, 0.04, 0.3, 1.5, 0.1]) {
      const index = pictures.indexAt(seconds);
      const { width, height, bgra } = await pictures.picture(index);
      digests.push(JSON.stringify([index, width, height, sha256(Uint8Array.from(bgra))]));
    }
    return digests.join('\n');
  } finally {
    pictures.close();
  }
}

const READERS: Readonly<Record<string, (bytes: SourceBytes) => Promise<unknown>>> = {
  checkClip: (bytes) => checkClip(bytes, 'media'),
  checkSound: (bytes) => checkSound(bytes, 'media'),
  'the length of the sound': (bytes) => mediaLength(bytes, 'media', 'audio'),
  'the length of the pictures': (bytes) => mediaLength(bytes, 'media', 'video'),
  samples: samplesOf,
  pictures: picturesOf,
};

const openFiles = (): string[] => (platform === 'linux' ? readdirSync('/proc/self/fd') : []);

describe('a source on disk is read as the same bytes in memory', () => {
  let before: string[];
  beforeAll(() => {
    before = openFiles();
  });
  afterAll(() => expect(openFiles().length).toBeLessThanOrEqual(before.length + 2));

  describe.each(FILES)('%s', (_name, bytes) => {
    test.each(Object.entries(READERS))('%s', async (_reader, read) => {
      for (const share of [1, 0.6, 0.1]) {
        const part = bytes.subarray(0, Math.ceil(bytes.length * share));
        const file = sourceFile(part);
        expect(await outcomeOf(() => read(file))).toEqual(await outcomeOf(() => read(part)));
      }
    });
  });

  test('pictures of a GIF', async () => {
    const bytes = colorsGif([
      [255, 0, 0],
      [0, 255, 0],
      [9, 9, 255],
    ]);
    expect(await picturesOf(sourceFile(bytes))).toBe(await picturesOf(bytes));
  });
});
