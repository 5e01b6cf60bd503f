import type { Scene } from '../template/scene.ts';
import type { AudioCodec, AudioTrack } from './codec/encoded-track.ts';
import type { MediaFinding } from './lint-finding.ts';
import type { TextFinding } from './text/text-findings.ts';

/** The sound of a whole video, and the defects of its clips and sounds. */
export interface RenderedSound {
  /** Null for a silent video. */
  readonly track: AudioTrack | null;
  readonly findings: readonly MediaFinding[];
}

/** Returns whether a scene has input for `renderSound`. */
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
  // Loaded on demand: the code is large, and most scenes have no sound.
  const { makeSound } = await import('./media/make-sound.ts');
  return { track: await makeSound(scene, codec, signal), findings };
}

/** A defect of a scene, reported by every render. It does not prevent rendering. */
export type SceneFinding = TextFinding | MediaFinding;

/**
 * Reports defects of the clips and sounds of a scene. Loads the code on demand, because most scenes have neither.
 *
 * @throws SceneError as `examineMedia`
 */
export async function mediaFindings(scene: Scene): Promise<readonly MediaFinding[]> {
  if (scene.clips.length === 0 && scene.sounds.length === 0) return [];
  const { examineMedia } = await import('./media/examine-media.ts');
  return examineMedia(scene);
}
