import { bindMapping } from '../../template/bind/bind-mapping.ts';
import { type FontUse, fontUses } from '../../template/font-uses.ts';
import { requestedWeight } from '../../template/font-weight.ts';
import type { SafeAreaName } from '../../template/lint-severities.ts';
import { fontList } from '../../template/lottie/slots/lottie-slots.ts';
import { findUnsupported, type UnsupportedUse } from '../../template/lottie/unsupported/find-unsupported.ts';
import type { Feature } from '../../template/lottie/unsupported/unsupported-features.ts';
import { DrawnImages } from '../../template/lottie/visibility/drawn-images.ts';
import type { RenderInput } from '../../template/render-input.ts';
import type { TemplatePackage } from '../../template/template-package.ts';
import { readImageHeader } from '../images/image-header.ts';
import type { LintFinding } from '../lint-finding.ts';
import type { OpenFont } from '../text/harfbuzz-font.ts';
import { type DrawStills, type EditableVisibility, measureEditableVisibility } from './editable-visibility.ts';
import { type CompareStills, findMovingHolds, type MovingHold } from './moving-holds.ts';

/** Weight of a font. */
export type FontWeight = Pick<OpenFont, 'weight' | 'weightRange'>;

/** Rendering that the inspection needs, in a render pool or on this thread. */
interface PackageInspector {
  /** Weights of the fonts of the package. */
  readonly weightOf: (font: FontUse) => Promise<FontWeight>;
  readonly renderStills: DrawStills;
  readonly compare: CompareStills;
  readonly lint: (renderInput: RenderInput, safeArea: SafeAreaName | null) => Promise<readonly LintFinding[]>;
}

const LICENCE = /(?:^|[/_-])(?:OFL|UFL|LICEN[CS]E|COPYING|NOTICE)[^/]*$/i;

/**
 * Reports everything about a template package that its designer should know: unsupported features, editables that the
 * stills do not show, lint findings of its default values, holds that freeze a movement, oversized images and fonts without a
 * licence file.
 *
 * @param files paths of the package's files, relative to its folder
 * @throws RenderError for a package that cannot be drawn
 */
export async function inspectPackage(
  template: TemplatePackage,
  files: Iterable<string>,
  inspector: PackageInspector,
): Promise<PackageFinding[]> {
  const [visibilities, lintFindings, movingHolds] = await Promise.all([
    measureEditableVisibility(template, inspector.renderStills),
    inspector.lint(bindMapping(template, { resources: {} }, new Map()), template.manifest.lint.safe_area ?? null),
    findMovingHolds(template, inspector.compare),
  ]);
  return [
    ...unsupported(template),
    ...notVisible(template, visibilities),
    ...idleStills(template, visibilities),
    ...lintFindings.map((finding): PackageFinding => ({ kind: 'lint', finding })),
    ...movingHolds.map((hold): PackageFinding => ({ kind: 'hold_moves', ...hold })),
    ...largeImages(template),
    ...(await differentWeights(template, inspector)),
    ...unlicensed([...files]),
  ];
}

/** Groups uses of the same feature into a single finding. */
export function groupUses(uses: readonly UnsupportedUse[]): (PackageFinding & { kind: 'unsupported' })[] {
  const groups = new Map<string, UnsupportedUse[]>();
  for (const use of uses) {
    const group = `${use.feature}\n${use.what}`;
    groups.set(group, [...(groups.get(group) ?? []), use]);
  }
  return [...groups.values()].map((group) => {
    const { feature, what } = group[0]!;
    return { kind: 'unsupported', feature, what, uses: group };
  });
}

function unsupported({ animation }: TemplatePackage): PackageFinding[] {
  // Differences in other players are reported once, by `template init`, because the template itself is correct.
  return groupUses(findUnsupported(animation).filter(({ feature }) => feature !== 'other_players'));
}

function notVisible(
  template: TemplatePackage,
  visibilities: ReadonlyMap<string, EditableVisibility>,
): PackageFinding[] {
  return [...visibilities].flatMap(([editable, { stills: shownOn, seconds }]): PackageFinding[] => {
    const { stillcut: still } = template.manifest.editables.get(editable)!;
    return shownOn.includes(still) ? [] : [{ kind: 'not_visible', editable, still, shownOn, seconds }];
  });
}

function idleStills(
  { manifest }: TemplatePackage,
  visibilities: ReadonlyMap<string, EditableVisibility>,
): PackageFinding[] {
  return [...manifest.stillcuts.keys()].flatMap((still): PackageFinding[] => {
    const named = [...manifest.editables].filter(([, { stillcut }]) => stillcut === still).map(([key]) => key);
    const measured = named.flatMap((key) => visibilities.get(key) ?? []);
    const isIdle =
      named.length === 0 || (measured.length > 0 && !measured.some(({ stills }) => stills.includes(still)));
    const seconds = measured.find(({ seconds: time }) => time !== null)?.seconds ?? null;
    return isIdle ? [{ kind: 'idle_still', still, named: named.length, seconds }] : [];
  });
}

