import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { isSoundMeasures, type SoundMeasures } from '../../../contract/wire/loudness.ts';
import { OUTPUT_FILE_TYPES, type OutputFormat } from '../../../contract/wire/output.ts';
import type { RenderFinding } from '../../../engine/input-media.ts';
import type { RenderedFile } from '../../../engine/rendered-file.ts';
import { defined } from '../../../kernel/defined.ts';
import type { Sha256 } from '../../../kernel/digest.ts';
import { parseRecord } from '../../../kernel/json.ts';
import { safeFileName } from '../../../kernel/safe-file-name.ts';
import { joinFindings, type OutputStore, type StoredFile, stillFile } from '../../sessions/ports.ts';
import type { ServedFile, ServedFiles } from '../http/app-ports.ts';
import type { ObjectStorage, OutputIndex } from '../ports.ts';
import type { Database } from '../store/database.ts';

/**
 * Stores finished files by the digest of their input. Sessions with the same input share the files, each under a name
 * of its own. Existing files are not written again, so that the bytes stay the same for clients with a partial
 * download.
 * The URLs are paths below the public URL of the service.
 */
export function createStoredOutputs(storage: ObjectStorage): OutputStore {
  const find = async (inputDigest: Sha256, name: string): Promise<readonly StoredFile[] | null> => {
    const record = await readRendering(storage, inputDigest);
    return record !== null && (await isWhole(storage, inputDigest, record)) ? storedFiles(name, record) : null;
  };
  return {
    find,
    async save(inputDigest, name, rendered, furtherNames = []) {
      const present = await find(inputDigest, name);
      if (present !== null) return present;
      const put = async (
        { format, video, loudness }: RenderedFile,
        output?: string,
      ): Promise<Omit<FurtherFile, 'name'>> => {
        await storage.put(renderingKey(inputDigest, videoFile(format, output)), video);
        return { format, bytes: video.size, sha256: await video.sha256(), ...defined({ loudness }) };
      };
      const [main, ...further] = rendered;
      const { stills } = main!;
      const findings = joinFindings(rendered, furtherNames);
      for (const still of stills) await storage.put(renderingKey(inputDigest, stillFile(still.name)), still.bytes);
      const furtherFiles: FurtherFile[] = [];
      for (const [at, file] of further.entries()) {
        const output = furtherNames[at]!;
        furtherFiles.push({ name: output, ...(await put(file, output)) });
      }
      const record: RenderingRecord = {
        ...(await put(main!)),
        stills: stills.map((still) => still.name),
        ...(findings.length === 0 ? {} : { findings }),
        ...(furtherFiles.length === 0 ? {} : { others: furtherFiles }),
      };
      await storage.put(renderingKey(inputDigest, RECORD_FILE), new TextEncoder().encode(JSON.stringify(record)));
      return storedFiles(name, record);
    },
    async openVideo({ inputDigest, video_url }) {
      const record = inputDigest === null ? null : await readRendering(storage, inputDigest);
      if (inputDigest === null || record === null) return null;
      const wanted = filesOf(record).find(({ file }) => video_url.endsWith(`/${file}`));
      if (wanted === undefined) return null;
      const key = renderingKey(inputDigest, wanted.file);
      const { bytes: size, sha256: digest, format } = wanted;
      if ((await storage.stat(key))?.size !== size) return null;
      const { contentType } = OUTPUT_FILE_TYPES[format];
      return { size, contentType, sha256: digest, stream: (range) => storage.stream(key, range) };
    },
  };
}

/** Checks that all files exist and the video has its recorded size: a copied storage may be incomplete. */
async function isWhole(storage: ObjectStorage, inputDigest: Sha256, record: RenderingRecord): Promise<boolean> {
  const sizeOf = async (file: string): Promise<number | undefined> =>
    (await storage.stat(renderingKey(inputDigest, file)))?.size;
  const videos = filesOf(record).map(async ({ file, bytes }) => (await sizeOf(file)) === bytes);
  const stills = record.stills.map(async (still) => (await sizeOf(stillFile(still))) !== undefined);
  return (await Promise.all([...videos, ...stills])).every((isThere) => isThere);
}

/** Returns the files of a record, the main file first. */
function storedFiles(name: string, record: RenderingRecord): StoredFile[] {
  const url = (file: string): string => `/outputs/${encodeURIComponent(name)}/${file}`;
  const thumbnails = record.stills.map((still) => url(stillFile(still)));
  return filesOf(record).map(({ file, bytes, sha256, loudness }, at) => ({
    video_url: url(file),
    thumbnails: at === 0 ? thumbnails : [],
    bytes,
    sha256,
    ...defined({ loudness, findings: at === 0 ? record.findings : undefined }),
  }));
}

