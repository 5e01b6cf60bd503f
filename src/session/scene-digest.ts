import { canonicalJson, type Json, type Sha256, sha256 } from '../digest.ts';
import { RENDER_EPOCH } from '../engine/render-epoch.ts';
import type { Mapping } from '../service/wire.ts';
import type { TemplatePackage } from '../template/template-package.ts';

/**
 * The digest of everything that `bindMapping` and the engine make a video from: two mappings with the same one give the
 * same frames. Titles, labels and where the bytes came from are not in it.
 *
 * @param sources the digest of the bytes behind each media resource, by editable key
 */
export function sceneDigest(
  template: TemplatePackage,
  resources: Mapping['resources'],
  sources: ReadonlyMap<string, Sha256>,
): Sha256 {
  const filled = Object.entries(resources).map(([key, resource]): [string, Json] => {
    const transform = 'transform' in resource ? { ...resource.transform } : undefined;
    const bytes = sources.get(key);
    return [key, bytes === undefined ? { ...resource.source } : { sha256: bytes, transform }];
  });
  return sha256(
    canonicalJson({
      render_epoch: RENDER_EPOCH,
      template: template.digest,
      resources: Object.fromEntries(filled),
    }),
  );
}
