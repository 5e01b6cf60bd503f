import type { Video } from '../definition/video.ts';
import { sourceOf } from '../definition/video-sources.ts';
import { ReelformError } from '../diagnostic.ts';
import { fileSystemError } from '../file-system-error.ts';
import { ServiceError } from '../service/service-error.ts';
import type { RenderSession } from '../wire/render-session.ts';
import type { Failure } from './events.ts';

/** What a session that ended without a video says about it, and from which file or URL the trouble came. */
export function sessionFailures(session: RenderSession, video: Video): Failure[] {
  const errors = session.errors.filter((error) => error.severity !== 'warning');
  if (errors.length === 0) {
    return [
      {
        code: 'session_failed',
        message: `the session ended as ${session.status} and told no reason`,
        retryable: false,
      },
    ];
  }
  return errors.map(({ code, title, detail, editable, retryable }) => ({
    code,
    message: detail ?? title,
    editable,
    source: fileOf(video, editable),
    retryable: retryable ?? false,
  }));
}

/** The message names a URL already, without the query that may hold a signature. */
function fileOf(video: Video, editable: string | undefined): string | undefined {
  const source = editable === undefined ? null : sourceOf(video, editable);
  return source?.kind === 'file' ? source.path : undefined;
}

/** Whether every other video would fail too: a token that is refused, a service that is not there, a full disk. */
export function endsRun({ code }: Failure): boolean {
  return code === 'service_unauthorized' || code === 'service_unreachable' || code === 'disk_full';
}

/** Another apply may not meet these again. */
const TRANSIENT: ReadonlySet<string> = new Set(['service_unreachable', 'changed_since_plan']);

/** What was thrown while one video was at work; it stays with that video. */
export function thrownFailures(thrown: unknown): Failure[] {
  const error = fileSystemError(thrown) ?? thrown;
  if (error instanceof ReelformError) {
    return [{ code: error.code, message: error.message, hint: error.hint, retryable: TRANSIENT.has(error.code) }];
  }
  if (error instanceof ServiceError) {
    const retryable = error.status === 429 || error.status >= 500;
    if (error.problems.length === 0) return [{ code: error.code, message: error.message, retryable }];
    return error.problems.map(({ code, detail, pointer }) => ({
      code,
      message: pointer === '#' ? detail : `${detail} (${pointer})`,
      retryable,
    }));
  }
  const message = error instanceof Error ? error.message : String(error);
  return [{ code: 'internal', message: `Internal error: ${message}`, hint: 'Please report it', retryable: false }];
}
