import type { Violation } from '../../schema/violation.ts';
import { SERVICE_CODES, type ServiceCode } from '../../service/service-codes.ts';
import { ServiceError, serviceError } from '../../service/service-error.ts';
import type { ProblemDetails } from '../../wire/problem.ts';
import { FULL_DISK } from '../disk-room.ts';
import { withoutSecrets } from '../telemetry/create-logger.ts';
import { describeViolation, type RequestPart, withoutNullable } from './describe-violation.ts';

export const PROBLEM_TYPE = 'application/problem+json';

/** Mistakes that one answer lists. */
const MOST_PROBLEMS = 100;

/** An error as a client reads it. @see RFC 9457 */
export function problemDetails(error: ServiceError, request: { path: string; id: string }): ProblemDetails {
  const meaning = Object.hasOwn(SERVICE_CODES, error.code)
    ? SERVICE_CODES[error.code as ServiceCode][1]
    : error.message;
  return {
    type: `/docs#${error.code}`,
    title: meaning,
    status: error.status,
    // A token that strayed into a path is not said back.
    detail: withoutSecrets(error.message),
    instance: withoutSecrets(request.path),
    code: error.code,
    request_id: request.id,
    errors: error.problems.slice(0, MOST_PROBLEMS).map(({ code, pointer, detail }) => ({ code, pointer, detail })),
  };
}

/** A request that is not in the form of its schema: carries what is wrong, in the validator's terms. */
export class InvalidRequest extends Error {
  readonly violations: readonly Violation[];

  constructor(violations: readonly Violation[]) {
    super('the request does not fit its schema');
    this.name = 'InvalidRequest';
    this.violations = violations;
  }
}

/** What was thrown while a request was answered, as the error that its client is told. Mistakes of ours say nothing. */
export function serviceErrorOf(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof InvalidRequest) return ofInvalidRequest(error);
  const { code, statusCode } = (error ?? {}) as { code?: unknown; statusCode?: unknown };
  const known = typeof code === 'string' ? OF_OTHERS[code] : undefined;
  if (known !== undefined) return serviceError(...known);
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) return serviceError('bad_request');
  return serviceError('internal', 'The service made a mistake. Its log has more under this request_id');
}

function ofInvalidRequest(error: InvalidRequest): ServiceError {
  // An id in another form than ours is the id of nothing.
  const part = (error as { validationContext?: string }).validationContext;
  if (part === 'params') return serviceError('not_found', 'There is nothing with this id');
  const problems = withoutNullable(error.violations)
    .slice(0, MOST_PROBLEMS)
    .map((violation) => describeViolation(violation, (part ?? 'body') as RequestPart));
  return serviceError('bad_request', problems.map((problem) => problem.detail).join('; '), problems);
}

/** What Fastify, Node and the database throw → what we say. */
const OF_OTHERS: Readonly<Record<string, readonly [code: ServiceCode, detail: string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['body_too_large', 'The body is larger than this endpoint takes'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'unsupported_media_type',
    'This endpoint does not take the content type of the body',
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['bad_request', 'The body is not as long as Content-Length says'],
  FST_ERR_BAD_URL: ['bad_request', 'The path is not a URL path'],
  FST_ERR_MAX_PARAM_LENGTH: ['not_found', 'There is nothing with this id'],
  ECONNRESET: ['bad_request', 'The request ended before its body did'],
  ...Object.fromEntries(Object.entries(FULL_DISK).map(([code, detail]) => [code, ['unavailable', detail] as const])),
};
