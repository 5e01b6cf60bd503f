import type { Attempt } from '../../lock/journal.ts';
import type { Change } from '../../plan/plan.ts';
import { changeDocument } from '../../plan/plan-document.ts';

/** All that is known of one video, as one JSON document: its change in the form of the plan, and what it hangs on. */
export function explainJson(explanation: {
  readonly change: Change;
  readonly attempt: Attempt | null;
  /** Repository-relative: a change of one of them can change the video. */
  readonly files: readonly string[];
}): string {
  const { change, attempt, files } = explanation;
  const document = {
    format_version: '1.0',
    ...changeDocument(change),
    service: change.desired?.service ?? change.before?.service ?? null,
    style_version: change.desired?.styleVersion ?? change.before?.style_version ?? null,
    values: change.desired?.inputs ?? change.before?.inputs ?? {},
    files: [...files].sort(),
    rendered_at: change.before?.rendered_at ?? null,
    in_flight:
      attempt === null || attempt.state === 'closed'
        ? null
        : { state: attempt.state, session: attempt.session, asked_at: attempt.intent.at },
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
