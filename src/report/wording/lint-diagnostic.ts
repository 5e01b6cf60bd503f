import type { Diagnostic, Severity, Span } from '../../diagnostic.ts';
import type { LintFinding } from '../../engine/lint/lint-finding.ts';

/** The video that a finding concerns, and the source location of the value. */
export interface LintTarget {
  readonly id: string;
  /** Undefined if only the video is known. */
  readonly at: Span | undefined;
  readonly severity: Severity;
}

/** Describes a lint finding as a diagnostic. */
export function lintDiagnostic(finding: LintFinding, { id, at, severity }: LintTarget): Diagnostic {
  const { code, editable, frame, seconds, still } = finding;
  const moment = `at ${seconds.toFixed(1)} s${still === null ? '' : ` (${still})`}`;
  const look = `To see it: reelform render ${id} --frame ${frame}`;
  const diagnostic = (message: string, hint: string): Diagnostic => ({ code, severity, message, hint, at });
  switch (finding.code) {
    case 'glyph_missing': {
      const characters = finding.characters.slice(0, 12).join(' ');
      const more = finding.characters.length > 12 ? ' …' : '';
      return diagnostic(
        `No font draws ${characters}${more} of ${editable} in ${id}, ${moment}`,
        'Add a font that has them to the folder that `fonts` of reelform.yaml names, or to the template',
      );
    }
    case 'text_overflow':
      return finding.beyond === 'frame'
        ? diagnostic(`${editable} of ${id} is cut off by the edge of the picture, ${moment}`, `Shorten it. ${look}`)
        : diagnostic(
            `${editable} of ${id} does not fit its box${share(finding.overflow)}, ${moment}`,
            `Shorten it. ${look}`,
          );
    case 'low_contrast':
      return diagnostic(
        `${editable} of ${id} has a contrast of ${(Math.floor(finding.ratio * 100) / 100).toFixed(2)}:1 with what lies behind it, ${moment}; ${finding.needed}:1 can be read`,
        look,
      );
    case 'image_too_small': {
      const { width, height, areaWidth, areaHeight } = finding;
      const times = Math.max(areaWidth / width, areaHeight / height).toFixed(1);
      return diagnostic(
        `${editable} of ${id} shows ${width} × ${height} pixels of its image on ${areaWidth} × ${areaHeight}, enlarged ${times} times, ${moment}`,
        finding.limit === 'image'
          ? `Use a larger image. ${look}`
          : `A larger image does not help: give its asset a larger w and h in the template. ${look}`,
      );
    }
    case 'clip_ends_early': {
      const lengths = `${secondsText(finding.lengthSeconds)} of ${secondsText(finding.neededSeconds)}`;
      return diagnostic(
        `${editable} of ${id} has a clip for ${lengths}: from ${secondsText(finding.standsFromSeconds)} on its last picture stands, ${moment}`,
        `Use a longer clip, or trim it less. ${look}`,
      );
    }
    case 'media_truncated': {
      const { presentSeconds, announcedSeconds } = finding;
      const lengths = `after ${secondsText(presentSeconds)}${announcedSeconds === null ? '' : ` of ${secondsText(announcedSeconds)}`}`;
      return diagnostic(
        `The file of ${editable} of ${id} breaks off ${lengths}, ${moment}`,
        'Export it again, or copy it again',
      );
    }
  }
}

function secondsText(seconds: number): string {
  return `${seconds.toFixed(1)} s`;
}

function share(overflow: number | null): string {
  return overflow === null ? '' : ` by ${Math.max(1, Math.round(overflow * 100))} %`;
}

/** Describes a video that could not be checked. */
export function lintFailure(reason: string, { id, at, severity }: LintTarget): Diagnostic {
  const hint =
    severity === 'error'
      ? 'apply could not render it either'
      : `reelform render ${id} shows whether it can be rendered`;
  return { code: 'lint_failed', severity, message: `${id} cannot be looked at: ${reason}`, hint, at };
}
