import type { RequestProblem } from '../wire/problem.ts';
import { SERVICE_CODES, type ServiceCode } from './service-codes.ts';

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

/** Whether a part of the service is away for a while: nothing is wrong with what was asked for, and it is to be done later. */
export function isOutage(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isOutage);
  return error instanceof ServiceError && error.status === 503;
}

/** Whether the service answered that it does not have the session: 404 or 410. */
export function lacksSession(error: unknown): error is ServiceError {
  return error instanceof ServiceError && (error.status === 404 || error.status === 410);
}

const FULL_QUEUES: ReadonlySet<string> = new Set(['queue_full', 'service_full'] satisfies ServiceCode[]);

/** Whether the code of a refusal says that too much waits already: nothing was made, and room comes with time. */
export function isFullQueue(code: string | null): boolean {
  return code !== null && FULL_QUEUES.has(code);
}

/** @see isFullQueue */
export function hasNoRoom(error: unknown): error is ServiceError {
  return error instanceof ServiceError && isFullQueue(error.code);
}

/** The answer of our own service: a code of the table, with that code's status. */
export function serviceError(
  code: ServiceCode,
  message: string = SERVICE_CODES[code][1],
  problems: readonly RequestProblem[] = [],
): ServiceError {
  return new ServiceError(SERVICE_CODES[code][0], code, message, problems);
}
