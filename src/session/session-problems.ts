import { ReelformError } from '../diagnostic.ts';
import { SceneError } from '../engine/scene-error.ts';
import { fileSystemError } from '../file-system-error.ts';
import { ServiceError } from '../service/service-error.ts';
import { sourcePointer, trackKey } from '../template/bind/check-mapping.ts';
import { SessionFailure, type SessionProblem } from './ports.ts';

/** What fills editables and tracks, by their keys: a mapping is one. */
export interface Filled {
  readonly resources: object;
  readonly audio_tracks?: object | undefined;
}

/**
 * What went wrong with one session, in words for its owner: all of it, and nothing of the machine's inside.
 *
 * @param mapping of the session, to say where in it something stands
 */
export function problemsOf(error: unknown, mapping: Filled): SessionProblem[] {
  if (error instanceof AggregateError) return error.errors.flatMap((one) => problemsOf(one, mapping));
  if (error instanceof SessionFailure) return [error.error];
  if (error instanceof SceneError) {
    const { code, message, imageName } = error;
    const retryable = code === 'render_crashed' || code === 'render_timeout';
    const problem = { code, title: message, severity: 'error', retryable } as const;
    if (imageName === undefined) return [problem];
    if (isFilled(imageName, mapping)) return [{ ...problem, editable: imageName, pointer: sourcePointer(imageName) }];
    return [{ ...problem, detail: `${message}. It is about ${imageName} of the template` }];
  }
  const full = fileSystemError(error);
  if (full?.code === 'disk_full') {
    const { code, message: title, hint } = full;
    return [{ code, title, detail: `${title}. ${hint}`, severity: 'error', retryable: false }];
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

/** Whether a name is one of what the mapping fills, and not of a file of the template. */
export function isFilled(name: string, { resources, audio_tracks = {} }: Filled): boolean {
  return Object.hasOwn(resources, name) || Object.keys(audio_tracks).some((track) => trackKey(track) === name);
}
