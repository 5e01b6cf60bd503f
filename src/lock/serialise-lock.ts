import type { Result } from '../diagnostic.ts';
import { byCodeUnit } from '../digest.ts';
import { ENTRY_FIELDS, LOCKFILE_VERSION, type Lock, type LockEntry } from './lock.ts';
import { parseLock } from './parse-lock.ts';

/**
 * Returns the canonical text of a lock: JSON indented with two spaces, ids sorted by code unit, fields in fixed order,
 * trailing newline. An unchanged entry keeps its bytes, so two branches that rendered different videos merge line by
 * line.
 */
export function serialiseLock(lock: Lock): string {
  const entries = [...lock.videos.keys()]
    .sort(byCodeUnit)
    .map((id) => `    ${JSON.stringify(id)}: ${entryText(lock.videos.get(id)!)}`);
  const members = [
    `  "lockfile_version": ${LOCKFILE_VERSION}`,
    `  "videos": ${entries.length === 0 ? '{}' : `{\n${entries.join(',\n')}\n  }`}`,
    ...Object.keys(lock.extra)
      .sort(byCodeUnit)
      .map(
        (name) => `  ${JSON.stringify(name)}: ${JSON.stringify(lock.extra[name], null, 2).replaceAll('\n', '\n  ')}`,
      ),
  ];
  return `{\n${members.join(',\n')}\n}\n`;
}

const BEFORE = '{\n  "": {\n    "": ';
const AFTER = '\n  }\n}';

/** Entries are immutable, so the text of each is computed once. */
const texts = new WeakMap<LockEntry, string>();

/** Returns the canonical text of an entry, without its id. Entries are equal exactly when their texts are. */
export function entryText(entry: LockEntry): string {
  const known = texts.get(entry);
  if (known !== undefined) return known;
  // Nesting the entry twice gives it the indentation of the lockfile.
  const text = JSON.stringify({ '': { '': inOrder(entry) } }, null, 2).slice(BEFORE.length, -AFTER.length);
  texts.set(entry, text);
  return text;
}

const PLACES = new Map([...ENTRY_FIELDS.keys()].map((name, index) => [name, index]));

/** Returns an entry with its known fields in order, without empty ones, followed by unknown fields by code unit. */
function inOrder(entry: LockEntry): object {
  // Nearly every entry is in order already, and returning it unchanged halves the time to write.
  if (isInOrder(entry)) return entry;
  const fields = entry as unknown as Record<string, unknown>;
  const ordered: [string, unknown][] = [];
  for (const name of ENTRY_FIELDS.keys()) {
    const value = name === 'labels' ? sortedLabels(entry.labels) : fields[name];
    if (value !== undefined && !saysNothing(name, value)) ordered.push([name, value]);
  }
  const later = Object.keys(fields).filter((name) => !ENTRY_FIELDS.has(name));
  for (const name of later.sort(byCodeUnit)) ordered.push([name, fields[name]]);
  return Object.fromEntries(ordered);
}

/** Written by another program; Reelform omits these. */
function saysNothing(name: string, value: unknown): boolean {
  return name === 'protect' ? value === false : name === 'deliveries' && (value as readonly unknown[]).length === 0;
}

/** True when the entry has only known fields, in order and without empty ones. */
function isInOrder(entry: LockEntry): boolean {
  let last = -1;
  for (const name in entry) {
    const place = PLACES.get(name) ?? -1;
    if (place <= last) return false;
    last = place;
  }
  if ('protect' in entry && entry.protect !== true) return false;
  if (entry.deliveries?.length === 0) return false;
  const labels = entry.labels === undefined ? null : Object.keys(entry.labels);
  return (
    labels === null || (labels.length > 0 && labels.every((name, index) => index === 0 || labels[index - 1]! < name))
  );
}

function sortedLabels(labels: LockEntry['labels']): Record<string, string> | undefined {
  const members = Object.entries(labels ?? {});
  if (members.length === 0) return undefined;
  return Object.fromEntries(members.sort(([a], [b]) => byCodeUnit(a, b)));
}

/** A lockfile in canonical form, and how the original differed. */
interface NormalisedLock {
  readonly text: string;
  /** Offset of the first difference in code units; null when there is none. */
  readonly differsAt: number | null;
  /** True if the ids were in another order. */
  readonly reordered: boolean;
  /** Ids of entries whose formatting differed: fields in another order, or empty fields. */
  readonly rewritten: readonly string[];
  readonly entryCount: number;
}

/**
 * Returns the canonical text of a readable lockfile.
 *
 * @param file the lockfile's path for diagnostics, repository-relative
 */
export function normaliseLock(source: string, file: string): Result<NormalisedLock> {
  const read = parseLock(source, file);
  if (!read.ok) return read;
  const { videos } = read.value;
  const text = serialiseLock(read.value);
  const ids = [...videos.keys()];
  return {
    ok: true,
    value: {
      text,
      differsAt: firstDifference(source, text),
      // JSON.parse returns number-like ids first, so their original position is unknown.
      reordered: ids.some(
        (id, index) => index > 0 && !isIndex(id) && byCodeUnit(ids[index - 1]!, id) > 0 && !isIndex(ids[index - 1]!),
      ),
      rewritten: ids.filter((id) => memberOrder(videos.get(id)!) !== entryText(videos.get(id)!)),
      entryCount: ids.length,
    },
  };
}

/** Returns the text of an entry in its original field order and our layout. */
function memberOrder(entry: LockEntry): string {
  return JSON.stringify(entry, null, 2).replaceAll('\n', '\n    ');
}

function isIndex(id: string): boolean {
  return /^(?:0|[1-9]\d*)$/.test(id);
}

function firstDifference(a: string, b: string): number | null {
  if (a === b) return null;
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) if (a[index] !== b[index]) return index;
  return length;
}
