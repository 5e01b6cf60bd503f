import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { EXIT, ReelformError } from '../../kernel/diagnostic.ts';
import { nullIfMissing } from '../../kernel/file-system-error.ts';
import type { Fingerprint } from '../../reconciler/lock/lock.ts';
import { parseLock, serialiseLock } from '../../reconciler/lock/lock-format.ts';
import {
  type LockVersions,
  type MergedLock,
  mergeLockTexts,
  splitConflicts,
} from '../../reconciler/lock/merge-locks.ts';
import { findRoot, LOCK_FILE } from '../../reconciler/project/repository-layout.ts';
import { writeFileAtomic, writeLinkedFile } from '../../reconciler/project/write-file.ts';
import { installedText, mergeDecisionsText, mergedText, nothingToMergeText } from '../../report/terminal/lock-text.ts';
import { type GlobalOptions, workingDirectory } from '../global-options.ts';
import { type Io, wantsColor } from '../io.ts';
import { printDiagnostics, stdoutStyle } from '../output.ts';
import { withRunLock } from '../state/open-lock.ts';

/**
 * `reelform lock merge`: runs as Git's merge driver with three paths, resolves a conflict without paths, and installs
 * the driver with `--install`.
 */
export async function lockMergeCommand(
  paths: readonly string[],
  options: GlobalOptions & { readonly install?: boolean },
  io: Io,
): Promise<number> {
  const directory = workingDirectory(options, io);
  if (paths.length === 3 && options.install !== true) {
    const [base = '', ours = '', theirs = ''] = paths.map((path) => resolve(directory, path));
    return driveMerge(directory, [base, ours, theirs], options, io);
  }
  if (paths.length > 0) {
    throw new ReelformError('options_conflict', 'lock merge takes three files, or none', {
      hint: 'Pass the files like git does: reelform lock merge %O %A %B',
    });
  }
  const root = findRoot(directory);
  if (options.install === true) {
    const { installMergeDriver } = await import('../../reconciler/git/merge-driver.ts');
    const installed = await installMergeDriver(root, LOCK_FILE, writeLinkedFile);
    io.stdout.write(installedText(installed, stdoutStyle(options, io)));
    return EXIT.ok;
  }
  return withRunLock(root, io, () => repair(root, options, io));
}

/**
 * Runs as a merge driver: writes the merged lockfile to the second path. Ignores definitions, because those in the work
 * tree are not merged yet.
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
    printDiagnostics(merged.diagnostics, () => undefined, options, io);
    // Git waits for the driver, so this code is loaded on demand.
    const { mergeLines } = await import('../../reconciler/git/merge-driver.ts');
    await mergeLines(directory, paths);
    return EXIT.error;
  }
  await writeFileAtomic(ours, serialiseLock(merged.value.lock));
  // Printed on stderr, because the calling command may print its own result on stdout, as git merge-tree does.
  printDecisions(merged.value, options, io);
  return EXIT.ok;
}

/**
 * Resolves a conflict in the lockfile of the work tree, from the versions in Git's index or from the conflict markers.
 */
async function repair(root: string, options: GlobalOptions, io: Io): Promise<number> {
  const path = join(root, LOCK_FILE);
  const text = await nullIfMissing(readFile(path, 'utf8'));
  const { unmergedVersions } = await import('../../reconciler/git/merge-driver.ts');
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
    printDiagnostics(problems, () => text ?? undefined, options, io);
    return EXIT.error;
  }
  const merged = await mergeForNow(root, versions);
  if (!merged.ok) {
    printDiagnostics(merged.diagnostics, () => undefined, options, io);
    return EXIT.error;
  }
  const { lock } = merged.value;
  await writeLinkedFile(path, serialiseLock(lock));
  printDecisions(merged.value, options, io);
  io.stdout.write(mergedText(LOCK_FILE, lock.videos.size, stdoutStyle(options, io)));
  return EXIT.ok;
}

/**
 * @throws ReelformError `lock_conflict` if a side has no lockfile, because it then names no entries to keep
 */
function wholeVersions({ base, ours, theirs }: { [Side in keyof LockVersions]: string | null }): LockVersions {
  if (ours !== null && theirs !== null) return { base, ours, theirs };
  const remaining = ours === null ? 'theirs' : 'ours';
  throw new ReelformError('lock_conflict', 'One side of the merge removed the lockfile', {
    hint: `To keep the other side's: git checkout --${remaining} -- ${LOCK_FILE}`,
  });
}

/** Merges with the fingerprints of the present definitions, which are only loaded if both sides changed an entry. */
async function mergeForNow(root: string, versions: LockVersions): Promise<ReturnType<typeof mergeLockTexts>> {
  const merged = mergeLockTexts(versions, LOCK_FILE);
  if (!merged.ok || merged.value.decisions.every(({ kind, why }) => kind === 'field' || why === 'update'))
    return merged;
  return mergeLockTexts(versions, LOCK_FILE, await presentFingerprints(root));
}

/** Returns the fingerprints of readable definitions. Others may still have conflicts. */
async function presentFingerprints(root: string): Promise<ReadonlyMap<string, Fingerprint>> {
  const { loadDesiredState } = await import('../state/load-desired-state.ts');
  const { desired } = await loadDesiredState(root, { cache: false });
  return new Map(desired.map(({ id, fingerprint }) => [id, fingerprint]));
}

function printDecisions({ decisions }: MergedLock, options: GlobalOptions, io: Io): void {
  io.stderr.write(mergeDecisionsText(LOCK_FILE, decisions, { color: wantsColor(io.stderr, io.env, options.color) }));
}
