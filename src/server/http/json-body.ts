import { sha256 } from '../../digest.ts';
import { serviceError } from '../../service/service-error.ts';
import { scanJson } from './scan-json.ts';

/**
 * A body as a JSON value; undefined for one without a byte, which some clients send along with a content type.
 *
 * @throws ServiceError 400 with the place of the mistake, and nothing of the body
 */
export function parseJsonBody(bytes: Uint8Array, maxDepth: number): unknown {
  if (bytes.length === 0) return undefined;
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw serviceError('bad_request', 'The body is not UTF-8');
  }
  const mistake = scanJson(text, maxDepth);
  if (mistake === null) return JSON.parse(text) as unknown;
  const what = mistake.code === 'invalid_json' ? 'The body is not JSON' : 'The body cannot be taken';
  throw serviceError('bad_request', `${what}: ${mistake.detail}`, [mistake]);
}

/** What tells two requests with one Idempotency-Key apart. */
export function requestDigest(method: string, url: string, body: Uint8Array | null): ReturnType<typeof sha256> {
  return sha256(`${method} ${url}\n${sha256(body ?? '')}`);
}
