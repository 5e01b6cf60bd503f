import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ReelformError, startOf } from '../../kernel/diagnostic.ts';
import { canonicalJson, type Sha256, sha256 } from '../../kernel/digest.ts';
import { didYouMean } from '../../kernel/hints.ts';
import { readTemplateFolder } from '../../reconciler/project/read-package.ts';
import { VERSION } from '../global-options.ts';
import { packageRoot } from '../own-package.ts';

/** npm package with the templates of the gallery. It has the versions of Reelform, and is not a dependency of it. */
const GALLERY_PACKAGE = 'reelform-gallery';
/** The package is not published yet. */
const WITHOUT_REGISTRY =
  'Without the registry: npm install --no-save PATH/gallery, the folder of a clone of Reelform, then try again';
/** Maximum size of the gallery, unpacked. */
export const MAX_GALLERY_BYTES = 8_000_000;

/** Returns the digest of each template of the gallery, by name. Part of this package, so that a download can be verified. */
export function galleryDigests(): Readonly<Record<string, string>> {
  return JSON.parse(readFileSync(join(packageRoot(), 'starter/gallery.json'), 'utf8')) as Record<string, string>;
}

/** Computes the digest of a template's files by path: all of them, because each is copied into a repository. */
export function galleryDigest(files: ReadonlyMap<string, Uint8Array>): Sha256 {
  return sha256(canonicalJson(Object.fromEntries([...files].map(([path, bytes]) => [path, sha256(bytes)]))));
}

/**
 * Reads a template of the gallery: from the folder `gallery/` of a clone of Reelform, from the npm package of the gallery that
 * is installed beside Reelform, or else from a download of the same version. Files of the package are used only if their
 * digest is known to this version of Reelform.
 *
 * @param download returns the files of an npm package by path
 * @param reelform folder of this package
 * @returns the files of a template package, by path
 * @throws ReelformError `missing_file`, `template_invalid`
 */
export async function readGalleryTemplate(
  name: string,
  download: (spec: string) => Promise<ReadonlyMap<string, Uint8Array>>,
  reelform: string = packageRoot(),
): Promise<ReadonlyMap<string, Uint8Array>> {
  const digests = galleryDigests();
  const expected = Object.hasOwn(digests, name) ? digests[name] : undefined;
  if (expected === undefined) {
    const names = Object.keys(digests);
    throw new ReelformError('missing_file', `The gallery has no template ${JSON.stringify(name)}`, {
      hint: didYouMean(name, names) ?? `It has ${names.join(', ')}`,
    });
  }
  const clone = join(reelform, 'gallery');
  if (existsSync(join(clone, name, 'template.yaml'))) return readFolder(clone, name);
  const installed = join(dirname(reelform), GALLERY_PACKAGE);
  if (existsSync(join(installed, name, 'template.yaml'))) {
    const found = readFolder(installed, name);
    if (galleryDigest(found) === expected) return found;
    throw unknownFiles(name, `the installed ${GALLERY_PACKAGE}`);
  }
  const files = await download(`${GALLERY_PACKAGE}@${VERSION}`).catch((error: unknown) => {
    if (!(error instanceof ReelformError)) throw error;
    throw new ReelformError('missing_file', error.message, {
      hint: `${error.hint}. ${WITHOUT_REGISTRY}`,
      cause: error,
    });
  });
  const sizeBytes = [...files.values()].reduce((sum, { length }) => sum + length, 0);
  const members = [...files].filter(([path]) => path.startsWith(`${name}/`));
  const found = new Map(members.map(([path, bytes]) => [path.slice(name.length + 1), bytes]));
  if (sizeBytes <= MAX_GALLERY_BYTES && galleryDigest(found) === expected) return found;
  throw unknownFiles(name, `${GALLERY_PACKAGE}@${VERSION}`);
}

function readFolder(root: string, name: string): ReadonlyMap<string, Uint8Array> {
  const read = readTemplateFolder(root, name, startOf(`gallery/${name}`));
  if (read.ok) return read.value;
  throw new ReelformError('template_invalid', read.diagnostics[0]!.message);
}

function unknownFiles(name: string, where: string): ReelformError {
  const message = `${name} of ${where} is not the template that this version of Reelform knows`;
  return new ReelformError('template_invalid', message, { hint: `Nothing was written. ${WITHOUT_REGISTRY}` });
}
