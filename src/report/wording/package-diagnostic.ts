import type { Diagnostic, Span } from '../../diagnostic.ts';
import type { PackageFinding } from '../../engine/inspect/inspect-package.ts';
import type { UnsupportedUse } from '../../template/lottie/find-unsupported.ts';
import { FEATURES } from '../../template/lottie/unsupported-features.ts';
import type { Manifest } from '../../template/parse-manifest.ts';
import { lintDiagnostic } from './lint-diagnostic.ts';
import { countNoun } from './quantities.ts';

const MOST_PLACES = 4;

/**
 * Describes a finding about a template package as a warning.
 *
 * @param folder folder of the package as shown to the user
 */
export function packageDiagnostic(
  finding: PackageFinding,
  folder: string,
  manifest: Pick<Manifest, 'editables' | 'stillcuts'>,
): Diagnostic {
  const file = (name: string): Span => ({ file: `${folder}/${name}`, start: 0, end: 0 });
  const warning = (code: Diagnostic['code'], message: string, at: Span, hint?: string): Diagnostic => {
    return { code, severity: 'warning', message, hint, at };
  };
  switch (finding.kind) {
    case 'seen': {
      const at = manifest.editables.get(finding.finding.editable)?.at ?? file('template.yaml');
      const diagnostic = lintDiagnostic(finding.finding, { id: 'the template', at, severity: 'warning' });
      const { finding: seen } = finding;
      const isAsset = seen.code === 'image_too_small' && seen.limit === 'asset';
      return { ...diagnostic, hint: isAsset ? ASSET_HINT : LINT_HINTS[seen.code] };
    }
    case 'unsupported': {
      const { instead, hint } = FEATURES[finding.feature];
      const message = `${instead}: ${finding.what} of ${placesText(finding.uses)}`;
      return warning('template_unsupported', message, file('animation.json'), hint);
    }
    case 'unseen': {
      const { editable, still, shownOn, seconds } = finding;
      const at = manifest.editables.get(editable)?.at ?? file('template.yaml');
      if (seconds === null) {
        const hint = `What it fills may be covered, masked, transparent or outside the picture. Show it, or remove ${editable}`;
        return warning('template_unseen', `Filling ${editable} changes no frame of the animation`, at, hint);
      }
      const when = `It is seen at ${secondsText(seconds)}`;
      const hint = shownOn.length > 0 ? `Write stillcut: ${shownOn[0]}` : `${when}: move the still there, or add one`;
      return warning('template_unseen', `Filling ${editable} changes nothing on its still ${still}`, at, hint);
    }
    case 'idle_still': {
      const at = manifest.stillcuts.get(finding.still)?.at ?? file('template.yaml');
      const message =
        finding.named === 0
          ? `No editable is shown on the still ${finding.still}`
          : `The still ${finding.still} shows none of its ${countNoun(finding.named, 'editable')}`;
      const move = finding.seconds === null ? '' : `Move it to ${secondsText(finding.seconds)}, or `;
      return warning('template_unseen', message, at, `${move}${move === '' ? 'Remove' : 'remove'} it`);
    }
    case 'large_image': {
      const { width, height, drawnWidth, drawnHeight, sizeBytes, path } = finding;
      const size = `${width} × ${height} pixels (${Math.round(sizeBytes / 1000)} kB)`;
      const message = `The image has ${size} and is never drawn larger than ${drawnWidth} × ${drawnHeight}`;
      return warning('image_too_large', message, file(path), `Scale it to ${drawnWidth} × ${drawnHeight}`);
    }
    case 'no_licence': {
      const message = `There is no licence beside ${finding.fonts.join(', ')}`;
      const hint = 'Put the text of the licence into fonts/, as OFL.txt or LICENSE.txt';
      return warning('font_unlicensed', message, file('fonts'), hint);
    }
  }
}

/** A font that cannot be opened; `problem` is a sentence. */
export interface UnreadableFont {
  /** Path within the package's folder. */
  readonly path: string;
  readonly problem: string;
}

/** @param folder folder of the package as shown to the user */
export function unreadableFont({ path, problem }: UnreadableFont, folder: string): Diagnostic {
  const at = { file: `${folder}/${path}`, start: 0, end: 0 };
  const hint = 'Put the font in again';
  return { code: 'template_invalid', severity: 'error', message: problem, hint, at };
}

function secondsText(seconds: number): string {
  return `${Number(seconds.toFixed(3))} s`;
}

/** Lists layers by name and JSON pointer. */
export function placesText(uses: readonly UnsupportedUse[]): string {
  const shown = uses.slice(0, MOST_PLACES).map(({ layer, pointer }) => `${JSON.stringify(layer)} (${pointer})`);
  const more = uses.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const ASSET_HINT = 'Give its asset in animation.json a larger w and h, and its layer a smaller scale';

const LINT_HINTS: Readonly<Record<string, string>> = {
  glyph_missing: 'Add a font that has them to fonts/: it stands in where the text’s own has none',
  text_overflow: 'Shorten the example, enlarge the box of the text, or let it shrink: see templates/DESIGNERS.md',
  low_contrast: 'Choose other colours, or put something behind the text',
  image_too_small: 'Put a larger image into the package',
  clip_ends_early: 'Put a longer clip into the package, or end the layer with it',
  media_truncated: 'Export the file again, or copy it again',
};
