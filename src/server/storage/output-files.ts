import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Sha256 } from '../../digest.ts';
import { safeFileName } from '../../safe-file-name.ts';
import { OUTPUT_FILE_TYPES } from '../../template/output-file-types.ts';
import type { OutputFiles } from '../http/app-ports.ts';
import type { ObjectStorage, OutputIndex } from '../ports.ts';
import type { Database } from '../store/database.ts';
import { filesOf, type RenderingRecord, readRendering, renderingKey, stillFile } from './stored-outputs.ts';

export interface OutputFilesOptions {
  readonly index: OutputIndex;
  readonly storage: ObjectStorage;
  /** Key that signs downloads. */
  readonly key: Uint8Array;
}

/**
 * Serves finished files to holders of their URL, as long as the session exists. Only files of a rendering are served.
 */
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

interface FileDescription {
  readonly contentType: string;
  readonly etag: string;
  nameOf(title: string): string;
}

/** Returns null when the rendering has no such file. */
function describe(record: RenderingRecord, file: string): FileDescription | null {
  const { sha256, stills } = record;
  const video = filesOf(record).find((one) => one.file === file);
  if (video !== undefined) {
    const { contentType } = OUTPUT_FILE_TYPES[video.format];
    return { contentType, etag: video.sha256, nameOf: (title) => `${title}${file.slice('video'.length)}` };
  }
  const still = stills.find((name) => stillFile(name) === file);
  if (still === undefined) return null;
  return {
    contentType: 'image/jpeg',
    etag: stillEtag(sha256, still),
    nameOf: (title) => `${title} ${still}.jpg`,
  };
}

/** Stills are written with their video and never change separately. */
function stillEtag(video: Sha256, still: string): string {
  return `${video.slice(0, 32)}-${still}`;
}

/** The signed facts of a download. */
interface Download {
  readonly sessionId: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/**
 * Signs a download with HMAC-SHA256 in base64url, 43 characters. Without the key, a signature cannot be transferred to
 * another session or expiry time. Verification does not check the expiry time.
 *
 * @param key 32 or more random bytes
 * @see RFC 2104
 */
export function signDownload(key: Uint8Array, download: Download): string {
  return mac(key, download).toString('base64url');
}

/** Verifies the signature of a download in constant time. */
export function verifyDownload(key: Uint8Array, download: Download, signature: string): boolean {
  if (!Number.isSafeInteger(download.expiresAt) || !/^[\w-]{43}$/.test(signature)) return false;
  const given = Buffer.from(signature, 'base64url');
  const own = mac(key, download);
  // The last character has unused bits: only the canonical encoding is valid.
  return given.length === own.length && timingSafeEqual(given, own) && given.toString('base64url') === signature;
}

function mac(key: Uint8Array, { sessionId, expiresAt }: Download): Buffer {
  return createHmac('sha256', key)
    .update(JSON.stringify(['reelform download', sessionId, expiresAt]))
    .digest();
}

/**
 * Returns a secret of this database, created on first use. All processes share it.
 *
 * @returns 32 random bytes, base64url
 */
export async function readSecret(database: Database, name: string): Promise<string> {
  await database.query('insert into reelform.secrets (name, value) values ($1, $2) on conflict do nothing', [
    name,
    randomBytes(32).toString('base64url'),
  ]);
  const [row] = await database.query<{ value: string }>('select value from reelform.secrets where name = $1', [name]);
  return row!.value;
}
