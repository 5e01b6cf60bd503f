import type { InputTimeline } from '../../template/render-input.ts';
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
