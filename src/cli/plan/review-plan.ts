import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Diagnostic, ReelformError } from '../../diagnostic.ts';
import type { PlanDocument } from '../../plan/plan-document.ts';
import { parsePlanDocument, reviewedPlan, savedDemands } from '../../plan/saved-plan.ts';
import type { Io } from '../io.ts';
import { type OpenedPlan, openPlan, type PlanContext } from './open-plan.ts';

/** What of a saved plan is to be done now. */
export interface ReviewedPlan extends OpenedPlan {
  /** Why the plan cannot be applied any more; nothing when it can. */
  readonly stale: readonly Diagnostic[];
}

/**
 * Reads a saved plan, plans anew with what it asks for, and keeps what of it is still to do.
 *
 * @param file as it was typed; its path starts at the directory
 * @throws ReelformError `plan_invalid`
 */
export async function reviewPlan(file: string, directory: string, io: Io, context: PlanContext): Promise<ReviewedPlan> {
  const document = await readPlan(file, directory);
  // Whoever reviewed it saw that nothing is left, and how many are rendered.
  const flags = { allowEmpty: true, maxRenders: Number.POSITIVE_INFINITY };
  const fresh = await openPlan(directory, flags, io, { ...context, demands: (lock) => savedDemands(document, lock) });
  if (fresh.opened === null) return { ...fresh, stale: [] };
  const reviewed = reviewedPlan(document, fresh.opened.plan);
  if (!reviewed.ok) {
    const diagnostics = [...fresh.repository.diagnostics, ...reviewed.diagnostics];
    return { ...fresh, diagnostics, stale: reviewed.diagnostics };
  }
  const diagnostics = [...fresh.repository.diagnostics, ...reviewed.value.diagnostics];
  return { ...fresh, diagnostics, opened: { ...fresh.opened, plan: reviewed.value }, stale: [] };
}

/** Reads a saved plan. @throws ReelformError `plan_invalid` */
export async function readPlan(file: string, directory: string): Promise<PlanDocument> {
  let text: string;
  try {
    text = await readFile(resolve(directory, file), 'utf8');
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new ReelformError('plan_invalid', `The plan ${file} cannot be read: ${why}`, {
      hint: 'Look at its path, which starts where the command works; `reelform plan --out FILE` makes one',
      cause: error,
    });
  }
  const parsed = parsePlanDocument(text, file);
  if (parsed.ok) return parsed.value;
  const [{ message, hint } = { message: 'It is no plan' }] = parsed.diagnostics;
  throw new ReelformError('plan_invalid', message, hint === undefined ? {} : { hint });
}
