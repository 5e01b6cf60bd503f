import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ReelformError } from '../../diagnostic.ts';
import { canonicalJson, type Sha256, sha256 } from '../../digest.ts';
import { closestMatch } from '../../hints.ts';
import { readTemplateFolder } from '../../project/read-package.ts';
import { VERSION } from '../global-options.ts';
import { packageRoot } from '../init/own-package.ts';

/** npm package with the templates of the gallery. It has the versions of Reelform, and is not a dependency of it. */
const GALLERY_PACKAGE = 'reelform-gallery';
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
 * Reads a template of the gallery: from the folder `gallery/` of a clone of Reelform, otherwise from the npm package of the
 * gallery with the same version. A download is used only if its digest is the one that this version of Reelform knows.
 *
 * @param download returns the files of an npm package by path
 * @param root folder of a clone's gallery, which need not exist
 * @returns the files of a template package, by path
 * @throws ReelformError `missing_file`, `template_invalid`
 */
export async function readGalleryTemplate(
  name: string,
  download: (spec: string) => Promise<ReadonlyMap<string, Uint8Array>>,
  root: string = join(packageRoot(), 'gallery'),
): Promise<ReadonlyMap<string, Uint8Array>> {
  const digests = galleryDigests();
  const expected = Object.hasOwn(digests, name) ? digests[name] : undefined;
  if (expected === undefined) {
    const names = Object.keys(digests);
    const guess = closestMatch(name, names);
    throw new ReelformError('missing_file', `The gallery has no template ${JSON.stringify(name)}`, {
      hint: guess === null ? `It has ${names.join(', ')}` : `Did you mean ${guess}?`,
    });
  }
  if (existsSync(join(root, name, 'template.yaml'))) {
    const read = readTemplateFolder(root, name, { file: `gallery/${name}`, start: 0, end: 0 });
    if (read.ok) return read.value;
    throw new ReelformError('template_invalid', read.diagnostics[0]!.message);
  }
  const files = await download(`${GALLERY_PACKAGE}@${VERSION}`);
  const sizeBytes = [...files.values()].reduce((sum, { length }) => sum + length, 0);
  const own = [...files].filter(([path]) => path.startsWith(`${name}/`));
  const found = new Map(own.map(([path, bytes]) => [path.slice(name.length + 1), bytes]));
  if (sizeBytes <= MAX_GALLERY_BYTES && galleryDigest(found) === expected) return found;
  throw new ReelformError(
    'template_invalid',
    `${name} of ${GALLERY_PACKAGE}@${VERSION} is not the template that this version of Reelform knows`,
    { hint: 'Nothing was written. Take the template from the folder gallery/ of the repository of Reelform' },
  );
}
