import { resolve } from 'node:path';
import { EXIT, hasErrors } from '../diagnostic.ts';
import { isEmptyPlan, type Plan } from '../plan/plan.ts';
import { planDocument } from '../plan/plan-document.ts';
import type { Looked } from '../plan-index/plan-memory.ts';
import { writeFileAtomic } from '../project/write-file.ts';
import { diagnosticsJson, type JsonDiagnostic } from '../report/diagnostics-json.ts';
import { planJson } from '../report/plan-json.ts';
import { directoryOf, tellDiagnostics } from './diagnose.ts';
import { type GlobalOptions, VERSION } from './global-options.ts';
import type { Io } from './io.ts';
import { openPlan } from './open-plan.ts';
import type { PlanFlags } from './plan-flags.ts';
import { refuseTogether } from './refuse-together.ts';
import { showPlan } from './show-plan.ts';
import { tellThrown } from './thrown.ts';

export interface PlanOptions extends GlobalOptions, PlanFlags {
  readonly out?: string;
  readonly json?: boolean;
  readonly markdown?: boolean;
  readonly detailedExitcode?: boolean;
  readonly verbose?: boolean;
}

/** `reelform plan`: reads, compares, prints; renders nothing, and writes nothing but the plan that it was asked to save. */
export async function planCommand(options: PlanOptions, io: Io, looked?: Looked | null): Promise<number> {
  if (options.refreshOnly === true) {
    refuseTogether('--refresh-only', options, {
      out: '--out',
      markdown: '--markdown',
      replace: '--replace',
      changedSince: '--changed-since',
      maxRenders: '--max-renders',
    });
    const { driftCommand } = await import('./drift-command.ts');
    return driftCommand({ ...options, detailedExitcode: options.detailedExitcode === true }, io);
  }
  const directory = directoryOf(options, io);
  const tell = (thrown: readonly JsonDiagnostic[]): void =>
    io.stdout.write(planJson(planDocument(NO_PLAN, VERSION, thrown)));
  const { repository, diagnostics, opened } = await tellThrown(options.json === true ? tell : null, () =>
    openPlan(directory, options, io, { looked, mayBePart: true }),
  );
  tellDiagnostics(diagnostics, repository.source, options, io);
  const document = (): string =>
    planJson(planDocument(opened?.plan ?? NO_PLAN, VERSION, diagnosticsJson(diagnostics, repository.source)));
  if (options.json === true) io.stdout.write(document());
  if (opened === null) return EXIT.error;

  const { plan } = opened;
  if (options.json !== true) await printPlan(plan, repository.labels, options, io);
  if (hasErrors(plan.diagnostics)) return EXIT.refused;
  // What was refused is not saved: nobody could apply it.
  if (options.out !== undefined) await writeFileAtomic(resolve(directory, options.out), document());
  return options.detailedExitcode === true && !isEmptyPlan(plan) ? EXIT.changes : EXIT.ok;
}

async function printPlan(
  plan: Plan,
  label: Parameters<typeof showPlan>[1],
  options: PlanOptions,
  io: Io,
): Promise<void> {
  if (options.markdown !== true) return showPlan(plan, label, io.stdout, options, io);
  const { planMarkdown } = await import('../report/plan-markdown.ts');
  io.stdout.write(planMarkdown(plan, { label }));
}

/** What is printed for machines when mistakes leave nothing to plan. */
const NO_PLAN: Plan = { changes: [], complete: false, diagnostics: [] };
