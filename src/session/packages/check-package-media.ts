import { embeddedImages } from '../../engine/images/embedded-images.ts';
import { SceneError } from '../../engine/scene-error.ts';
import { soundAssetIds } from '../../template/lottie/lottie-slots.ts';
import type { TemplatePackage } from '../../template/template-package.ts';
import type { RequestProblem } from '../../wire/problem.ts';
import type { SourceKind } from '../ports.ts';
import { describeSource } from '../sources/describe-source.ts';
import { problem } from './package-problems.ts';

interface Medium {
  readonly bytes: Uint8Array;
  readonly kind: SourceKind;
  /** In the package. */
  readonly file: string;
  /** What of the file it is about, where that is not all of it. */
  readonly subject: string;
}

/** What is wrong with the images, clips and sounds of a package and in its animation, as far as their structure tells. */
export async function checkPackageMedia(template: TemplatePackage): Promise<RequestProblem[]> {
  const problems: RequestProblem[] = [];
  for (const medium of mediaOf(template)) problems.push(...(await problemsOf(medium)));
  return problems;
}

function mediaOf({ images, sounds, animation, manifest }: TemplatePackage): Medium[] {
  const files = new Map<string, Medium>();
  const add = (assetId: string, file: string, bytes: Uint8Array, kind: SourceKind): void => {
    const isInside = file === 'animation.json';
    const key = isInside ? `${file} ${assetId}` : file;
    files.set(key, { bytes, kind, file, subject: isInside ? `Asset ${assetId}: ` : '' });
  };
  const videos = new Set<unknown>(
    (animation.assets ?? [])
      .filter(({ sid }) => manifest.editables.get(String(sid))?.kind === 'video')
      .map(({ id }) => id),
  );
  for (const [id, { path, bytes }] of images) add(id, path, bytes, videos.has(id) ? 'video' : 'image');
  for (const [id, { path, bytes }] of sounds) add(id, path, bytes, 'audio');
  const heard = soundAssetIds(animation);
  for (const { assetId, bytes } of embeddedImages(animation)) {
    if (!heard.has(assetId)) add(assetId, 'animation.json', bytes, 'image');
  }
  return [...files.values()];
}

async function problemsOf({ bytes, kind, file, subject }: Medium): Promise<RequestProblem[]> {
  try {
    await describeSource(bytes, kind);
    return [];
  } catch (error) {
    if (!(error instanceof SceneError)) throw error;
    return [problem(error.code, file, `${subject}${error.message}`)];
  }
}
