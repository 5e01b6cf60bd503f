import type { Project } from '../project/load-project.ts';
import type { LabelLookup } from '../report/plan-rows.ts';
import { planText } from '../report/plan-text.ts';
import type { GlobalOptions } from './global-options.ts';
import { hasTrueColor, type Io, type Output, wantsColor } from './io.ts';
import type { OpenPlan } from './open-plan.ts';

/** What people call the editables of the project's templates. */
export function labelsOf(project: Project): LabelLookup {
  return (template, key) => project.templates.get(template)?.spec.editables[key]?.label;
}

/** Writes a plan for people, as the output can show it. */
export function showPlan(
  { plan, project }: OpenPlan,
  output: Output,
  options: GlobalOptions & { readonly verbose?: boolean },
  io: Io,
): void {
  const color = wantsColor(output, io.env, options.color);
  const text = planText(plan, {
    color,
    trueColor: color && hasTrueColor(io.env),
    columns: output.columns,
    verbose: options.verbose === true,
    label: labelsOf(project),
  });
  output.write(text);
}
