import { serviceError } from '../../service/service-error.ts';

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
