import type { SoundMeasures } from '../contract/wire/loudness.ts';
import type { InputSound, VideoInput } from '../template/render-input.ts';
import type { AudioCodec, AudioTrack, SoundOptions } from './codec/encoded-track.ts';
import { type LoudnessFinding, type MediaFinding, soundMoment } from './lint-finding.ts';
import type { TextFinding } from './text/text-findings.ts';

/** The sound of a whole video, and the defects of its clips and sounds. */
export interface RenderedSound {
  /** Null for a silent video. */
  readonly track: AudioTrack | null;
  readonly findings: readonly (MediaFinding | LoudnessFinding)[];
}

/** Returns whether an input has clips or sounds, which `renderSound` examines. */
export function hasMedia(video: MediaOf): boolean {
  return video.sounds.length > 0 || clipCount(video) > 0;
}

/** The clips and sounds of a video. */
type MediaOf = { readonly sounds: readonly InputSound[] } & (
  | { readonly clips: readonly unknown[] }
  | { readonly scenes: readonly { readonly clips: readonly unknown[] }[] }
);

function clipCount(video: MediaOf): number {
  return 'scenes' in video ? video.scenes.reduce((sum, { clips }) => sum + clips.length, 0) : video.clips.length;
}

/**
 * Examines the clips and sounds of a checked input, and renders its sound as a whole, so that it has no seams.
 *
 * @param codec null for no sound
 * @param options progress counts seconds of sound
 * @throws RenderError, ReelformError as `makeSound` and `examineMedia`; the signal's reason
 */
export async function renderSound(
  renderInput: VideoInput,
  codec: AudioCodec | null,
  options: SoundOptions = {},
): Promise<RenderedSound> {
  const findings = await mediaFindings(renderInput);
  options.signal?.throwIfAborted();
  if (codec === null || renderInput.sounds.length === 0) return { track: null, findings };
  // Loaded on demand: the code is large, and most inputs have no sound.
  const { makeSound } = await import('./media/make-sound.ts');
  const track = await makeSound(renderInput, codec, options);
  return { track, findings: [...findings, ...trackFindings(renderInput, track)] };
}

/** LU by which a finished sound may differ from its target. */
const LOUDNESS_TOLERANCE = 0.5;

/** Returns what is recorded of a sound; undefined if it was not measured, or is silent. */
export function soundMeasures(
  measured: Readonly<Record<'integrated' | 'truePeak', number | null>> | undefined,
): SoundMeasures | undefined {
  const integrated = measured?.integrated ?? Number.NaN;
  const truePeak = measured?.truePeak ?? Number.NaN;
  if (!Number.isFinite(integrated) || !Number.isFinite(truePeak)) return undefined;
  return { integrated: hundredths(integrated), true_peak: hundredths(truePeak) };
}

/** Without a negative zero. */
function hundredths(value: number): number {
  return Math.round(value * 100) / 100 + 0;
}

type HeardVideo = Pick<VideoInput, 'sounds' | 'loudness' | 'fps' | 'frameCount'>;

/** Reports sounds that are too quiet for their level, and a finished sound without the loudness that its video asks for. */
export function trackFindings(renderInput: HeardVideo, track: AudioTrack | null): (MediaFinding | LoudnessFinding)[] {
  if (track === null) return [];
  const { tooQuiet = [], loudness } = track;
  const quiet = tooQuiet.map(({ sound, loudness: quietLoudness }): MediaFinding => {
    const { name, startSeconds, transform } = renderInput.sounds[sound]!;
    const moment = soundMoment(renderInput, startSeconds);
    return { code: 'level_missed', editable: name, ...moment, loudness: quietLoudness, level: transform.level! };
  });
  return [...quiet, ...(loudness === undefined ? [] : loudnessFindings(renderInput, loudness.integrated))];
}

/** @param integrated loudness of the finished sound in LUFS; -Infinity if it has none */
export function loudnessFindings({ loudness }: Pick<VideoInput, 'loudness'>, integrated: number): LoudnessFinding[] {
  if (loudness === undefined || Math.abs(integrated - loudness.target) <= LOUDNESS_TOLERANCE) return [];
  const measured = Number.isFinite(integrated) ? integrated : null;
  return [{ code: 'loudness_missed', editable: null, integrated: measured, target: loudness.target }];
}

/** A defect of an input, reported by every render. It does not prevent rendering. */
export type RenderFinding = TextFinding | MediaFinding | LoudnessFinding;

/**
 * Reports defects of the clips and sounds of an input. Loads the code on demand, because most inputs have neither.
 *
 * @throws RenderError as `examineMedia`
 */
export async function mediaFindings(renderInput: VideoInput): Promise<readonly MediaFinding[]> {
  if (!hasMedia(renderInput)) return [];
  const { examineMedia } = await import('./media/examine-media.ts');
  return examineMedia(renderInput);
}
