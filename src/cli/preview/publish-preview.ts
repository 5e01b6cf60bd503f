import { DeliveryFailure } from '../../delivery/destination.ts';
import { type Diagnostic, ReelformError } from '../../diagnostic.ts';
import type { PlanPreview } from '../../preview/plan-preview.ts';
import type { PreviewHost } from './open-preview-host.ts';

export interface PublishedPreview {
  readonly preview: PlanPreview;
  /** What keeps it from being whole. */
  readonly diagnostics: readonly Diagnostic[];
}

/** That pictures could not be published is no reason to lose the plan: they are in the folder, or the report. */
export async function publishPreview(preview: PlanPreview, host: PreviewHost | null): Promise<PublishedPreview> {
  try {
    return { preview: host === null ? preview : await host.publish(preview), diagnostics: [] };
  } catch (error) {
    if (!(error instanceof ReelformError || error instanceof DeliveryFailure)) throw error;
    const { code, hint } = error instanceof ReelformError ? error : UNDELIVERED;
    const message = `The pictures could not be published: ${error.message}`;
    return { preview, diagnostics: [{ code, severity: 'warning', message, ...(hint === undefined ? {} : { hint }) }] };
  }
}

const UNDELIVERED = {
  code: 'write_failed',
  hint: 'Look at the credential in reelform.yaml, and at what it may do',
} as const;
