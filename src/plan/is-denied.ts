import type { PlanDocument } from './plan-document.ts';

/** Whether a policy denies a plan: it is not to be applied, whatever else is right about it. */
export function isDenied({ checks = [] }: PlanDocument): boolean {
  return checks.some(({ status, level }) => status === 'fail' && level === 'deny');
}
