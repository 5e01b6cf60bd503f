import { EXIT, hasErrors } from '../diagnostic.ts';
import { isEmptyPlan, type Plan } from '../plan/plan.ts';
import { planDocument } from '../plan/plan-document.ts';
import { diagnosticsJson } from '../report/diagnostics-json.ts';
import { planJson } from '../report/plan-json.ts';
import { planMarkdown } from '../report/plan-markdown.ts';
import { directoryOf, tellDiagnostics } from './diagnose.ts';
import { type GlobalOptions, VERSION } from './global-options.ts';
import type { Io } from './io.ts';
import { openPlan, type PlanFlags } from './open-plan.ts';
import { labelsOf, showPlan } from './show-plan.ts';

export interface PlanOptions extends GlobalOptions, PlanFlags {
  readonly json?: boolean;
  readonly markdown?: boolean;
  readonly detailedExitcode?: boolean;
  readonly verbose?: boolean;
}

/** `reelform plan`: reads, compares, prints; renders and writes nothing. */
export async function planCommand(options: PlanOptions, io: Io): Promise<number> {
  const { project, diagnostics, opened } = await openPlan(directoryOf(options, io), options);
  tellDiagnostics(diagnostics, project.source, options, io);
  if (options.json === true) {
    const document = planDocument(opened?.plan ?? NO_PLAN, VERSION, diagnosticsJson(diagnostics, project.source));
    io.stdout.write(planJson(document));
  }
  if (opened === null) return EXIT.error;

  const { plan } = opened;
  if (options.json !== true) {
    if (options.markdown === true) io.stdout.write(planMarkdown(plan, { label: labelsOf(project) }));
    else showPlan(opened, io.stdout, options, io);
  }
  if (hasErrors(plan.diagnostics)) return EXIT.refused;
  return options.detailedExitcode === true && !isEmptyPlan(plan) ? EXIT.changes : EXIT.ok;
}

/** What is printed for machines when mistakes leave nothing to plan. */
const NO_PLAN: Plan = { changes: [], complete: false, diagnostics: [] };
