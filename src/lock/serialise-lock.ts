import { byCodeUnit } from '../digest.ts';
import { ENTRY_FIELDS } from './entry-fields.ts';
import { LOCKFILE_VERSION, type Lock, type LockEntry } from './lock.ts';

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
