import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync, inflateSync } from 'node:zlib';
import type { Reference } from '../lottie-web.ts';

/** Returns a reference that stores its pictures in a folder, so that a corpus can be compared again quickly. */
export function storedReferences(player: Reference, folder: string): Reference {
  mkdirSync(folder, { recursive: true });
  return {
    async draw(document, frames, width, height, ground = 'black') {
      const key = createHash('sha256')
        .update(JSON.stringify([document, frames, width, height, ...(ground === 'black' ? [] : [ground])]))
        .digest('hex');
      const path = join(folder, `${key}.rgba`);
      if (!existsSync(path)) {
        const pictures = await player.draw(document, frames, width, height, ground);
        writeFileSync(path, deflateSync(Buffer.concat(pictures.map(({ rgba }) => new Uint8Array(rgba))), { level: 1 }));
      }
      const all = inflateSync(readFileSync(path));
      const size = width * height * 4;
      return frames.map((_, index) => ({ width, height, rgba: all.subarray(index * size, (index + 1) * size) }));
    },
    close: () => player.close(),
  };
}
