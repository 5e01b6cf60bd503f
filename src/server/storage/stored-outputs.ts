import { fileSha256, type Sha256 } from '../../digest.ts';
import type { SceneFinding } from '../../engine/scene-media.ts';
import { isRecord } from '../../json.ts';
import type { FinishedFiles } from '../../session/delivery-runner.ts';
import type { OutputStore, StoredOutput } from '../../session/ports.ts';
import { OUTPUT_FILE_TYPES } from '../../template/output-file-types.ts';
import type { OutputFormat } from '../../wire/output.ts';
import type { ObjectStorage } from '../ports.ts';

/**
 * Stores finished files by the digest of their scene. Sessions with the same scene share the files, each under a name
 * of its own. Existing files are not written again, so that the bytes stay the same for clients with a partial
 * download.
 *
 * @param publicUrl without a trailing slash
 */
export function createStoredOutputs(storage: ObjectStorage, publicUrl: string): OutputStore & FinishedFiles {
  const find = async (scene: Sha256, name: string): Promise<StoredOutput | null> => {
    const record = await readRendering(storage, scene);
    return record !== null && (await isWhole(storage, scene, record)) ? outputOf(publicUrl, name, record) : null;
  };
  return {
    find,
    async save(scene, name, { format, video, stills, findings = [] }) {
      const there = await find(scene, name);
      if (there !== null) return there;
      for (const still of stills) await storage.put(renderingKey(scene, stillFile(still.name)), still.bytes);
      await storage.put(renderingKey(scene, videoFile(format)), video);
      const record: RenderingRecord = {
        format,
        bytes: video.length,
        sha256: await fileSha256(video),
        stills: stills.map((still) => still.name),
        ...(findings.length === 0 ? {} : { findings }),
      };
      await storage.put(renderingKey(scene, RECORD_FILE), new TextEncoder().encode(JSON.stringify(record)));
      return outputOf(publicUrl, name, record);
    },
    async openVideo({ scene }) {
      const record = scene === null ? null : await readRendering(storage, scene);
      if (scene === null || record === null) return null;
      const key = renderingKey(scene, videoFile(record.format));
      if ((await storage.stat(key))?.size !== record.bytes) return null;
      const { contentType } = OUTPUT_FILE_TYPES[record.format];
      const { bytes: size, sha256: digest } = record;
      return { size, contentType, sha256: digest, stream: (range) => storage.stream(key, range) };
    },
  };
}

/** Checks that all files exist and the video has its recorded size: a copied storage may be incomplete. */
async function isWhole(
  storage: ObjectStorage,
  scene: Sha256,
  { format, bytes, stills }: RenderingRecord,
): Promise<boolean> {
  const [video, ...others] = await Promise.all(
    [videoFile(format), ...stills.map(stillFile)].map((file) => storage.stat(renderingKey(scene, file))),
  );
  return video?.size === bytes && others.every((still) => still !== null);
}

function outputOf(publicUrl: string, name: string, record: RenderingRecord): StoredOutput {
  const { format, bytes, sha256: digest, stills, findings } = record;
  const url = (file: string): string => `${publicUrl}/outputs/${encodeURIComponent(name)}/${file}`;
  const thumbnails = stills.map((still) => url(stillFile(still)));
  const output = { video_url: url(videoFile(format)), thumbnails, bytes, sha256: digest };
  return findings === undefined ? output : { ...output, findings };
}

/** Content of `rendering.json` of a finished scene. Written last, so its presence implies that of the files. */
export interface RenderingRecord {
  readonly format: OutputFormat;
  /** Size of the video. */
  readonly bytes: number;
  /** Digest of the video. */
  readonly sha256: Sha256;
  /** Names in the order of the scene. */
  readonly stills: readonly string[];
  /** Findings of the renderer; absent when there are none. */
  readonly findings?: readonly SceneFinding[];
}

/** Returns the key of a scene's file. */
export function renderingKey(scene: Sha256, file: string): string {
  return `renderings/${scene}/${file}`;
}

/** Returns the name of the video, or of the single image. */
export function videoFile(format: OutputFormat): string {
  return `video.${OUTPUT_FILE_TYPES[format].extension}`;
}

const RECORD_FILE = 'rendering.json';

export function stillFile(still: string): string {
  return `${still}.jpg`;
}

/** Returns null when the scene is not finished or its record is invalid. */
export async function readRendering(storage: ObjectStorage, scene: Sha256): Promise<RenderingRecord | null> {
  const bytes = await storage.read(renderingKey(scene, RECORD_FILE));
  return bytes === null ? null : parseRecord(new TextDecoder().decode(bytes));
}

function parseRecord(text: string): RenderingRecord | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isRecord(value)) return null;
  // Records of older versions have no format: they are MP4.
  const { format = 'mp4', bytes, sha256, stills, findings } = value;
  if (typeof bytes !== 'number' || typeof sha256 !== 'string' || !Array.isArray(stills)) return null;
  if (typeof format !== 'string' || !Object.hasOwn(OUTPUT_FILE_TYPES, format)) return null;
  const record = { format: format as OutputFormat, bytes, sha256: sha256 as Sha256, stills: stills.map(String) };
  return Array.isArray(findings) ? { ...record, findings: findings as SceneFinding[] } : record;
}
