import type { SpecCaptions } from '../../src/contract/captions/caption-style.ts';
import type { Cue, Word } from '../../src/contract/captions/cue.ts';
import { frameRateOf } from '../../src/contract/timeline/frame-rate.ts';
import { builtInCaptionFonts } from '../../src/service/sessions/caption-fonts.ts';
import { bindCaptions } from '../../src/template/bind/bind-captions.ts';
import type { RenderInput, ScenesInput, VideoInput } from '../../src/template/render-input.ts';

/** Returns words of equal length in seconds. */
export function spokenWords(text: string, start: number, seconds: number): Word[] {
  return text
    .split(/\s+/)
    .map((word, index) => ({ text: word, start: start + index * seconds, end: start + (index + 1) * seconds }));
}

export function spokenCue(text: string, start: number, seconds: number): Cue {
  const words = spokenWords(text, start, seconds);
  return { start, end: words.at(-1)!.end, text, words };
}

/** Returns a video with captions. @param ofScenes by index of the scene */
export function captioned<Video extends VideoInput>(
  video: Video,
  captions: SpecCaptions | undefined,
  ofScenes: readonly (SpecCaptions | undefined)[] = [],
): Video {
  const { rate, frames, scenes } = timelineOf(video);
  const placed = scenes.map(({ start, length }, index) => ({ captions: ofScenes[index], start, length }));
  const bound = bindCaptions([{ captions, start: 0, length: frames }, ...placed], {
    rate,
    templates: [],
    builtIn: builtInCaptionFonts(),
  });
  return bound === undefined ? video : { ...video, captions: bound };
}

function timelineOf(video: VideoInput): Pick<ScenesInput['timeline'], 'rate' | 'frames' | 'scenes'> {
  if ('scenes' in video) return video.timeline;
  const { animation } = video as RenderInput;
  return { rate: frameRateOf(animation.fr), frames: animation.op - animation.ip, scenes: [] };
}
