import { divide, rational, rationalRate, toNumber } from '../contract/timeline/rational.ts';
import type { Timeline } from '../contract/timeline/timeline.ts';
import type { SoundLengths } from '../contract/video-measures.ts';
import type { SpecSound } from '../contract/video-spec.ts';
import { TRANSFORM_DEFAULTS } from '../contract/wire/defaults.ts';
import { trackKey } from '../contract/wire/mapping.ts';
import { child, type MapNode, type TreeNode, textOf, toJson } from '../kernel/yaml/tree.ts';
import { transformFields } from '../reconciler/definition/read-resource.ts';
import type { Source, Video, VideoSound } from '../reconciler/definition/video.ts';
import { locationOf } from '../reconciler/definition/video-timeline.ts';
import { plainText } from '../reconciler/speech/spoken-text.ts';
import { writtenScene } from './definition-tree.ts';
import type { SoundBlock, SpeechText } from './timeline-protocol.ts';

type Sound = SpecSound<Source>;

/** Returns the local files of the tracks of a video and of its scenes, repository-relative. */
export function soundFiles({ audio, scenes }: Pick<Video, 'audio' | 'scenes'>): string[] {
  const sounds = [audio, ...scenes.map((scene) => scene.audio)].flatMap((tracks) => [...tracks.values()]);
  return [...new Set(sounds.flatMap(({ source }) => (source.kind === 'file' ? [source.path] : [])))];
}

/**
 * Returns the tracks of a video and of its scenes as blocks of a timeline.
 *
 * @param timeline null for a video of one template
 * @param seconds length of the video
 * @param tree of the definition
 */
export function soundBlocks(
  { audio, scenes }: Pick<Video, 'audio' | 'scenes'>,
  { timeline, seconds }: { readonly timeline: Timeline | null; readonly seconds: number },
  lengths: SoundLengths,
  tree: MapNode | null,
): SoundBlock[] {
  const blocksOf = (tracks: Video['audio'], scene: string | null, from: number, to: number): SoundBlock[] => {
    return [...tracks].map(([name, sound]) => {
      const { start, overrun } = { ...TRANSFORM_DEFAULTS.audio, ...sound.transform };
      const end = overrun ? seconds : to;
      const heard = { from: Math.min(end, from + start), end };
      return {
        name,
        scene,
        graph: scene === null || timeline === null ? trackKey(name) : `${scene}.${trackKey(name)}`,
        from: heard.from,
        ...heardPart(sound, lengths, heard),
        fields: sound.transform,
        speech: speechOf(sound, trackOf(name, scene, tree)),
        path: pathOf(name, scene, tree),
      };
    });
  };
  const ofVideo = blocksOf(audio, null, 0, seconds);
  if (timeline === null) return [...ofVideo, ...scenes.flatMap((scene) => blocksOf(scene.audio, null, 0, seconds))];
  const secondsOf = (frames: number): number => toNumber(divide(rational(frames), rationalRate(timeline.rate)));
  const ofScenes = timeline.scenes.flatMap(({ id, start, length }, index) =>
    blocksOf(scenes[index]!.audio, id, secondsOf(start), secondsOf(start + length)),
  );
  return [...ofVideo, ...ofScenes];
}

/** Tracks of a scene of a fragment, and those with columns in their fields, are edited in their files. */
function pathOf(name: string, scene: string | null, tree: MapNode | null): readonly string[] | null {
  const written = scene === null ? null : writtenScene(scene, tree);
  if (scene !== null && (written === null || written.node.span.file !== tree?.span.file)) return null;
  const track = trackOf(name, scene, tree);
  const fields = transformFields(track);
  const isFilled = fields !== null && JSON.stringify(toJson(fields, () => true)).includes('${');
  if (track === null || isFilled) return null;
  return [...(written === null ? [] : ['scenes', String(written.index)]), 'audio', name];
}

/** Returns a track as the definition and its fragments have it; null if they do not. */
function trackOf(name: string, scene: string | null, tree: MapNode | null): TreeNode | null {
  const place = scene === null ? tree : (writtenScene(scene, tree)?.node ?? null);
  return child(child(place, 'audio'), name);
}

/** A video whose text was edited keeps its former sound until the voice has spoken. */
function speechOf({ spoken }: VideoSound, track: TreeNode | null): SpeechText | null {
  const text = textOf(child(track, 'speak'));
  if (spoken === undefined || text === null) return null;
  const isFilled = text.includes('${');
  return { text, voice: spoken.voice, isFilled, isMissing: !isFilled && plainText(text) !== spoken.text };
}

/** A sound of unknown length counts as heard until the end. */
function heardPart(
  { source, transform }: Sound,
  lengths: SoundLengths,
  { from, end }: { readonly from: number; readonly end: number },
): Pick<SoundBlock, 'to' | 'cutSeconds' | 'passSeconds'> {
  const measured = lengths(locationOf(source));
  if (measured === null) return { to: end, cutSeconds: null, passSeconds: null };
  const { trim_start_time, loop } = { ...TRANSFORM_DEFAULTS.audio, ...transform };
  const length = Math.max(0, measured.samples / measured.rate - trim_start_time);
  if (loop) return { to: end, cutSeconds: 0, passSeconds: length };
  return { to: Math.min(end, from + length), cutSeconds: Math.max(0, from + length - end), passSeconds: null };
}
