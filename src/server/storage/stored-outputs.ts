import { type Sha256, sha256 } from '../../digest.ts';
import type { SceneFinding } from '../../engine/scene-finding.ts';
import { isRecord } from '../../json.ts';
import type { FinishedFiles } from '../../session/delivery-runner.ts';
import type { Output, OutputStore } from '../../session/ports.ts';
import { OUTPUT_FILE_TYPES } from '../../template/output-file-types.ts';
import type { OutputFormat } from '../../wire/output.ts';
import type { ObjectStorage } from '../ports.ts';

/**
 * Finished files by what they were rendered from: sessions with the same scene share them, each under a name of its own.
 * What is there already is not written again, so that its bytes stay the same for whoever has a part of them.
 *
 * @param publicUrl without a slash at its end
 */
export function createStoredOutputs(storage: ObjectStorage, publicUrl: string): OutputStore & FinishedFiles {
  const find = async (scene: Sha256, name: string): Promise<Output | null> => {
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
        sha256: sha256(video),
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

/** Whether the files are as they were written, as far as sizes tell: a copy of a storage may lack some. */
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

function outputOf(publicUrl: string, name: string, record: RenderingRecord): Output {
  const { format, bytes, sha256: digest, stills, findings } = record;
  const url = (file: string): string => `${publicUrl}/outputs/${encodeURIComponent(name)}/${file}`;
  const thumbnails = stills.map((still) => url(stillFile(still)));
  const output = { video_url: url(videoFile(format)), thumbnails, bytes, sha256: digest };
  return findings === undefined ? output : { ...output, findings };
}

/** What `rendering.json` says of a finished scene; written last, so that where it is, the files are. */
export interface RenderingRecord {
  readonly format: OutputFormat;
  /** Of the video. */
  readonly bytes: number;
  /** Of the video. */
  readonly sha256: Sha256;
  /** Names, in the scene's order. */
  readonly stills: readonly string[];
  /** What there was to tell of it; absent where that is nothing. */
  readonly findings?: readonly SceneFinding[];
}

/** The key of a file of a scene. */
export function renderingKey(scene: Sha256, file: string): string {
  return `renderings/${scene}/${file}`;
}

/** The finished file, whatever it is. */
export function videoFile(format: OutputFormat): string {
  return `video.${OUTPUT_FILE_TYPES[format].extension}`;
}

const RECORD_FILE = 'rendering.json';

export function stillFile(still: string): string {
  return `${still}.jpg`;
}

/** Null when the scene is not finished, or what says so cannot be read. */
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
  // Records from before there were formats are of MP4.
  const { format = 'mp4', bytes, sha256, stills, findings } = value;
  if (typeof bytes !== 'number' || typeof sha256 !== 'string' || !Array.isArray(stills)) return null;
  if (typeof format !== 'string' || !Object.hasOwn(OUTPUT_FILE_TYPES, format)) return null;
  const record = { format: format as OutputFormat, bytes, sha256: sha256 as Sha256, stills: stills.map(String) };
  return Array.isArray(findings) ? { ...record, findings: findings as SceneFinding[] } : record;
}
