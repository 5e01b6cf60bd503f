import { EXIT, ReelformError } from '../diagnostic.ts';
import { type HttpRequest, sendRequest as sendOnce } from '../http/send-request.ts';
import { stripQueries } from './urls.ts';

/** The first part of an answer, which can be there although the rest never came. */
export interface AnswerHead {
  readonly status: number;
  /** @param name lower case */
  header(name: string): string | null;
}

/** An answer, whatever its status. */
export interface ServiceAnswer extends AnswerHead {
  readonly text: string;
}

/** What came of sending one request. `error` tells a person; it holds neither token nor query. */
export type Exchange =
  /** There was no connection: nothing of the request can have arrived. */
  | { readonly kind: 'unsent'; readonly error: ReelformError }
  /** It may have arrived, and no word came back. `isSilent`: the connection stood, and the service said nothing. */
  | { readonly kind: 'unanswered'; readonly error: ReelformError; readonly isSilent?: boolean }
  /** An answer began, and did not end, or had no end. */
  | { readonly kind: 'broken'; readonly head: AnswerHead; readonly error: ReelformError; readonly isSilent?: boolean }
  | { readonly kind: 'answer'; readonly answer: ServiceAnswer };

/** No answer of a service is larger, unpacked. */
const MAX_ANSWER_BYTES = 8 << 20;

/**
 * Sends one request to the service, once.
 *
 * @param token sent as `Authorization: Bearer`; never in an error or an answer, also when the service repeats it
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

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was cut off',
  ENOTFOUND: 'the host is not known',
  EAI_AGAIN: 'the name server did not answer',
  ETIMEDOUT: 'it took too long',
  EPIPE: 'the connection was cut off',
  ERR_INVALID_CHAR: 'the token holds characters that a header cannot have',
  ERR_HTTP_INVALID_HEADER_VALUE: 'the token holds characters that a header cannot have',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not signed by anybody who is trusted here',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not signed by anybody who is trusted here',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not signed by anybody who is trusted here',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
  HPE_INVALID_CONSTANT: 'what answered does not speak HTTP',
};

/** Why no whole answer came. */
function troubleOf(
  { method, url }: HttpRequest,
  code: string,
): { readonly error: ReelformError; readonly isSilent: boolean } {
  const name = stripQueries(`${method} ${url}`);
  if (code === 'too_large') {
    const message = `${name} answered more than ${MAX_ANSWER_BYTES >> 20} MiB`;
    const hint = 'Look whether "service" in reelform.yaml is the URL of a service that has the interface';
    return { error: new ReelformError('service_answer_invalid', message, { hint }), isSilent: false };
  }
  const hint = 'Look whether the service runs, and at "service" in reelform.yaml';
  const error = new ReelformError('service_unreachable', `${name}: ${REASONS[code] ?? code}`, { hint });
  return { error, isSilent: code === 'ETIMEDOUT' };
}

/**
 * Sees to it that the token goes nowhere but where the environment lets it: reelform.yaml, with the URL and the name of
 * the variable that holds the token, can be changed by whoever can open a pull request.
 *
 * @param url of the service
 * @param allowed origins, separated by commas; blank: any; no name between commas: none
 * @throws ReelformError `token_origin`
 */
export function checkTokenOrigin(url: string, allowed: string | undefined): void {
  // Set to nothing is not set: what a CI makes of a variable that is not there.
  if ((allowed ?? '').trim() === '') return;
  const names = (allowed ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
  const { origin } = new URL(url);
  if (names.some((name) => URL.canParse(name) && new URL(name).origin === origin)) return;
  throw new ReelformError(
    'token_origin',
    `The access token may be sent to ${names.join(', ') || 'nowhere'}, and reelform.yaml names ${origin}`,
    {
      hint: 'Look who changed "service" in reelform.yaml; if it is right, add the origin to REELFORM_TOKEN_ORIGIN',
      exitCode: EXIT.authentication,
    },
  );
}
