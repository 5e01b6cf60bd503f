import type { SpecChange } from '../../apply/spec-changes.ts';
import type { Attempt } from '../../lock/journal.ts';
import type { Change } from '../../plan/plan.ts';
import { changeDocument, type PlanDocument } from '../../plan/plan-document.ts';
import type { DriftReport } from '../terminal/drift-text.ts';
import type { JsonDiagnostic } from './diagnostics-json.ts';

/** What a look at the world found, as one JSON document. URLs are without their queries, which may hold a signature. */
export function driftJson(
  { checked, findings, notes, unclear, specs }: DriftReport,
  diagnostics: readonly JsonDiagnostic[],
): string {
  const document = {
    format_version: '1.0',
    checked,
    drift: findings.map(({ id, what, url }) => ({ id, what, url: withoutQuery(url) })),
    notes: notes.map(({ id, what, url }) => ({ id, what, url: withoutQuery(url) })),
    unclear: unclear.map(({ id, url, why }) => ({ id, url: withoutQuery(url), why })),
    templates: specs.map((spec) => ({
      template: spec.template,
      style_version: spec.styleVersion,
      status: spec.kind,
      changes: spec.kind === 'changed' ? spec.changes.map(changeJson) : [],
      why: spec.kind === 'unclear' ? spec.why : null,
    })),
    diagnostics,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function changeJson({ editable, field, before = null, after = null }: SpecChange): SpecChange {
  return { editable, field, before, after };
}

function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, '');
}

/** The plan's document as a file: pretty-printed, with a last newline. */
export function planJson(document: PlanDocument): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

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
