import { givesWay } from '../../contract/video-spec.ts';
import { type AudioResource, type AudioTransform, type Mapping, trackKey } from '../../contract/wire/mapping.ts';
import { defined } from '../../kernel/defined.ts';
import { byCodeUnit } from '../../kernel/digest.ts';
import type { SourceBytes } from '../../kernel/source-file.ts';
import type { InputSound } from '../render-input.ts';

/** A sound of an input that may be a track. */
export interface PlacedSound extends InputSound {
  readonly track?: {
    readonly name: string;
    /** Id of the scene whose track it is; null for a track of the whole video. */
    readonly scene: string | null;
  };
}

/** When the tracks of a scene or video are heard, in seconds of the video. */
interface TrackSpan extends Pick<InputSound, 'startSeconds' | 'endSeconds' | 'endFadeSeconds' | 'fadesCuts'> {
  /** End of the video, for tracks that go on after their scene; that of the span if absent. */
  readonly videoEndSeconds?: number;
  readonly scene?: string;
}

/** Fields that tracks of a single template did not have when their cuts had no fades. */
const COMPOSED_FIELDS = ['start', 'overrun', 'level', 'duck_under'] as const;

/** Returns the sounds of tracks in mixing order. */
export function trackSounds(
  { startSeconds, endSeconds, endFadeSeconds, fadesCuts, videoEndSeconds = endSeconds, scene }: TrackSpan,
  tracks: NonNullable<Mapping['audio_tracks']>,
  fetched: ReadonlyMap<string, SourceBytes>,
): PlacedSound[] {
  return tracksInMixOrder(tracks).flatMap(([track, { transform = {}, speech }]): PlacedSound[] => {
    const name = trackKey(track);
    const bytes = fetched.get(name);
    if (bytes === undefined) return [];
    const { start = 0, overrun = false } = transform;
    const end = overrun ? { endSeconds: videoEndSeconds } : { endSeconds, ...defined({ endFadeSeconds }) };
    const times = { startSeconds: startSeconds + start, ...end };
    const place = { name: track, scene: scene ?? null };
    const isComposed = speech !== undefined || COMPOSED_FIELDS.some((field) => transform[field] !== undefined);
    const fades = fadesCuts ?? (isComposed ? true : undefined);
    const options = defined({ speech, fadesCuts: fades });
    return [{ bytes, name, ...times, transform, optional: false, track: place, ...options }];
  });
}

/** Returns the tracks of a mapping in mixing order, which is the order of their names. */
function tracksInMixOrder(tracks: NonNullable<Mapping['audio_tracks']>): [name: string, track: AudioResource][] {
  return Object.entries(tracks).sort(([a], [b]) => byCodeUnit(a, b));
}

/**
 * Finds the sounds under which tracks are lowered, see `givesWay`. Removes their names, on which no sound depends.
 */
export function withDucking(sounds: readonly PlacedSound[]): InputSound[] {
  return sounds.map(({ track, transform, ...sound }) => {
    const { duck_under: under, start: _start, overrun: _overrun, ...heard } = transform;
    const duckedBy = under === undefined || track === undefined ? undefined : speakers(under, track.scene, sounds);
    return { ...sound, transform: heard satisfies AudioTransform, ...defined({ duckedBy }) };
  });
}

function speakers(under: string, scene: string | null, sounds: readonly PlacedSound[]): number[] {
  const names = new Set(under.split(','));
  return [...sounds.entries()].flatMap(([index, { track }]) => {
    return track !== undefined && givesWay(scene, track.scene) && names.has(track.name) ? [index] : [];
  });
}
