import { bindMapping } from '../../template/bind/bind-mapping.ts';
import { DrawnImages } from '../../template/lottie/drawn-images.ts';
import { findUnsupported, type UnsupportedUse } from '../../template/lottie/find-unsupported.ts';
import type { Feature } from '../../template/lottie/unsupported-features.ts';
import type { Scene } from '../../template/scene.ts';
import type { TemplatePackage } from '../../template/template-package.ts';
import { readImageHeader } from '../images/image-header.ts';
import type { LintFinding } from '../lint/lint-finding.ts';
import { type DrawStills, type EditableVisibility, measureEditableVisibility } from './editable-visibility.ts';

/** Who draws: a render pool, or this thread. */
export interface PackageInspector {
  readonly renderStills: DrawStills;
  readonly lint: (scene: Scene) => Promise<readonly LintFinding[]>;
}

const LICENCE = /(?:^|[/_-])(?:OFL|UFL|LICEN[CS]E|COPYING|NOTICE)[^/]*$/i;

/**
 * Everything about a template package that its designer had better know, by looking at it: what is not drawn, what the
 * stills do not show, what a viewer would notice of its own values, what is missing beside its fonts.
 *
 * @param files that the package was read from, by path below its folder
 * @throws SceneError for a package that cannot be drawn
 */
export async function inspectPackage(
  template: TemplatePackage,
  files: Iterable<string>,
  inspector: PackageInspector,
): Promise<PackageFinding[]> {
  const [sights, noticed] = await Promise.all([
    measureEditableVisibility(template, inspector.renderStills),
    inspector.lint(bindMapping(template, { resources: {} }, new Map())),
  ]);
  return [
    ...unsupported(template),
    ...unseen(template, sights),
    ...idleStills(template, sights),
    ...noticed.map((finding): PackageFinding => ({ kind: 'seen', finding })),
    ...largeImages(template),
    ...unlicensed([...files]),
  ];
}

/** What is the same at several places is said once. */
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
  return groupUses(findUnsupported(animation));
}

function unseen(template: TemplatePackage, sights: ReadonlyMap<string, EditableVisibility>): PackageFinding[] {
  return [...sights].flatMap(([editable, { stills: shownOn, seconds }]): PackageFinding[] => {
    const { stillcut: still } = template.manifest.editables.get(editable)!;
    return shownOn.includes(still) ? [] : [{ kind: 'unseen', editable, still, shownOn, seconds }];
  });
}

function idleStills({ manifest }: TemplatePackage, sights: ReadonlyMap<string, EditableVisibility>): PackageFinding[] {
  return [...manifest.stillcuts.keys()].flatMap((still): PackageFinding[] => {
    const named = [...manifest.editables].filter(([, { stillcut }]) => stillcut === still).map(([key]) => key);
    const looked = named.flatMap((key) => sights.get(key) ?? []);
    const isIdle = named.length === 0 || (looked.length > 0 && !looked.some(({ stills }) => stills.includes(still)));
    const seconds = looked.find((one) => one.seconds !== null)?.seconds ?? null;
    return isIdle ? [{ kind: 'idle_still', still, named: named.length, seconds }] : [];
  });
}

function unlicensed(files: readonly string[]): PackageFinding[] {
  const fonts = files.filter((path) => /^fonts\/[^/]+\.(?:ttf|otf|woff2?)$/i.test(path));
  return fonts.length > 0 && !files.some((path) => LICENCE.test(path)) ? [{ kind: 'no_licence', fonts }] : [];
}

/** An image with more than twice the pixels that are drawn, in both directions, is larger than any screen needs. */
const MOST_SHRUNK = 2;
const HARMLESS_BYTES = 100_000;

/** The images of a package that are far larger than they are ever drawn. */
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
    if (width <= drawnWidth * MOST_SHRUNK || height <= drawnHeight * MOST_SHRUNK) return [];
    const sizeBytes = image.bytes.length;
    return [{ kind: 'large_image', path: image.path, width, height, drawnWidth, drawnHeight, sizeBytes }];
  });
}

/** Something about a template package that its designer had better know; none of it keeps it from being rendered. */
export type PackageFinding =
  /** What a viewer would notice of the template's own values. */
  | { readonly kind: 'seen'; readonly finding: LintFinding }
  /** Something of the animation that is not drawn as its designer sees it, at these places. */
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
      /** Stills on which it changes something. */
      readonly shownOn: readonly string[];
      /** A time at which it changes something; null where it changes none of the frames that were drawn. */
      readonly seconds: number | null;
    }
  /** No editable names the still, or none of those that do is seen on it. */
  | {
      readonly kind: 'idle_still';
      readonly still: string;
      readonly named: number;
      /** A time at which one of those is seen; null where no frame shows one. */
      readonly seconds: number | null;
    }
  /** An image of the package has far more pixels than are ever drawn. */
  | {
      readonly kind: 'large_image';
      readonly path: string;
      readonly width: number;
      readonly height: number;
      readonly drawnWidth: number;
      readonly drawnHeight: number;
      readonly sizeBytes: number;
    }
  /** Fonts, and no licence beside them. */
  | { readonly kind: 'no_licence'; readonly fonts: readonly string[] };
