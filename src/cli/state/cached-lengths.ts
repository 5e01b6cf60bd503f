import type { SoundLengths } from '../../contract/video-measures.ts';
import { SOUND_EPOCH } from '../../engine/render-epoch.ts';
import type { Video } from '../../reconciler/definition/video.ts';
import type { Project } from '../../reconciler/project/load-project.ts';
import { openSoundLengthCache, type SoundLengthCache } from '../../reconciler/project/sound-length-cache.ts';

/** Returns the lengths of sounds that an earlier run has measured. Reads the cache when it is first needed. */
export function cachedLengths({ root, assets }: Pick<Project, 'root' | 'assets'>): SoundLengths {
  let cache: SoundLengthCache | null = null;
  return (path) => {
    const asset = assets.get(path);
    if (asset === undefined) return null;
    cache ??= openSoundLengthCache(root, SOUND_EPOCH, true);
    return cache.get(asset.sha256) ?? null;
  };
}

/** Returns whether a scene is as long as its content. */
export function hasContentLength({ duration }: Video['scenes'][number]): boolean {
  return duration === 'content' || typeof duration === 'object';
}
