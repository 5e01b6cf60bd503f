import type { Sha256 } from '../digest.ts';
import type { SessionUsage } from '../wire/render-session.ts';
import type { AttemptRecord } from './attempt-record.ts';
import type { BoundScene } from './bind-scene.ts';
import { drawnExtent } from './drawn-extent.ts';
import type { Output } from './ports.ts';
import { renderedSession, type SessionEndTimes } from './render-session.ts';
import { renderingWarnings } from './rendering-warnings.ts';

export interface RenderedWork {
  readonly record: AttemptRecord;
  readonly scene: BoundScene;
  readonly digest: Sha256;
  readonly output: Output;
  /** When the session was queued and taken up; milliseconds since the epoch, by the clocks of two machines perhaps. */
  readonly queuedAtMs: number;
  readonly begunAtMs: number;
  /** Since it was taken up. */
  readonly elapsedMs: number;
}

/** Ends a session whose output is stored, however it was rendered. @returns what it took */
export async function recordRendered(
  { record, scene, digest, output, queuedAtMs, begunAtMs, elapsedMs }: RenderedWork,
  end: SessionEndTimes,
): Promise<SessionUsage> {
  const usage = {
    queue_seconds: seconds(begunAtMs - queuedAtMs),
    render_seconds: seconds(elapsedMs),
    frames: drawnExtent(scene).frameCount,
    bytes: output.bytes,
  };
  const { video_url, thumbnails, sha256: video_sha256, findings = [] } = output;
  const warnings = renderingWarnings(findings, record.session.mapping);
  const finished = { video_url, thumbnails, video_sha256, fonts: [...scene.usedFonts], usage, warnings };
  await record.write(renderedSession(record.session, finished, end), digest);
  return usage;
}

function seconds(milliseconds: number): number {
  return Math.max(0, Math.round(milliseconds) / 1000);
}
