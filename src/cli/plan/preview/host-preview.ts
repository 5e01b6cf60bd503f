import { SceneError } from '../../../engine/scene-error.ts';
import type { PlanPreview } from '../../../preview/plan-preview.ts';
import type { PreviewRenderer } from '../../../preview/preview-video.ts';
import { reencodeImages } from '../../../preview/reencode-images.ts';
import { loadProject } from '../../../project/load-project.ts';
import { countNoun } from '../../../report/wording/quantities.ts';
import { printWarning } from '../../forge/forge-job.ts';
import type { Io } from '../../io.ts';
import { openRenderPool } from '../../render/open-scenes.ts';
import { openPreviewHost, publishPreview } from './open-preview-host.ts';

/** Maximum time in milliseconds that a comment waits for its images. */
const LONGEST_MS = 180_000;

export interface HostPreviewOptions {
  /** Absolute path of the trusted checkout. */
  readonly directory: string;
  /** `branch:NAME`, or a folder in a bucket. */
  readonly place: string;
  readonly keepDays: number | undefined;
}

/**
 * Redraws the images of an untrusted preview in a process without the environment of this one, and publishes only
 * redrawn images.
 *
 * @returns the preview with the URLs of its images; without images if they could not be published, with a warning
 * @throws ReelformError `preview_invalid` for an invalid host
 */
export async function publishUntrustedPreview(
  preview: PlanPreview,
  { directory, place, keepDays }: HostPreviewOptions,
  io: Io,
): Promise<PlanPreview> {
  const repository = place.startsWith('branch:')
    ? { root: directory, config: { credentials: new Map() } }
    : await loadProject({ cwd: directory });
  const host = await openPreviewHost(place, repository, keepDays, io);
  const pool = openRenderPool(io);
  try {
    const signal = AbortSignal.timeout(LONGEST_MS);
    const compare: PreviewRenderer['compare'] = (comparison) =>
      pool.run('compare', comparison, { signal }).catch((error: unknown) => {
        // Images that were drawn before the timeout are shown.
        throw signal.aborted
          ? new SceneError('render_timeout', 'Drawing exceeded its time limit', { cause: error })
          : error;
      });
    const redrawn = await reencodeImages(preview, { compare });
    if (redrawn.leftOut > 0) {
      printWarning({ message: `${countNoun(redrawn.leftOut, 'picture')} of the preview cannot be published` }, io);
    }
    const published = await publishPreview(redrawn.preview, host);
    for (const warning of published.diagnostics) printWarning(warning, io);
    return published.preview;
  } finally {
    await pool.close();
  }
}