function unlicensed(files: readonly string[]): PackageFinding[] {
  const fonts = files.filter((path) => /^fonts\/[^/]+\.(?:ttf|otf|woff2?)$/i.test(path));
  return fonts.length > 0 && !files.some((path) => LICENCE.test(path)) ? [{ kind: 'no_licence', fonts }] : [];
}

/** Smaller differences are ignored, because files of neighbouring weights often replace each other. */
const WEIGHT_TOLERANCE = 100;

/** Finds fonts whose weight differs from the animation's, unless template.yaml sets them. */
async function differentWeights(template: TemplatePackage, { weightOf }: PackageInspector): Promise<PackageFinding[]> {
  const uses = new Map(fontUses(template).map((use) => [use.name, use]));
  const found: PackageFinding[] = [];
  for (const [index, font] of fontList(template.animation).entries()) {
    const requested = requestedWeight(font);
    const use = uses.get(String(font.fName));
    if (requested === null || use === undefined || template.manifest.fonts.has(use.name)) continue;
    const { weight, weightRange } = await weightOf(use);
    const isAvailable = weightRange !== null && requested >= weightRange.min && requested <= weightRange.max;
    if (Math.abs(weight - requested) <= (isAvailable ? 0 : WEIGHT_TOLERANCE)) continue;
    found.push({
      kind: 'font_weight',
      name: use.name,
      pointer: `/fonts/list/${index}`,
      requested,
      weight,
      isAvailable,
    });
  }
  return found;
}

/** An image is reported if it is more than this many times as wide and as high as it is ever drawn. */
const MAX_REDUCTION = 2;
const MIN_REPORTED_BYTES = 100_000;

/** Finds images that are much larger than they are ever drawn. */
function largeImages({ animation, images }: TemplatePackage): PackageFinding[] {
  const scales = new DrawnImages(animation).largest();
  return (animation.assets ?? []).flatMap((asset): PackageFinding[] => {
    const image = images.get(asset.id);
    const header = image === undefined ? undefined : readImageHeader(image.bytes);
    const scale = scales.get(asset.id);
    if (image === undefined || header === undefined || scale === undefined) return [];
    const drawnWidth = Math.ceil(Number(asset.w) * scale.x);
    const drawnHeight = Math.ceil(Number(asset.h) * scale.y);
    if (drawnWidth === 0 || drawnHeight === 0 || image.bytes.length < MIN_REPORTED_BYTES) return [];
    const { width, height } = header;
    if (width <= drawnWidth * MAX_REDUCTION || height <= drawnHeight * MAX_REDUCTION) return [];
    const sizeBytes = image.bytes.length;
    return [{ kind: 'large_image', path: image.path, width, height, drawnWidth, drawnHeight, sizeBytes }];
  });
}

/** A finding for a template's designer. It does not prevent rendering. */
export type PackageFinding =
  /** A lint finding for the template's default values. */
  | { readonly kind: 'lint'; readonly finding: LintFinding }
  /** A feature that is drawn differently than in the designer's program, with every use. */
  | {
      readonly kind: 'unsupported';
      readonly feature: Feature;
      readonly what: string;
      readonly uses: readonly UnsupportedUse[];
    }
  /** The editable does not change the still that should show it. */
  | {
      readonly kind: 'not_visible';
      readonly editable: string;
      readonly still: string;
      /** Stills that it changes. */
      readonly shownOn: readonly string[];
      /** A time at which it changes the picture; null if no drawn frame does. */
      readonly seconds: number | null;
    }
  /** The still shows none of the editables that name it, or no editable names it. */
  | {
      readonly kind: 'idle_still';
      readonly still: string;
      readonly named: number;
      /** A time at which any of those editables is visible; null if there is none. */
      readonly seconds: number | null;
    }
  /** The picture moves where the template can hold it. */
  | ({ readonly kind: 'hold_moves' } & MovingHold)
  /** An image has far more pixels than are ever drawn. */
  | {
      readonly kind: 'large_image';
      readonly path: string;
      readonly width: number;
      readonly height: number;
      readonly drawnWidth: number;
      readonly drawnHeight: number;
      readonly sizeBytes: number;
    }
  /** The weight of a font file differs from `fWeight` or `fStyle` of the animation. */
  | {
      readonly kind: 'font_weight';
      readonly name: string;
      /** JSON pointer of the font in the animation. */
      readonly pointer: string;
      readonly requested: number;
      readonly weight: number;
      /** The font is variable and supports the requested weight. */
      readonly isAvailable: boolean;
    }
  /** The package has fonts but no licence file. */
  | { readonly kind: 'no_licence'; readonly fonts: readonly string[] };
