import type { SpecCaptions } from '../../contract/captions/caption-style.ts';
import { type Cue, toMilliseconds } from '../../contract/captions/cue.ts';
import { type SidecarFormat, writeCaptions } from '../../contract/captions/write-captions.ts';
import { hasCaptions } from '../../contract/video-spec.ts';
import { defined } from '../../kernel/defined.ts';
import { type Sha256, sha256 } from '../../kernel/digest.ts';
import { fingerprintDigits } from '../definition/destinations.ts';
import type { VideoDestination } from '../definition/video.ts';
import { type LockCaptionFile, OUTPUTS_FOLDER } from '../lock/lock.ts';
import { describeCues } from '../lock/recorded-cues.ts';
import { type DesiredVideo, hasUnknownLength } from './desired-video.ts';

/** A file with captions beside a video. */
export interface CaptionFile extends LockCaptionFile {
  readonly text: string;
}

/**
 * Returns the files with captions that belong beside a video. They depend neither on a rendering nor on a service.
 *
 * @returns null if they depend on lengths of sounds that are not known yet
 */
export function captionFiles(desired: DesiredVideo): readonly CaptionFile[] | null {
  const { id, fingerprint, captionFiles: formats = [] } = desired;
  if (formats.length === 0) return [];
  const cues = videoCues(desired);
  if (cues === null) return null;
  const name = `${OUTPUTS_FOLDER}/${id}-${fingerprintDigits(fingerprint).slice(0, 8)}`;
  return formats.map((format: SidecarFormat, index): CaptionFile => {
    const text = writeCaptions(cues, format);
    const bytes = Buffer.byteLength(text);
    const recorded = index === 0 && !hasCaptions(desired) ? describeCues(cues) : undefined;
    return { format, path: `${name}.${format}`, sha256: sha256(text), bytes, ...defined({ cues: recorded }), text };
  });
}

/** A destination of a finished file. */
export interface WantedDestination extends VideoDestination {
  /** Digest of the captions that go there; absent for other files, and while their times are not known. */
  readonly sha256?: Sha256;
}

/** Returns the destinations of a video, those of captions with their digest. */
export function wantedDestinations(desired: DesiredVideo): readonly WantedDestination[] {
  if (desired.deliver.every(({ captions }) => captions === undefined)) return desired.deliver;
  const files = captionFiles(desired) ?? [];
  return desired.deliver.map((destination) => {
    const file = files.find(({ format }) => format === destination.captions);
    return { ...destination, ...defined({ sha256: file?.sha256 }) };
  });
}

/** The cues of a whole video, in the order of their start. */
type CaptionedVideo = Pick<DesiredVideo, 'captions' | 'scenes' | 'times' | 'measures' | 'contentLengths'>;

/**
 * Returns all cues of a video, from its start: those of scenes are moved to the start of their scene, and end with it at the latest.
 *
 * @returns null if they depend on lengths of sounds that are not known yet
 */
export function videoCues(video: CaptionedVideo): Cue[] | null {
  const { captions, scenes, times, measures } = video;
  const hasSceneCaptions = scenes.some((scene) => scene.captions !== undefined);
  if (hasUnknownLength(video) || (hasSceneCaptions && (times === undefined || measures === null))) return null;
  const seconds = (frames: number): number => (measures === null ? 0 : frames / measures.rate);
  const length = measures === null ? Number.POSITIVE_INFINITY : seconds(measures.frames);
  const ofScenes = scenes.flatMap((scene, index) => {
    const { start = 0, length: frames = 0 } = times?.[index] ?? {};
    return placedCues(scene.captions, seconds(start), seconds(frames));
  });
  return [...placedCues(captions, 0, length), ...ofScenes].sort((a, b) => a.start - b.start);
}

/** Moves cues to a time, without those that start after the end of their place. */
function placedCues(captions: SpecCaptions | undefined, from: number, length: number): Cue[] {
  return (captions?.cues ?? []).flatMap((cue): Cue[] => {
    if (cue.start >= length) return [];
    const moved = <T extends Pick<Cue, 'start' | 'end'>>(timed: T): T => ({
      ...timed,
      start: toMilliseconds(timed.start + from),
      end: toMilliseconds(Math.min(timed.end, length) + from),
    });
    const words = cue.words?.filter((word) => word.start < length).map(moved);
    return [{ ...moved(cue), ...defined({ words }) }];
  });
}
