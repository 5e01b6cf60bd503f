import type { Diagnostic, Span } from '../diagnostic.ts';
import { closestMatch } from '../hints.ts';

/** Says that reelform.yaml names no such template, and which one was probably meant. */
export function unknownTemplate(name: string, known: readonly string[], at?: Span): Diagnostic {
  const meant = closestMatch(name, known);
  const names =
    known.length > 0 ? `reelform.yaml names ${known.join(', ')}` : 'Name it under "templates" in reelform.yaml';
  const hint = meant === null ? names : `Did you mean ${meant}?`;
  const message = `reelform.yaml names no template ${JSON.stringify(name)}`;
  return { code: 'unknown_template', severity: 'error', message, hint, at };
}
