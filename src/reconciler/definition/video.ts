import type { RuleProfile } from '../../contract/captions/rule-profiles.ts';
import type { SidecarFormat } from '../../contract/captions/write-captions.ts';
import {
  allValues,
  type SceneSpec,
  type SpecSound,
  type SpecValue,
  type VideoSpec,
} from '../../contract/video-spec.ts';
import { trackOf } from '../../contract/wire/mapping.ts';
import type { Span } from '../../kernel/diagnostic.ts';
import type { SpokenText } from '../speech/spoken-text.ts';

declare const brand: unique symbol;

/**
 * Permanent name of a video: the definition's path below `videos/` without extension or its `id:`, then the id of its row, its variant
 * and its locale, as far as it has them.
 */
export type VideoId = string & { readonly [brand]: 'VideoId' };

/** Source of a media resource: an http(s) URL as written, or a repository-relative path with `/`. */
export type Source = { readonly kind: 'url'; readonly url: string } | { readonly kind: 'file'; readonly path: string };

/** Transforms include `crop_strategy: cover`, and `trim_strategy: manual` if there is a `trim_start_time`. */
export type VideoResource = SpecValue<Source>;
/** A sound and its transform, as written. */
export type VideoSound = SpecSound<Source>;

/** Destination of a finished file. */
export interface VideoDestination {
  /** `s3://bucket/key`, `gs://bucket/key`, `azblob://account/container/key` or `file:path`. */
  readonly to: string;
  /** Name of a credential; null for the service's default. */
  readonly credential: string | null;
  /** Name of the file that goes there; absent for the main file. */
  readonly output?: string;
  /** Format of the captions that go there, which the client delivers; absent for files of the service. */
  readonly captions?: SidecarFormat;
}

/** A destination of a video as it is written. */
export interface WrittenDestination extends Pick<VideoDestination, 'to' | 'credential'> {
  /** Formats of the captions that go there; absent if there are none, and if only the service can write there. */
  readonly formats?: readonly SidecarFormat[];
}

/**
 * A video to render: a definition, or one row of its data, after merging, filling in and checking. Its outputs are those of
 * the definition, merged over those of reelform.yaml and without default values such as `format: mp4`.
 */
export interface Video extends VideoSpec<Source> {
  readonly id: VideoId;
  /** The definition's file, repository-relative. */
  readonly path: string;
  readonly title: string;
  readonly description: string | null;
  readonly labels: Readonly<Record<string, string>>;
  /** If true, plans that remove the video are refused. */
  readonly protect: boolean;
  /** Destinations, with placeholders in `to` (see `fillDestination`). They do not affect the frames. */
  readonly deliver: readonly WrittenDestination[];
  /** Formats of the files with captions beside the video; absent if there are none. Not part of the fingerprint. */
  readonly captionFiles?: readonly SidecarFormat[];
  /** Rules that lint checks captions by; absent if there are none. Not part of the fingerprint. */
  readonly captionRules?: RuleProfile;
  /** Where each cue is written, in the order of the cues, by the id of the scene; those of the video by an empty text. Plans do not have it. */
  readonly captionOrigins?: ReadonlyMap<string, readonly Span[]>;
  /** Name of the still that shows the video: `<stillcut>`, or `<scene>.<stillcut>`. Not part of the fingerprint. */
  readonly poster?: string;
  /** What conditions leave out, in the order of the definition; absent if nothing is. Not part of the fingerprint. */
  readonly leftOut?: readonly LeftOut[];
  /**
   * Returns the scenes of rows that do not pass `where`, which explain why a scene is removed. A function, because most plans need none of
   * them, and a list of products has thousands for each video. Absent without `where`.
   */
  readonly filteredScenes?: FilteredScenes;
  /**
   * Ids of scenes whose transition is the default of the definition: where it is too long for its scenes it is shortened, while
   * a scene's own transition is an error. Absent if there are none.
   */
  readonly softTransitions?: readonly string[];
  /** Its place in the matrix of its definition; absent without variants and locales. Not part of the fingerprint. */
  readonly matrix?: MatrixPlace;
}

/** The variant and the locale of a video. */
export interface MatrixPlace {
  /** Id of the definition: the id of the video without its row, variant and locale. */
  readonly definition: string;
  readonly variant?: string;
  /** BCP 47 tag. */
  readonly locale?: string;
}

/** A scene, or a track or an editable of a scene, that a condition leaves out. */
export interface LeftOut {
  /** Id of the scene; null for a track of the whole video, and in a plan for the video itself. */
  readonly scene: string | null;
  /** Name of the track or key of the editable; absent for the whole scene or video. */
  readonly name?: string;
  /** Why the condition is false, like `campaign is "winter"`. */
  readonly reason: string;
}

export type FilteredScenes = () => readonly FilteredScene[];

/** A scene whose row does not pass `where`. */
export interface FilteredScene {
  readonly id: string;
  /** Why the condition is false, like `campaign is "winter"`. */
  readonly reason: string;
}

