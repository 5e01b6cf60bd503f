import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { serviceError } from '../../service/service-error.ts';
import type { TenantId } from '../../session/ports.ts';
import type { Settings } from '../settings/settings.ts';

const WINDOW_SECONDS = 60;

/**
 * Counts the requests of each tenant in windows of a minute, says in each answer what is left, and refuses what is too
 * much. A tenant without a limit is not counted.
 *
 * @see draft-ietf-httpapi-ratelimit-headers
 */
export function createRateLimiter(
  app: FastifyInstance,
  settings: Pick<Settings, 'rateLimit' | 'tenantRateLimits'>,
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  const limitOf = (tenant: TenantId): number | null => settings.tenantRateLimits.get(tenant) ?? settings.rateLimit;
  const count = app.createRateLimit({
    keyGenerator: (request) => request.principal!.tenant,
    max: (_request, tenant) => limitOf(tenant as TenantId) ?? 0,
    timeWindow: WINDOW_SECONDS * 1000,
  });
  return async (request, reply) => {
    const { tenant } = request.principal!;
    const quota = limitOf(tenant);
    if (quota === null) return;
    const counted = await count(request);
    if (counted.isAllowed) return;
    const seconds = Math.max(1, counted.ttlInSeconds);
    reply.header('ratelimit-policy', `"default";q=${quota};w=${WINDOW_SECONDS}`);
    reply.header('ratelimit', `"default";r=${counted.remaining};t=${seconds}`);
    if (!counted.isExceeded) return;
    reply.header('retry-after', String(seconds));
    throw serviceError('rate_limited', `No requests are left for ${seconds} seconds`);
  };
}

/** Refuses what one token asks for beyond `max` requests in 60 seconds. */
export function createTokenLimiter(
  app: FastifyInstance,
  max: number,
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  const count = app.createRateLimit({
    keyGenerator: (request) => request.principal!.tokenId,
    max,
    timeWindow: WINDOW_SECONDS * 1000,
  });
  return async (request, reply) => {
    const counted = await count(request);
    if (counted.isAllowed || !counted.isExceeded) return;
    const seconds = Math.max(1, counted.ttlInSeconds);
    reply.header('retry-after', String(seconds));
    throw serviceError('rate_limited', `This token has no requests left for ${seconds} seconds`);
  };
}
