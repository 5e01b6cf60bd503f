import { CONFIG_FILE } from '../project/find-root.ts';
import type { ReadLog } from '../project/read-log.ts';
import type { DefinitionTable } from './definition-table.ts';
import { LazyMap } from './lazy-map.ts';
import type { Memory, Outcome, RememberedTemplate } from './memory.ts';
import { trusting, waysTo } from './remember-project.ts';
import type { RememberedDefinition } from './remembered-definition.ts';
import type { Stamp } from './stamp.ts';
import { isOfTemplate } from './templates-at.ts';

/** What was read anew. */
export interface Reread {
  /** All. */
  readonly definitions: DefinitionTable;
  /** Those that are not among them any more, or not as they were. */
  readonly replaced: readonly RememberedDefinition[];
  readonly templates: ReadonlyMap<string, RememberedTemplate>;
}

/** What was looked at again, and what of it is not as it was. */
export interface Looked {
  readonly log: ReadLog;
  readonly stamp: Stamp;
  /** Files. */
  readonly changed: ReadonlySet<string>;
  /** Folders; with one of them in it, all that are searched for definitions were listed again. */
  readonly relisted: ReadonlySet<string>;
  /** Names of those that were loaded again. */
  readonly templates: ReadonlySet<string>;
}

/**
 * What is remembered from now on: what was, save for what was looked at again; nothing of files that nobody needs any more.
 *
 * @returns null when a file changed under our eyes, so that what was kept and what was read do not belong together
 */
export function mergeMemory(root: string, memory: Memory, read: Reread, looked: Looked): Memory | null {
  const { log, stamp, changed, relisted, templates } = looked;
  if (!log.isWhole) return null;
  for (const [path, { sha256 }] of log.files) {
    const before = memory.files.get(path);
    if (before !== undefined && before.sha256 !== sha256 && !changed.has(path)) return null;
  }
  const { config } = memory;
  const names = [...config.templates.keys()];
  const ownersOf = (path: string): string[] => names.filter((name) => isOfTemplate(path, name, config));
  for (const [path, { listing }] of log.folders) {
    const before = memory.folders.get(path);
    const isOthers = before !== undefined && before.listing !== listing && !relisted.has(path);
    if (isOthers && ownersOf(path).some((name) => !templates.has(name))) return null;
  }
  const { definitions, replaced } = read;
  const isSame = replaced.length === 0 && definitions.size === memory.definitions.size;
  const outcome = isSame ? memory.outcome : memory.outcome && outcomeWithout(memory.outcome, replaced);
  const now = { ...memory, definitions, templates: read.templates, outcome };
  if (log.files.size === 0 && log.folders.size === 0) return now;

  const isSmall = relisted.size === 0 && templates.size === 0 && [...changed].every((path) => log.files.has(path));
  const needed = isSmall ? null : new Set([...definitions].flatMap(({ origins, assets }) => [...origins, ...assets]));
  const isNeeded = (path: string, isNew: boolean): boolean => {
    if (needed === null || path === CONFIG_FILE || needed.has(path)) return true;
    return ownersOf(path).some((name) => isNew || !templates.has(name));
  };
  const fresh = trusting(log.files, stamp);
  const files = isSmall ? laidOver(memory.files, fresh) : merged(memory.files, fresh, isNeeded);
  const folders = new Map(
    [...memory.folders].filter(([path]) => {
      const owners = relisted.size === 0 ? [] : ownersOf(path);
      return relisted.size === 0 || owners.some((name) => !templates.has(name));
    }),
  );
  for (const [path, seen] of trusting(log.folders, stamp)) folders.set(path, seen);
  const isKnown = [...log.files.keys()].every((path) => memory.files.has(path)) && relisted.size === 0;
  const ways = isKnown ? memory.ways : waysTo(root, files, folders);
  if (ways === null) return null;
  const absent = new Set(memory.absent.filter((path) => !ownersOf(path).some((name) => templates.has(name))));
  for (const path of log.absent) absent.add(path);
  return { ...now, files, folders, ways, absent: [...absent] };
}

type Files = Memory['files'];

function merged(before: Files, fresh: Files, isNeeded: (path: string, isNew: boolean) => boolean): Files {
  const files = new Map([...before].filter(([path]) => isNeeded(path, false)));
  for (const [path, seen] of fresh) {
    if (isNeeded(path, true)) files.set(path, seen);
    else files.delete(path);
  }
  return files;
}

/** All of both: what was read now stands for what was. */
function laidOver(before: Files, fresh: Files): Files {
  return before instanceof LazyMap ? before.laidOver(fresh) : new Map([...before, ...fresh]);
}

/** The entries of definitions that were settled, and are not as they were, belong to nobody now. */
function outcomeWithout(outcome: Outcome, replaced: readonly RememberedDefinition[]): Outcome {
  const freed = replaced.flatMap(({ ids, settled }) => {
    return settled === null ? [] : ids.map((id, index) => [id, ...settled[index]!] as const);
  });
  return { ...outcome, isEmpty: false, loose: [...outcome.loose, ...freed] };
}
