import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { ReelformError } from '../../kernel/diagnostic.ts';
import { nullIfMissing } from '../../kernel/file-system-error.ts';
import { parseRecord } from '../../kernel/json.ts';
import { replaceFile } from '../../kernel/replace-file.ts';
import { BlobReader } from './blob-reader.ts';
import { runGit, tryGit } from './run-git.ts';

/** A committed version of a lockfile. It depends on the commit only, so it never has to be read again. */
export interface LockVersion {
  readonly commit: string;
  /** Committer date, in seconds since the epoch. */
  readonly time: number;
  /** From the top of the repository. */
  readonly path: string;
  readonly blob: string;
  /** Entries that differ from the entries of the commit's parents; null if the content is no text. */
  readonly entries: readonly IndexedEntry[] | null;
}

/** Beginning of the fingerprint, time of the rendering, and whether its video was lost. */
type IndexedEntry = readonly [prefix: string, renderedAt: string, isLost: boolean];

/** Returns the beginning of a fingerprint. Different beginnings prove that fingerprints differ. */
export function fingerprintPrefix(fingerprint: string): string {
  return fingerprint.slice(0, 'v1:'.length + 16);
}

interface LockVersions {
  readonly versions: readonly LockVersion[];
  /** Number of versions whose content a partial clone lacks and its remote does not send. */
  readonly missing: number;
}

interface HistoryOptions {
  /** Absolute. */
  readonly root: string;
  /** Path of the lockfile below the root. */
  readonly lockFile: string;
  /** Path of the index, absolute; null to neither read nor write it. */
  readonly indexFile: string | null;
}

/** Refs of a repository at one moment. */
export interface View {
  /** Ids of the commits that branches, remote-tracking branches and HEAD point to; sorted. */
  readonly tips: readonly string[];
  /** Null before the first commit of the present branch. */
  readonly head: string | null;
  /** Replacement refs, which change what git shows of a commit. */
  readonly replaced: string;
  readonly isShallow: boolean;
}

/**
 * Returns every version of the lockfile that a branch, a remote-tracking branch or HEAD contains. Files of the same name in
 * other folders count, because a repository may have been moved into a folder, and because equal fingerprints mean
 * equal videos in any lockfile.
 *
 * The index is a cache: it holds the versions of the commits that were read, and only other commits are read again. The
 * result is the same without it.
 *
 * @throws ReelformError `git_failed`
 */
export async function lockVersions(view: View, { root, lockFile, indexFile }: HistoryOptions): Promise<LockVersions> {
  if (view.tips.length === 0) return { versions: [], missing: 0 };
  const stored = indexFile === null ? null : await load(indexFile, view);
  if (stored !== null && stored.tips.join() === view.tips.join()) return { versions: stored.versions, missing: 0 };
  const name = basename(lockFile);
  const extended = stored === null ? null : await extend(root, name, view, stored);
  const read = extended ?? (await readVersions(root, name, view.tips, []));
  if (read.missing === 0 && indexFile !== null) await store(indexFile, view, read.versions);
  return read;
}

/** Returns the ids of the commits that HEAD does not contain: they may be unreviewed. @throws ReelformError `git_failed` */
export async function unmergedCommits(root: string, { tips, head }: View): Promise<ReadonlySet<string>> {
  const input = revisions(tips, head === null ? [] : [head]);
  return new Set((await runGit(root, ['rev-list', '--stdin'], { ...LOCAL, input })).split('\n'));
}

/** @throws ReelformError `git_failed` */
export async function readView(root: string): Promise<View> {
  const atHead = await readRefs(root, ['HEAD']);
  const [head = null] = atHead.ids;
  // Git reads nothing after a branch that has no commit yet.
  const { isShallow, ids, replaced } = head === null ? await readRefs(root, []) : atHead;
  return { tips: [...new Set(ids)].sort(), head, replaced, isShallow };
}

/** Reads the refs with a single process, because starting it takes longer than its work. @param first revisions whose ids come first */
async function readRefs(
  root: string,
  first: readonly string[],
): Promise<Pick<View, 'isShallow' | 'replaced'> & { readonly ids: readonly string[] }> {
  const replacements = '--glob=refs/replace/*';
  const named = ['--branches', '--remotes', replacements, '--symbolic-full-name', replacements];
  // Without `--verify`, a branch that has no commit yet is no error.
  const read = await runGit(root, ['rev-parse', '--is-shallow-repository', '--revs-only', ...first, ...named], LOCAL);
  const [isShallow, ...lines] = read.split('\n').filter((line) => line !== '');
  const names = lines.filter((line) => line.startsWith('refs/'));
  const at = lines.length - 2 * names.length;
  const replaced = names.map((name, index) => `${name} ${lines[at + index]}`).join('\n');
  return { isShallow: isShallow === 'true', ids: lines.slice(0, at), replaced };
}

/** No timeout for reading local objects, because a result must not depend on the speed of the machine. */
const LOCAL = { timeoutMs: Infinity };

