import { readFileSync } from 'node:fs';
import { appendFile, mkdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Sha256 } from '../digest.ts';
import { nullIfMissing } from '../file-system-error.ts';
import { isRecord } from '../json.ts';
import { replaceFile } from '../replace-file.ts';

/** Records of the files that this machine wrote to `renders/`. Ignored by git; may be deleted at any time. */
export const OUTPUT_RECORDS_FILE = '.reelform/outputs.ndjson';

/** Size and digest of a video file when it was written. */
export interface OutputRecord {
  readonly bytes: number;
  readonly sha256: Sha256;
}

/** The file is rewritten if more lines than this, and more than half of all lines, are obsolete. */
const MOST_WASTE = 1000;

/**
 * Reads the records by repository-relative path. The lockfile records the first rendering of a video; another machine may
 * render it to different bytes (see docs/reference/outputs.md), which are recorded here. Ignores invalid lines.
 */
export function readOutputRecords(root: string): ReadonlyMap<string, OutputRecord> {
  try {
    return parseRecords(readFileSync(join(root, OUTPUT_RECORDS_FILE), 'utf8')).records;
  } catch {
    return new Map();
  }
}

/**
 * Records a video file that was just written. Best effort: without the record, the next plan may restore the file again.
 *
 * @param path repository-relative
 */
export async function recordOutput(root: string, path: string, { bytes, sha256 }: OutputRecord): Promise<void> {
  const file = join(root, OUTPUT_RECORDS_FILE);
  try {
    await mkdir(dirname(file), { recursive: true });
    await appendFile(file, lineOf(path, { bytes, sha256 }));
  } catch {
    // The video itself was written.
  }
}

/** Removes obsolete lines once there are many. Best effort. */
export async function compactOutputRecords(root: string): Promise<void> {
  const file = join(root, OUTPUT_RECORDS_FILE);
  try {
    const text = await nullIfMissing(readFile(file, 'utf8'));
    if (text === null) return;
    const { records, lineCount } = parseRecords(text);
    if (lineCount <= MOST_WASTE) return;
    const paths = await Promise.all(
      [...records.keys()].map(async (path) => ((await isThere(join(root, path))) ? [path] : [])),
    );
    const kept = paths.flat();
    if (lineCount - kept.length <= Math.max(MOST_WASTE, lineCount / 2)) return;
    await replaceFile(file, kept.map((path) => lineOf(path, records.get(path)!)).join(''), { isDurable: false });
  } catch {
    // The file works without compaction.
  }
}

function lineOf(path: string, { bytes, sha256 }: OutputRecord): string {
  return `${JSON.stringify({ path, bytes, sha256 })}\n`;
}

function parseRecords(text: string): { records: Map<string, OutputRecord>; lineCount: number } {
  const records = new Map<string, OutputRecord>();
  const lines = text.split('\n').slice(0, -1);
  for (const line of lines) {
    const record = parseLine(line);
    if (record !== null) records.set(record.path, record);
  }
  return { records, lineCount: lines.length };
}

function parseLine(line: string): (OutputRecord & { readonly path: string }) | null {
  try {
    const value: unknown = JSON.parse(line);
    if (!isRecord(value)) return null;
    const { path, bytes, sha256 } = value;
    if (typeof path !== 'string' || typeof bytes !== 'number' || typeof sha256 !== 'string') return null;
    return { path, bytes, sha256: sha256 as Sha256 };
  } catch {
    return null;
  }
}

async function isThere(path: string): Promise<boolean> {
  return (await nullIfMissing(stat(path))) !== null;
}
