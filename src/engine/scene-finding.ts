import type { Scene } from '../template/scene.ts';
import type { MediaFinding } from './lint/lint-finding.ts';
import type { TextFinding } from './text/text-findings.ts';

/** What a viewer would notice of a scene, as far as every render tells it: the video is there nevertheless. */
export type SceneFinding = TextFinding | MediaFinding;

/**
 * What there is to tell of the clips and sounds of a scene, most of which have none. What reads them is large.
 *
 * @throws SceneError as `examineMedia`
 */
export async function mediaFindings(scene: Scene): Promise<readonly MediaFinding[]> {
  if (scene.clips.length === 0 && scene.sounds.length === 0) return [];
  const { examineMedia } = await import('./media/examine-media.ts');
  return examineMedia(scene);
}
