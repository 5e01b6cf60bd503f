import type { FieldValues } from '../fields/field.ts';
import type { TRACK_FIELDS, TRANSFORM_FIELDS } from '../fields/transform-fields.ts';

/** A text, a colour, a number, a point or a gradient. */
export interface TextResource {
  source: { text: string };
}

export interface MediaResource {
  source: { remote_url: string };
  transform?: Transform;
}

/** A font that the template or the project carries, by name. */
export interface FontResource {
  source: { font: string };
}

/** How a source fills its area. Crop is in source pixels, focus in 0..1. Only videos and sounds have sound and time. */
export type Transform = FieldValues<typeof TRANSFORM_FIELDS.video>;

/** A sound of an audio editable or of `audio_tracks`. */
export interface AudioResource {
  source: { remote_url: string };
  transform?: AudioTransform;
  /** Only of a track under which others are lowered. */
  speech?: Speech;
}

const TRACK = 'audio_tracks.';

/** Returns the key that identifies the sound of a track among the keys of editables. */
export function trackKey(track: string): string {
  return `${TRACK}${track}`;
}

/** Returns the name of the track that a key identifies; null for the key of an editable. */
export function trackOf(key: string): string | null {
  return key.startsWith(TRACK) ? key.slice(TRACK.length) : null;
}

/** Maximum tracks of a video. */
export const MAX_TRACKS = 16;

/** Names of tracks in definitions, where they become part of the lockfile's names and of messages. */
export const TRACK_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** Maximum characters of a track name over HTTP. Clients of the interface have always been free to use any other characters, too. */
export const MAX_TRACK_NAME = 100;

/** Trim, volume, fades and repetition of a sound; of a track, also its place and its ducking. */
export type AudioTransform = FieldValues<typeof TRACK_FIELDS>;

/** A pause between words that is shorter than this, in seconds, does not raise a sound that is lowered under them. */
export const BRIDGED_PAUSE = 0.85;

/** Where words are spoken, in seconds of the source. */
export type Speech = readonly (readonly [from: number, to: number])[];

export type Resource = TextResource | MediaResource | FontResource | AudioResource;

export interface Mapping {
  template_style_version_id: string;
  resources: Record<string, Resource>;
  /** Keyed by track name; mixed with the template's own sound. */
  audio_tracks?: Record<string, AudioResource>;
  /** Keyed by the name of the template font to replace. */
  font_changes?: Record<string, FontResource>;
}

/** `POST /v2/source_uploads` */
export interface SourceUploadAnswer {
  remote_url: string;
  sha256: string;
  bytes: number;
  content_type: string;
  width?: number;
  height?: number;
}
