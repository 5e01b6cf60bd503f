import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { serviceError } from '../../service/service-error.ts';
import type { Principal } from '../ports.ts';
import type { AppPorts } from './app-ports.ts';
import { createRateLimiter } from './rate-limiter.ts';

/**
 * Lets a request in: who asks, how often, and whether they may. In this order, so that nobody uses up another's requests,
 * and before a byte of the body is read.
 *
 * @see RFC 6750
 */
export function guardRoutes(app: FastifyInstance, ports: AppPorts): void {
  const limit = createRateLimiter(app, ports.settings);
  app.addHook('onRequest', async (request, reply) => {
    // What one tenant is told is nothing for a shared cache.
    reply.header('cache-control', 'no-store');
    request.principal = await authenticate(request, reply, ports);
    await limit(request, reply);
    requireScope(request.principal, request, reply);
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
