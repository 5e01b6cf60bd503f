/** One attempt at a session. */
export interface SessionAttempt {
  readonly session: string;
  readonly attempt: number;
}

/** What there is to be done for a session that is not rendered in one piece. */
export type PartJob = SessionAttempt &
  (
    | { readonly kind: 'part'; readonly part: number }
    | { readonly kind: 'join' }
    /** Until another session has rendered the same scene; looked at for the n-th time. */
    | { readonly kind: 'wait'; readonly count: number }
  );

const FORM = /^(rs_[\w-]+)\/(\d+)\/(?:(\d+)|(join)|wait-(\d+))$/;

/** `rs_…/<attempt>/<part>`, `rs_…/<attempt>/join`, `rs_…/<attempt>/wait-<n>`. */
export function partJobId(job: PartJob): string {
  const { session, attempt } = job;
  const what = job.kind === 'part' ? job.part : job.kind === 'join' ? 'join' : `wait-${job.count}`;
  return `${session}/${attempt}/${what}`;
}

/** Null for the id of a session, whose job is the whole of it. */
export function parsePartJob(id: string): PartJob | null {
  const match = FORM.exec(id);
  if (match === null) return null;
  const [, session, attempt, part, join, count] = match;
  const of = { session: session!, attempt: Number(attempt) };
  if (part !== undefined) return { ...of, kind: 'part', part: Number(part) };
  return join === undefined ? { ...of, kind: 'wait', count: Number(count) } : { ...of, kind: 'join' };
}
