import fastifyCors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';
import type { Settings } from '../settings/settings-table.ts';
import { pathOf } from './request-context.ts';
import { HEADERS } from './schemas/responses.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** Seconds that a browser may cache the response to a preflight request. */
const MAX_AGE_SECONDS = 600;

/** Headers that scripts may read: all documented headers and those of downloads. */
const EXPOSED = [
  ...new Set(Object.values(HEADERS).flatMap((headers) => Object.keys(headers))),
  ...['Accept-Ranges', 'Content-Disposition'],
];

/** Paths for the operator's network. A web page that the operator visits must not read them. */
const OPERATION_PATHS: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

/**
 * Lets web pages of the allowed origins call the service, without credentials: clients send a token in a header, and
 * cookies are not used. Must be called before the routes are added.
 *
 * @see https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export async function allowOrigins(
  app: FastifyInstance,
  { corsOrigins }: Pick<Settings, 'corsOrigins'>,
): Promise<void> {
  if (corsOrigins.length === 0) return;
  const origin = corsOrigins.includes('*') ? '*' : [...corsOrigins];
  await app.register(fastifyCors, {
    delegator(request, done) {
      const { origin: from, 'access-control-request-method': method } = request.headers;
      // An OPTIONS request that is not a preflight is treated as an unsupported method.
      const isRefused = request.method === 'OPTIONS' && (from === undefined || method === undefined);
      if (isRefused || OPERATION_PATHS.has(pathOf(request))) return done(null, { origin: false });
      done(null, { origin, methods: METHODS, exposedHeaders: EXPOSED, maxAge: MAX_AGE_SECONDS, credentials: false });
    },
  });
}
