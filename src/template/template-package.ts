import type { Sha256 } from '../digest.ts';
import type { StyleVersion } from '../wire/style-version.ts';
import type { Manifest } from './manifest.ts';
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
