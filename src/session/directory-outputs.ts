import { join } from 'node:path';
import { OUTPUT_FILES } from '../template/output-files.ts';
import { type OutputStore, SessionFailure } from './ports.ts';

/**
 * Finished files in a folder, each written whole or not at all; URLs are relative references below `baseUrl`. EDGE.
 *
 * @param writeFile an atomic write that makes folders
 */
export function createDirectoryOutputs(
  directory: string,
  baseUrl: string,
  writeFile: (path: string, bytes: Uint8Array) => Promise<void>,
): OutputStore {
  return {
    /** What is asked for here is always made anew: what need not be is planned, and never asked for. */
    async find() {
      return null;
    },
    async save(_scene, name, { format, video, stills }) {
      // Names come from a lockfile as well, and a lockfile comes from whoever wrote the pull request.
      if (name.split('/').some((part) => part === '' || part === '.' || part === '..') || name.includes('\\')) {
        const detail = `The output ${name} would lie outside of ${baseUrl}/`;
        throw new SessionFailure({ code: 'storage_failed', title: 'Output could not be stored', detail });
      }
      const thumbnails: string[] = [];
      for (const still of stills) {
        const file = `${name}.${still.name}.jpg`;
        await writeFile(join(directory, file), still.bytes);
        thumbnails.push(`${baseUrl}/${file}`);
      }
      // The video comes last: where it is, its stills are too.
      const file = `${name}.${OUTPUT_FILES[format].extension}`;
      await writeFile(join(directory, file), video);
      return { video_url: `${baseUrl}/${file}`, thumbnails, bytes: video.length };
    },
  };
}
