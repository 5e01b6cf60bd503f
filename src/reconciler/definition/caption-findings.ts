import type { SpecCaptions } from '../../contract/captions/caption-style.ts';
import { type CueFinding, checkCues, type RuleContext } from '../../contract/captions/check-cues.ts';
import type { Cue } from '../../contract/captions/cue.ts';
import { RULE_PROFILES } from '../../contract/captions/rule-profiles.ts';
import type { Timeline } from '../../contract/timeline/timeline.ts';
import type { Span } from '../../kernel/diagnostic.ts';
import type { Video } from './video.ts';

/** The captions of a video or of one of its scenes, and what rules depend on. */
export interface CheckedCaptions {
  /** Id of the scene; empty for the video. */
  readonly scene: string;
  readonly captions: SpecCaptions;
  /** Where each cue is written. */
  readonly origins: readonly Span[];
  readonly context: RuleContext;
}

/** A cue that does not keep to a rule, and where it is written. */
export interface PlacedCueFinding extends CueFinding {
  readonly cue: Cue;
  readonly at: Span | undefined;
  readonly scene: string;
}

/**
 * Returns the captions of a video with the rules of its definition, and the cuts between its scenes. A scene that is joined by another
 * transition begins without a cut.
 *
 * @param timeline null if it is not known: cuts are then not checked
 * @param rate frames per second of a video without a timeline
 */
export function checkedCaptions(video: Video, timeline: Timeline | null, rate: number): CheckedCaptions[] {
  const { captionRules: profile, captionOrigins: origins = new Map(), captions, scenes } = video;
  if (profile === undefined) return [];
  const rules = RULE_PROFILES[profile];
  const fps = timeline === null ? rate : timeline.rate.numerator / timeline.rate.denominator;
  const seconds = (frames: number): number => frames / fps;
  const isCut = (index: number): boolean => index > 0 && scenes[index]?.transition === undefined;
  const starts = timeline?.scenes.map(({ start }) => seconds(start)) ?? [];
  const placed = (scene: string, ofPlace: SpecCaptions | undefined, cuts: readonly number[]): CheckedCaptions[] =>
    ofPlace === undefined
      ? []
      : [{ scene, captions: ofPlace, origins: origins.get(scene) ?? [], context: { rules, lang: ofPlace.lang, rate: fps, cuts } }]; // biome-ignore format: one object
  return [
    ...placed('', captions, starts.filter((_, index) => isCut(index))), // biome-ignore format: one line
    ...scenes.flatMap((scene, index) => {
      const length = timeline?.scenes[index]?.length;
      const cuts = [
        ...(timeline !== null && isCut(index) ? [0] : []),
        ...(length !== undefined && isCut(index + 1) && index + 1 < scenes.length ? [seconds(length)] : []),
      ];
      return placed(scene.id, scene.captions, cuts);
    }),
  ];
}

/** Checks the captions of a video against the rules of its definition. */
export function captionFindings(checked: readonly CheckedCaptions[]): PlacedCueFinding[] {
  return checked.flatMap(({ scene, captions, origins, context }) => {
    return checkCues(captions.cues, context).map((finding): PlacedCueFinding => {
      return { ...finding, cue: captions.cues[finding.index]!, at: origins[finding.index], scene };
    });
  });
}
