import { ReelformError } from '../diagnostic.ts';
import { SceneError } from '../engine/scene-error.ts';
import { ServiceError } from '../service/service-error.ts';
import { sourcePointer } from '../template/check-mapping.ts';
import { SessionFailure, type SessionProblem } from './ports.ts';

/** What went wrong with one session, in words for its owner: all of it, and nothing of the machine's inside. */
export function problemsOf(error: unknown): SessionProblem[] {
  if (error instanceof AggregateError) return error.errors.flatMap((one) => problemsOf(one));
  if (error instanceof SessionFailure) return [error.error];
  if (error instanceof SceneError) {
    const { code, message, imageName } = error;
    const retryable = code === 'render_crashed' || code === 'render_timeout';
    const pointer = imageName === undefined ? undefined : sourcePointer(imageName);
    return [{ code, title: message, editable: imageName, pointer, severity: 'error', retryable }];
  }
  if (error instanceof ReelformError) {
    const detail = error.hint === undefined ? error.message : `${error.message}. ${error.hint}`;
    return [{ code: error.code, title: error.message, detail, severity: 'error', retryable: false }];
  }
  if (error instanceof ServiceError) {
    return [{ code: 'template_invalid', title: error.message, severity: 'error', retryable: false }];
  }
  const detail = error instanceof Error ? error.message : String(error);
  if (typeof (error as NodeJS.ErrnoException).syscall === 'string') {
    return [{ code: 'storage_failed', title: 'The file system refused', detail, severity: 'error', retryable: true }];
  }
  return [{ code: 'internal', title: 'Internal error', detail, severity: 'error', retryable: false }];
}
