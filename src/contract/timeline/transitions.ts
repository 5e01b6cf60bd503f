import { divide, framesOf, type Rational, rational } from './rational.ts';
import type { SceneInput, TimelineFinding, TimelineTransition, TransitionInput } from './timeline.ts';

interface PlacedScene {
  readonly scene: SceneInput;
  readonly start: number;
  readonly length: number;
}

/**
 * Resolves the transitions of a video. They never change a start or a length. A transition covers the first frames of its scene,
 * or, with `at: before`, the last frames of the scene before. It is at most as long as either scene, and does not meet the
 * transition before it. A scene's own transition that is longer is an error; an inherited one is shortened.
 *
 * @param inherited transition of scenes without one
 * @returns a transition or null for each scene
 */
export function resolveTransitions(
  scenes: readonly PlacedScene[],
  inherited: TransitionInput | undefined,
  rate: Rational,
): { transitions: (TimelineTransition | null)[]; findings: TimelineFinding[] } {
  const findings: TimelineFinding[] = [];
  // Frames at the start of the previous scene that its own transition covers.
  let covered = 0;
  const transitions = scenes.map(({ scene, start, length }, index): TimelineTransition | null => {
    const transition = scene.transition ?? inherited;
    const previous = scenes[index - 1];
    const coveredBefore = covered;
    covered = 0;
    if (transition === undefined || transition.type === 'cut') return null;
    if (previous === undefined) {
      if (scene.transition !== undefined) findings.push({ code: 'transition_first', scene: scene.id });
      return null;
    }
    const wanted = framesOf(transition.duration ?? Number.NaN, rate);
    if (wanted === null || transition.duration === 0) {
      findings.push({ code: 'transition_invalid', scene: scene.id });
      return null;
    }
    const isBefore = transition.at === 'before';
    const longest = Math.min(length, previous.length - (isBefore ? coveredBefore : 0));
    const frames = Math.min(Math.max(1, wanted), longest);
    if (frames < wanted || longest < 1) {
      const code = scene.transition === undefined ? 'transition_shortened' : 'transition_too_long';
      const possible = { min: rational(0), max: divide(rational(longest), rate) };
      findings.push({ code, scene: scene.id, possible, wanted: divide(rational(wanted), rate) });
      if (longest < 1) return null;
    }
    if (!isBefore) covered = frames;
    return { type: transition.type, from: isBefore ? start - frames : start, frames };
  });
  return { transitions, findings };
}
