import type { CreateRenderSession, RenderSession } from '../service/wire.ts';
import type { SessionProblem } from './ports.ts';

/**
 * The life of a session as values: each function gives the session that follows. `render_progress` never falls and is
 * 100 in `preview_rendered` alone.
 *
 * @see service-interface, sections 2.3 and 3
 */
export function startedSession(
  request: CreateRenderSession,
  ids: { session: string; mapping: string },
  nowMs: number,
): RenderSession {
  const now = timestamp(nowMs);
  return {
    id: ids.session,
    title: request.title,
    status: 'preview_rendering',
    render_progress: 0,
    thumbnails: [],
    video_url: null,
    errors: [],
    created_at: now,
    updated_at: now,
    mapping: { id: ids.mapping, ...request.mapping },
    audio_tracks: {},
    font_changes: {},
    source_uploads: [],
    fonts: [],
  };
}

/** @param share of the frames that are done, 0..1 */
export function progressedSession(session: RenderSession, share: number, nowMs: number): RenderSession {
  const percent = Math.min(99, Math.floor(share * 100));
  if (percent <= session.render_progress) return session;
  return { ...session, render_progress: percent, updated_at: timestamp(nowMs) };
}

export function renderedSession(
  session: RenderSession,
  output: { video_url: string; thumbnails: string[]; fonts: string[] },
  nowMs: number,
): RenderSession {
  return { ...session, ...output, status: 'preview_rendered', render_progress: 100, updated_at: timestamp(nowMs) };
}

export function failedSession(session: RenderSession, errors: readonly SessionProblem[], nowMs: number): RenderSession {
  const occurred_at = timestamp(nowMs);
  return {
    ...session,
    status: 'preview_failed',
    errors: errors.map((error) => ({ ...error, occurred_at })),
    updated_at: occurred_at,
  };
}

/** ISO 8601, UTC, milliseconds. */
function timestamp(nowMs: number): string {
  return new Date(nowMs).toISOString();
}
