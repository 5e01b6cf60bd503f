import { writeTime } from '../../contract/captions/cue-time.ts';
import type { Diagnostic } from '../../kernel/diagnostic.ts';
import type { PlacedCueFinding } from '../../reconciler/definition/caption-findings.ts';
import type { Video } from '../../reconciler/definition/video.ts';
import { type LintSettings, lintSeverity } from '../../template/lint-severities.ts';

/** Cues that break a rule in the same way, of which each is reported. The rest is counted. */
const MAX_FINDINGS = 20;

/** Describes cues that do not keep to rules, with the severities of reelform.yaml. */
export function captionDiagnostics(
  findings: readonly PlacedCueFinding[],
  { id, captionRules: profile }: Pick<Video, 'id' | 'captionRules'>,
  lint: LintSettings,
): Diagnostic[] {
  const counts = new Map<string, number>();
  const diagnostics = findings.flatMap((finding): Diagnostic[] => {
    const { code, at } = finding;
    const severity = lintSeverity(code, { repository: lint, template: {} });
    if (severity === 'off') return [];
    const count = (counts.get(code) ?? 0) + 1;
    counts.set(code, count);
    if (count > MAX_FINDINGS) return [];
    const [words, hint] = wordingOf(finding);
    const message = `${quoted(finding)} of ${id} ${words} (${profile})`;
    return [{ code, severity, message, hint, at }];
  });
  const more = [...counts].filter(([, count]) => count > MAX_FINDINGS);
  return diagnostics.map((diagnostic): Diagnostic => {
    const [, count = 0] = more.find(([code]) => code === diagnostic.code) ?? [];
    const isLast = diagnostics.findLast(({ code }) => code === diagnostic.code) === diagnostic;
    const rest = count - MAX_FINDINGS;
    return count > 0 && isLast ? { ...diagnostic, message: `${diagnostic.message}, and ${rest} more` } : diagnostic;
  });
}

/** Returns the text of a cue in one short line. */
export function shortenedCue(text: string): string {
  const line = text.replaceAll('\n', ' ');
  const characters = [...line];
  return characters.length > 30 ? `${characters.slice(0, 29).join('')}…` : line;
}

function quoted({ cue: { start, text } }: PlacedCueFinding): string {
  return `The caption ${JSON.stringify(shortenedCue(text))} at ${writeTime(start, 'vtt')}`;
}

const FIX = 'To change the times of all of them: reelform captions fix';

function wordingOf({ code, found, limit, unit, fix }: PlacedCueFinding): readonly [words: string, hint: string] {
  switch (code) {
    case 'caption_too_fast':
      return [
        `has ${number(found)} ${unit}; at most ${number(limit)} are allowed`,
        'Shorten its text, or show it longer',
      ];
    case 'caption_line_too_long':
      return [
        `has a line of ${number(found)} characters; at most ${limit} are allowed`,
        'Break the line, or shorten it',
      ];
    case 'caption_too_many_lines':
      return [`has ${found} lines; at most ${limit} are allowed`, 'Make two captions of it'];
    case 'caption_too_short':
      return [
        `is shown for ${number(found)} s; at least ${number(limit)} s are needed`,
        'Show it longer, or join it with its neighbour',
      ];
    case 'caption_too_long':
      return [`is shown for ${number(found)} s; at most ${number(limit)} s are allowed`, 'Make two captions of it'];
    case 'caption_gap':
      return [`ends ${number(found)} frames before the next; it should end ${limit} frames before it`, FIX];
    case 'caption_at_cut': {
      const edge = fix?.edge === 'start' ? 'starts' : 'ends';
      return [
        `${edge} at ${writeTime(found, 'vtt')}, near a cut; it should at ${writeTime(Math.max(0, limit), 'vtt')}`,
        FIX,
      ];
    }
  }
}

function number(value: number): string {
  return String(Math.round(value * 100) / 100);
}
