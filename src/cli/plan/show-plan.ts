import type { PlanDocument } from '../../plan/plan-document.ts';
import { planText } from '../../report/terminal/plan-text.ts';
import type { GlobalOptions } from '../global-options.ts';
import { hasTrueColor, type Io, type Output, wantsColor } from '../io.ts';

/** Writes a plan for people, as the output can show it. */
export function showPlan(
  plan: PlanDocument,
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
  });
  output.write(text);
}
