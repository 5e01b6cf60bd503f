import type { LintFinding } from '../../engine/lint-finding.ts';
import { scriptOf } from '../../engine/text/script-of.ts';
import type { Diagnostic } from '../../kernel/diagnostic.ts';
import { groupBy } from '../../kernel/group-by.ts';
import { type LintTarget, lintDiagnostic } from './lint-diagnostic.ts';
import { countNoun } from './quantities.ts';

/** A finding of a video, with its source location and severity. */
export interface PlacedFinding {
  readonly finding: LintFinding;
  readonly target: LintTarget;
}

type GlyphFinding = LintFinding & { readonly code: 'glyph_missing' };

/** The missing characters of a script in a text. */
interface MissingScript {
  /** With the characters of the script alone. */
  readonly finding: GlyphFinding;
  readonly target: LintTarget;
  readonly script: string;
}

/**
 * Describes findings as diagnostics. Missing glyphs give one diagnostic for each font and script, at the first text: one font
 * file corrects all of them.
 */
export function lintDiagnostics(found: readonly PlacedFinding[]): Diagnostic[] {
  const missing = found.flatMap(({ finding, target }) => {
    return finding.code === 'glyph_missing' ? scriptsOf(finding, target) : [];
  });
  const groups = groupBy(missing, ({ finding, target, script }) => [target.severity, finding.font, script].join('\n'));
  return [
    ...found.flatMap(({ finding, target }) =>
      finding.code === 'glyph_missing' ? [] : [lintDiagnostic(finding, target)],
    ),
    ...[...groups.values()].map(glyphDiagnostic),
  ];
}

function scriptsOf(finding: GlyphFinding, target: LintTarget): MissingScript[] {
  const scripts = groupBy(finding.characters, scriptName);
  return [...scripts].map(([script, characters]) => ({ finding: { ...finding, characters }, target, script }));
}

/** Returns the script of a grapheme cluster. Emoji and symbols belong to no script. */
function scriptName(cluster: string): string {
  const script = scriptOf(String.fromCodePoint(cluster.codePointAt(0)!));
  return script === null ? 'symbols' : script === 'other' ? 'another script' : script.replaceAll('_', ' ');
}

function glyphDiagnostic(group: readonly MissingScript[]): Diagnostic {
  const [{ finding, target, script }] = group as [MissingScript];
  const characters = [...new Set(group.flatMap((missing) => missing.finding.characters))];
  const first = lintDiagnostic({ ...finding, characters }, target);
  const texts = new Set(
    group.map(({ finding: text, target: { id } }) => `${id}\n${'caption' in text ? text.caption : text.editable}`),
  ).size;
  if (texts === 1) return first;
  const videos = new Set(group.map((missing) => missing.target.id)).size;
  const all = `${script} in the font ${finding.font}: ${countNoun(texts, 'text')} of ${countNoun(videos, 'video')}`;
  return { ...first, message: `${first.message} (${all})` };
}
