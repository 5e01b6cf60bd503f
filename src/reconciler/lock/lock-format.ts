import { type Diagnostic, errorAt, type Result, type Span, startOf } from '../../kernel/diagnostic.ts';
import { byCodeUnit, type Json } from '../../kernel/digest.ts';
import { isRecord } from '../../kernel/json.ts';
import { remembered } from '../../kernel/memory.ts';
import { ENTRY_FIELDS, isOutputPath, LOCKFILE_VERSION, type Lock, type LockEntry, OUTPUT_ENDINGS } from './lock.ts';

/** Maximum number of invalid entries that are reported individually; the rest is counted. */
const MAX_WRONG_ENTRIES = 20;

/**
 * Parses the text of a lockfile and validates every entry. Refuses anything that is not a complete lockfile of a known
 * version instead of returning an empty lock, because everything would be rendered, and paid for, again.
 *
 * @param file the lockfile's path for diagnostics, repository-relative
 */
export function parseLock(text: string, file: string): Result<Lock> {
  // JSON has no byte order mark; a space instead of it keeps all offsets.
  const source = text.startsWith('\uFEFF') ? ` ${text.slice(1)}` : text;
  const beginning = startOf(file);

  let document: unknown;
  try {
    document = JSON.parse(source);
  } catch (error) {
    // Only invalid JSON is searched for conflict markers: no line of valid JSON begins like a marker.
    return refuse(conflictIn(source, file) ?? syntaxError(source, file, error as SyntaxError));
  }

  if (!isRecord(document)) return refuse(unreadableLock('expected an object', beginning));
  const { lockfile_version: version, videos, ...extra } = document;
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1) {
    return refuse(unreadableLock(`"lockfile_version" is ${show(version)}, expected ${LOCKFILE_VERSION}`, beginning));
  }
  if (version > LOCKFILE_VERSION) return refuse(newerLock(version, beginning));
  if (!isRecord(videos)) {
    return refuse(unreadableLock(`"videos" is ${show(videos)}, expected a map of entries`, beginning));
  }

  const entries = new Map<string, LockEntry>();
  const ids = Object.keys(videos);
  const problems = duplicateEntries(source, file, ids.length);
  let wrongEntries = 0;
  for (const id of ids) {
    const entry = videos[id];
    const wrong = id.isWellFormed() ? wrongField(entry) : 'an unpaired surrogate in its id';
    if (wrong === null) entries.set(id, entry as LockEntry);
    // Locating an entry scans the text, so only the reported ones are located.
    else if (wrongEntries++ < MAX_WRONG_ENTRIES) {
      problems.push(unreadableLock(`the entry of "${id}" has ${wrong}`, locateEntry(source, file, id)));
    }
  }
  const hidden = wrongEntries - MAX_WRONG_ENTRIES;
  if (hidden > 0) {
    const count = hidden === 1 ? '1 more entry is' : `${hidden} more entries are`;
    problems.push(unreadableLock(`${count} invalid`, beginning));
  }
  if (problems.length > 0) return { ok: false, diagnostics: problems };
  return { ok: true, value: { videos: entries, extra: extra as Record<string, Json> } };
}

/** Returns the diagnostic for a lockfile whose content is uncertain. */
export function unreadableLock(what: string, at: Span): Diagnostic {
  const hint = `Restore the last good version: git checkout -- ${at.file}`;
  return errorAt('lock_unreadable', at, `The lockfile cannot be read: ${what}`, hint);
}

const FIELDS = [...ENTRY_FIELDS];

/** Describes the first invalid field; null when all are valid. */
function wrongField(entry: unknown): string | null {
  if (!isRecord(entry)) return 'no fields';
  for (const [name, field] of FIELDS) {
    const value = entry[name];
    if (value === undefined ? field.required : !field.accepts(value)) {
      return `${value === undefined ? 'no' : 'an invalid'} "${name}", expected ${field.expected}`;
    }
  }
  if (entry.service !== 'embedded') return null;
  const outputs = (entry.outputs ?? []) as readonly { readonly video_url: string }[];
  if ([entry.video_url as string, ...outputs.map((output) => output.video_url)].every(isOutputPath)) return null;
  const forms = OUTPUT_ENDINGS.map((ending) => `.${ending}`).join(', ');
  return `an invalid "video_url", expected renders/<name> and one of ${forms}`;
}

