import { byCodeUnit } from '../digest.ts';
import { ENTRY_FIELDS } from './entry-fields.ts';
import { LOCKFILE_VERSION, type Lock, type LockEntry } from './lock.ts';

/**
 * The one text for a lock: JSON with two spaces, ids by code unit, fields in their fixed order, a last newline. Nothing in
 * it depends on when or how often it is written, so an entry that did not change keeps its bytes, and two branches that
 * rendered different videos merge line by line.
 */
export function serialiseLock(lock: Lock): string {
  // One at a time: an object of all of them would move ids that look like numbers to its front.
  const entries = [...lock.videos.keys()]
    .sort(byCodeUnit)
    .map((id) => unwrap(JSON.stringify({ videos: { [id]: inOrder(lock.videos.get(id)!) } }, null, 2), 2));
  const members = [
    `  "lockfile_version": ${LOCKFILE_VERSION}`,
    `  "videos": ${entries.length === 0 ? '{}' : `{\n${entries.join(',\n')}\n  }`}`,
    ...Object.keys(lock.extra)
      .sort(byCodeUnit)
      .map((name) => unwrap(JSON.stringify({ [name]: lock.extra[name] }, null, 2), 1)),
  ];
  return `{\n${members.join(',\n')}\n}\n`;
}

/** The lines of pretty JSON without its `depth` outermost ones at each end, the rest indented as it was. */
function unwrap(json: string, depth: number): string {
  let start = 0;
  let end = json.length;
  for (let level = 0; level < depth; level++) {
    start = json.indexOf('\n', start) + 1;
    end = json.lastIndexOf('\n', end - 1);
  }
  return json.slice(start, end);
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
