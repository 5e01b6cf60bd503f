import { frameRateOf } from '../../contract/timeline/frame-rate.ts';
import { divide, type Rational, rational, rationalRate, toNumber } from '../../contract/timeline/rational.ts';
import { isNatural } from '../../contract/timeline/time-map.ts';
import type { Timeline, TimelineScene } from '../../contract/timeline/timeline.ts';
import { defined } from '../../kernel/defined.ts';
import type { SourceBytes } from '../../kernel/source-file.ts';
import type { InputSound } from '../render-input.ts';
import type { TemplatePackage } from '../template-package.ts';
import type { BindRequest } from './bind-mapping.ts';
import { type PlacedSound, trackSounds } from './track-sounds.ts';

/** The sounds of a scene before they are placed. */
interface SceneSounds extends Pick<BindRequest, 'audio_tracks'> {
  readonly template: Pick<TemplatePackage, 'fps'>;
  /** Sounds of the template and its clips, at times of the template. */
  readonly sounds: readonly InputSound[];
  /** The bytes of the tracks by `trackKey`. */
  readonly fetched: ReadonlyMap<string, SourceBytes>;
}

/** Fade of a sound that is cut, in seconds. */
const CUT_FADE = 0.01;

/**
 * Returns the sounds of a scene at their times in the video. Sounds of the template start when the scene first shows the start of
 * their layer; from then on they keep their own clock. They fade while a transition shows the scene's last frame; tracks end with
 * the scene, unless they go on.
 */
export function sceneSounds(timeline: Timeline, index: number, { sounds, ...values }: SceneSounds): PlacedSound[] {
  if (sounds.length === 0 && values.audio_tracks === undefined) return [];
  const scene = timeline.scenes[index]!;
  const next = timeline.scenes[index + 1];
  const rate = rationalRate(timeline.rate);
  const secondsOf = (frames: number): number => toNumber(divide(rational(frames), rate));
  const start = secondsOf(scene.start);
  const end = secondsOf(scene.start + scene.length);
  const isHeld = next?.transition != null && next.transition.from === next.start;
  const transition = isHeld ? secondsOf(next.transition.frames) : 0;
  // The end of the video is no cut.
  const cutFade = next === undefined ? undefined : CUT_FADE;
  const placed = sounds.flatMap((sound): InputSound[] => {
    const heard = heardTimes(scene, sound, values.template.fps, rate);
    if (heard === null) return [];
    const times = { fadesCuts: true as const, startSeconds: start + heard.from, endSeconds: start + heard.to };
    if (!heard.isCut) return [{ ...sound, ...times }];
    const fade = isHeld ? transition : cutFade;
    return [{ ...sound, ...times, endSeconds: end + transition, ...defined({ endFadeSeconds: fade }) }];
  });
  const span = {
    startSeconds: start,
    endSeconds: end,
    fadesCuts: true as const,
    ...defined({ endFadeSeconds: cutFade }),
  };
  const tracks = trackSounds(
    { ...span, videoEndSeconds: secondsOf(timeline.frames), scene: scene.id },
    values.audio_tracks ?? {},
    values.fetched,
  );
  return [...placed, ...tracks].map((sound) => ({ ...sound, name: `${scene.id}.${sound.name}` }));
}

/** When a scene plays a sound, in seconds from its start. */
interface HeardTimes {
  readonly from: number;
  readonly to: number;
  /** The layer of the sound is still shown on the last frame of the scene. */
  readonly isCut: boolean;
}

/**
 * Returns when a scene plays a sound.
 *
 * @param fps frames per second of the template, as its animation says it
 * @returns null for a sound whose layer the scene never shows
 */
export function heardTimes(
  { map, length }: TimelineScene,
  sound: Pick<InputSound, 'startSeconds' | 'endSeconds'>,
  fps: number,
  timelineRate: Rational,
): HeardTimes | null {
  const rate = toNumber(timelineRate);
  const exactRate = rationalRate(frameRateOf(fps));
  const speed = divide(exactRate, timelineRate);
  const templateRate = rate * toNumber(speed);
  // Sounds of a template count 29.97 frames as a second, its scenes 30000 in 1001 seconds.
  const factor = fps / toNumber(exactRate);
  const [startSeconds, endSeconds] = [sound.startSeconds * factor, sound.endSeconds * factor];
  const spans = map.flatMap((piece) => {
    const [from, to, at, pace] = [piece.from, piece.to, piece.at, piece.speed].map(toNumber) as [
      number,
      number,
      number,
      number,
    ];
    const [first, last] = [startSeconds * templateRate, endSeconds * templateRate];
    if (pace === 0) return at > first - TOLERANCE && at < last - TOLERANCE ? [{ from, to }] : [];
    const shown = { from: Math.max(from, from + (first - at) / pace), to: Math.min(to, from + (last - at) / pace) };
    return shown.from < shown.to - TOLERANCE ? [shown] : [];
  });
  const [first, last] = [spans[0], spans.at(-1)];
  if (first === undefined || last === undefined) return null;
  const isCut = last.to > length - 1;
  // Frames divided by a rate would differ in the last digit.
  if (isNatural(map, speed)) return { from: startSeconds, to: Math.min(endSeconds, last.to / rate), isCut };
  return { from: first.from / rate, to: last.to / rate, isCut };
}

/** Frames within which times are equal. */
const TOLERANCE = 1e-6;
