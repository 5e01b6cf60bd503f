import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { SERVICE_CODES, type ServiceCode, ServiceError, serviceError } from '../../../contract/service-error.ts';
import type { ProblemDetails, RequestProblem } from '../../../contract/wire/problem.ts';
import { defined } from '../../../kernel/defined.ts';
import { formatList, suggestion } from '../../../kernel/hints.ts';
import { jsonPointer } from '../../../kernel/json.ts';
import type { Violation } from '../../../kernel/json-schema/violation.ts';
import { DISK_ERRORS } from '../data-folder.ts';
import { withoutSecrets } from '../log.ts';

export const PROBLEM_TYPE = 'application/problem+json';

/** Maximum number of mistakes in one response. */
const MAX_PROBLEMS = 100;

/** Formats an error for clients. @see RFC 9457 */
export function problemDetails(error: ServiceError, request: { path: string; id: string }): ProblemDetails {
  const meaning = Object.hasOwn(SERVICE_CODES, error.code)
    ? SERVICE_CODES[error.code as ServiceCode][1]
    : error.message;
  return {
    type: `/docs#${error.code}`,
    title: meaning,
    status: error.status,
    // The path may contain a token by mistake.
    detail: withoutSecrets(error.message),
    instance: withoutSecrets(request.path),
    code: error.code,
    request_id: request.id,
    errors: error.problems.slice(0, MAX_PROBLEMS).map(({ code, pointer, detail, scene }) => {
      return { code, pointer, detail, ...defined({ scene }) };
    }),
  };
}

/** A request that violates its schema, with the violations that the validator reported. */
export class InvalidRequest extends Error {
  readonly violations: readonly Violation[];

  constructor(violations: readonly Violation[]) {
    super('the request does not match its schema');
    this.name = 'InvalidRequest';
    this.violations = violations;
  }
}

/** Converts an error of a request handler into the error for the client. Internal errors reveal no details. */
export function serviceErrorOf(error: unknown, request: FastifyRequest): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof InvalidRequest) return fromInvalidRequest(error);
  const { code, statusCode } = (error ?? {}) as { code?: unknown; statusCode?: unknown };
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return unsupportedMediaType(request);
  const known = typeof code === 'string' ? FOREIGN_CODES[code] : undefined;
  if (known !== undefined) return serviceError(...known);
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) return serviceError('bad_request');
  return serviceError('internal', 'Internal error. The log of the service contains details under this request_id');
}

/** Names the content types that the schema of the route declares; JSON if it declares none. */
function unsupportedMediaType({ routeOptions }: FastifyRequest): ServiceError {
  const body = routeOptions.schema?.body as { readonly content?: object } | undefined;
  const accepted = formatList(Object.keys(body?.content ?? { 'application/json': {} }));
  const detail = `This endpoint does not accept the content type of the body. It accepts ${accepted}`;
  return serviceError('unsupported_media_type', detail);
}

function fromInvalidRequest(error: InvalidRequest): ServiceError {
  // An id with an invalid format cannot exist.
  const part = (error as { validationContext?: string }).validationContext;
  if (part === 'params') return serviceError('not_found', 'No resource has this id');
  const problems = informativeViolations(error.violations)
    .slice(0, MAX_PROBLEMS)
    .map((violation) => describeViolation(violation, (part ?? 'body') as RequestPart));
  return serviceError('bad_request', problems.map((problem) => problem.detail).join('; '), problems);
}

