import { canonicalJson, type Json, type Sha256, sha256 } from '../digest.ts';
import type { PackageFile, TemplatePackage } from './template-package.ts';

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
