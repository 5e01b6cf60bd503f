import { SceneError } from '../../engine/scene-error.ts';
import type { PlanPreview } from '../../preview/plan-preview.ts';
import type { PreviewRenderer } from '../../preview/preview-video.ts';
import { reencodeImages } from '../../preview/reencode-images.ts';
import { loadProject } from '../../project/load-project.ts';
import { countNoun } from '../../report/wording/quantities.ts';
import { sandboxFromEnvironment } from '../../sandbox/sandbox.ts';
import { createRenderPool, renderCapacity } from '../../session/processes/render-pool.ts';
import type { Io } from '../io.ts';
import { openPreviewHost } from '../preview/open-preview-host.ts';
import { publishPreview } from '../preview/publish-preview.ts';
import { tellWarning } from './tell-warning.ts';

/** A comment waits no longer for its pictures. */
const LONGEST_MS = 180_000;

export interface HostPreviewOptions {
  /** Absolute: the checkout that the job trusts. */
  readonly directory: string;
  /** `branch:NAME`, or a folder in a bucket. */
  readonly place: string;
  readonly keepDays: number | undefined;
}

/**
 * Publishes the pictures of a preview that may be anybody's: each is drawn anew, in a process that has nothing of this one's
 * environment, and what is published is what was drawn.
 *
 * @returns the preview with the addresses of its pictures; without any where they could not be published, which is told
 * @throws ReelformError `preview_invalid` for a place that cannot be used
 */
export async function hostPreview(
  preview: PlanPreview,
  { directory, place, keepDays }: HostPreviewOptions,
  io: Io,
): Promise<PlanPreview> {
  const repository = place.startsWith('branch:')
    ? { root: directory, config: { credentials: new Map() } }
    : await loadProject({ cwd: directory });
  const host = await openPreviewHost(place, repository, keepDays, io);
  const pool = (io.createRenderPool ?? createRenderPool)({
    size: renderCapacity(),
    sandbox: sandboxFromEnvironment(io.env),
  });
  try {
    const signal = AbortSignal.timeout(LONGEST_MS);
    const compare: PreviewRenderer['compare'] = (comparison) =>
      pool.run('compare', comparison, { signal }).catch((error: unknown) => {
        // What is drawn until then is shown.
        throw signal.aborted ? new SceneError('render_timeout', 'Drawing took too long', { cause: error }) : error;
      });
    const redrawn = await reencodeImages(preview, { compare });
    if (redrawn.leftOut > 0) {
      tellWarning({ message: `${countNoun(redrawn.leftOut, 'picture')} of the preview cannot be published` }, io);
    }
    const published = await publishPreview(redrawn.preview, host);
    for (const one of published.diagnostics) tellWarning(one, io);
    return published.preview;
  } finally {
    await pool.close();
  }
}
