import type { PackageFinding } from '../../engine/inspect/inspect-package.ts';
import type { RenderError } from '../../engine/render-error.ts';
import { type Diagnostic, errorAt, type Span, startOf, warningAt } from '../../kernel/diagnostic.ts';
import type { UnsupportedUse } from '../../template/lottie/unsupported/find-unsupported.ts';
import { FEATURES } from '../../template/lottie/unsupported/unsupported-features.ts';
import type { Manifest } from '../../template/parse-manifest.ts';
import { lintDiagnostic } from './lint-diagnostic.ts';
import { countNoun, listSome } from './quantities.ts';

const MAX_PLACES = 4;

/**
 * Describes a finding about a template package as a warning.
 *
 * @param folder folder of the package as shown to the user
 */
export function packageDiagnostic(
  finding: PackageFinding,
  folder: string,
  manifest: Pick<Manifest, 'editables' | 'stillcuts' | 'timing'>,
): Diagnostic {
  const file = (name: string): Span => startOf(`${folder}/${name}`);
  switch (finding.kind) {
    case 'lint': {
      const { editable } = finding.finding;
      const editableSpan = editable === null ? undefined : manifest.editables.get(editable)?.at;
      const at = editableSpan ?? file(editable === null ? 'animation.json' : 'template.yaml');
      const diagnostic = lintDiagnostic(finding.finding, { id: 'the template', at, severity: 'warning' });
      const { finding: seen } = finding;
      const isAsset = seen.code === 'image_too_small' && seen.limit === 'asset';
      return { ...diagnostic, hint: isAsset ? ASSET_HINT : LINT_HINTS[seen.code] };
    }
    case 'unsupported': {
      const { instead, hint } = FEATURES[finding.feature];
      const message = `${instead}: ${finding.what} of ${placesText(finding.uses)}`;
      return warningAt('template_unsupported', file('animation.json'), message, hint);
    }
    case 'not_visible': {
      const { editable, still, shownOn, seconds } = finding;
      const at = manifest.editables.get(editable)?.at ?? file('template.yaml');
      if (seconds === null) {
        const hint = `It may be covered, masked, transparent or outside the frame. Make it visible, or remove ${editable}`;
        return warningAt('template_unseen', at, `${editable} changes no frame of the animation`, hint);
      }
      const when = `It is visible at ${secondsText(seconds)}`;
      const hint =
        shownOn.length > 0 ? `Write stillcut: ${shownOn[0]}` : `${when}: move the stillcut there, or add one`;
      return warningAt('template_unseen', at, `${editable} changes nothing in its stillcut ${still}`, hint);
    }
    case 'idle_still': {
      const at = manifest.stillcuts.get(finding.still)?.at ?? file('template.yaml');
      const message =
        finding.named === 0
          ? `No editable is visible in the stillcut ${finding.still}`
          : `The stillcut ${finding.still} shows none of its ${countNoun(finding.named, 'editable')}`;
      const move = finding.seconds === null ? '' : `Move it to ${secondsText(finding.seconds)}, or `;
      return warningAt('template_unseen', at, message, `${move}${move === '' ? 'Remove' : 'remove'} it`);
    }
    case 'hold_moves': {
      const { place, seconds, changedShare } = finding;
      const change = `${Number((changedShare * 100).toFixed(1))} % of its pixels change from frame to frame`;
      const when = secondsText(seconds);
      if (place === null) {
        const message = `A longer scene would hold the picture at ${when}, where it moves: ${change}`;
        return warningAt('hold_moves', file('template.yaml'), message, IMPLIED_HOLD_HINT);
      }
      const message = `The picture moves at the hold at ${when}, so it would look frozen: ${change}`;
      return warningAt('hold_moves', manifest.timing?.[place]?.at, message, HOLD_HINT);
    }
    case 'large_image': {
      const { width, height, drawnWidth, drawnHeight, sizeBytes, path } = finding;
      const size = `${width} × ${height} pixels (${Math.round(sizeBytes / 1000)} kB)`;
      const message = `The image has ${size} and is never drawn larger than ${drawnWidth} × ${drawnHeight}`;
      return warningAt('image_too_large', file(path), message, `Scale it to ${drawnWidth} × ${drawnHeight}`);
    }
    case 'font_weight': {
      const { name, requested, weight, isAvailable, pointer } = finding;
      const message = `The animation asks for ${name} with the weight ${requested} (${pointer}), but its file has ${weight}`;
      const hint = isAvailable
        ? `Add to template.yaml: fonts: { ${name}: { axes: { wght: ${requested} } } }`
        : `Supply the file with the weight ${requested}, or write the weight of the file into fStyle and fWeight`;
      return warningAt('font_weight', file('animation.json'), message, hint);
    }
    case 'no_licence': {
      const message = `There is no licence next to ${finding.fonts.join(', ')}`;
      const hint = 'Add the text of the licence to fonts/ as OFL.txt or LICENSE.txt';
      return warningAt('font_unlicensed', file('fonts'), message, hint);
    }
  }
}

