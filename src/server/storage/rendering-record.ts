import type { Sha256 } from '../../digest.ts';
import type { SceneFinding } from '../../engine/scene-finding.ts';
import { isRecord } from '../../json.ts';
import { OUTPUT_FILES } from '../../template/output-files.ts';
import type { OutputFormat } from '../../wire/output.ts';
import type { ObjectStorage } from '../ports.ts';

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
  return `video.${OUTPUT_FILES[format].extension}`;
}

export const RECORD_FILE = 'rendering.json';

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
  if (typeof format !== 'string' || !Object.hasOwn(OUTPUT_FILES, format)) return null;
  const record = { format: format as OutputFormat, bytes, sha256: sha256 as Sha256, stills: stills.map(String) };
  return Array.isArray(findings) ? { ...record, findings: findings as SceneFinding[] } : record;
}
