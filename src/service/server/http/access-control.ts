import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { serviceError } from '../../../contract/service-error.ts';
import type { TenantId } from '../../sessions/ports.ts';
import type { Principal } from '../ports.ts';
import type { Settings } from '../settings/settings-table.ts';
import type { AppPorts } from './app-ports.ts';
import { editedSessionOf } from './request-context.ts';

/** Requests of one edit token in 60 seconds, so that a browser cannot use up the tenant's quota. */
const EDIT_REQUESTS = 120;

/**
 * Authenticates a request, applies rate limits and checks its scope. In this order, so that a request without a valid
 * token cannot consume a tenant's quota, and before a byte of the body is read. Requests that create something are
 * refused while the service stops or cannot write.
 *
 * @see RFC 6750
 */
export function guardRoutes(app: FastifyInstance, ports: AppPorts): void {
  const limit = createRateLimiter(app, ports.settings);
  const limitEditing = createTokenLimiter(app, EDIT_REQUESTS);
  app.addHook('onRequest', async (request, reply) => {
    // Shared caches must not store responses of a tenant.
    reply.header('cache-control', 'no-store');
    request.principal = await authenticate(request, reply, ports);
    if (request.principal.sessionId !== null) await limitEditing(request, reply);
    await limit(request, reply);
    requireScope(request.principal, request, reply);
    requireSession(request, reply);
    if (request.routeOptions.config.isCreating === true) await ports.requireWritable();
  });
}

async function authenticate(request: FastifyRequest, reply: FastifyReply, ports: AppPorts): Promise<Principal> {
  const header = request.headers.authorization;
  const isBearer = header !== undefined && /^bearer(?: |$)/i.test(header);
  const token = /^bearer +([\w.~+/-]+=*) *$/i.exec(header ?? '')?.[1];
  const principal = token === undefined ? null : await ports.tokens.authenticate(token);
  if (principal !== null) return principal;
  reply.header('www-authenticate', `Bearer realm="reelform"${isBearer ? ', error="invalid_token"' : ''}`);
  throw serviceError(
    'unauthorized',
    isBearer ? 'The token is unknown, expired or revoked' : 'Send the header Authorization: Bearer <token>',
  );
}

function requireScope(principal: Principal, request: FastifyRequest, reply: FastifyReply): void {
  const { scope } = request.routeOptions.config;
  if (scope === undefined || principal.scopes.has(scope)) return;
  reply.header('www-authenticate', `Bearer realm="reelform", error="insufficient_scope", scope="${scope}"`);
  throw serviceError('missing_scope', `The token does not have the scope ${scope}`);
}

/** Restricts an edit token to its session: other operations return 403, other sessions 404. */
function requireSession(request: FastifyRequest, reply: FastifyReply): void {
  const sessionId = editedSessionOf(request);
  if (sessionId === null) return;
  if (request.routeOptions.config.isForEditing !== true) {
    reply.header('www-authenticate', 'Bearer realm="reelform", error="insufficient_scope"');
    throw serviceError('missing_scope', 'An edit token gives access only to its own session: read, change and render');
  }
  const { render_session_id: id = sessionId } = request.params as { render_session_id?: string };
  if (id !== sessionId) throw serviceError('not_found', `There is no render session ${id}`);
}

const WINDOW_SECONDS = 60;

/**
 * Limits the requests of each tenant in windows of a minute and reports the remaining quota in each response. Tenants
 * without a limit are not counted.
 *
 * @see draft-ietf-httpapi-ratelimit-headers
 */
function createRateLimiter(
  app: FastifyInstance,
  settings: Pick<Settings, 'rateLimit' | 'tenantRateLimits'>,
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  const limitOf = (tenant: TenantId): number | null => settings.tenantRateLimits.get(tenant) ?? settings.rateLimit;
  const count = countPerWindow(app, 'tenant', (tenant) => limitOf(tenant as TenantId) ?? 0);
  return async (request, reply) => {
    const { tenant } = request.principal!;
    const quota = limitOf(tenant);
    if (quota === null) return;
    const counted = await count(request);
    if (counted.isAllowed) return;
    const seconds = Math.max(1, counted.ttlInSeconds);
    reply.header('ratelimit-policy', `"default";q=${quota};w=${WINDOW_SECONDS}`);
    reply.header('ratelimit', `"default";r=${counted.remaining};t=${seconds}`);
    if (counted.isExceeded) refuse(reply, 'Rate limit exceeded', seconds);
  };
}

/** Rejects requests of one token beyond `max` in 60 seconds. */
export function createTokenLimiter(
  app: FastifyInstance,
  max: number,
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  const count = countPerWindow(app, 'tokenId', () => max);
  return async (request, reply) => {
    const counted = await count(request);
    if (!counted.isAllowed && counted.isExceeded)
      refuse(reply, 'Rate limit of this token exceeded', counted.ttlInSeconds);
  };
}

function countPerWindow(app: FastifyInstance, by: 'tenant' | 'tokenId', max: (key: string) => number) {
  return app.createRateLimit({
    keyGenerator: (request) => request.principal![by],
    max: (_request, key) => max(key),
    timeWindow: WINDOW_SECONDS * 1000,
  });
}

function refuse(reply: FastifyReply, why: string, ttlSeconds: number): never {
  const seconds = Math.max(1, ttlSeconds);
  reply.header('retry-after', String(seconds));
  throw serviceError('rate_limited', `${why}. Retry in ${seconds} seconds`);
}
