import type { PlanDocument } from '../../plan/plan-document.ts';

/** The plan's document as a file: pretty-printed, with a last newline. */
export function planJson(document: PlanDocument): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
