import { divide, rational, rationalRate, toNumber } from '../contract/timeline/rational.ts';
import type { Timeline } from '../contract/timeline/timeline.ts';
import type { SoundLengths } from '../contract/video-measures.ts';
import type { SpecSound } from '../contract/video-spec.ts';
import { TRANSFORM_DEFAULTS } from '../contract/wire/defaults.ts';
import type { Source, Video } from '../reconciler/definition/video.ts';
import { locationOf } from '../reconciler/definition/video-timeline.ts';
import type { SoundBlock } from './timeline-protocol.ts';

type Sound = SpecSound<Source>;

/** Returns the local files of the tracks of a video and of its scenes, repository-relative. */
export function soundFiles({ audio, scenes }: Pick<Video, 'audio' | 'scenes'>): string[] {
  const sounds = [audio, ...scenes.map((scene) => scene.audio)].flatMap((tracks) => [...tracks.values()]);
  return [...new Set(sounds.flatMap(({ source }) => (source.kind === 'file' ? [source.path] : [])))];
}

/** Returns the tracks of a video and of its scenes as blocks of a timeline. */
export function soundBlocks(
  { audio, scenes }: Pick<Video, 'audio' | 'scenes'>,
  timeline: Timeline,
  lengths: SoundLengths,
): SoundBlock[] {
  const secondsOf = (frames: number): number => toNumber(divide(rational(frames), rationalRate(timeline.rate)));
  const blocksOf = (tracks: Video['audio'], scene: string | null, start: number, frames: number): SoundBlock[] => {
    return [...tracks].map(([name, sound]) => {
      const { start: delay, overrun } = { ...TRANSFORM_DEFAULTS.audio, ...sound.transform };
      const end = secondsOf(overrun ? timeline.frames : start + frames);
      const from = Math.min(end, secondsOf(start) + delay);
      return { name, scene, from, ...heardPart(sound, lengths, { from, end }) };
    });
  };
  return [
    ...blocksOf(audio, null, 0, timeline.frames),
    ...timeline.scenes.flatMap(({ id, start, length }, index) => blocksOf(scenes[index]!.audio, id, start, length)),
  ];
}

/** A sound of unknown length counts as heard until the end. */
function heardPart(
  { source, transform }: Sound,
  lengths: SoundLengths,
  { from, end }: { readonly from: number; readonly end: number },
): Omit<SoundBlock, 'name' | 'scene' | 'from'> {
  const measured = lengths(locationOf(source));
  if (measured === null) return { to: end, cutSeconds: null, passSeconds: null };
  const { trim_start_time, loop } = { ...TRANSFORM_DEFAULTS.audio, ...transform };
  const length = Math.max(0, measured.samples / measured.rate - trim_start_time);
  if (loop) return { to: end, cutSeconds: 0, passSeconds: length };
  return { to: Math.min(end, from + length), cutSeconds: Math.max(0, from + length - end), passSeconds: null };
}
