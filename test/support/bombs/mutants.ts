import { readdirSync } from 'node:fs';
import { createCanvas } from '@napi-rs/canvas';
import { mediaFile, stereoWav } from '../../engine/media/media-files.ts';
import { animatedGif, animatedPng, animatedWebp } from '../../service/sessions/sources/bomb-pictures.ts';
import type { SeededRandom } from '../seeded-random.ts';
import { smallPackageFiles, TEST_FONT } from '../small-package.ts';
import type { Bomb } from './bomb.ts';
import { zipOf } from './package-bombs.ts';

interface Valid {
  readonly kind: Bomb['kind'];
  readonly name: string;
  readonly bytes: Buffer;
}

/** Returns one valid file of every supported format. */
export function corpus(): Valid[] {
  const canvas = createCanvas(64, 64);
  const source = (name: string, bytes: Uint8Array): Valid => ({ kind: 'source', name, bytes: Buffer.from(bytes) });
  const clips = readdirSync(new URL('../../engine/media/clips/', import.meta.url)).filter(
    (name) => !name.endsWith('.md'),
  );
  const session = {
    title: 'a',
    mapping: { template_style_version_id: 'tsv_1', resources: { t_01: { source: { text: 'b' } } } },
  };
  return [
    ...clips.map((name) => source(name, mediaFile(name))),
    source('sound.wav', stereoWav(8_000, new Float32Array(800))),
    source('picture.png', canvas.toBuffer('image/png')),
    source('picture.jpg', canvas.toBuffer('image/jpeg')),
    source('picture.webp', canvas.toBuffer('image/webp')),
    source('picture.avif', canvas.toBuffer('image/avif')),
    source('moving.gif', animatedGif(8, 8, 5)),
    source('moving.png', animatedPng(8, 8, 5)),
    source('moving.webp', animatedWebp(8, 8, 5)),
    { kind: 'package', name: 'package.zip', bytes: Buffer.from(zipOf({})) },
    { kind: 'body', name: 'session.json', bytes: Buffer.from(JSON.stringify(session)) },
  ];
}

const WORDS = [0, 1, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff];

/** Returns the bytes with some changed, truncated, moved, or replaced by bytes of another file. */
export function mutated(whole: Buffer, other: Buffer, { below, pick }: SeededRandom): Buffer {
  const file = Buffer.from(whole);
  // Half of the mutations hit the header, where the structure is.
  const range = below(2) === 0 ? Math.min(file.length, 600) : file.length;
  const kind = below(20);
  const changes = 1 + below(8);
  if (kind < 8) for (let change = 0; change < changes; change++) file[below(range)] = below(256);
  else if (kind < 12 && range > 4) {
    for (let change = 0; change < changes; change++) file.writeUInt32BE(pick(WORDS), below(range - 4));
  } else if (kind < 15) return file.subarray(0, below(file.length));
  else if (kind < 18) {
    const [from, to] = [below(file.length), below(file.length)];
    return Buffer.concat([file.subarray(0, to), file.subarray(from, from + below(2_000)), file.subarray(to)]);
  } else {
    const [from, to] = [below(other.length), below(file.length)];
    return Buffer.concat([file.subarray(0, to), other.subarray(from, from + below(2_000)), file.subarray(to)]);
  }
  return file;
}

/**
 * Returns a package with one file damaged before zipping: almost no mutation of the zip itself passes its checksums.
 */
export function mutatedPackage(random: SeededRandom): Uint8Array {
  const files = smallPackageFiles();
  const name = random.pick([...files.keys()]);
  return zipOf({ [name]: mutated(Buffer.from(files.get(name)!), TEST_FONT, random) });
}