/**
 * Reads the versions of new commits, and drops those of commits that no branch contains any more.
 *
 * @returns null if git does not have the earlier commits any more
 */
async function extend(root: string, name: string, view: View, stored: Stored): Promise<LockVersions | null> {
  const reading = readVersions(root, name, view.tips, stored.tips);
  // Fails too if git does not have the earlier commits any more.
  reading.catch(() => undefined);
  const gone = await tryGit(root, ['rev-list', '--stdin'], { ...LOCAL, input: revisions(stored.tips, view.tips) });
  if (gone === null) return null;
  const dropped = new Set(gone.split('\n'));
  const kept = stored.versions.filter(({ commit }) => !dropped.has(commit));
  const added = await reading;
  return { ...added, versions: [...kept, ...added.versions] };
}

/** @returns input of `rev-list --stdin`: the commits that `tips` contain and `without` do not */
function revisions(tips: readonly string[], without: readonly string[]): string {
  return [...tips, ...without.map((tip) => `^${tip}`), ''].join('\n');
}

/** A version of a lockfile whose content is not read yet. */
interface FoundVersion extends Omit<LockVersion, 'entries'> {
  /** Blobs of the file in the commit's parents. */
  readonly parents: readonly string[];
}

/** Reads the versions of the commits that `tips` contain and `without` do not. */
async function readVersions(
  root: string,
  name: string,
  tips: readonly string[],
  without: readonly string[],
): Promise<LockVersions> {
  const found = await findVersions(root, name, revisions(tips, without));
  if (found.length === 0) return { versions: [], missing: 0 };
  const absent = await fetchMissing(root, new Set(found.flatMap(({ blob, parents }) => [blob, ...parents])));
  const readable = found.filter(({ blob }) => !absent.has(blob));
  const reader = new BlobReader(root);
  try {
    const entries = new EntryTexts(reader);
    const versions: LockVersion[] = [];
    for (const [index, { parents, ...version }] of readable.entries()) {
      const next = readable[index + 1];
      const texts = entries.of(version.blob);
      // Without a parent, more entries count as new. This is not stored, because its own version is missing too.
      const former = parents.flatMap((blob) => (absent.has(blob) ? [] : [entries.of(blob)]));
      // Requested ahead, so that git works while the entries are compared.
      if (next !== undefined) void entries.of(next.blob).catch(() => undefined);
      versions.push({ ...version, entries: newEntries(await texts, await Promise.all(former)) });
    }
    return { versions, missing: found.length - readable.length };
  } finally {
    await reader.close();
  }
}

/**
 * Finds the commits that change a lockfile. A merge counts if its version differs from the versions of all parents,
 * because any other version is found in a parent.
 */
async function findVersions(root: string, name: string, input: string): Promise<FoundVersion[]> {
  const listed = await runGit(root, ['rev-list', '--stdin', '--timestamp', '--reverse'], {
    ...LOCAL,
    input,
  });
  const times = new Map<string, number>();
  for (const line of listed.split('\n')) {
    const at = line.indexOf(' ');
    if (at > 0) times.set(line.slice(at + 1), Number(line.slice(0, at)));
  }
  const shown = ['--stdin', '--root', '-r', '-c', '--raw', '--no-abbrev', '--no-renames'];
  const quoted = ['-c', 'core.quotePath=false'];
  const changes = await runGit(root, [...quoted, 'diff-tree', ...shown, '--', `:(top,glob)**/${name}`], {
    ...LOCAL,
    input: [...times.keys(), ''].join('\n'),
  });
  const found: FoundVersion[] = [];
  let commit = '';
  for (const line of changes.split('\n')) {
    if (!line.startsWith(':')) commit = line;
    else found.push(...versionIn(line, commit, times.get(commit)!));
  }
  return found;
}

/** @param line a colon for each parent, the modes, the ids, the status and the path */
function versionIn(line: string, commit: string, time: number): FoundVersion[] {
  const tab = line.indexOf('\t');
  const parentCount = line.lastIndexOf(':', tab) + 1;
  const fields = line.slice(parentCount, tab).split(' ');
  const mode = fields[parentCount]!;
  const [blob, ...parents] = fields.slice(parentCount + 1, -1).reverse();
  // Removed, or no regular file.
  if (blob === undefined || !mode.startsWith('100')) return [];
  return [{ commit, time, path: line.slice(tab + 1), blob, parents: parents.filter((oid) => !/^0+$/.test(oid)) }];
}

/**
 * Texts of the entries, each from its fingerprint to that of the next entry: entries with equal texts are equal. Null if the
 * content is no text.
 */
type Texts = ReadonlySet<string> | null;

/** Number of versions that are kept in memory: enough for a few branches side by side. */
const KEPT_TEXTS = 6;

class EntryTexts {
  readonly #reader: BlobReader;
  /** The least recently used first. */
  readonly #known = new Map<string, Promise<Texts>>();

