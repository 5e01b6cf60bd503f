import type { ReelformError } from '../diagnostic.ts';

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
