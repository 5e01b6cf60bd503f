import type { Span } from '../diagnostic.ts';
import { canonicalJson, type Json, type Sha256, sha256 } from '../digest.ts';
import type { StyleVersion } from '../wire/style-version.ts';
import type { Manifest } from './parse-manifest.ts';
import type { LottieDocument, Still } from './scene.ts';

/** A Lottie template that this program can render: read, checked, and described by its specification. */
export interface TemplatePackage {
  /** The folder, repository-relative. */
  readonly folder: string;
  readonly manifest: Manifest;
  /** What a service answers for it; `spec.id` is made from `digest`. */
  readonly spec: StyleVersion;
  /** Over all that can reach a frame or a thumbnail, and nothing else. */
  readonly digest: Sha256;
  /** Pixels; both even. */
  readonly width: number;
  readonly height: number;
  readonly fps: number;
  readonly frameCount: number;
  readonly stills: readonly Still[];
  /** As in the file: never written to, cloned to bind. */
  readonly animation: LottieDocument;
  /** Font name in the animation → the font file. */
  readonly fonts: ReadonlyMap<string, PackageFile>;
  /** Name → a font file that the animation does not name: it can be chosen, and stands in for missing glyphs. */
  readonly extraFonts: ReadonlyMap<string, PackageFile>;
  /** Names of the fonts of both that stand in for glyphs that a text's own font lacks; the first that has one is taken. */
  readonly fallbackFonts: readonly string[];
  /**
   * Image asset id → its own image, or for a video its own clip. Assets with their image inside (data URIs) are not here.
   */
  readonly images: ReadonlyMap<string, PackageFile>;
  /** Sound asset id → its own sound. One that an editable alone fills is not here. */
  readonly sounds: ReadonlyMap<string, PackageFile>;
}

export interface PackageFile {
  /** Below the package's folder; `animation.json` for what stands in that as a data URI. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** Something wrong with a package: where in it, what, and what to do. */
export interface PackageProblem {
  /** The file below the package's folder that has to change. */
  readonly file: string;
  /** The editable or still of template.yaml that it is about, where there is one. */
  readonly key?: string;
  /** Where in template.yaml, where that is not the editable. */
  readonly at?: Span;
  readonly message: string;
  readonly hint?: string;
  /** The key that no place of the animation has. */
  readonly unfilled?: string;
}

type DigestedParts = Pick<
  TemplatePackage,
  'animation' | 'fonts' | 'extraFonts' | 'fallbackFonts' | 'images' | 'sounds' | 'stills' | 'manifest'
>;

/**
 * The digest of a package: its animation as a value (not as a text), the fonts, images and sounds it uses, where its
 * stills are, and which editables exist. Labels, descriptions, length limits and which fonts are allowed are not in it:
 * they change no pixel. What a package does not have leaves no trace in it, so that it stays what it was before there
 * was such a thing.
 */
export function packageDigest(parts: DigestedParts): Sha256 {
  // Thousands of assets may share one file.
  const known = new Map<Uint8Array, Sha256>();
  const digestOf = (bytes: Uint8Array): Sha256 => {
    const digest = known.get(bytes) ?? sha256(bytes);
    known.set(bytes, digest);
    return digest;
  };
  const fileDigests = (files: ReadonlyMap<string, PackageFile>): Json =>
    Object.fromEntries([...files].map(([name, file]) => [name, digestOf(file.bytes)]));
  const editables = [...parts.manifest.editables].map(([key, { kind, required, font }]): [string, Json] => [
    key,
    font === null ? { kind, required } : { kind, required, replaces: font.replaces, texts: font.texts },
  ]);
  const fallbacks = parts.fallbackFonts.map((name) => {
    const { bytes } = parts.extraFonts.get(name) ?? parts.fonts.get(name)!;
    return [name, digestOf(bytes)];
  });
  return sha256(
    canonicalJson({
      animation: parts.animation as unknown as Json,
      fonts: fileDigests(parts.fonts),
      images: fileDigests(parts.images),
      stills: parts.stills.map(({ name, frame }) => ({ name, frame })),
      editables: Object.fromEntries(editables),
      ...(fallbacks.length === 0 ? {} : { fallback_fonts: fallbacks }),
      ...(parts.sounds.size === 0 ? {} : { sounds: fileDigests(parts.sounds) }),
    }),
  );
}