/** Content of `rendering.json` of a finished input. Written last, so its presence implies that of the files. */
interface RenderingRecord {
  readonly format: OutputFormat;
  /** Size of the video. */
  readonly bytes: number;
  /** Digest of the video. */
  readonly sha256: Sha256;
  /** As of a `RenderedFile`. */
  readonly loudness?: SoundMeasures;
  /** Names in the order of the input. */
  readonly stills: readonly string[];
  /** Findings of the renderer; absent when there are none. */
  readonly findings?: readonly RenderFinding[];
  /** Files beside the video; absent when there are none. */
  readonly others?: readonly FurtherFile[];
}

interface FurtherFile {
  readonly name: string;
  readonly format: OutputFormat;
  readonly bytes: number;
  readonly sha256: Sha256;
  readonly loudness?: SoundMeasures;
}

/** Returns the files of all outputs, the main output first, with their names in the storage. */
function filesOf({
  format,
  bytes,
  sha256,
  loudness,
  others: furtherFiles = [],
}: RenderingRecord): (Omit<FurtherFile, 'name'> & { readonly file: string })[] {
  const main = { file: videoFile(format), format, bytes, sha256, ...defined({ loudness }) };
  return [main, ...furtherFiles.map(({ name, ...file }) => ({ file: videoFile(file.format, name), ...file }))];
}

function renderingKey(inputDigest: Sha256, file: string): string {
  return `renderings/${inputDigest}/${file}`;
}

/** Returns the name of a file. @param output name of an output beside the main output */
function videoFile(format: OutputFormat, output?: string): string {
  return ['video', ...(output === undefined ? [] : [output]), OUTPUT_FILE_TYPES[format].extension].join('.');
}

const RECORD_FILE = 'rendering.json';

/** Returns null when the input is not finished or its record is invalid. */
async function readRendering(storage: ObjectStorage, inputDigest: Sha256): Promise<RenderingRecord | null> {
  const bytes = await storage.read(renderingKey(inputDigest, RECORD_FILE));
  return bytes === null ? null : parseRendering(new TextDecoder().decode(bytes));
}

function parseRendering(text: string): RenderingRecord | null {
  const value = parseRecord(text);
  if (value === null) return null;
  // Records of older versions have no format: they are MP4.
  const { format = 'mp4', bytes, sha256, loudness, stills, findings, others: furtherFiles } = value;
  if (typeof bytes !== 'number' || typeof sha256 !== 'string' || !Array.isArray(stills)) return null;
  if (typeof format !== 'string' || !Object.hasOwn(OUTPUT_FILE_TYPES, format)) return null;
  const record = { format: format as OutputFormat, bytes, sha256: sha256 as Sha256, stills: stills.map(String) };
  return {
    ...record,
    ...(isSoundMeasures(loudness) ? { loudness } : {}),
    ...(Array.isArray(findings) ? { findings: findings as RenderFinding[] } : {}),
    ...(Array.isArray(furtherFiles) ? { others: furtherFiles as FurtherFile[] } : {}),
  };
}

interface OutputFilesOptions {
  readonly index: OutputIndex;
  readonly storage: ObjectStorage;
  /** Key that signs downloads. */
  readonly key: Uint8Array;
}

/**
 * Serves finished files to holders of their URL, as long as the session exists. Only files of a rendering are served.
 */
export function createOutputFiles({ index, storage, key }: OutputFilesOptions): ServedFiles {
  return {
    async find(place, file) {
      const output = await index.findOutput(place);
      if (output === null) return null;
      const { inputDigest, title } = output;
      const record = await readRendering(storage, inputDigest);
      const described = record === null ? null : describe(record, file, safeFileName(title));
      const found = described === null ? null : await storage.stat(renderingKey(inputDigest, file));
      if (described === null || found === null) return null;
      return {
        ...described,
        size: found.size,
        stream: (range) => storage.stream(renderingKey(inputDigest, file), range),
      };
    },
    signDownload: (sessionId, expiresAt) => signDownload(key, { sessionId, expiresAt }),
    verifyDownload: (sessionId, expiresAt, signature) => verifyDownload(key, { sessionId, expiresAt }, signature),
  };
}

/** Returns null when the rendering has no such file. */
function describe(
  record: RenderingRecord,
  file: string,
  title: string,
): Pick<ServedFile, 'contentType' | 'etag' | 'fileName'> | null {
  const video = filesOf(record).find((output) => output.file === file);
  if (video !== undefined) {
    const { contentType } = OUTPUT_FILE_TYPES[video.format];
    return { contentType, etag: video.sha256, fileName: `${title}${file.slice('video'.length)}` };
  }
  const still = record.stills.find((name) => stillFile(name) === file);
  if (still === undefined) return null;
  // Stills are written with their video and never change separately.
  const etag = `${record.sha256.slice(0, 32)}-${still}`;
  return { contentType: 'image/jpeg', etag, fileName: `${title} ${stillFile(still)}` };
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
  const expected = mac(key, download);
  // The last character has unused bits: only the canonical encoding is valid.
  return (
    given.length === expected.length && timingSafeEqual(given, expected) && given.toString('base64url') === signature
  );
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
