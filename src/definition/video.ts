import type { AudioTransform, Transform } from '../wire/mapping.ts';
import type { OutputRequest } from '../wire/output.ts';

declare const brand: unique symbol;

/** Names a video for good: the definition's path below `videos/` without ending, its `id:`, or `<definition>/<row id>`. */
export type VideoId = string & { readonly [brand]: 'VideoId' };

/** Where a media resource comes from: an http(s) URL as written, or a file of the repository (relative, `/`). */
export type Source = { readonly kind: 'url'; readonly url: string } | { readonly kind: 'file'; readonly path: string };

/** A value for one editable, checked against its kind. */
export type VideoResource =
  | { readonly kind: 'text'; readonly text: string }
  /** 6 or 8 upper-case hexadecimal digits, no `#`. */
  | { readonly kind: 'color'; readonly color: string }
  /** `transform` has its defaults written out: `crop_strategy: cover`, and `trim_strategy: manual` where something is trimmed. */
  | { readonly kind: 'image' | 'video'; readonly source: Source; readonly transform: Transform }
  | ({ readonly kind: 'audio' } & VideoSound)
  /** The name of a font that the template or the project carries. */
  | { readonly kind: 'font'; readonly font: string };

/** A sound and how it is heard, as it is written. */
export interface VideoSound {
  readonly source: Source;
  readonly transform: AudioTransform;
}

/** Where a finished file is to go. */
export interface VideoDestination {
  /** `s3://bucket/key`, `gs://bucket/key`, `azblob://account/container/key` or `file:path`. */
  readonly to: string;
  /** The name of a credential; null: whatever the service takes by itself. */
  readonly credential: string | null;
}

/** One thing to render: a definition, or one row of its data, with everything merged, filled in and checked. */
export interface Video {
  readonly id: VideoId;
  /** The definition's file, repository-relative. */
  readonly path: string;
  /** The template's name in reelform.yaml. */
  readonly template: string;
  readonly title: string;
  readonly description: string | null;
  readonly labels: Readonly<Record<string, string>>;
  /** Removing the definition is refused while true. */
  readonly protect: boolean;
  /** By editable key, in the specification's order; optional editables that nobody filled are absent. */
  readonly resources: ReadonlyMap<string, VideoResource>;
  /** By the name of the track, in the order of the names: mixed over the template's own sound. */
  readonly audio: ReadonlyMap<string, VideoSound>;
  /** The template's font → the font in its place, in the order of the names. */
  readonly fonts: ReadonlyMap<string, string>;
  /**
   * How the finished file is made, the repository's own words merged under those of the definition; null where nothing is
   * said. `format: mp4` says nothing: it is what there is without.
   */
  readonly output: OutputRequest | null;
  /** Where the finished file goes, each `to` with placeholders in it: see `fillDestination`. No frame depends on it. */
  readonly deliver: readonly VideoDestination[];
}

const MAX_LENGTH = 200;

/**
 * The id in a text; `null` when it is none. Ids name files, so: segments of `A–Z a–z 0–9 . _ -` joined by `/`, none of
 * them empty, `.` or `..`, 200 characters at most.
 */
export function parseVideoId(text: string): VideoId | null {
  if (text.length > MAX_LENGTH) return null;
  const valid = text.split('/').every((segment) => /^[A-Za-z0-9._-]+$/.test(segment) && !/^\.{1,2}$/.test(segment));
  return valid ? (text as VideoId) : null;
}

/** What an id may be, as a hint. */
export const VIDEO_ID_HINT = `An id has letters A–Z, digits, ".", "_", "-", and "/" between its parts; ${MAX_LENGTH} characters at most`;

/** The folder below which a path becomes an id: the part of the glob before anything that varies; `''` for the root. */
export function globBase(pattern: string): string {
  const segments = pattern.replace(/^\.\//, '').split('/');
  const first = segments.findIndex((segment) => /[*?{}[\]()!+@|]/.test(segment));
  return (first === -1 ? segments.slice(0, -1) : segments.slice(0, first)).join('/');
}

/**
 * The id that a definition has by its place: the path below the folder where the search began, without the ending.
 * Not checked: a file may have a name that makes no id.
 */
export function idOfPath(path: string, folder: string): string {
  const below = folder === '' || folder === '.' ? path : path.slice(folder.length + 1);
  return below.replace(/\.ya?ml$/i, '');
}

/** Whether the file holds values to extend, and is never a video itself. */
export function isFragment(path: string): boolean {
  return path.slice(path.lastIndexOf('/') + 1).startsWith('_');
}

type Made = Pick<Video, 'resources' | 'audio'>;

/** The files of the repository that a video is made from, each once. */
export function localFiles(video: Made): string[] {
  return [...new Set(sourcesOf(video).flatMap((source) => (source.kind === 'file' ? [source.path] : [])))];
}

/** The URLs that a video is made from, each once. */
export function remoteUrls(video: Made): string[] {
  return [...new Set(sourcesOf(video).flatMap((source) => (source.kind === 'url' ? [source.url] : [])))];
}

/**
 * Where that comes from which a service names by a key; `null` where it comes from no file and no URL.
 *
 * @param key of an editable, or `audio_tracks.` and the name of a track
 */
export function sourceOf(video: Made, key: string): Source | null {
  const resource = video.resources.get(key);
  if (resource !== undefined) return 'source' in resource ? resource.source : null;
  const track = /^audio_tracks\.(.*)$/s.exec(key)?.[1];
  return (track === undefined ? undefined : video.audio.get(track))?.source ?? null;
}

function sourcesOf({ resources, audio }: Made): Source[] {
  return [...resources.values(), ...audio.values()].flatMap((one) => ('source' in one ? [one.source] : []));
}