  constructor(reader: BlobReader) {
    this.#reader = reader;
  }

  of(blob: string): Promise<Texts> {
    const texts = this.#known.get(blob) ?? this.#read(blob);
    this.#known.delete(blob);
    this.#known.set(blob, texts);
    const [oldest] = this.#known.keys();
    if (this.#known.size > KEPT_TEXTS && oldest !== undefined) this.#known.delete(oldest);
    return texts;
  }

  async #read(blob: string): Promise<Texts> {
    const bytes = await this.#reader.read(blob);
    if (bytes === null) throw missingObject(blob);
    return isText(bytes) ? new Set(bytes.toString('latin1').split('"fingerprint":').slice(1)) : null;
  }
}

/** Returns false for encrypted content, and for a Git LFS pointer, which only names the content. */
function isText(bytes: Buffer): boolean {
  return !bytes.includes(0) && !bytes.subarray(0, LFS_POINTER.length).equals(LFS_POINTER);
}

const LFS_POINTER = Buffer.from('version https://git-lfs.github.com/spec/');

export function missingObject(oid: string): ReelformError {
  return new ReelformError('git_failed', `git has no object ${oid}`, { hint: 'Check the repository: git fsck' });
}

function newEntries(versionTexts: Texts, parents: readonly Texts[]): IndexedEntry[] | null {
  if (versionTexts === null) return null;
  const added = [...versionTexts].filter((text) => !parents.some((texts) => texts?.has(text)));
  return added.flatMap((text): IndexedEntry[] => {
    const fingerprint = /^\s*"(v[1-9]\d*:[0-9a-f]{64})"/.exec(text)?.[1];
    if (fingerprint === undefined) return [];
    const renderedAt = /"rendered_at":\s*"([^"]*)"/.exec(text)?.[1] ?? '';
    return [[fingerprintPrefix(fingerprint), renderedAt, /"lost":\s*true/.test(text)]];
  });
}

/** Content of the index. */
interface Stored {
  readonly tips: readonly string[];
  readonly versions: readonly LockVersion[];
}

/** Raised when the content of the index changes its meaning. */
const INDEX_VERSION = 2;

/** The file holds its own digest, a line about the repository, and a line for each version. */
async function load(file: string, view: View): Promise<Stored | null> {
  const text = await nullIfMissing(readFile(file, 'utf8')).catch(() => null);
  const at = text?.indexOf('\n') ?? -1;
  if (text === null || hash('sha256', text.slice(at + 1)) !== text.slice(0, at)) return null;
  const [head, ...lines] = text.slice(at + 1).split('\n');
  const about = parseRecord(head!);
  if (about?.version !== INDEX_VERSION || about.replaced !== view.replaced) return null;
  return { tips: about.tips as string[], versions: lines.map((line) => JSON.parse(line) as LockVersion) };
}

/** Best effort: without the index, the history is read again. */
async function store(file: string, { tips, replaced }: View, versions: readonly LockVersion[]): Promise<void> {
  const lines = [{ version: INDEX_VERSION, replaced, tips }, ...versions].map((line) => JSON.stringify(line));
  const content = lines.join('\n');
  await replaceFile(file, `${hash('sha256', content)}\n${content}`, { isDurable: false }).catch(() => undefined);
}

/** Time that a remote may take to send the objects, in milliseconds. */
const FETCH_MS = 600_000;

/**
 * Fetches objects that a partial clone has left out, in one request instead of a request for each object.
 *
 * @param root absolute
 * @returns the objects that are still missing, because the remote did not send them
 * @throws ReelformError `git_failed`
 * @see https://git-scm.com/docs/partial-clone
 */
async function fetchMissing(root: string, oids: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const settings = await tryGit(root, ['config', '--get-regexp', String.raw`^remote\..*\.promisor$`]);
  const remote = /^remote\.(.*)\.promisor true$/m.exec(settings ?? '')?.[1];
  if (remote === undefined) return new Set();
  const missing = await withoutLocal(root, oids);
  if (missing.size === 0) return missing;
  // The command that git itself runs for a missing object.
  const options = ['--no-tags', '--no-write-fetch-head', '--recurse-submodules=no', '--filter=blob:none', '--stdin'];
  const fetched = await tryGit(root, ['-c', 'fetch.negotiationAlgorithm=noop', 'fetch', remote, ...options], {
    input: [...missing, ''].join('\n'),
    timeoutMs: FETCH_MS,
  });
  return fetched === null ? withoutLocal(root, missing) : new Set();
}

async function withoutLocal(root: string, oids: ReadonlySet<string>): Promise<Set<string>> {
  // Asking for a single object would fetch it.
  const all = ['cat-file', '--batch-check=%(objectname)', '--batch-all-objects', '--unordered'];
  const missing = new Set(oids);
  for (const oid of (await runGit(root, all, { timeoutMs: Infinity })).split('\n')) missing.delete(oid);
  return missing;
}
