import { defined } from '../../kernel/defined.ts';
import type { FieldValues } from '../fields/field.ts';
import type { PLACEMENT_FIELDS, TRANSITION_FIELDS } from '../fields/scene-fields.ts';
import type { Place } from '../timeline/place.ts';
import type { CaptionsRequest } from './captions.ts';
import type { LoudnessRequest } from './loudness.ts';
import type { AudioResource, Mapping } from './mapping.ts';

/** A template with values, at a place in a video. */
export interface SceneRequest extends FieldValues<typeof PLACEMENT_FIELDS> {
  /** Matches `SCENE_ID` in requests; unique in the video, ignoring case. */
  id: string;
  mapping: Omit<Mapping, 'audio_tracks'>;
  /** Length; the natural length of the template if absent. */
  seconds?: number;
  /** Where the template can become longer or shorter, in its frames; as in the style version if absent. */
  timing?: readonly Place[];
  /** From the scene before; absent for a cut. */
  transition?: SceneTransition;
  /** Sounds that begin and end with the scene, keyed by track name. */
  audio_tracks?: Record<string, AudioResource>;
  /** Captions that end with the scene. */
  captions?: CaptionsRequest;
}

type TransitionFields = FieldValues<typeof TRANSITION_FIELDS>;
export type SceneTransition = TransitionFields & Required<Pick<TransitionFields, 'type' | 'duration'>>;

/** A video of scenes, in place of the mapping of a single template. */
export interface ScenesRequest {
  /** In their order; 1 to `MAX_SCENES`. */
  scenes: SceneRequest[];
  /** Pixels; the size of the first scene's template if absent. */
  size?: readonly [width: number, height: number];
  /** Frames per second of the timeline; those of the first scene's template if absent. */
  rate?: number;
  /** Expected length in frames of the timeline. A service refuses scenes of another length; not checked if absent. */
  frames?: number;
  /** Sounds of the whole video, keyed by track name. */
  audio_tracks?: Record<string, AudioResource>;
  /** Loudness of the finished sound; that of the mix if absent. */
  loudness?: LoudnessRequest;
  /** Captions of the whole video. */
  captions?: CaptionsRequest;
}

/** Ids of scenes: a name, and after a slash that of a row. */
export const SCENE_ID = /^[A-Za-z0-9_-]+(?:\/[A-Za-z0-9._-]+)*$/;
export const MAX_SCENE_ID = 200;

/** Id of the only scene of a video that was requested with a mapping. */
export const NO_SCENE_ID = '';

/**
 * Returns what a request or a session shows as scenes: a mapping is a single scene with the id `NO_SCENE_ID`, whose tracks are the
 * video's.
 */
export function scenesOf(video: Partial<ScenesRequest> & { readonly mapping?: Mapping }): ScenesRequest {
  const { scenes, size, rate, audio_tracks, loudness, captions } = video;
  if (scenes !== undefined) return { scenes, ...defined({ size, rate, audio_tracks, loudness, captions }) };
  const { audio_tracks: tracks, ...mapping } = video.mapping!;
  return { scenes: [{ id: NO_SCENE_ID, mapping }], ...defined({ audio_tracks: tracks, loudness, captions }) };
}
