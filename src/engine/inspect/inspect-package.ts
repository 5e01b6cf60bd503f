import { bindMapping } from '../../template/bind/bind-mapping.ts';
import { type FontUse, fontUses } from '../../template/font-uses.ts';
import { weightAskedFor } from '../../template/font-weight.ts';
import { DrawnImages } from '../../template/lottie/drawn-images.ts';
import { findUnsupported, type UnsupportedUse } from '../../template/lottie/find-unsupported.ts';
import { fontList } from '../../template/lottie/lottie-slots.ts';
import type { Feature } from '../../template/lottie/unsupported-features.ts';
import type { SafeAreaName } from '../../template/safe-areas.ts';
import type { Scene } from '../../template/scene.ts';
import type { TemplatePackage } from '../../template/template-package.ts';
import { readImageHeader } from '../images/image-header.ts';
import type { LintFinding } from '../lint/lint-finding.ts';
import type { OpenFont } from '../text/harfbuzz-font.ts';
import { type DrawStills, type EditableVisibility, measureEditableVisibility } from './editable-visibility.ts';

/** The weight of a font, as `OpenFont` has it. */
export type FontWeight = Pick<OpenFont, 'weight' | 'weightRange'>;

/** Renders for the inspection, in a render pool or on this thread. */
interface PackageInspector {
  /** Weights of the fonts of the package. */
  readonly weightOf: (font: FontUse) => Promise<FontWeight>;
  readonly renderStills: DrawStills;
  readonly lint: (scene: Scene, safeArea: SafeAreaName | null) => Promise<readonly LintFinding[]>;
}

const LICENCE = /(?:^|[/_-])(?:OFL|UFL|LICEN[CS]E|COPYING|NOTICE)[^/]*$/i;

/**
 * Reports everything about a template package that its designer should know: unsupported features, editables that the
 * stills do not show, lint findings of its default values, oversized images and fonts without a licence file.
 *
 * @param files paths of the package's files, relative to its folder
 * @throws SceneError for a package that cannot be drawn
 */
export async function inspectPackage(
  template: TemplatePackage,
  files: Iterable<string>,
  inspector: PackageInspector,
): Promise<PackageFinding[]> {
  const [visibilities, noticed] = await Promise.all([
    measureEditableVisibility(template, inspector.renderStills),
    inspector.lint(bindMapping(template, { resources: {} }, new Map()), template.manifest.lint.safe_area ?? null),
  ]);
  return [
    ...unsupported(template),
    ...unseen(template, visibilities),
    ...idleStills(template, visibilities),
    ...noticed.map((finding): PackageFinding => ({ kind: 'seen', finding })),
    ...largeImages(template),
    ...(await otherWeights(template, inspector)),
    ...unlicensed([...files]),
  ];
}

/** Groups uses of the same feature into one finding. */
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
  // That other players differ is said once, by `template init`: the template itself is right.
  return groupUses(findUnsupported(animation).filter(({ feature }) => feature !== 'other_players'));
}

function unseen(template: TemplatePackage, visibilities: ReadonlyMap<string, EditableVisibility>): PackageFinding[] {
  return [...visibilities].flatMap(([editable, { stills: shownOn, seconds }]): PackageFinding[] => {
    const { stillcut: still } = template.manifest.editables.get(editable)!;
    return shownOn.includes(still) ? [] : [{ kind: 'unseen', editable, still, shownOn, seconds }];
  });
}

function idleStills(
  { manifest }: TemplatePackage,
  visibilities: ReadonlyMap<string, EditableVisibility>,
): PackageFinding[] {
  return [...manifest.stillcuts.keys()].flatMap((still): PackageFinding[] => {
    const named = [...manifest.editables].filter(([, { stillcut }]) => stillcut === still).map(([key]) => key);
    const looked = named.flatMap((key) => visibilities.get(key) ?? []);
    const isIdle = named.length === 0 || (looked.length > 0 && !looked.some(({ stills }) => stills.includes(still)));
    const seconds = looked.find((one) => one.seconds !== null)?.seconds ?? null;
    return isIdle ? [{ kind: 'idle_still', still, named: named.length, seconds }] : [];
  });
}

function unlicensed(files: readonly string[]): PackageFinding[] {
  const fonts = files.filter((path) => /^fonts\/[^/]+\.(?:ttf|otf|woff2?)$/i.test(path));
  return fonts.length > 0 && !files.some((path) => LICENCE.test(path)) ? [{ kind: 'no_licence', fonts }] : [];
}

/** Files of neighbouring weights often stand in for each other. */
const NEIGHBOURING = 100;

/** Finds fonts with another weight than the animation asks for, unless template.yaml sets them. */
async function otherWeights(template: TemplatePackage, { weightOf }: PackageInspector): Promise<PackageFinding[]> {
  const uses = new Map(fontUses(template).map((use) => [use.name, use]));
  const found: PackageFinding[] = [];
  for (const [index, font] of fontList(template.animation).entries()) {
    const asked = weightAskedFor(font);
    const use = uses.get(String(font.fName));
    if (asked === null || use === undefined || template.manifest.fonts.has(use.name)) continue;
    const { weight, weightRange } = await weightOf(use);
    const isOffered = weightRange !== null && asked >= weightRange.min && asked <= weightRange.max;
    if (Math.abs(weight - asked) <= (isOffered ? 0 : NEIGHBOURING)) continue;
    found.push({ kind: 'font_weight', name: use.name, pointer: `/fonts/list/${index}`, asked, weight, isOffered });
  }
  return found;
}

/** An image with more than twice the drawn pixels in both directions is larger than any screen needs. */
const MAX_SHRUNK = 2;
const HARMLESS_BYTES = 100_000;

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
    if (drawnWidth === 0 || drawnHeight === 0 || image.bytes.length < HARMLESS_BYTES) return [];
    const { width, height } = header;
    if (width <= drawnWidth * MAX_SHRUNK || height <= drawnHeight * MAX_SHRUNK) return [];
    const sizeBytes = image.bytes.length;
    return [{ kind: 'large_image', path: image.path, width, height, drawnWidth, drawnHeight, sizeBytes }];
  });
}

/** Something that a template's designer should know. It does not prevent rendering. */
export type PackageFinding =
  /** A lint finding for the template's default values. */
  | { readonly kind: 'seen'; readonly finding: LintFinding }
  /** A feature that the renderer does not draw as the designer's program does, with every use. */
  | {
      readonly kind: 'unsupported';
      readonly feature: Feature;
      readonly what: string;
      readonly uses: readonly UnsupportedUse[];
    }
  /** Filling the editable changes nothing on the still that should show it. */
  | {
      readonly kind: 'unseen';
      readonly editable: string;
      readonly still: string;
      /** Stills that it does change. */
      readonly shownOn: readonly string[];
      /** A time at which it changes the picture; null if no drawn frame does. */
      readonly seconds: number | null;
    }
  /** No editable names the still, or none that names it is visible on it. */
  | {
      readonly kind: 'idle_still';
      readonly still: string;
      readonly named: number;
      /** A time at which one of those editables is visible; null if there is none. */
      readonly seconds: number | null;
    }
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
  /** A font has another weight than `fWeight` or `fStyle` of the animation. */
  | {
      readonly kind: 'font_weight';
      readonly name: string;
      /** JSON pointer of the font in the animation. */
      readonly pointer: string;
      readonly asked: number;
      readonly weight: number;
      /** Whether the font is variable and has the weight. */
      readonly isOffered: boolean;
    }
  /** The package has fonts but no licence file. */
  | { readonly kind: 'no_licence'; readonly fonts: readonly string[] };
