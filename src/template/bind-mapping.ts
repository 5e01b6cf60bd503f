import type { Mapping, MediaResource, OutputRequest, Resource, TextResource, Transform } from '../service/wire.ts';
import { parseColor } from './color.ts';
import { slotValue } from './derive-spec.ts';
import { findSlotUses, type LottieNode, type SlotUse, textStyles } from './lottie-slots.ts';
import type { Scene, SceneImage } from './scene.ts';
import type { TemplatePackage } from './template-package.ts';

const DEFAULT_TRANSFORM: Transform = { crop_strategy: 'cover' };

/** What a template is filled with, and the file that is to come of it. */
export interface BindRequest extends Pick<Mapping, 'resources' | 'audio_tracks' | 'font_changes'> {
  readonly output?: OutputRequest | undefined;
  /** Of the video, for the file's metadata. */
  readonly fingerprint?: string | null | undefined;
}

/**
 * Fills a template with a mapping: texts and colours are written into the animation, fonts and images come beside
 * it. Slots that the mapping leaves out keep the template's own value. Each node that an editable filled says so in a field
 * `editable`, for whoever has something to tell about it.
 *
 * The mapping is one that `checkMapping` found nothing wrong with.
 *
 * @param fetched the bytes behind each media resource, by editable key; of a track by `audio_tracks.` and its name
 */
export function bindMapping(
  template: TemplatePackage,
  { resources, fingerprint = null }: BindRequest,
  fetched: ReadonlyMap<string, Uint8Array>,
): Scene {
  const animation = structuredClone(template.animation);
  const images = new Map<string, SceneImage>();

  for (const [key, uses] of findSlotUses(animation)) {
    const resource = Object.hasOwn(resources, key) ? resources[key] : undefined;
    const own = slotValue(animation, key);
    for (const use of uses) {
      delete use.node.sid;
      use.node.editable = key;
      if (use.kind === 'image') {
        const bytes = fetched.get(key);
        if (bytes !== undefined) images.set(use.assetId, sceneImage(use, key, bytes, transformOf(resource)));
      } else {
        writeValue(use, resource === undefined ? null : (resource as TextResource).source.text, own);
      }
    }
  }
  delete animation.slots;

  for (const asset of animation.assets ?? []) {
    const file = template.images.get(asset.id);
    if (file === undefined || images.has(asset.id)) continue;
    const use = { node: asset as LottieNode, assetId: asset.id };
    images.set(asset.id, sceneImage(use, file.path, file.bytes, { crop_strategy: 'fill' }));
  }

  return {
    output: { format: 'mp4', quality: 'high', fingerprint },
    width: template.width,
    height: template.height,
    fps: template.fps,
    frameCount: template.frameCount,
    animation,
    fonts: [...template.fonts].map(([name, { bytes }]) => ({ name, bytes, isFallback: false })),
    images: [...images.values()],
    clips: [],
    sounds: [],
    stills: template.stills,
  };
}

function writeValue(use: Exclude<SlotUse, { kind: 'image' }>, text: string | null, own: LottieNode | null): void {
  if (use.kind === 'text') {
    const words = text ?? (own === null ? null : (textStyles(own)[0]?.t ?? null));
    // Lottie breaks lines at a carriage return.
    if (words !== null) for (const style of use.styles) style.t = words.replaceAll(/\r\n?|\n/g, '\r');
    return;
  }
  const color = text === null ? null : parseColor(text);
  if (color !== null) Object.assign(use.node, { a: 0, k: color });
  else if (own !== null) Object.assign(use.node, structuredClone(own));
}

function transformOf(resource: Resource | undefined): Transform {
  return { ...DEFAULT_TRANSFORM, ...(resource as MediaResource | undefined)?.transform };
}

function sceneImage(
  use: { readonly node: LottieNode; readonly assetId: string },
  name: string,
  bytes: Uint8Array,
  transform: Transform,
): SceneImage {
  return { assetId: use.assetId, width: Number(use.node.w), height: Number(use.node.h), bytes, transform, name };
}
