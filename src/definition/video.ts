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