/** Error codes of Fastify, Node and the database → our codes and details. */
const FOREIGN_CODES: Readonly<Record<string, readonly [code: ServiceCode, detail: string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['body_too_large', 'The body is larger than the limit of this endpoint'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['bad_request', 'The length of the body differs from Content-Length'],
  FST_ERR_BAD_URL: ['bad_request', 'The path is not a valid URL path'],
  FST_ERR_MAX_PARAM_LENGTH: ['not_found', 'No resource has this id'],
  ECONNRESET: ['bad_request', 'The request ended before the end of its body'],
  ...Object.fromEntries(Object.entries(DISK_ERRORS).map(([code, detail]) => [code, ['unavailable', detail] as const])),
};

/** Responds to invalid or slow HTTP requests and closes the connection. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket, requestId: string): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  const problem = clientProblem(error.code);
  const body = JSON.stringify(problemDetails(problem, { path: '/', id: requestId }));
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    `Content-Type: ${PROBLEM_TYPE}; charset=utf-8`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'X-Content-Type-Options: nosniff',
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

function clientProblem(code: string | undefined): ServiceError {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return serviceError('request_timeout');
    case 'HPE_HEADER_OVERFLOW':
      return serviceError('headers_too_large');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return serviceError('body_too_large', 'The chunk extensions of the body are too large');
    default:
      return serviceError('bad_request', 'Invalid HTTP request');
  }
}

type RequestPart = 'body' | 'querystring';

/**
 * Removes violations that add nothing: those of the `null` branch of nullable values, and those of a condition, whose branch has
 * its own.
 */
export function informativeViolations(violations: readonly Violation[]): readonly Violation[] {
  const among = (path: readonly string[], each: Violation): boolean => path.every((part, at) => each.path[at] === part);
  const isOfNull = ({ keyword, schema }: Violation): boolean => keyword === 'type' && schema.type === 'null';
  return violations.filter((violation) => {
    if (violation.keyword === 'if') return false;
    if (violation.keyword !== 'anyOf' && !isOfNull(violation)) return true;
    return !violations.some((each) => each.keyword !== 'anyOf' && !isOfNull(each) && among(violation.path, each));
  });
}

/** Describes a violated schema rule for the author of the client. */
export function describeViolation(violation: Violation, part: RequestPart): RequestProblem {
  const { path, keyword, params, schema } = violation;
  const name = path.length === 0 ? (part === 'body' ? 'the body' : 'the query') : path.join('.');
  switch (keyword) {
    case 'additionalProperties': {
      const field = String(params.additionalProperty);
      const hint = suggestion(field, Object.keys(schema.properties ?? {}));
      const detail = `${name} has no ${part === 'body' ? 'field' : 'parameter'} ${quoted(field)}${hint}`;
      return { code: 'unknown_field', pointer: pointerTo(field.length > 100 ? path : [...path, field], part), detail };
    }
    case 'required':
      return {
        code: 'missing_field',
        pointer: pointerTo(path, part),
        detail: `${[...path, String(params.missingProperty)].join('.')} is missing`,
      };
    case 'type':
      return {
        code: 'wrong_type',
        pointer: pointerTo(path, part),
        detail: `${name} must be ${kindsOf(schema.type)}, not ${kindOf(violation.data)}`,
      };
    default:
      return {
        code: 'invalid_value',
        pointer: pointerTo(path, part),
        detail: `${name} must be ${wanted(violation)}`,
      };
  }
}

function wanted({ keyword, schema, data }: Violation): string {
  switch (keyword) {
    case 'enum': {
      const values = (schema.enum ?? []).map(String);
      if (values.length === 1) return values[0]!;
      return `one of ${values.join(', ')}${typeof data === 'string' ? suggestion(data, values) : ''}`;
    }
    case 'minLength':
    case 'maxLength':
      return `${schema.minLength ?? 0} to ${schema.maxLength ?? 'any number of'} characters long`;
    case 'minItems':
    case 'maxItems':
      return `a list of ${schema.minItems ?? 0} to ${schema.maxItems ?? 'any number of'} entries`;
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
      return schema.maximum === undefined
        ? `${schema.minimum ?? `more than ${schema.exclusiveMinimum}`}${schema.minimum === undefined ? '' : ' or more'}`
        : `from ${schema.minimum ?? schema.exclusiveMinimum} to ${schema.maximum}`;
    case 'pattern':
      return `a string that matches ${schema.pattern}`;
    case 'minProperties':
    case 'maxProperties':
      return schema.maxProperties === 1
        ? `a map with ${Object.keys(schema.properties ?? {}).join(' or ')}`
        : `a map of ${schema.minProperties ?? 0} to ${schema.maxProperties ?? 'any number of'} entries`;
    default:
      return `valid according to its schema (${keyword})`;
  }
}

const KINDS: Readonly<Record<string, string>> = {
  object: 'an object',
  array: 'an array',
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  null: 'null',
};

function kindsOf(type: Violation['schema']['type']): string {
  const names = typeof type === 'string' ? [type] : (type ?? []);
  return names.map((name) => KINDS[name] ?? name).join(' or ');
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'boolean') return String(value);
  return KINDS[typeof value] ?? typeof value;
}

/** Field names come from clients: shortens them and escapes control characters. */
function quoted(name: string): string {
  return JSON.stringify(name.length > 60 ? `${name.slice(0, 59)}…` : name);
}

/** @returns a JSON pointer into the body as a URI fragment, or `?name` for a parameter of the query */
function pointerTo(path: readonly string[], part: RequestPart): string {
  if (part === 'querystring') return `?${path.join('.')}`;
  return `#${jsonPointer(path)}`;
}
