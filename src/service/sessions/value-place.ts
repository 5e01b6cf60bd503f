import { trackKey, trackOf } from '../../contract/wire/mapping.ts';
import { NO_SCENE_ID } from '../../contract/wire/scene-request.ts';
import { defined } from '../../kernel/defined.ts';
import { jsonPointer } from '../../kernel/json.ts';
import { MAPPING_POINTER } from '../../template/bind/check-mapping.ts';

/** The names that a request or a session fills. @see scenesOf */
export interface FilledVideo extends FilledTracks {
  readonly scenes: readonly FilledScene[];
}

interface FilledScene extends FilledTracks {
  readonly id: string;
  readonly mapping: { readonly resources: object };
}

interface FilledTracks {
  readonly audio_tracks?: object | undefined;
}

type NamedScenes = { readonly scenes: readonly Pick<FilledScene, 'id'>[] };

/** Where a request has a value. */
export interface ValuePlace {
  /** Key of the editable, or the `trackKey` of a track; absent for captions. */
  readonly editable?: string;
  /** Id of its scene; absent in a video that was requested with a mapping, and for tracks of the whole video. */
  readonly scene?: string;
  /** JSON pointer to the value, as a URI fragment. */
  readonly pointer: string;
}

/** Returns whether a video was requested with a mapping. */
export function isOfMapping({ scenes }: NamedScenes): boolean {
  return scenes[0]?.id === NO_SCENE_ID;
}

/** Returns the pointer to the mapping of a scene. */
export function mappingPointer(video: NamedScenes, index: number): string {
  return isOfMapping(video) ? MAPPING_POINTER : `#/scenes/${index}/mapping`;
}

/** Returns the pointer to tracks. @param index of the scene; null for those of the whole video */
export function tracksPointer(video: NamedScenes, index: number | null): string {
  if (isOfMapping(video)) return `${MAPPING_POINTER}/audio_tracks`;
  return index === null ? '#/audio_tracks' : `#/scenes/${index}/audio_tracks`;
}

/** Returns where captions are. @param index of the scene; null for those of the whole video */
export function placeOfCaptions({ scenes }: NamedScenes, index: number | null): ValuePlace {
  return index === null
    ? { pointer: '#/captions' }
    : { pointer: `#/scenes/${index}/captions`, scene: scenes[index]!.id };
}

/**
 * Returns where a value is.
 *
 * @param index of the scene; null for a track of the whole video
 * @param key of the editable, or the `trackKey` of a track
 */
export function placeOfValue(video: NamedScenes, index: number | null, key: string): ValuePlace {
  const track = trackOf(key);
  const pointer =
    track === null
      ? `${mappingPointer(video, index ?? 0)}/resources${jsonPointer([key])}`
      : `${tracksPointer(video, index)}${jsonPointer([track])}`;
  const id = index === null || isOfMapping(video) ? undefined : video.scenes[index]!.id;
  return { editable: key, pointer, ...defined({ scene: id }) };
}

/**
 * Returns where the value is that a render input names, as opposed to a file of a template.
 *
 * @param name the key of an editable or track; in a video of several scenes with the id of its scene and a dot in front
 */
export function findValue(video: FilledVideo, name: string): ValuePlace | null {
  for (const [index, scene] of video.scenes.entries()) {
    const prefix = `${scene.id}.`;
    const key = name.startsWith(prefix) ? name.slice(prefix.length) : video.scenes.length === 1 ? name : null;
    if (key === null) continue;
    if (Object.hasOwn(scene.mapping.resources, key) || hasTrack(scene, key)) return placeOfValue(video, index, key);
  }
  return hasTrack(video, name) ? placeOfValue(video, null, name) : null;
}

function hasTrack({ audio_tracks = {} }: FilledTracks, key: string): boolean {
  return Object.keys(audio_tracks).some((track) => trackKey(track) === key);
}
