import { SERVICE_CODES, type ServiceCode } from '../../../service/service-error.ts';
import { EXAMPLES } from './examples.ts';
import { type Component, listOf, objectOf, ref, type Schema } from './json-schema.ts';

type Headers = Readonly<Record<string, Schema>>;

const text = (description: string, example: string): Schema => ({ type: 'string', description, examples: [example] });

/** Response headers, each described once. */
export const HEADERS = {
  requestId: { 'X-Request-Id': text('The name of the request in the log', 'req_3fq8Tz0dYx5Nn1uG') },
  location: { Location: text('Where the new resource is', '/v2/render_sessions/rs_81f2c0') },
  retryAfter: { 'Retry-After': { type: 'integer', description: 'Seconds to wait before asking again' } },
  etag: { ETag: text('Strong; `If-None-Match` answers 304', '"3q2-7wAAAAA"') },
  link: { Link: text('The next page, while there is one', '</v2/render_sessions?cursor=…>; rel="next"') },
  idempotency: {
    'Idempotency-Key': text('The key of the request, when it has one', '8e03978e-40d5-43dd-bc93-6894a57f9324'),
    'Idempotency-Key-Expires': text('Until when the key is kept', 'Fri, 02 Jan 2026 00:00:00 GMT'),
    'Idempotent-Replayed': text('`true` where an earlier request with the key was answered so', 'true'),
  },
  rateLimit: {
    'RateLimit-Policy': text('Requests of the window, and its seconds', '"default";q=300;w=60'),
    RateLimit: text('Requests that are left, and seconds to the end of the window', '"default";r=299;t=58'),
  },
  authenticate: { 'WWW-Authenticate': text('How to authenticate', 'Bearer realm="reelform"') },
  unsatisfied: {
    'Content-Range': text('The size of the file', 'bytes */2841733'),
    ETag: text('Of the file', '"3q2-7wAAAAA"'),
  },
  allow: { Allow: text('The methods of the path', 'GET, HEAD') },
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
    next_cursor: { type: ['string', 'null'], description: 'For the next page; null on the last' },
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
  description: 'One mistake in a request.',
  ...objectOf({
    code: { type: 'string', description: 'For programs', examples: ['missing_editable'] },
    pointer: {
      type: 'string',
      description:
        'Where: a JSON pointer into the body as a URI fragment, `?name` for a parameter of the query, or a place in an uploaded package',
      examples: ['#/mapping/resources/t_01'],
    },
    detail: { type: 'string', description: 'For people', examples: ['t_01 is not filled'] },
  }),
};

export const PROBLEM: Component = {
  $id: 'Problem',
  examples: [EXAMPLES.problem],
  description: 'Every error, as RFC 9457 has it. All mistakes of a request are told at once.',
  ...objectOf({
    type: { type: 'string', format: 'uri-reference', description: 'Leads to the code on this page' },
    title: { type: 'string', description: 'What the code means' },
    status: { type: 'integer', description: 'The HTTP status' },
    detail: { type: 'string', description: 'What was wrong this time' },
    instance: { type: 'string', description: 'The path of the request' },
    code: { type: 'string', description: `One of ${Object.keys(SERVICE_CODES).join(', ')}; more may come` },
    request_id: {
      type: 'string',
      description: 'The `X-Request-Id` of the answer: the name of this request in the log',
    },
    errors: listOf(ref(REQUEST_PROBLEM), { description: 'Each mistake; at most 100' }),
  }),
};
