import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { EXIT } from '../../kernel/diagnostic.ts';
import type { JournalState } from '../../reconciler/lock/journal.ts';
import type { Lock } from '../../reconciler/lock/lock.ts';
import { loadProject } from '../../reconciler/project/load-project.ts';
import { findPreviews, findUnnamedOutputs, removeOutputs } from '../../reconciler/project/local-outputs.ts';
import { findRoot } from '../../reconciler/project/repository-layout.ts';
import { type PrunableFiles, pruneText } from '../../report/terminal/list-text.ts';
import { FolderSegmentStore } from '../../service/sessions/segments/folder-segment-store.ts';
import { type JsonOptions, workingDirectory } from '../global-options.ts';
import type { Io } from '../io.ts';
import { printConfigErrors, printDiagnostics, printResult } from '../output.ts';
import { segmentFolder } from '../render/segment-cache.ts';
import { readJournal } from '../state/open-journal.ts';
import { loadLock, withRunLock } from '../state/open-lock.ts';

interface PruneOptions extends JsonOptions {
  readonly yes?: boolean;
  /** Days. */
  readonly olderThan?: number;
}

const DEFAULT_DAYS = 30;
const DAY_MS = 86_400_000;

/**
 * `reelform prune`: lists files below `renders/` that neither the lockfile nor the journal names, old previews, and
 * segments that were not used for some time. Removes them with `--yes`.
 */
export async function pruneCommand(options: PruneOptions, io: Io): Promise<number> {
  const root = findRoot(workingDirectory(options, io));
  // An apply names its files only at the end, so none may run meanwhile.
  return options.yes === true ? withRunLock(root, io, () => prune(root, options, io)) : prune(root, options, io);
}

async function prune(root: string, options: PruneOptions, io: Io): Promise<number> {
  const lock = await loadLock(options, io);
  if (lock === null) return EXIT.error;
  const project = await loadProject({ cwd: root });
  // The configuration names the journal.
  if (printConfigErrors(project, options, io)) return EXIT.error;
  const journal = await readJournal(root, project.config, io);
  printDiagnostics(journal.diagnostics, project.source, options, io);
  // A journal that was not read may name any file.
  if (journal.diagnostics.length > 0) return EXIT.error;
  const before = io.now() - (options.olderThan ?? DEFAULT_DAYS) * DAY_MS;
  const segments = new FolderSegmentStore({ folder: segmentFolder(root), maxBytes: 0, now: () => io.now() });
  const unused = (await segments.list()).filter(({ usedAt }) => usedAt < before);
  const files = await findFiles(root, lock, journal.state, before);
  const old = unused.map(({ key, bytes }): PrunableFiles => {
    return { kind: 'segment', path: `.reelform/segments/${key.slice(0, 2)}/${key}`, bytes };
  });
  const found = [...files, ...old];
  const isRemoved = options.yes === true;
  if (isRemoved) {
    const paths = files.map(({ path }) => path);
    await removeOutputs(root, paths);
    for (const { path } of old) await rm(join(root, path), { force: true });
  }
  const document = { format_version: '1.0', removed: isRemoved, files: found };
  printResult(document, () => pruneText(found, { isRemoved, command: 'reelform prune --yes' }), options, io);
  return EXIT.ok;
}

async function findFiles(
  root: string,
  lock: Lock,
  { attempts }: JournalState,
  before: number,
): Promise<PrunableFiles[]> {
  const all = [...attempts.values()];
  const pending = all.filter(({ state }) => state !== 'closed').map(({ intent }) => intent.output_name);
  const outputs = await findUnnamedOutputs(root, {
    kept: [...lock.videos.values(), ...all.flatMap(({ rendering }) => rendering ?? [])],
    pending,
  });
  const previews = (await findPreviews(root)).filter(({ modifiedAt }) => modifiedAt < before);
  const list = (kind: PrunableFiles['kind'], files: typeof outputs): PrunableFiles[] =>
    files.map(({ path, bytes }) => ({ kind, path, bytes }));
  return [...list('output', outputs), ...list('preview', previews)];
}
