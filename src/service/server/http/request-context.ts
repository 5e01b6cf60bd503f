import type { FastifyReply, FastifyRequest } from 'fastify';
import { serviceError } from '../../../contract/service-error.ts';
import type { IdempotencyClaim, TenantId } from '../../sessions/ports.ts';
import type { Principal, Scope } from '../ports.ts';
import { requestDigest } from './json-body.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Scope that the token needs. */
    scope?: Scope;
    /** Whether an edit token may call the route for its own session. */
    isForEditing?: boolean;
    /** Whether the operation stores something, for which the service needs space on its disk. */
    isCreating?: boolean;
  }
  interface FastifyRequest {
    /** The authenticated principal; null before authentication and on public routes. */
    principal: Principal | null;
    /** Raw bytes of a JSON body. */
    rawBody: Uint8Array | null;
  }
}

/** Returns the tenant of an authenticated request. */
export function tenantOf(request: FastifyRequest): TenantId {
  if (request.principal === null) throw new Error('this route requires no token');
  return request.principal.tenant;
}

/** Returns the session of the request's edit token, or null for every other token. */
export function editedSessionOf(request: FastifyRequest): string | null {
  return request.principal?.sessionId ?? null;
}

/** Returns the path of a request without its query. */
export function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0]!;
}

/**
 * Returns the idempotency claim of a request, or null without an Idempotency-Key.
 *
 * @throws ServiceError 400 for a malformed key
 */
export function claimOf(request: FastifyRequest, expiresAt: number): IdempotencyClaim | null {
  const key = readIdempotencyKey(request.headers['idempotency-key']);
  if (key === null) return null;
  return { key, request: requestDigest(request.method, pathOf(request), request.rawBody), expiresAt };
}

/**
 * Parses an `Idempotency-Key` header, either the quoted string of the draft or the bare characters that most clients
 * send. Both forms denote the same key.
 *
 * @returns null without a header
 * @throws ServiceError 400 for a key that is empty, longer than 255 characters or not visible ASCII
 * @see draft-ietf-httpapi-idempotency-key-header, section 2.1; RFC 8941, section 3.3.3
 */
export function readIdempotencyKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null;
  const text = Array.isArray(header) ? header.join(', ') : header;
  const quoted = /^"((?:[\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/.exec(text)?.[1];
  const key = quoted?.replaceAll(/\\(["\\])/g, '$1') ?? text;
  if ((quoted === undefined && text.startsWith('"')) || !/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw serviceError(
      'bad_request',
      'Idempotency-Key must have 1 to 255 visible ASCII characters, quoted or unquoted',
    );
  }
  return key;
}

/** Echoes the key of a claim. The expiry time of a replayed answer is unknown. */
export function echoClaim(
  request: FastifyRequest,
  reply: FastifyReply,
  { isReplay }: { readonly isReplay: boolean },
  claimed: IdempotencyClaim | null,
): void {
  echoIdempotencyKey(request, reply, { isReplay, expiresAt: isReplay ? undefined : claimed?.expiresAt });
}

/**
 * Echoes the request's key, which shows the client that the service supports idempotency keys.
 *
 * @param expiresAt milliseconds since the epoch; absent when unknown
 */
export function echoIdempotencyKey(
  request: FastifyRequest,
  reply: FastifyReply,
  { isReplay, expiresAt }: { readonly isReplay: boolean; readonly expiresAt?: number | undefined },
): void {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return;
  reply.header('idempotency-key', key);
  if (expiresAt !== undefined) reply.header('idempotency-key-expires', new Date(expiresAt).toUTCString());
  if (isReplay) reply.header('idempotent-replayed', 'true');
}

/** Links to the next page of a list, if it exists. @param query parameters of the list @see RFC 8288 */
export function linkNextPage(
  reply: FastifyReply,
  place: string,
  query: Readonly<Record<string, string | number | readonly string[] | null>>,
  cursor: string | null,
): void {
  if (cursor === null) return;
  const next = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...query, cursor })) {
    for (const item of [value ?? []].flat()) next.append(name, String(item));
  }
  reply.header('link', `<${place}?${next}>; rel="next"`);
}

/**
 * Reads a date or time of a query.
 *
 * @returns ISO 8601, UTC, with milliseconds
 * @throws ServiceError 400 for a time that does not exist
 */
export function readTime(name: string, text: string): string {
  const milliseconds = Date.parse(text);
  if (Number.isNaN(milliseconds)) throw serviceError('bad_request', `${name} is not a date or time: ${text}`);
  return new Date(milliseconds).toISOString();
}
