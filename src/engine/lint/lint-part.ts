import type { SoundMeasures } from '../../contract/wire/loudness.ts';
import type { SafeAreaName } from '../../template/lint-severities.ts';
import type { LintFinding } from '../lint-finding.ts';
import { type AnyRenderInput, unpackRenderInput } from '../packed-input.ts';
import { HeardSounds, type KeptSound } from './heard-sounds.ts';
import type { LintPart } from './lint-input.ts';
import { lintVideo } from './lint-video.ts';
import { type KeptFrame, MeasuredFrames } from './measured-frames.ts';
import { type Peer, shareImages } from './share-images.ts';

export interface LintPartInput {
  readonly renderInput: AnyRenderInput;
  readonly safeAreas: readonly (SafeAreaName | null)[];
  /** Only for an input of one template. */
  readonly part: LintPart;
  /** Frames and sounds that are known. */
  readonly measured: readonly KeptFrame[];
  readonly heard: readonly KeptSound[];
  /** True if no other input of the thread will be similar. */
  readonly isLast: boolean;
  /** Connected to the thread that runs the other part; null without one. */
  readonly peer: Peer | null;
}

export interface LintPartResult {
  readonly findings: readonly LintFinding[];
  /** The measured frames and sounds of the input. */
  readonly measured: readonly KeptFrame[];
  readonly heard: readonly KeptSound[];
  /** What was measured of the mix; null if it was not. */
  readonly loudness: SoundMeasures | null;
}

/** Finds visible defects of an input's video on the calling thread, or the part of them that another thread does not look for. Closes `peer`. */
export async function lintPart(input: LintPartInput): Promise<LintPartResult> {
  const { renderInput, safeAreas, part, measured, heard, isLast, peer } = input;
  const video = unpackRenderInput(renderInput);
  const frames = new MeasuredFrames(measured, isLast);
  const sounds = new HeardSounds(heard);
  if (peer !== null && !('scenes' in video)) await shareImages(video.images, part === 'flashes' ? 0 : 1, peer);
  const findings = await lintVideo(video, safeAreas, part, frames, sounds).finally(() => peer?.close());
  return { findings, measured: frames.kept(), heard: sounds.kept(), loudness: sounds.mix };
}
