import type { InputTimeline } from '../../template/render-input.ts';
import { RenderError } from '../render-error.ts';
import type { TextFinding } from '../text/text-findings.ts';

/**
 * Puts the name of their scene in front of the editables of findings, which are stored without it because videos share segments.
 *
 * @param drawn index of the scene whose frames were drawn; null for a video of one template
 */
export function nameScenes(
  findings: readonly TextFinding[],
  timeline: InputTimeline | undefined,
  drawn: number | null,
): readonly TextFinding[] {
  if (timeline === undefined || drawn === null) return findings;
  return findings.map(({ scene = 0, ...finding }) => {
    const id = timeline.scenes[drawn + scene]!.id;
    return finding.editable === null ? finding : { ...finding, editable: `${id}.${finding.editable}` };
  });
}

/**
 * Names the scenes in an error about a template, such as one about a font, whose name is the same in all scenes.
 *
 * @param names ids of the scenes that were drawn; none for a video of one template
 */
export function withSceneNames(error: unknown, names: readonly string[]): unknown {
  if (!(error instanceof RenderError) || error.code !== 'template_invalid' || names.length === 0) return error;
  const { message, imageName, cause } = error;
  // Images, clips and sounds have the name of their scene in front.
  if (names.some((name) => imageName?.startsWith(`${name}.`))) return error;
  const scenes = names.length === 1 ? `the scene ${names[0]}` : `the scenes ${names.join(' and ')}`;
  return new RenderError(error.code, `In ${scenes}: ${message}`, { imageName, cause });
}
