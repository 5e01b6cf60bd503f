import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { Readable } from 'node:stream';
import { DeliveryFailure } from '../../contract/destinations/destination.ts';
import { OUTPUT_FILE_TYPES } from '../../contract/wire/output.ts';
import type { RenderedFile } from '../../engine/rendered-file.ts';
import { defined } from '../../kernel/defined.ts';
import type { Sha256 } from '../../kernel/digest.ts';
import { MAX_POINTER_BYTES, parseLfsPointer, pointerError } from '../../kernel/file-kind.ts';
import { nullIfMissing } from '../../kernel/file-system-error.ts';
import type { FileData } from '../../kernel/replace-file.ts';
import { type OutputStore, SessionFailure, type StoredFile, stillFile } from './ports.ts';

/**
 * Stores finished files atomically in a folder; URLs are relative references below `baseUrl`.
 *
 * @param writeFile atomic write that creates folders
 */
export function createDirectoryOutputs(
  directory: string,
  baseUrl: string,
  writeFile: (path: string, data: FileData) => Promise<void>,
): OutputStore {
  return {
    /** The plan has already skipped finished videos, so every request renders. */
    async find() {
      return null;
    },
    async save(_digest, name, files, furtherNames = []) {
      // Names can come from the lockfile of an untrusted pull request.
      if (!isInside(name)) {
        const detail = `The output ${name} would be outside of ${baseUrl}/`;
        throw new SessionFailure({ code: 'storage_failed', title: 'The finished file could not be stored', detail });
      }
      const thumbnails: string[] = [];
      for (const still of files[0]!.stills) {
        const path = `${name}.${stillFile(still.name)}`;
        await writeFile(join(directory, path), still.bytes);
        thumbnails.push(`${baseUrl}/${path}`);
      }
      const store = async (fileName: string, { format, video, loudness }: RenderedFile): Promise<StoredFile> => {
        const path = `${fileName}.${OUTPUT_FILE_TYPES[format].extension}`;
        await writeFile(join(directory, path), () => video.chunks());
        const facts = { bytes: video.size, sha256: await video.sha256(), ...defined({ loudness }) };
        return { video_url: `${baseUrl}/${path}`, thumbnails: [], ...facts };
      };
      const [main, ...further] = files;
      const stored: StoredFile[] = [];
      for (const [at, file] of further.entries()) stored.push(await store(`${name}.${furtherNames[at]!}`, file));
      // Written last, so that a video always has its stills and further files.
      return [{ ...(await store(name, main!)), thumbnails }, ...stored];
    },
    async openVideo({ video_url }) {
      const name = video_url.startsWith(`${baseUrl}/`) ? video_url.slice(baseUrl.length + 1) : '';
      const contentType = TYPES.get(extname(name).slice(1));
      if (!isInside(name) || contentType === undefined) return null;
      const path = join(directory, name);
      const found = await nullIfMissing(stat(path));
      if (found === null || !found.isFile()) return null;
      // A checkout may have replaced the file since the run began.
      const isPointer = found.size <= MAX_POINTER_BYTES && parseLfsPointer(await readFile(path)) !== null;
      if (isPointer) throw pointerFailure(video_url);
      const hash = createHash('sha256');
      for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
      return {
        size: found.size,
        contentType,
        sha256: hash.digest('hex') as Sha256,
        stream: (range) => streamFile(path, range),
      };
    },
  };
}

function pointerFailure(path: string): DeliveryFailure {
  const { message, hint } = pointerError(path, undefined);
  return new DeliveryFailure(`${message}. ${hint}`, { isRetryable: false, code: 'lfs_pointer' });
}

/** Streams a file. @param range bytes, half-open; the whole file when absent */
export function streamFile(path: string, range?: { readonly start: number; readonly end: number }): Readable {
  if (range === undefined) return createReadStream(path);
  if (range.end <= range.start) return Readable.from([]);
  return createReadStream(path, { start: range.start, end: range.end - 1 });
}

const TYPES: ReadonlyMap<string, string> = new Map(
  Object.values(OUTPUT_FILE_TYPES).map(({ extension, contentType }) => [extension, contentType]),
);

function isInside(name: string): boolean {
  return !name.split('/').some((part) => part === '' || part === '.' || part === '..') && !name.includes('\\');
}
