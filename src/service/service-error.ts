import type { RequestProblem } from './wire.ts';

/**
 * The service answered, and the answer was no. `status` is the HTTP status that it has, or would have, on the wire.
 *
 * @see RFC 9457
 */
export class ServiceError extends Error {
  readonly status: number;
  readonly code: string;
  readonly problems: readonly RequestProblem[];

  constructor(status: number, code: string, message: string, problems: readonly RequestProblem[] = []) {
    super(message);
    this.name = 'ServiceError';
    this.status = status;
    this.code = code;
    this.problems = problems;
  }
}
