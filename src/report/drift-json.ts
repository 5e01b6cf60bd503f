import type { JsonDiagnostic } from './diagnostics-json.ts';
import type { DriftReport } from './drift-text.ts';

/** What a look at the world found, as one JSON document. URLs are without their queries, which may hold a signature. */
export function driftJson({ checked, findings, unclear }: DriftReport, diagnostics: readonly JsonDiagnostic[]): string {
  const document = {
    format_version: '1.0',
    checked,
    drift: findings.map(({ id, what, url }) => ({ id, what, url: withoutQuery(url) })),
    unclear: unclear.map(({ id, url, why }) => ({ id, url: withoutQuery(url), why })),
    diagnostics,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, '');
}
