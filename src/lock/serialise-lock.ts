import type { Result } from '../diagnostic.ts';
import { byCodeUnit } from '../digest.ts';
import { ENTRY_FIELDS, LOCKFILE_VERSION, type Lock, type LockEntry } from './lock.ts';
import { parseLock } from './parse-lock.ts';

/**
 * The one text for a lock: JSON with two spaces, ids by code unit, fields in their fixed order, a last newline. Nothing in
 * it depends on when or how often it is written, so an entry that did not change keeps its bytes, and two branches that
 * rendered different videos merge line by line.
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

/** Entries are never changed, so each is put into words once, however often the lock around it is written. */
const texts = new WeakMap<LockEntry, string>();

/** The one text for an entry, as it stands behind its id: entries are the same exactly when their texts are. */
export function entryText(entry: LockEntry): string {
  const known = texts.get(entry);
  if (known !== undefined) return known;
  // At the depth at which it stands in the file.
  const text = JSON.stringify({ '': { '': inOrder(entry) } }, null, 2).slice(BEFORE.length, -AFTER.length);
  texts.set(entry, text);
  return text;
}

const PLACES = new Map([...ENTRY_FIELDS.keys()].map((name, index) => [name, index]));

/** The entry's known fields in their order without those that say nothing, then the others by code unit. */
function inOrder(entry: LockEntry): object {
  // Nearly every entry is so already, and what is not made anew is written twice as fast.
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

/** Written by somebody else: we leave it out. */
function saysNothing(name: string, value: unknown): boolean {
  return name === 'protect' ? value === false : name === 'deliveries' && (value as readonly unknown[]).length === 0;
}

/** Whether it has known fields alone, those in their order, and none that says nothing. */
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

/** A lockfile in today's form, and what of it was not. */
interface NormalisedLock {
  readonly text: string;
  /** Offset in code units of the first difference; null when there is none. */
  readonly differsAt: number | null;
  /** Whether ids stood in another order. */
  readonly reordered: boolean;
  /** Ids of the entries that said the same in another way: fields in another order, or ones that say nothing. */
  readonly rewritten: readonly string[];
  readonly entryCount: number;
}

/**
 * The text of a readable lockfile as reelform would write it.
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
      // Ids that look like numbers come first from JSON.parse, wherever they stood: where they belong cannot be told.
      reordered: ids.some(
        (id, index) => index > 0 && !isIndex(id) && byCodeUnit(ids[index - 1]!, id) > 0 && !isIndex(ids[index - 1]!),
      ),
      rewritten: ids.filter((id) => memberOrder(videos.get(id)!) !== entryText(videos.get(id)!)),
      entryCount: ids.length,
    },
  };
}

/** The entry as it came, laid out as we do. */
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
