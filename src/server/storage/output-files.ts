import type { Sha256 } from '../../digest.ts';
import { safeFileName } from '../../safe-file-name.ts';
import { OUTPUT_FILES } from '../../template/output-files.ts';
import type { OutputFiles } from '../http/app-ports.ts';
import type { ObjectStorage, OutputIndex } from '../ports.ts';
import { type RenderingRecord, readRendering, renderingKey, stillFile, videoFile } from './rendering-record.ts';
import { signDownload, verifyDownload } from './sign-download.ts';

export interface OutputFilesOptions {
  readonly index: OutputIndex;
  readonly storage: ObjectStorage;
  /** Signs downloads. */
  readonly key: Uint8Array;
}

/** Finished files for whoever has their URL: only those that a rendering is made of, and only while its session is there. */
export function createOutputFiles({ index, storage, key }: OutputFilesOptions): OutputFiles {
  return {
    async find(place, file) {
      const output = await index.findOutput(place);
      if (output === null) return null;
      const { scene, title } = output;
      const record = await readRendering(storage, scene);
      const told = record === null ? null : describe(record, file);
      const found = told === null ? null : await storage.stat(renderingKey(scene, file));
      if (told === null || found === null) return null;
      return {
        size: found.size,
        contentType: told.contentType,
        etag: told.etag,
        fileName: told.nameOf(safeFileName(title)),
        stream: (range) => storage.stream(renderingKey(scene, file), range),
      };
    },
    signDownload: (sessionId, expiresAt) => signDownload(key, { sessionId, expiresAt }),
    verifyDownload: (sessionId, expiresAt, signature) => verifyDownload(key, { sessionId, expiresAt }, signature),
  };
}

interface Told {
  readonly contentType: string;
  readonly etag: string;
  nameOf(title: string): string;
}

/** Null for a file that the rendering does not have. */
function describe({ format, sha256, stills }: RenderingRecord, file: string): Told | null {
  if (file === videoFile(format)) {
    const { contentType, extension } = OUTPUT_FILES[format];
    return { contentType, etag: sha256, nameOf: (title) => `${title}.${extension}` };
  }
  const still = stills.find((name) => stillFile(name) === file);
  if (still === undefined) return null;
  return {
    contentType: 'image/jpeg',
    etag: stillEtag(sha256, still),
    nameOf: (title) => `${title} ${still}.jpg`,
  };
}

/** Stills are written with their video, and never change alone. */
function stillEtag(video: Sha256, still: string): string {
  return `${video.slice(0, 32)}-${still}`;
}
