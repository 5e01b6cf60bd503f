import type { SoundLengths } from '../../contract/video-measures.ts';
import { trackKey } from '../../contract/wire/mapping.ts';
import { SOUND_EPOCH } from '../../engine/render-epoch.ts';
import type { Diagnostic } from '../../kernel/diagnostic.ts';
import { valueSpan } from '../../reconciler/definition/filled-cells.ts';
import type { Video } from '../../reconciler/definition/video.ts';
import type { Project } from '../../reconciler/project/load-project.ts';
import { openSoundLengthCache, type SoundLengthCache } from '../../reconciler/project/sound-length-cache.ts';
import type { TaskRunner } from '../../service/sessions/processes/tasks.ts';
import type { SoundToMeasure } from './measure-sounds.ts';

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

/** Videos, and the files and definitions that their sounds are found in. */
interface ContentOptions extends Pick<Project, 'root' | 'videos' | 'assets' | 'cells' | 'source'> {
  /** False to decode all sounds again. */
  readonly cache: boolean;
}

/**
 * Returns the lengths of the sounds that decide how long scenes are. Measures those that no earlier run has measured.
 *
 * @param openPool opens the processes that decode; null to use known lengths only
 */
export async function contentLengths(
  { root, videos, assets, cells, source, cache }: ContentOptions,
  openPool: (() => Promise<TaskRunner<'length'>>) | null,
): Promise<{ readonly lengths: SoundLengths; readonly diagnostics: readonly Diagnostic[] }> {
  const sounds = videos.flatMap((video) => soundsOf(video, { assets, cells, source }));
  if (openPool === null || sounds.length === 0) return { lengths: cachedLengths({ root, assets }), diagnostics: [] };
  // Loads the render processes, which most repositories do not need for a plan.
  const { measureSounds } = await import('./measure-sounds.ts');
  return measureSounds(root, sounds, { cache, openPool });
}

function soundsOf(
  video: Video,
  { assets, ...located }: Pick<ContentOptions, 'assets' | 'cells' | 'source'>,
): SoundToMeasure[] {
  const isOnly = video.scenes.length === 1;
  return video.scenes.flatMap(({ duration, audio }): SoundToMeasure[] => {
    if (duration !== 'content' && typeof duration !== 'object') return [];
    const tracks = isOnly ? new Map([...video.audio, ...audio]) : audio;
    return [...tracks].flatMap(([name, { source, transform }]): SoundToMeasure[] => {
      const asset = source.kind === 'file' && transform.loop !== true ? assets.get(source.path) : undefined;
      if (asset === undefined) return [];
      return [{ path: asset.path, digest: asset.sha256, at: valueSpan(video, trackKey(name), located) }];
    });
  });
}
