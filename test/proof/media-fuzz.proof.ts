import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checkClip, checkSound } from '../../src/engine/media/check-media.ts';
import { gifPictures } from '../../src/engine/media/decode-gif.ts';
import { openSound } from '../../src/engine/media/open-sound.ts';
import { videoPictures } from '../../src/engine/media/video-pictures.ts';
import { RenderError } from '../../src/engine/render-error.ts';
import { mediaFile } from '../engine/media/media-files.ts';
import { count, percentile, tell } from '../support/proof.ts';
import { type SeededRandom, seededRandom } from '../support/seeded-random.ts';

// Decodes damaged media in this process, which must survive and report only errors about
// the file.

const CLIPS = new URL('../engine/media/clips/', import.meta.url);
const WORDS = [0, 1, 0x10000, 0x7fffffff, 0xffffffff];

/** The file with some bytes changed, removed or moved. */
function damaged(file: Buffer, { below, pick }: SeededRandom): Buffer {
  // Half of the changes hit the structure of the file.
  const range = below(2) === 0 ? Math.min(file.length, 1200) : file.length;
  const changes = 1 + below(8);
  const kind = below(20);
  if (kind < 10) {
    for (let change = 0; change < changes; change++) file[below(range)] = below(256);
    return file;
  }
  if (kind < 13) {
    for (let change = 0; change < changes; change++) file.writeUInt32BE(pick(WORDS), below(range - 4));
    return file;
  }
  if (kind < 16) return file.subarray(0, below(file.length));
  const [from, to] = [below(file.length), below(file.length)];
  return Buffer.concat([file.subarray(0, to), file.subarray(from, from + below(200)), file.subarray(to)]);
}

/** Files without pictures, by name. */
function isSound(name: string): boolean {
  return /beep|vorbis|alac|surround/.test(name);
}

async function listen(bytes: Uint8Array): Promise<void> {
  await checkSound(bytes, 'sound');
  const sound = await openSound(bytes, 'sound');
  let samples = 0;
  for await (const { left } of sound!.samples(0)) {
    samples += left.length;
    if (samples > 48_000 * 60) break;
  }
  sound!.close();
}

async function watch(bytes: Uint8Array): Promise<void> {
  const { type, durationSeconds } = await checkClip(bytes, 'clip');
  const part = { from: 0, to: Math.min(durationSeconds, 5) };
  const pictures = type === 'gif' ? gifPictures(bytes, 'clip') : await videoPictures(bytes, 'clip', part);
  try {
    for (let step = 0; step < 12; step++) await pictures.picture(pictures.indexAt(step * 0.3));
  } finally {
    pictures.close();
  }
}

test('damaged media cause errors about the file only', async () => {
  const random = seededRandom(5);
  const files = readdirSync(CLIPS).filter((name) => !name.endsWith('.md'));
  const outcomes: Record<string, number> = {};
  const durations: number[] = [];
  for (let round = 0; round < count(4_000, 60); round++) {
    const name = random.pick(files);
    const bytes = damaged(mediaFile(name), random);
    const start = performance.now();
    const outcome = await (isSound(name) ? listen(bytes) : watch(bytes)).then(
      () => 'usable',
      (error: unknown) => {
        expect(error, `${name}, round ${round}`).toBeInstanceOf(RenderError);
        return (error as RenderError).code;
      },
    );
    durations.push(performance.now() - start);
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  }
  tell(`${durations.length} damaged files: ${JSON.stringify(outcomes)}`);
  tell(`milliseconds: median ${percentile(durations, 0.5).toFixed(0)}, longest ${percentile(durations, 1).toFixed(0)}`);
});
