import { canonicalJson, type Json, type Sha256, sha256 } from '../digest.ts';
import type { PackageFile, TemplatePackage } from './template-package.ts';

/**
 * The digest of a package: its animation as a value (not as a text), the fonts and images it uses, where its stills
 * are, and which editables exist. Labels, descriptions and length limits are not in it: they change no pixel.
 */
export function packageDigest(
  parts: Pick<TemplatePackage, 'animation' | 'fonts' | 'images' | 'stills' | 'manifest'>,
): Sha256 {
  const fileDigests = (files: ReadonlyMap<string, PackageFile>): Json =>
    Object.fromEntries([...files].map(([name, file]) => [name, sha256(file.bytes)]));
  const editables = [...parts.manifest.editables].map(
    ([key, { kind, required }]) => [key, { kind, required }] as const,
  );
  return sha256(
    canonicalJson({
      animation: parts.animation as unknown as Json,
      fonts: fileDigests(parts.fonts),
      images: fileDigests(parts.images),
      stills: parts.stills.map(({ name, frame }) => ({ name, frame })),
      editables: Object.fromEntries(editables),
    }),
  );
}
