import { resolve } from 'node:path';
import { EXIT } from '../../diagnostic.ts';
import type { Plan } from '../../plan/plan.ts';
import { planDocument } from '../../plan/plan-document.ts';
import { type CacheProbe, hasNothingToDo, probeCache } from '../../plan-cache/probe.ts';
import { findRoot } from '../../project/find-root.ts';
import { planJson } from '../../report/plan-json.ts';
import { emptyWords } from '../../report/plan-words.ts';
import { cacheKey, VERSION } from '../global-options.ts';
import type { Io } from '../io.ts';

/** What came of a first look. */
export type QuickPlan =
  /** There was nothing to do, and it has been said. */
  | { readonly exitCode: number }
  /** There may be something to do. */
  | { readonly flags: readonly PlainFlag[]; readonly probe: CacheProbe | null }
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
  const probe = probeCache(root, cacheKey());
  if (probe === null || !hasNothingToDo(root, probe, !flags.includes('--ignore-missing-outputs')))
    return { flags, probe };
  const plan: Plan = {
    changes: [],
    idle: { count: probe.file.head.videoCount, changes: () => [] },
    complete: true,
    diagnostics: [],
  };
  const document = planDocument(plan, VERSION, []);
  io.stdout.write(flags.includes('--json') ? planJson(document) : `${emptyWords(document)}\n`);
  return { exitCode: EXIT.ok };
}
