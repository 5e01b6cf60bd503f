import type { FastifyRequest } from 'fastify';
import { serviceError } from '../../service/service-error.ts';
import type { IdempotencyClaim, TenantId } from '../../session/ports.ts';
import type { Principal, Scope } from '../ports.ts';
import { requestDigest } from './json-body.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a token has to allow. */
    scope?: Scope;
    /** Whether an edit token may call it, for its own session. */
    isForEditing?: boolean;
  }
  interface FastifyRequest {
    /** Who asks; null before that is known, and where nobody is asked. */
    principal: Principal | null;
    /** The bytes of a JSON body. */
    rawBody: Uint8Array | null;
  }
}

/** Whose request it is, on a route that asks for a token. */
export function tenantOf(request: FastifyRequest): TenantId {
  if (request.principal === null) throw new Error('this route asks for no token');
  return request.principal.tenant;
}

/** The session of the edit token of a request; null for every other token. */
export function editedSessionOf(request: FastifyRequest): string | null {
  return request.principal?.sessionId ?? null;
}

/** The path of a request, without its query. */
export function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0]!;
}

/**
 * What the request's Idempotency-Key stands for; null when it has none.
 *
 * @throws ServiceError 400 for a key in another form
 */
export function claimOf(request: FastifyRequest, expiresAt: number): IdempotencyClaim | null {
  const key = readIdempotencyKey(request.headers['idempotency-key']);
  if (key === null) return null;
  return { key, request: requestDigest(request.method, pathOf(request), request.rawBody), expiresAt };
}

/**
 * The key that an `Idempotency-Key` header carries: a quoted string as the draft has it, or the bare characters, as most
 * clients send it. Both forms of one key are the same key.
 *
 * @returns null where there is no header
 * @throws ServiceError 400 for one that is empty, longer than 255 characters, or holds others than visible ASCII
 * @see draft-ietf-httpapi-idempotency-key-header, section 2.1; RFC 8941, section 3.3.3
 */
export function readIdempotencyKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null;
  const text = Array.isArray(header) ? header.join(', ') : header;
  const quoted = /^"((?:[\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/.exec(text)?.[1];
  const key = quoted?.replaceAll(/\\(["\\])/g, '$1') ?? text;
  if ((quoted === undefined && text.startsWith('"')) || !/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw serviceError('bad_request', 'Idempotency-Key takes 1 to 255 visible ASCII characters, quoted or bare');
  }
  return key;
}