/** Returns why a scene or video of a row is left out. @param reason why its `where` is false */
export function failedWhere(reason: string): string {
  return `its row does not pass "where": ${reason}`;
}

/** A video that a condition leaves out. */
export interface LeftOutVideo {
  readonly id: VideoId;
  /** The definition's file, repository-relative. */
  readonly path: string;
  /** Why the condition is false, like `campaign is "winter"`. */
  readonly reason: string;
  /** Its row does not pass `where`: explains removals, and is not listed otherwise. Absent for `when`. */
  readonly byWhere?: true;
}

/** A video that cannot be planned yet, because a voice has to speak some of its texts first. */
export interface WaitingVideo {
  readonly id: VideoId;
  /** The definition's file, repository-relative. */
  readonly path: string;
  /** Why it waits, like `speech of 2 texts is missing`. */
  readonly reason: string;
  readonly missing: readonly SpokenText[];
}

const MAX_LENGTH = 200;

/**
 * Parses an id; `null` if it is invalid. Because ids name files, they consist of segments of `A–Z a–z 0–9 . _ -` joined by
 * `/`, none of them empty, `.` or `..`, with 200 characters at most.
 */
export function parseVideoId(text: string): VideoId | null {
  if (text.length > MAX_LENGTH) return null;
  const valid = text.split('/').every((segment) => /^[A-Za-z0-9._-]+$/.test(segment) && !/^\.{1,2}$/.test(segment));
  return valid ? (text as VideoId) : null;
}

/** Returns the rule for ids, and a valid id that is similar to an invalid id if it exists. */
export function videoIdHint(invalid: string): string {
  const similar = invalid
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll(/[^A-Za-z0-9._/-]+/g, '-')
    .replaceAll(/(?<=^|\/)-+|-+(?=\/|$)/g, '');
  const example = parseVideoId(similar) === null ? '' : `, like ${JSON.stringify(similar)}`;
  return `An id may contain letters A–Z, digits, ".", "_" and "-", with "/" between segments; at most ${MAX_LENGTH} characters${example}`;
}

/** Returns the folder of a glob before its first wildcard, which ids are relative to; `''` for the root. */
export function globBase(pattern: string): string {
  const segments = pattern.replace(/^\.\//, '').split('/');
  const first = segments.findIndex((segment) => /[*?{}[\]()!+@|]/.test(segment));
  return (first === -1 ? segments.slice(0, -1) : segments.slice(0, first)).join('/');
}

/**
 * Returns the default id of a definition: its path below `folder` without extension. Does not check that the id is valid.
 */
export function idOfPath(path: string, folder: string): string {
  const below = folder === '' || folder === '.' ? path : path.slice(folder.length + 1);
  return below.replace(/\.ya?ml$/i, '');
}

/** Returns a title for a new video or template: the last part of its id or name, in words. */
export function titleOf(id: string): string {
  const words = id
    .replace(/^.*\//, '')
    .replaceAll(/[-_.]+/g, ' ')
    .trim();
  return words === '' ? id : words.charAt(0).toUpperCase() + words.slice(1);
}

/** Returns whether a file is a fragment: it is only extended, and defines no video itself. */
export function isFragment(path: string): boolean {
  return path.slice(path.lastIndexOf('/') + 1).startsWith('_');
}

type Made = Pick<Video, 'scenes' | 'audio'>;

/** Returns the name of the first scene's template. */
export function firstTemplate({ scenes }: { readonly scenes: readonly { readonly template: string }[] }): string {
  return scenes[0]!.template;
}

/** Returns the names of the templates of a video in reelform.yaml, without duplicates. */
export function templatesOf({ scenes }: Pick<Video, 'scenes'>): string[] {
  return [...new Set(scenes.map(({ template }) => template))];
}

/** Returns the local files of a video, without duplicates. */
export function localFiles(video: Made): string[] {
  return [...new Set(sourcesOf(video).flatMap((source) => (source.kind === 'file' ? [source.path] : [])))];
}

/** Returns the URLs of a video, without duplicates. */
export function remoteUrls(video: Made): string[] {
  return [...new Set(sourcesOf(video).flatMap((source) => (source.kind === 'url' ? [source.url] : [])))];
}

/**
 * Returns the source of a resource or track; `null` if it has none.
 *
 * @param key of an editable, or the `trackKey` of a track
 * @param scene whose editable or track it is; absent for the only scene, and for a track of the whole video
 */
export function sourceOf(video: Made, key: string, scene?: SceneSpec<Source>): Source | null {
  const resource = (scene ?? video.scenes[0])?.resources.get(key);
  if (resource !== undefined) return 'source' in resource ? resource.source : null;
  const track = trackOf(key);
  return (track === null ? undefined : (scene ?? video).audio.get(track))?.source ?? null;
}

function sourcesOf(video: Made): Source[] {
  return allValues(video).flatMap((value) => ('source' in value ? [value.source] : []));
}
