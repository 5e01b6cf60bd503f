import { type AnswerHead, exchange, type HttpRequest } from '../http/send-request.ts';

/** `headers` with the token. */
export type ForgeRequest = Pick<HttpRequest, 'method' | 'url' | 'headers' | 'body' | 'idleMs'>;

export interface ForgeAnswer extends AnswerHead {
  readonly text: string;
}

/** What became of one request. `unanswered`: it may have been done. */
export type Sent =
  | { readonly kind: 'answer'; readonly answer: ForgeAnswer }
  | { readonly kind: 'unsent' | 'unanswered'; readonly code: string }
  | { readonly kind: 'too_large' };

/** No answer is larger, unpacked: a hundred comments of 64 KiB each are 7 MiB, and may be written in escapes. */
const MAX_ANSWER_BYTES = 48 << 20;

/** Sends one request, once, and follows no redirect. */
export async function sendOnce(request: ForgeRequest): Promise<Sent> {
  const sent = await exchange({ idleMs: 30_000, totalMs: 60_000, ...request }, MAX_ANSWER_BYTES);
  if (sent.kind === 'answered') {
    const { status, headers, bytes } = sent;
    return { kind: 'answer', answer: { status, headers, text: bytes.toString() } };
  }
  if (sent.kind !== 'broken') return sent;
  return sent.code === 'too_large' ? { kind: 'too_large' } : { kind: 'unanswered', code: sent.code };
}
