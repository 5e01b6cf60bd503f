import { EXIT } from '../../kernel/diagnostic.ts';
import { type PlanDocument, planDocument } from '../../reconciler/plan/plan-document.ts';
import { hasNothingToDo } from '../../reconciler/plan-cache/probe.ts';
import { planJson } from '../../report/json/command-json.ts';
import { emptyWords } from '../../report/wording/plan-words.ts';
import { VERSION } from '../global-options.ts';
import type { Io } from '../io.ts';
import { withProcesses } from '../render/command-pool.ts';
import type { PlanOptions } from './plan-options.ts';
import { openCache, warmForNewContent } from './warm-for-content.ts';

/** Options that do not matter if there is nothing to do. */
const PLAIN_OPTIONS: ReadonlySet<string> = new Set<keyof PlanOptions>([
  'allowEmpty',
  'color',
  'detailedExitcode',
  'directory',
  'ignoreMissingOutputs',
  'json',
  'lint',
  'verbose',
]);

/**
 * `reelform plan`: reads, compares and prints. Renders nothing, and writes only requested files.
 *
 * Does not load the planning code if the plan cache shows that there is nothing to do.
 */
export async function planCommand(options: PlanOptions, io: Io): Promise<number> {
  const found = options.cache === false ? null : openCache(options, io);
  if (
    found !== null &&
    isPlain(options) &&
    hasNothingToDo(found.root, found.probe, options.ignoreMissingOutputs !== true)
  ) {
    const { videoCount } = found.probe.file.head;
    const empty = planDocument({ changes: [], complete: true, diagnostics: [] }, VERSION, []);
    const document: PlanDocument = { ...empty, summary: videoCount === 0 ? {} : { noop: videoCount } };
    io.stdout.write(options.json === true ? planJson(document) : `${emptyWords(document)}\n`);
    return EXIT.ok;
  }
  return withProcesses(io, async (processes) => {
    if (found !== null && options.lint !== false && options.refreshOnly !== true) {
      // Before the code of plans is loaded, which takes a tenth of a second.
      await warmForNewContent(found.root, found.probe, processes);
    }
    const { makePlan } = await import('./make-plan.ts');
    return makePlan(options, io, found?.probe, processes);
  });
}

function isPlain({ cache: _, ...options }: PlanOptions): boolean {
  return Object.entries(options).every(([name, value]) => value === undefined || PLAIN_OPTIONS.has(name));
}
