import type { SpecChange } from '../../apply/spec-changes.ts';
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
