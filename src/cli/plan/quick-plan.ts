import { userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { EXIT } from '../../diagnostic.ts';
import { RENDER_EPOCH } from '../../engine/render-epoch.ts';
import type { Plan } from '../../plan/plan.ts';
import { planDocument } from '../../plan/plan-document.ts';
import { haveSizes } from '../../plan-index/find-suspects.ts';
import { type Looked, lookAtIndex } from '../../plan-index/plan-memory.ts';
import { isAsItWas } from '../../plan-index/watched-files.ts';
import { findRoot } from '../../project/find-root.ts';
import { JOURNAL_FILE, LOCK_FILE } from '../../project/repository-names.ts';
import { planJson } from '../../report/plan-json.ts';
import { emptyWords } from '../../report/plan-words.ts';
import { BUILD, VERSION } from '../global-options.ts';
import type { Io } from '../io.ts';

/** What came of a first look. */
export type QuickPlan =
  /** There was nothing to do, and it has been said. */
  | { readonly exitCode: number }
  /** What was looked at need not be looked at again. */
  | { readonly flags: readonly PlainFlag[]; readonly looked: Looked | null }
  /** The command line asks for something else. */
  | null;

/** Options of `plan` that make no other difference where there is nothing to do. */
const FLAGS = [
  '--json',
  '--detailed-exitcode',
  '--ignore-missing-outputs',
  '--allow-empty',
  '--verbose',
  '--no-lint',
  '--no-color',
] as const;

/** One of the options that a plan can be asked for with and still be told in the shortest way. */
export type PlainFlag = (typeof FLAGS)[number];

function arePlain(flags: readonly string[]): flags is readonly PlainFlag[] {
  return flags.every((flag) => (FLAGS as readonly string[]).includes(flag));
}

/**
 * Answers `reelform plan` when everything is as it was at the last plan, which had nothing to do; without reading a
 * definition or the lockfile, and without loading what could. Anything else is left to the command.
 */
export function quickPlan(argv: readonly string[], io: Io): QuickPlan {
  const [command, ...flags] = argv;
  if (command !== 'plan' || !arePlain(flags)) return null;
  let root: string;
  try {
    root = findRoot(resolve(io.cwd));
  } catch {
    return null;
  }
  const looked = lookAtIndex(root, indexKey());
  if (looked === null) return { flags, looked };
  const { files, folders, isElsewhere } = looked.suspects;
  const { meta, outputs } = looked.index.head;
  const { outcome, hasDiagnostics, videos } = meta;
  const isSame =
    files.length === 0 &&
    folders.length === 0 &&
    !isElsewhere &&
    outcome?.isEmpty === true &&
    !hasDiagnostics &&
    isAsItWas(join(root, LOCK_FILE), outcome.lock) &&
    isAsItWas(join(root, JOURNAL_FILE), outcome.journal) &&
    (flags.includes('--ignore-missing-outputs') || haveSizes(root, outputs));
  if (!isSame) return { flags, looked };
  const plan: Plan = { changes: [], idle: { count: videos, changes: () => [] }, complete: true, diagnostics: [] };
  const document = planDocument(plan, VERSION, []);
  io.stdout.write(flags.includes('--json') ? planJson(document) : `${emptyWords(document)}\n`);
  return { exitCode: EXIT.ok };
}

/** Names the program that remembers, and for whom: what may be read differs between users. */
export function indexKey(): string {
  return JSON.stringify([VERSION, BUILD, RENDER_EPOCH, user()]);
}

function user(): number | string {
  try {
    return userInfo().uid;
  } catch {
    return 'unnamed';
  }
}
