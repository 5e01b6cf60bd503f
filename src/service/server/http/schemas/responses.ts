import { SERVICE_CODES, type ServiceCode } from '../../../../contract/service-error.ts';
import { EXAMPLES } from './examples.ts';
import { type Component, listOf, objectOf, ref, type Schema } from './json-schema.ts';

type Headers = Readonly<Record<string, Schema>>;

/** Creates the schema of a header with text. */
export function headerSchema(description: string, example: string): Schema {
  return { type: 'string', description, examples: [example] };
}

/** Response headers, each described once. */
export const HEADERS = {
  requestId: { 'X-Request-Id': headerSchema('Id of the request in the log', 'req_3fq8Tz0dYx5Nn1uG') },
  location: { Location: headerSchema('URL of the new resource', '/v2/render_sessions/rs_81f2c0') },
  retryAfter: { 'Retry-After': { type: 'integer', description: 'Seconds to wait before the next request' } },
  etag: { ETag: headerSchema('Strong; `If-None-Match` answers 304', '"3q2-7wAAAAA"') },
  link: { Link: headerSchema('Link to the next page, if it exists', '</v2/render_sessions?cursor=…>; rel="next"') },
  idempotency: {
    'Idempotency-Key': headerSchema('Idempotency-Key of the request, if sent', '8e03978e-40d5-43dd-bc93-6894a57f9324'),
    'Idempotency-Key-Expires': headerSchema('Time until which the key is kept', 'Fri, 02 Jan 2026 00:00:00 GMT'),
    'Idempotent-Replayed': headerSchema(
      '`true` if this is the stored response to an earlier request with the same key',
      'true',
    ),
  },
  rateLimit: {
    'RateLimit-Policy': headerSchema('Allowed requests per window, and its length in seconds', '"default";q=300;w=60'),
    RateLimit: headerSchema('Remaining requests, and seconds until the window ends', '"default";r=299;t=58'),
  },
  authenticate: { 'WWW-Authenticate': headerSchema('Required authentication', 'Bearer realm="reelform"') },
  unsatisfied: {
    'Content-Range': headerSchema('Size of the file in bytes', 'bytes */2841733'),
    ETag: headerSchema('Media type of the file', '"3q2-7wAAAAA"'),
  },
  allow: { Allow: headerSchema('Methods that the path supports', 'GET, HEAD') },
} as const satisfies Record<string, Headers>;

/** Describes a JSON response. */
export function json(description: string, schema: Schema, headers: Headers = {}, example?: object): Schema {
  return {
    description,
    headers: { ...HEADERS.requestId, ...headers },
    content: { 'application/json': example === undefined ? { schema } : { schema, example } },
  };
}

/** Describes a binary response. */
export function bytes(description: string, types: readonly string[], headers: Headers = {}): Schema {
  return {
    description,
    headers: { ...HEADERS.requestId, ...headers },
    content: Object.fromEntries(types.map((type) => [type, { schema: {} }])),
  };
}

/** Describes a page of a list. @param name field of the items */
export function page(name: string, items: Component): Schema {
  const fields = {
    [name]: listOf(ref(items)),
    next_cursor: { type: ['string', 'null'], description: 'Cursor of the next page; null on the last page' },
  };
  return json('A page', objectOf(fields), HEADERS.link);
}

export function empty(description: string, headers: Headers = {}): Schema {
  return { description, type: 'null', headers: { ...HEADERS.requestId, ...headers } };
}

/** Describes error responses, grouped by status, including the codes that every operation can return. */
export function problems(...codes: readonly ServiceCode[]): Record<number, Schema> {
  const all: readonly ServiceCode[] = ['bad_request', ...codes, 'internal', 'unavailable'];
  const byStatus = new Map<number, ServiceCode[]>();
  for (const code of all) {
    const [status] = SERVICE_CODES[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries([...byStatus].map(([status, ofStatus]) => [status, problem(status, ofStatus)]));
}

function problem(status: number, codes: readonly ServiceCode[]): Schema {
  const headers: Headers = {
    ...HEADERS.requestId,
    ...(status === 401 || status === 403 ? HEADERS.authenticate : {}),
    ...(status === 405 ? HEADERS.allow : {}),
    ...(status === 416 ? HEADERS.unsatisfied : {}),
    ...(status === 409 || status === 429 || status === 503 ? HEADERS.retryAfter : {}),
  };
  const description = codes.map((code) => `\`${code}\`: ${SERVICE_CODES[code][1]}.`).join('\n\n');
  return { description, headers, content: { 'application/problem+json': { schema: ref(PROBLEM) } } };
}

/** Describes the errors of an operation that requires a token. */
export function guardedProblems(...codes: readonly ServiceCode[]): Record<number, Schema> {
  return problems('unauthorized', 'missing_scope', 'rate_limited', ...codes);
}

/** Codes of every operation that reads a body. */
export const BODY_CODES = ['request_timeout', 'body_too_large', 'unsupported_media_type'] as const;

export const REQUEST_PROBLEM: Component = {
  $id: 'RequestProblem',
  description: 'A mistake in a request.',
  ...objectOf(
    {
      code: { type: 'string', description: 'Machine-readable code', examples: ['missing_editable'] },
      pointer: {
        type: 'string',
        description:
          'Source of the mistake: a JSON pointer into the body as a URI fragment, `?name` for a query parameter, or a location in an uploaded package',
        examples: ['#/mapping/resources/t_01'],
      },
      detail: { type: 'string', description: 'Human-readable message', examples: ['t_01 has no value'] },
      scene: { type: 'string', description: 'Id of the scene that it is about, in a request with `scenes`' },
    },
    ['scene'],
  ),
};

export const PROBLEM: Component = {
  $id: 'Problem',
  examples: [EXAMPLES.problem],
  description: 'An error response as defined in RFC 9457. Lists all mistakes of a request.',
  ...objectOf({
    type: { type: 'string', format: 'uri-reference', description: 'Link to the description of the code' },
    title: { type: 'string', description: 'Meaning of the code' },
    status: { type: 'integer', description: 'The HTTP status' },
    detail: { type: 'string', description: 'Explanation of this occurrence' },
    instance: { type: 'string', description: 'Path of the request' },
    code: { type: 'string', description: `One of ${Object.keys(SERVICE_CODES).join(', ')}. More codes may be added` },
    request_id: {
      type: 'string',
      description: '`X-Request-Id` of the response: the id of this request in the log',
    },
    errors: listOf(ref(REQUEST_PROBLEM), { description: 'All mistakes, at most 100' }),
  }),
};
