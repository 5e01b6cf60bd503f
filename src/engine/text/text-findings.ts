import type { LottieDocument, SceneFont } from '../../template/scene.ts';
import { findTextProblems } from './find-text-problems.ts';
import { layOutLayers } from './lay-out-layers.ts';
import type { TextFinding } from './text-finding.ts';

/**
 * What a viewer would notice about the texts of an animation, without drawing anything: the same that `setTexts` finds.
 * Fonts are parsed once per process.
 *
 * @throws SceneError template_invalid for a font that is not there or cannot be used
 */
export async function textFindings(
  animation: LottieDocument,
  fonts: readonly SceneFont[],
): Promise<readonly TextFinding[]> {
  return findTextProblems(await layOutLayers(animation, fonts));
}