/** Says why a package cannot be drawn, and which of its images is the cause. */
export function undrawableText({ message, imageName }: RenderError): string {
  return imageName === undefined || message.includes(imageName) ? message : `${imageName}: ${message}`;
}

/** A font that cannot be opened or set as template.yaml says; `problem` is a sentence. */
export interface UnusableFont {
  /** Path within the package's folder. */
  readonly path: string;
  readonly problem: string;
  /** The entry of template.yaml that sets it; null if the file itself is unusable. */
  readonly at: Span | null;
}

/** @param folder folder of the package as shown to the user */
export function unusableFont({ path, problem, at }: UnusableFont, folder: string): Diagnostic {
  const hint = at === null ? 'Replace the font file' : 'Correct axes and features, or supply another font file';
  const file = startOf(`${folder}/${path}`);
  return errorAt('template_invalid', at ?? file, problem, hint);
}

function secondsText(seconds: number): string {
  return `${Number(seconds.toFixed(3))} s`;
}

/** Lists layers by name and JSON pointer. */
export function placesText(uses: readonly UnsupportedUse[]): string {
  return listSome(uses, MAX_PLACES, ({ layer, pointer }) => `${JSON.stringify(layer)} (${pointer})`);
}

const HOLD_HINT = 'Move the hold to a moment at which the picture is still, or use stretch or loop';
const IMPLIED_HOLD_HINT =
  'Say in timing of template.yaml where it can hold, loop or stretch; timing: [] keeps its length';

const ASSET_HINT = 'Increase w and h of its asset in animation.json, and reduce the scale of its layer';

const LINT_HINTS: Readonly<Record<string, string>> = {
  glyph_missing: 'Add a font with these characters to fonts/: it is used as a fallback',
  text_overflow: 'Shorten the example, enlarge the box of the text, or let it shrink: see docs/guides/after-effects.md',
  text_too_small: 'Enlarge the text or its box',
  text_shrunk: 'Shorten the example, or enlarge the box of the text',
  text_hidden: 'Show its layer, move it into the picture, or bring it to the front',
  text_leftover: 'Correct the example',
  text_direction: 'Put the mark U+200F before the example',
  text_collision: 'Move one of the texts, or give it a box',
  outside_safe_area: 'Move the text away from the edge',
  low_contrast: 'Choose other colours, or add a background behind the text',
  flashes: 'Slow the change down, or make the flashing area smaller',
  image_too_small: 'Add a larger file to the package',
  clip_ends_early: 'Add a longer clip to the package, or end the layer with the clip',
  clip_cut: 'Use a shorter clip as the example',
  sound_cut: 'Use a shorter sound as the example',
  sound_unused: 'Remove the sound, or give it a volume',
  media_truncated: 'Export the file again, or copy it again',
};
