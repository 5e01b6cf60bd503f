import type { SoundLengths } from '../../contract/video-measures.ts';
import { SOUND_EPOCH } from '../../engine/render-epoch.ts';
import type { Project } from '../../reconciler/project/load-project.ts';
import { openSoundLengthCache, type SoundLengthCache } from '../../reconciler/project/sound-length-cache.ts';

/** Returns the lengths of sounds that an earlier run has measured. Reads the cache when it is first needed. */
export function cachedLengths({ root, assets }: Pick<Project, 'root' | 'assets'>): SoundLengths {
  let cache: SoundLengthCache | null = null;
  return (location) => {
    cache ??= openSoundLengthCache(root, SOUND_EPOCH, true);
    const asset = assets.get(location);
    return (asset === undefined ? cache.getRemote(location)?.length : cache.get(asset.sha256)) ?? null;
  };
}
