import { resolve } from 'node:path';
import { EXIT, hasErrors } from '../../diagnostic.ts';
import { isEmptyPlan, type Plan, renders } from '../../plan/plan.ts';
import { planDocument } from '../../plan/plan-document.ts';
import type { Looked } from '../../plan-index/plan-memory.ts';
import { writeFileAtomic } from '../../project/write-file.ts';
import { diagnosticsJson, type JsonDiagnostic } from '../../report/diagnostics-json.ts';
import { leftOutText } from '../../report/lint-text.ts';
import { planJson } from '../../report/plan-json.ts';
import { directoryOf, tellDiagnostics } from '../diagnose.ts';
import { type GlobalOptions, VERSION } from '../global-options.ts';
import type { Io } from '../io.ts';
import type { LintedPlan } from '../lint/lint-plan.ts';
import { refuseTogether } from '../refuse-together.ts';
import { tellThrown } from '../thrown.ts';
import type { OpenDesired } from './open-desired.ts';
import { openPlan } from './open-plan.ts';
import type { PlanFlags } from './plan-flags.ts';
import { showPlan } from './show-plan.ts';
import { withPolicies } from './with-policies.ts';

export interface PlanOptions extends GlobalOptions, PlanFlags {
  readonly out?: string;
  readonly json?: boolean;
  readonly markdown?: boolean;
  readonly detailedExitcode?: boolean;
  readonly verbose?: boolean;
  /** False: nobody looks at what a viewer would notice. */
  readonly lint?: boolean;
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
      policyCommand: '--policy-command',
    });
    const { driftCommand } = await import('../drift/drift-command.ts');
    return driftCommand({ ...options, detailedExitcode: options.detailedExitcode === true }, io);
  }
  const directory = directoryOf(options, io);
  const tell = (thrown: readonly JsonDiagnostic[]): void =>
    io.stdout.write(planJson(planDocument(NO_PLAN, VERSION, thrown)));
  const { repository, diagnostics, opened } = await tellThrown(options.json === true ? tell : null, async () =>
    withPolicies(await openPlan(directory, options, io, { looked, mayBePart: true }), options, io),
  );
  const linted = opened === null || options.lint === false ? null : await lint(opened.plan, repository, options, io);
  const all = [...diagnostics, ...(linted?.diagnostics ?? [])];
  const source = (file: string): string | undefined => repository.source(file) ?? linted?.source(file);
  tellDiagnostics(all, source, options, io);
  const document = (): string => planJson(planDocument(opened?.plan ?? NO_PLAN, VERSION, diagnosticsJson(all, source)));
  if (options.json === true) io.stdout.write(document());
  if (opened === null) return EXIT.error;

  const { plan } = opened;
  if (options.json !== true) await printPlan(plan, repository.labels, options, io);
  if (options.json !== true && linted !== null && linted.leftOut > 0) io.stderr.write(leftOutText(linted.leftOut));
  if (hasErrors(plan.diagnostics)) return EXIT.refused;
  if (hasErrors(linted?.diagnostics ?? [])) return EXIT.error;
  // What was refused is not saved: nobody could apply it.
  if (options.out !== undefined) await writeFileAtomic(resolve(directory, options.out), document());
  return options.detailedExitcode === true && !isEmptyPlan(plan) ? EXIT.changes : EXIT.ok;
}

/** Loaded where there is something to look at, and not before. */
async function lint(plan: Plan, repository: OpenDesired, options: PlanOptions, io: Io): Promise<LintedPlan | null> {
  if (!plan.changes.some(renders)) return null;
  const { lintPlan } = await import('../lint/lint-plan.ts');
  return lintPlan(plan, repository, { cache: options.cache !== false }, io);
}

async function printPlan(
  plan: Plan,
  label: Parameters<typeof showPlan>[1],
  options: PlanOptions,
  io: Io,
): Promise<void> {
  if (options.markdown !== true) return showPlan(plan, label, io.stdout, options, io);
  const { planMarkdown } = await import('../../report/plan-markdown.ts');
  io.stdout.write(planMarkdown(plan, { label }));
}

/** What is printed for machines when mistakes leave nothing to plan. */
const NO_PLAN: Plan = { changes: [], complete: false, diagnostics: [] };
