import type { PlanDocument } from '../../plan/plan-document.ts';
import type { PlanPreview } from '../../preview/plan-preview.ts';

/** A plan that is to be printed. */
export interface PrintedPlan {
  readonly document: PlanDocument;
  /** Stills of what changes, where there are some. */
  readonly preview: PlanPreview | null;
  /** Absolute: the repository, or where the command works. */
  readonly root: string;
}
