import type { Diagnostic } from '../diagnostic.ts';
import { byCodeUnit } from '../digest.ts';

/** In the order in which a reader meets them; what many rows or files have in common stands once. */
export function sortDiagnostics(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const unique = new Map(
    diagnostics.map((one) => [`${positionOf(one)}:${one.at?.end}:${one.code}:${one.message}`, one]),
  );
  return [...unique.values()].sort(
    (a, b) => byCodeUnit(a.at?.file ?? '', b.at?.file ?? '') || (a.at?.start ?? 0) - (b.at?.start ?? 0),
  );
}

/** One text for one place where something begins to be wrong. */
export function positionOf({ at }: Diagnostic): string {
  return `${at?.file}:${at?.start}`;
}
