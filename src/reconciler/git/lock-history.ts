import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ReelformError } from '../../kernel/diagnostic.ts';
import { byCodeUnit } from '../../kernel/digest.ts';
import { groupBy } from '../../kernel/group-by.ts';
import type { Fingerprint, LockEntry } from '../lock/lock.ts';
import { parseLock } from '../lock/lock-format.ts';
import type { FormerEntry } from '../plan/plan.ts';
import { BlobReader } from './blob-reader.ts';
import {
  fingerprintPrefix,
  type LockVersion,
  lockVersions,
  missingObject,
  readView,
  unmergedCommits,
  type View,
} from './history-index.ts';
import { isShallow, runGit } from './run-git.ts';

/** Reason why the history of a repository was not searched completely, and a hint. */
interface HistoryGap {
  readonly message: string;
  readonly hint: string | undefined;
}

const SHALLOW: HistoryGap = {
  message: 'this clone is shallow',
  hint: 'Fetch all of it: git fetch --unshallow, or "fetch-depth: 0" for actions/checkout',
};

export interface FormerEntries {
  /** The latest accepted rendering of each fingerprint. Commits of HEAD have precedence, then the path of the lockfile itself. */
  readonly entries: ReadonlyMap<Fingerprint, FormerEntry>;
  /** Why other fingerprints may have an entry too; null if they have none. */
  readonly gap: HistoryGap | null;
}

interface HistoryOptions {
  /** Absolute. */
  readonly root: string;
  /** Path of the lockfile below the root. */
  readonly lockFile: string;
  /** Path of the index, absolute; null to neither read nor write it. */
  readonly indexFile: string | null;
  readonly fingerprints: ReadonlySet<Fingerprint>;
  /** Returns whether an entry can be used. After a rejected entry the search continues. */
  readonly accepts?: (entry: LockEntry) => boolean;
}

/** Searches all committed versions of the lockfile for entries with the wanted fingerprints. See `lockVersions`. */
export async function formerEntries(options: HistoryOptions): Promise<FormerEntries> {
  const entries = new Map<Fingerprint, FormerEntry>();
  const { root, lockFile, fingerprints } = options;
  if (fingerprints.size === 0 || !isInRepository(root)) return { entries, gap: null };
  try {
    const view = await readView(root);
    const shallow = view.isShallow ? SHALLOW : null;
    // Commits at the border of a shallow clone change when more is fetched.
    const indexFile = shallow === null ? options.indexFile : null;
    const { versions, missing } = await lockVersions(view, { root, lockFile, indexFile });
    const indexed = findIndexed(versions, fingerprints);
    const unread = indexed.size === 0 ? undefined : await readIndexed(indexed, entries, view, options);
    const noText = versions.find((version) => version.entries === null);
    if (entries.size === fingerprints.size) return { entries, gap: null };
    return { entries, gap: shallow ?? gapOf(missing, unread ?? noText) };
  } catch (error) {
    if (!(error instanceof ReelformError)) throw error;
    return { entries, gap: { message: error.message, hint: error.hint } };
  }
}

function gapOf(missing: number, unreadable: LockVersion | undefined): HistoryGap | null {
  if (missing > 0) {
    const message = `this clone lacks the content of ${missing} versions, and its remote did not send it`;
    return { message, hint: 'Run the command again when the remote answers, or fetch a complete clone' };
  }
  if (unreadable === undefined) return null;
  const { path, commit } = unreadable;
  const message = `${path} of commit ${commit.slice(0, 12)} cannot be read`;
  return { message, hint: `Check whether it has the video: git show ${commit.slice(0, 12)}:${path}` };
}

/** A version whose index has an entry of a fingerprint. */
interface IndexedVersion {
  readonly version: LockVersion;
  readonly renderedAt: string;
}

type Indexed = ReadonlyMap<Fingerprint, readonly IndexedVersion[]>;

/** Finds the versions that may have an entry of each fingerprint. Most plans have no fingerprint that was rendered before. */
function findIndexed(versions: readonly LockVersion[], fingerprints: Iterable<Fingerprint>): Indexed {
  const indexed = new Map<string, IndexedVersion[]>();
  const lost = new Set<string>();
  for (const fingerprint of fingerprints) indexed.set(fingerprintPrefix(fingerprint), []);
  for (const version of versions) {
    for (const [prefix, renderedAt, isLost] of version.entries ?? []) {
      indexed.get(prefix)?.push({ version, renderedAt });
      if (isLost) lost.add(`${prefix} ${renderedAt}`);
    }
  }
  const found = new Map<Fingerprint, IndexedVersion[]>();
  for (const fingerprint of fingerprints) {
    const prefix = fingerprintPrefix(fingerprint);
    const kept = indexed.get(prefix)!.filter(({ renderedAt }) => !lost.has(`${prefix} ${renderedAt}`));
    if (kept.length > 0) found.set(fingerprint, kept);
  }
  return found;
}

