import { EXIT, hasErrors } from '../diagnostic.ts';
import { isEmptyPlan } from '../plan/plan.ts';
import { planDocument } from '../plan/plan-document.ts';
import { diagnosticsJson } from '../report/diagnostics-json.ts';
import { planJson } from '../report/plan-json.ts';
import { planMarkdown } from '../report/plan-markdown.ts';
import { planText } from '../report/plan-text.ts';
import { directoryOf, tellDiagnostics } from './diagnose.ts';
import { type GlobalOptions, VERSION } from './global-options.ts';
import { hasTrueColor, type Io, wantsColor } from './io.ts';
import { openPlan, type PlanFlags } from './open-plan.ts';

export interface PlanOptions extends GlobalOptions, PlanFlags {
  readonly json?: boolean;
  readonly markdown?: boolean;
  readonly detailedExitcode?: boolean;
  readonly verbose?: boolean;
}

/** `reelform plan`: reads, compares, prints; renders and writes nothing. */
export async function planCommand(options: PlanOptions, io: Io): Promise<number> {
  const { project, diagnostics, opened } = await openPlan(directoryOf(options, io), options);
  const all = [...diagnostics, ...(opened?.plan.diagnostics ?? [])];
  tellDiagnostics(all, project.source, options, io);
  if (opened === null) {
    const nothing = { changes: [], complete: false, diagnostics: [] };
    if (options.json === true)
      io.stdout.write(planJson(planDocument(nothing, VERSION, diagnosticsJson(all, project.source))));
    return EXIT.error;
  }

  const { plan } = opened;
  const label = (template: string, key: string): string | undefined =>
    project.templates.get(template)?.spec.editables[key]?.label;
  if (options.json === true) {
    io.stdout.write(planJson(planDocument(plan, VERSION, diagnosticsJson(all, project.source))));
  } else if (options.markdown === true) {
    io.stdout.write(planMarkdown(plan, { label }));
  } else {
    const color = wantsColor(io.stdout, io.env, options.color);
    const { columns } = io.stdout;
    io.stdout.write(
      planText(plan, {
        color,
        trueColor: color && hasTrueColor(io.env),
        columns,
        label,
        verbose: options.verbose === true,
      }),
    );
  }
  if (hasErrors(plan.diagnostics)) return EXIT.refused;
  return options.detailedExitcode === true && !isEmptyPlan(plan) ? EXIT.changes : EXIT.ok;
}
