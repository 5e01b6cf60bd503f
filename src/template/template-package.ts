import type { StyleVersion } from '../contract/wire/style-version.ts';
import type { Span } from '../kernel/diagnostic.ts';
import { canonicalJson, type Json, type Sha256, sha256 } from '../kernel/digest.ts';
import { contentSha256 } from '../kernel/file-kind.ts';
import { isRecord } from '../kernel/json.ts';
import { settingsIn } from './font-settings.ts';
import { withAnimatedFlags } from './lottie/drawing-form/animated-flag.ts';
import { withLimitedShape, withLimitedSkew } from './lottie/drawing-form/limited-values.ts';
import { isMisfaded, isSplit } from './lottie/drawing-form/repeated-shapes.ts';
import { withSolidColor } from './lottie/drawing-form/solid-color.ts';
import { allLayers, type LottieNode } from './lottie/lottie-layers.ts';
import type { Manifest } from './parse-manifest.ts';
import type { FontSettings, LottieDocument, Still } from './render-input.ts';

/** A validated Lottie template with its specification. */
export interface TemplatePackage {
  /** Path of the folder, repository-relative. */
  readonly folder: string;
  readonly manifest: Manifest;
  /** The specification as a service returns it; `spec.id` derives from `digest`. */
  readonly spec: StyleVersion;
  /** Digest of everything that affects frames or thumbnails. */
  readonly digest: Sha256;
  /** Pixels; both even. */
  readonly width: number;
  readonly height: number;
  readonly fps: number;
  readonly frameCount: number;
  readonly stills: readonly Still[];
  /** The animation as in the file. Must not be modified; binding copies it. */
  readonly animation: LottieDocument;
  /** Font name in the animation → the font file. */
  readonly fonts: ReadonlyMap<string, PackageFont>;
  /** Name → a font file that the animation does not use. It can be chosen, and is a fallback for missing glyphs. */
  readonly extraFonts: ReadonlyMap<string, PackageFont>;
  /** Names of fallback fonts for missing glyphs, from both maps, in order of preference. */
  readonly fallbackFonts: readonly string[];
  /** Image asset id → its image, or clip for a video. Embedded images (data URIs) are absent. */
  readonly images: ReadonlyMap<string, PackageFile>;
  /** Sound asset id → its sound. Assets that only an editable fills are absent. */
  readonly sounds: ReadonlyMap<string, PackageFile>;
}

export interface PackageFile {
  /** Relative to the package's folder; `animation.json` for an embedded file. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** A font file with its settings from template.yaml. */
export interface PackageFont extends PackageFile, FontSettings {}

/** A problem of a package, with its location and a hint. */
export interface PackageProblem {
  /** The file to change, relative to the package's folder. */
  readonly file: string;
  /** The affected editable or still of template.yaml, if any. */
  readonly key?: string;
  /** Location in template.yaml, if it differs from the editable's. */
  readonly at?: Span;
  readonly message: string;
  readonly hint?: string | undefined;
  /** The key of an editable whose slot the animation does not use. */
  readonly unfilled?: string;
}

/** Limit for hints in a package, because each compares a name with all names. */
export const MAX_HINTS = 100;

type DigestedParts = Pick<
  TemplatePackage,
  'animation' | 'fonts' | 'extraFonts' | 'fallbackFonts' | 'images' | 'sounds' | 'stills' | 'manifest'
>;

/**
 * Computes the digest of a package from its animation (as a value), the fonts, images and sounds that it uses, the frames of
 * its stills, and its editables. Excludes labels, descriptions, length limits and allowed fonts, which do not affect pixels.
 * Omits unused features, so that adding a feature to the program does not change existing digests. A Git LFS pointer counts
 * as the file that it stands for. Includes corrections of the picture where they apply.
 */
export function packageDigest(parts: DigestedParts): Sha256 {
  const repairs = pictureRepairs(parts.animation);
  const fileDigests = (files: ReadonlyMap<string, PackageFile>): Json =>
    Object.fromEntries([...files].map(([name, file]) => [name, contentSha256(file.bytes)]));
  const editables = [...parts.manifest.editables].map(([key, { kind, required, font, settings }]): [string, Json] => [
    key,
    {
      kind,
      required,
      ...(settingsIn(settings) as Json & object),
      ...(font === null ? {} : { replaces: font.replaces, texts: font.texts }),
    },
  ]);
  const instances = [...parts.manifest.fonts.keys()].map((name): [string, Json] => {
    const font = parts.fonts.get(name) ?? parts.extraFonts.get(name)!;
    return [name, { file: contentSha256(font.bytes), ...(settingsIn(font) as Json & object) }];
  });
  const fallbacks = parts.fallbackFonts.map((name) => {
    const { bytes } = parts.extraFonts.get(name) ?? parts.fonts.get(name)!;
    return [name, contentSha256(bytes)];
  });
  return sha256(
    canonicalJson({
      animation: parts.animation as unknown as Json,
      fonts: fileDigests(parts.fonts),
      images: fileDigests(parts.images),
      stills: parts.stills.map(({ name, frame }) => ({ name, frame })),
      editables: Object.fromEntries(editables),
      ...(instances.length === 0 ? {} : { font_instances: Object.fromEntries(instances) }),
      ...(fallbacks.length === 0 ? {} : { fallback_fonts: fallbacks }),
      ...(parts.sounds.size === 0 ? {} : { sounds: fileDigests(parts.sounds) }),
      ...(repairs.length === 0 ? {} : { picture_repairs: repairs }),
    }),
  );
}

/** Corrections that came after documents had been rendered, by the name that enters the digest of a template. */
const REPAIRS = {
  animated_flags: (layer) => withAnimatedFlags(layer) !== layer,
  solid_colors: (layer) => withSolidColor(layer) !== layer,
  limited_values: ({ ks, shapes }) => isTransformLimited(ks) || someShape(shapes, isLimited),
  repeater_opacity: ({ shapes }) => someShape(shapes, isRepaired),
} as const satisfies Readonly<Record<string, (layer: LottieNode) => boolean>>;

type PictureRepair = keyof typeof REPAIRS;

/**
 * Returns the corrections that change the picture of a document, in a fixed order. Templates without any keep their digest, so only
 * videos that were drawn wrong are rendered again.
 */
export function pictureRepairs(animation: LottieDocument): PictureRepair[] {
  const layers = allLayers(animation).map(({ layer }) => layer);
  return (Object.keys(REPAIRS) as PictureRepair[]).filter((name) => layers.some(REPAIRS[name]));
}

type ShapeTest = (shape: LottieNode, list: readonly unknown[], index: number) => boolean;

function someShape(shapes: unknown, test: ShapeTest): boolean {
  if (!Array.isArray(shapes)) return false;
  return shapes.some(
    (shape: unknown, index) => isRecord(shape) && (test(shape, shapes, index) || someShape(shape.it, test)),
  );
}

function isTransformLimited(transform: unknown): boolean {
  return isRecord(transform) && withLimitedSkew(transform) !== transform;
}

function isLimited(shape: LottieNode): boolean {
  return withLimitedShape(shape) !== shape || (shape.ty === 'tr' && isTransformLimited(shape));
}

function isRepaired(shape: LottieNode, list: readonly unknown[], index: number): boolean {
  return shape.ty === 'rp' && shape.hd !== true && isSplit(shape) && !isMisfaded(list, index);
}