function newerLock(version: number, at: Span): Diagnostic {
  const message = `The lockfile has version ${version}, but this version of reelform reads ${LOCKFILE_VERSION}`;
  return errorAt('lock_newer', at, message, 'Install a newer version of reelform');
}

function conflictIn(source: string, file: string): Diagnostic | null {
  const marker = /^(?:(?:<{7}|>{7}|\|{7})(?: .*)?|={7})\r?$/m.exec(source);
  if (marker === null) return null;
  const line = marker[0].trimEnd();
  const at = { file, start: marker.index, end: marker.index + line.length };
  const message = `The lockfile contains a git conflict marker, "${line}"`;
  return errorAt('lock_conflict', at, message, 'Run `reelform lock merge`');
}

function syntaxError(source: string, file: string, thrown: SyntaxError): Diagnostic {
  const { reason, offset } = placeJsonError(source, thrown);
  const end = Math.min(offset + 1, source.length);
  return unreadableLock(`it is not valid JSON (${reason})`, { file, start: offset, end });
}

/**
 * Reports ids that occur twice with different entries, as after a manual merge: JSON.parse would silently take the last
 * entry.
 *
 * @param count number of different ids
 */
function duplicateEntries(source: string, file: string, count: number): Diagnostic[] {
  const begin = source.indexOf('\n  "videos": {\n');
  const end = source.indexOf('\n  }', begin);
  if (begin < 0 || end < 0) return [];
  // Counting is ten times faster than locating, which only a broken file needs.
  let lines = 0;
  for (let at = begin; ; lines++) {
    at = source.indexOf('\n    "', at + 1);
    if (at < 0 || at > end) break;
  }
  if (lines === count) return [];
  const seen = new Map<string, string>();
  const diagnostics: Diagnostic[] = [];
  const entries = source.slice(begin, end).matchAll(/^ {4}("(?:[^"\\]|\\.)*"): (\{\n[\s\S]*?^ {4}\}),?$/gm);
  for (const { 1: key = '', 2: entry = '', index } of entries) {
    // Identical duplicate entries are harmless: git leaves them when two branches rendered the same video.
    if ((seen.get(key) ?? entry) !== entry) {
      const start = begin + index + '    '.length;
      diagnostics.push(unreadableLock(`it has two entries for ${key}`, { file, start, end: start + key.length }));
    }
    seen.set(key, entry);
  }
  return diagnostics;
}

/**
 * Returns the location of an entry in the layout that reelform writes; the beginning of the file for any other layout.
 */
function locateEntry(source: string, file: string, id: string): Span {
  const key = JSON.stringify(id);
  const start = source.indexOf(`\n    ${key}:`) + '\n    '.length;
  return start < '\n    '.length ? startOf(file) : { file, start, end: start + key.length };
}

function refuse(diagnostic: Diagnostic): Result<never> {
  return { ok: false, diagnostics: [diagnostic] };
}

function show(value: unknown): string {
  return value === undefined ? 'missing' : JSON.stringify(value).slice(0, 40);
}

/**
 * Locates the error that `JSON.parse(text)` threw. V8 reports an offset for some errors only; for the others, returns
 * that of the first characters that are not a JSON token, or the end of the text.
 */
function placeJsonError(text: string, thrown: SyntaxError) {
  const reason = thrown.message.replace(/(?:, (?:\.\.\.)?"| in JSON\b| at position\b)[\s\S]*$/, '');
  const position = /at position (\d+)/.exec(thrown.message)?.[1];
  return { reason, offset: position === undefined ? firstNonToken(text) : Math.min(Number(position), text.length) };
}

function firstNonToken(text: string): number {
  const token = /[\s{}[\],:]+|"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|true\b|false\b|null\b/y;
  let offset = 0;
  while (token.test(text)) offset = token.lastIndex;
  return offset;
}

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

/** Returns the canonical text of an entry, without its id. Entries are equal exactly when their texts are. */
export const entryText = remembered((entry: LockEntry): string => {
  // Nesting the entry twice gives it the indentation of the lockfile.
  return JSON.stringify({ '': { '': inOrder(entry) } }, null, 2).slice(BEFORE.length, -AFTER.length);
});

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
