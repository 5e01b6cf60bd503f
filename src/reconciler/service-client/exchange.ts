import { createHmac } from 'node:crypto';
import { stripQueries } from '../../contract/urls.ts';
import { EXIT, ReelformError } from '../../kernel/diagnostic.ts';
import { proxyReason } from '../../kernel/http/proxy.ts';
import { type HttpRequest, sendRequest as sendOnce } from '../../kernel/http/send-request.ts';

/** Status and headers of an answer, which can be available although its body is not. */
interface AnswerHead {
  readonly status: number;
  /** @param name lower case */
  header(name: string): string | null;
}

/** A complete answer with any status. */
export interface ServiceAnswer extends AnswerHead {
  readonly text: string;
}

/** Outcome of sending one request. `error` is for users; it contains neither token nor query. */
export type Exchange =
  /** No connection: the request cannot have arrived. */
  | { readonly kind: 'unsent'; readonly error: ReelformError }
  /** The request may have arrived but was not answered. `isSilent`: it timed out on an open connection. */
  | { readonly kind: 'unanswered'; readonly error: ReelformError; readonly isSilent?: boolean }
  /** The answer was cut off or too large. */
  | { readonly kind: 'broken'; readonly head: AnswerHead; readonly error: ReelformError; readonly isSilent?: boolean }
  | { readonly kind: 'answer'; readonly answer: ServiceAnswer };

/** Limit of an answer after decompression. */
const MAX_ANSWER_BYTES = 8 << 20;

/**
 * Sends one request to the service, once.
 *
 * @param token sent as `Authorization: Bearer`; removed from errors and answers even if the service echoes it
 */
export async function exchange(request: HttpRequest, token: string): Promise<Exchange> {
  const headers = { ...request.headers, authorization: `Bearer ${token}` };
  const sent = await sendOnce({ ...request, headers }, MAX_ANSWER_BYTES);
  const clean = (text: string): string => text.replaceAll(token, '…').replaceAll(encodeURIComponent(token), '…');
  if (sent.kind === 'answered' || sent.kind === 'broken') {
    const header = (name: string): string | null => {
      const [value] = [sent.headers[name]].flat();
      return value === undefined ? null : clean(value);
    };
    const head = { status: sent.status, header };
    if (sent.kind === 'answered') return { kind: 'answer', answer: { ...head, text: clean(sent.bytes.toString()) } };
    return { kind: 'broken', head, ...troubleOf(request, sent.code) };
  }
  const { isSilent, error } = troubleOf(request, sent.code);
  return sent.kind === 'unsent' ? { kind: 'unsent', error } : { kind: 'unanswered', error, isSilent };
}

const PROXY_HINT = 'Check HTTP_PROXY, HTTPS_PROXY and NO_PROXY; reelform doctor prints the proxy of the service';

const UNTRUSTED = 'its certificate is not trusted';

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was closed',
  ENOTFOUND: 'unknown host',
  EAI_AGAIN: 'the host name could not be resolved',
  ETIMEDOUT: 'timeout',
  EPIPE: 'the connection was closed',
  ERR_INVALID_CHAR: 'the token contains characters that are not allowed in a header',
  ERR_HTTP_INVALID_HEADER_VALUE: 'the token contains characters that are not allowed in a header',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
  EPROTO: 'the response is not TLS; does the URL begin with http://?',
  HPE_INVALID_CONSTANT: 'the response is not HTTP',
};

/** Explains why there is no complete answer. */
function troubleOf(
  { method, url }: HttpRequest,
  code: string,
): { readonly error: ReelformError; readonly isSilent: boolean } {
  const name = stripQueries(`${method} ${url}`);
  if (code === 'too_large') {
    const message = `The response of ${name} is larger than ${MAX_ANSWER_BYTES >> 20} MiB`;
    const hint = 'Check that "service" in reelform.yaml is the URL of a compatible rendering service';
    return { error: new ReelformError('service_answer_invalid', message, { hint }), isSilent: false };
  }
  const proxy = proxyReason(code);
  const reason = proxy ?? REASONS[code] ?? code;
  const hint =
    reason === UNTRUSTED
      ? 'Set NODE_EXTRA_CA_CERTS to a file with the certificate of its authority'
      : proxy !== null
        ? PROXY_HINT
        : 'Check that the service is running, and "service" in reelform.yaml';
  const error = new ReelformError('service_unreachable', `${name}: ${reason}`, { hint });
  return { error, isSilent: code === 'ETIMEDOUT' };
}

/** Number of characters that makes a collision of two tokens of a service negligible. */
const DIGEST_LENGTH = 16;

/**
 * Returns a digest that shows whether two requests with one idempotency key were sent with the same token. It is safe in
 * a journal that is committed: HMAC-SHA-256 reveals nothing about a key as random as an access token, 64 bits of it
 * cannot be reversed, and the idempotency key, which is random and used once, acts as a salt: digests of one token
 * cannot be linked or looked up in a table.
 *
 * @see RFC 2104
 */
export function accountDigest(token: string, idempotencyKey: string): string {
  const text = `reelform account\n${idempotencyKey}`;
  return createHmac('sha256', token).update(text).digest('hex').slice(0, DIGEST_LENGTH);
}

/**
 * Rejects URLs that the environment does not allow for the token: anyone who can open a pull request can change the URL
 * in reelform.yaml and the name of the variable with the token.
 *
 * @param url of the service
 * @param allowed comma-separated origins; blank allows any; only separators allow none
 * @throws ReelformError `token_origin`
 */
export function checkTokenOrigin(url: string, allowed: string | undefined): void {
  // CI systems set missing variables to an empty string.
  if ((allowed ?? '').trim() === '') return;
  const names = (allowed ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
  const { origin } = new URL(url);
  if (names.some((name) => URL.canParse(name) && new URL(name).origin === origin)) return;
  throw new ReelformError(
    'token_origin',
    `The access token may only be sent to ${names.join(', ') || 'no origin'}, not to ${origin}`,
    {
      hint: 'Check who changed "service" in reelform.yaml. If the change is intended, add the origin to REELFORM_TOKEN_ORIGIN',
      exitCode: EXIT.authentication,
    },
  );
}
