import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { EXIT, ReelformError } from '../../diagnostic.ts';
import { nullIfMissing } from '../../file-system-error.ts';
import type { Fingerprint } from '../../lock/lock.ts';
import { type LockVersions, type MergedLock, mergeLockTexts, splitConflicts } from '../../lock/merge-locks.ts';
import { parseLock } from '../../lock/parse-lock.ts';
import { serialiseLock } from '../../lock/serialise-lock.ts';
import { findRoot, LOCK_FILE } from '../../project/repository-layout.ts';
import { writeFileAtomic, writeLinkedFile } from '../../project/write-file.ts';
import { installedText, mergeDecisionsText, mergedText, nothingToMergeText } from '../../report/terminal/lock-text.ts';
import { directoryOf, tellDiagnostics } from '../diagnose.ts';
import type { GlobalOptions } from '../global-options.ts';
import { type Io, wantsColor } from '../io.ts';
import { withRunLock } from './with-run-lock.ts';

/** `reelform lock merge`: as git's merge driver with three paths, as the repair of a conflict without, or its installation. */
export async function lockMergeCommand(
  paths: readonly string[],
  options: GlobalOptions & { readonly install?: boolean },
  io: Io,
): Promise<number> {
  const directory = directoryOf(options, io);
  if (paths.length === 3 && options.install !== true) {
    const [base = '', ours = '', theirs = ''] = paths.map((path) => resolve(directory, path));
    return driveMerge(directory, [base, ours, theirs], options, io);
  }
  if (paths.length > 0) {
    throw new ReelformError('options_conflict', 'lock merge takes three files, or none', {
      hint: 'Write it like git does: reelform lock merge %O %A %B',
    });
  }
  const root = findRoot(directory);
  if (options.install === true) {
    const { installMergeDriver } = await import('../../git/merge-driver.ts');
    const installed = await installMergeDriver(root, LOCK_FILE, writeLinkedFile);
    io.stdout.write(installedText(installed, { color: wantsColor(io.stdout, io.env, options.color) }));
    return EXIT.ok;
  }
  return withRunLock(root, io, () => repair(root, options, io));
}

/**
 * What git asks of a driver: the second file becomes the merged one. Definitions are not looked at: at this moment those
 * in the work tree are still the ones of our side, whatever they are merged to next.
 *
 * @see https://git-scm.com/docs/gitattributes#_defining_a_custom_merge_driver
 */
async function driveMerge(
  directory: string,
  paths: readonly [string, string, string],
  options: GlobalOptions,
  io: Io,
): Promise<number> {
  const [base, ours, theirs] = paths;
  const versions = {
    base: await nullIfMissing(readFile(base, 'utf8')),
    ours: await readFile(ours, 'utf8'),
    theirs: await readFile(theirs, 'utf8'),
  };
  const merged = mergeLockTexts(versions, LOCK_FILE);
  if (!merged.ok) {
    tellDiagnostics(merged.diagnostics, () => undefined, options, io);
    // What runs git is loaded only where it is needed: git waits for us.
    const { mergeLines } = await import('../../git/merge-driver.ts');
    await mergeLines(directory, paths);
    return EXIT.error;
  }
  await writeFileAtomic(ours, serialiseLock(merged.value.lock));
  // Not on stdout: what runs us may have its own result there, as git merge-tree has.
  tellDecisions(merged.value, options, io);
  return EXIT.ok;
}

/** Mends the lockfile of the work tree from what git has of both sides, or from the conflict markers in it. */
async function repair(root: string, options: GlobalOptions, io: Io): Promise<number> {
  const path = join(root, LOCK_FILE);
  const text = await nullIfMissing(readFile(path, 'utf8'));
  const { unmergedVersions } = await import('../../git/merge-driver.ts');
  const unmerged = await unmergedVersions(root, LOCK_FILE);
  const read = text === null ? null : parseLock(text, LOCK_FILE);
  const isSettled = read?.ok === true && (unmerged === null || (text !== unmerged.ours && text !== unmerged.theirs));
  if (isSettled || (read === null && unmerged === null)) {
    io.stdout.write(nothingToMergeText(LOCK_FILE, unmerged !== null));
    return EXIT.ok;
  }
  const versions = unmerged === null ? splitConflicts(text ?? '') : wholeVersions(unmerged);
  if (versions === null) {
    const problems = read?.ok === false ? read.diagnostics : [];
    tellDiagnostics(problems, () => text ?? undefined, options, io);
    return EXIT.error;
  }
  const merged = await mergeForNow(root, versions);
  if (!merged.ok) {
    tellDiagnostics(merged.diagnostics, () => undefined, options, io);
    return EXIT.error;
  }
  const { lock } = merged.value;
  await writeLinkedFile(path, serialiseLock(lock));
  tellDecisions(merged.value, options, io);
  io.stdout.write(mergedText(LOCK_FILE, lock.videos.size, { color: wantsColor(io.stdout, io.env, options.color) }));
  return EXIT.ok;
}

/** @throws ReelformError `lock_conflict` when a side has no lockfile: a file that is not there says nothing about entries */
function wholeVersions({ base, ours, theirs }: { [Side in keyof LockVersions]: string | null }): LockVersions {
  if (ours !== null && theirs !== null) return { base, ours, theirs };
  const other = ours === null ? 'theirs' : 'ours';
  throw new ReelformError('lock_conflict', 'One side of the merge has removed the lockfile', {
    hint: `To keep the other side's: git checkout --${other} -- ${LOCK_FILE}`,
  });
}

/** The merge with what the definitions say now, which is only looked up where both sides have something to say. */
async function mergeForNow(root: string, versions: LockVersions): Promise<ReturnType<typeof mergeLockTexts>> {
  const merged = mergeLockTexts(versions, LOCK_FILE);
  if (!merged.ok || merged.value.decisions.every(({ kind, why }) => kind === 'field' || why === 'update'))
    return merged;
  return mergeLockTexts(versions, LOCK_FILE, await presentFingerprints(root));
}

/** Of the definitions that can be read: others may still have conflicts of their own. */
async function presentFingerprints(root: string): Promise<ReadonlyMap<string, Fingerprint>> {
  const { openDesired } = await import('../plan/open-desired.ts');
  const { desired } = await openDesired(root, { cache: false });
  return new Map(desired.map(({ id, fingerprint }) => [id, fingerprint]));
}

function tellDecisions({ decisions }: MergedLock, options: GlobalOptions, io: Io): void {
  io.stderr.write(mergeDecisionsText(LOCK_FILE, decisions, { color: wantsColor(io.stderr, io.env, options.color) }));
}
