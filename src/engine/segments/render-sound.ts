import type { Scene } from '../../template/scene.ts';
import type { AudioCodec, AudioTrack } from '../audio-track.ts';
import type { MediaFinding } from '../lint/lint-finding.ts';
import { mediaFindings } from '../scene-finding.ts';

/** The sound of a whole video, and what a viewer would notice of its clips and sounds. */
export interface RenderedSound {
  /** Null for a silent video. */
  readonly track: AudioTrack | null;
  readonly findings: readonly MediaFinding[];
}

/** Whether a scene has anything that `renderSound` reads. */
export function hasMedia({ sounds, clips }: Pick<Scene, 'sounds' | 'clips'>): boolean {
  return sounds.length > 0 || clips.length > 0;
}

/**
 * Examines the clips and sounds of a checked scene, and renders its sound in one piece, so that it has no seams.
 *
 * @param codec null for no sound
 * @throws SceneError, ReelformError as `makeSound` and `examineMedia`; the signal's reason
 */
export async function renderSound(
  scene: Scene,
  codec: AudioCodec | null,
  signal?: AbortSignal,
): Promise<RenderedSound> {
  const findings = await mediaFindings(scene);
  signal?.throwIfAborted();
  if (codec === null || scene.sounds.length === 0) return { track: null, findings };
  // What makes sound is large, and most scenes have none.
  const { makeSound } = await import('../media/make-sound.ts');
  return { track: await makeSound(scene, codec, signal), findings };
}