/** @returns as `readEntries` */
async function readIndexed(
  indexed: Indexed,
  entries: Map<Fingerprint, FormerEntry>,
  view: View,
  options: HistoryOptions,
): Promise<LockVersion | undefined> {
  const { root, lockFile } = options;
  const [prefix, unmerged] = await Promise.all([
    runGit(root, ['rev-parse', '--show-prefix'], { timeoutMs: Infinity }),
    unmergedCommits(root, view),
  ]);
  const candidates = inOrder(indexed, { path: `${prefix.trimEnd()}${lockFile}`, unmerged });
  return readEntries(candidates, entries, { ...options, unmerged });
}

type Candidates = Map<Fingerprint, LockVersion[]>;

/** Sorts the versions of each fingerprint, the preferred version first. The order depends on the versions only, not on the index. */
function inOrder(
  indexed: Indexed,
  { path, unmerged }: { readonly path: string; readonly unmerged: ReadonlySet<string> },
): Candidates {
  const candidates: Candidates = new Map();
  for (const [fingerprint, found] of indexed) {
    const sorted = [...found].sort(
      (a, b) =>
        Number(unmerged.has(a.version.commit)) - Number(unmerged.has(b.version.commit)) ||
        Number(b.version.path === path) - Number(a.version.path === path) ||
        byCodeUnit(b.renderedAt, a.renderedAt) ||
        b.version.time - a.version.time ||
        byCodeUnit(a.version.commit, b.version.commit) ||
        byCodeUnit(a.version.path, b.version.path),
    );
    candidates.set(fingerprint, [...new Set(sorted.map(({ version }) => version))]);
  }
  return candidates;
}

/** Number of parsed lockfiles that are kept in memory. */
const KEPT_LOCKS = 4;

/**
 * Adds the first accepted entry of each fingerprint.
 *
 * @returns a version that cannot be read, if a fingerprint was not found because of it
 */
async function readEntries(
  candidates: Candidates,
  found: Map<Fingerprint, FormerEntry>,
  { root, unmerged, accepts = () => true }: HistoryOptions & { readonly unmerged: ReadonlySet<string> },
): Promise<LockVersion | undefined> {
  let unread: LockVersion | undefined;
  const reader = new BlobReader(root);
  const parsed = new Map<string, EntriesOf | null>();
  const entriesOf = async ({ blob, path }: LockVersion): Promise<EntriesOf | null> => {
    const known = parsed.get(blob);
    if (known !== undefined) return known;
    const bytes = await reader.read(blob);
    if (bytes === null) throw missingObject(blob);
    const lock = parseLock(bytes.toString('utf8'), path);
    if (parsed.size >= KEPT_LOCKS) parsed.delete([...parsed.keys()][0]!);
    parsed.set(blob, lock.ok ? groupBy([...lock.value.videos], ([, { fingerprint }]) => fingerprint) : null);
    return parsed.get(blob)!;
  };
  try {
    // Sorts the fingerprints of a version next to each other, so that the version is read once.
    const ordered = [...candidates].sort(([, [a]], [, [b]]) => byCodeUnit(a!.blob, b!.blob));
    for (const [fingerprint, versions] of ordered) {
      let failed: LockVersion | undefined;
      for (const version of versions) {
        const entries = await entriesOf(version);
        if (entries === null) failed ??= version;
        const former = latestOf(entries?.get(fingerprint) ?? [], accepts);
        if (former === undefined) continue;
        const isMerged = !unmerged.has(version.commit);
        found.set(fingerprint, { commit: version.commit, isMerged, id: former[0], entry: former[1] });
        break;
      }
      if (!found.has(fingerprint)) unread ??= failed;
    }
    return unread;
  } finally {
    await reader.close();
  }
}

type Entry = readonly [id: string, entry: LockEntry];
type EntriesOf = ReadonlyMap<Fingerprint, readonly Entry[]>;

/** Returns the latest accepted entry; of several the first by id. */
function latestOf(entries: readonly Entry[], accepts: (entry: LockEntry) => boolean): Entry | undefined {
  return entries
    .filter(([, entry]) => !entry.lost)
    .sort(([idA, a], [idB, b]) => byCodeUnit(b.rendered_at, a.rendered_at) || byCodeUnit(idA, idB))
    .find(([, entry]) => accepts(entry));
}

/**
 * Returns why git does not show the whole history: the clone is shallow, git refuses the folder, or git is missing.
 * Returns null if the history is complete, and outside of a repository.
 *
 * @param root absolute
 */
export async function historyGap(root: string): Promise<HistoryGap | null> {
  if (!isInRepository(root)) return null;
  try {
    return (await isShallow(root)) ? SHALLOW : null;
  } catch (error) {
    if (!(error instanceof ReelformError)) throw error;
    return { message: error.message, hint: error.hint };
  }
}

/**
 * Checks for a repository by its files, because git reports the same error for an unreadable repository as for none.
 */
function isInRepository(root: string): boolean {
  for (let folder = root; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return true;
    if (folder === dirname(folder)) return false;
  }
}
