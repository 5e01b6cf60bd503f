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
    // Assembled by hand: an object would move ids that look like numbers to its front.
    .map((id) => `    ${JSON.stringify(id)}: ${pretty(inOrder(lock.videos.get(id)!), '    ')}`);
  const members = [
    `"lockfile_version": ${LOCKFILE_VERSION}`,
    `"videos": ${entries.length === 0 ? '{}' : `{\n${entries.join(',\n')}\n  }`}`,
    ...Object.keys(lock.extra)
      .sort(byCodeUnit)
      .map((name) => `${JSON.stringify(name)}: ${pretty(lock.extra[name], '  ')}`),
  ];
  return `{\n  ${members.join(',\n  ')}\n}\n`;
}

/** The entry's known fields in their order without those that say nothing, then the others by code unit. */
function inOrder(entry: LockEntry): Record<string, unknown> {
  const fields = entry as unknown as Record<string, unknown>;
  const ordered: [string, unknown][] = [];
  for (const name of ENTRY_FIELDS.keys()) {
    const value = name === 'labels' ? sortedLabels(entry.labels) : fields[name];
    if (value !== undefined && !(name === 'protect' && value === false)) ordered.push([name, value]);
  }
  const later = Object.keys(fields).filter((name) => !ENTRY_FIELDS.has(name));
  for (const name of later.sort(byCodeUnit)) ordered.push([name, fields[name]]);
  return Object.fromEntries(ordered);
}

function sortedLabels(labels: LockEntry['labels']): Record<string, string> | undefined {
  const members = Object.entries(labels ?? {});
  if (members.length === 0) return undefined;
  return Object.fromEntries(members.sort(([a], [b]) => byCodeUnit(a, b)));
}

/** No text in JSON holds a raw newline, so those that are there belong to the layout. */
function pretty(value: unknown, indent: string): string {
  return JSON.stringify(value, null, 2).replaceAll('\n', `\n${indent}`);
}
