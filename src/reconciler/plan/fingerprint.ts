import {
  type ContentId,
  furtherOutputs,
  type SpecSound,
  type SpecValue,
  type VideoSpec,
} from '../../contract/video-spec.ts';
import type { AudioTransform, Transform } from '../../contract/wire/mapping.ts';
import { canonicalJson, type Json, sha256 } from '../../kernel/digest.ts';
import { mapToRecord } from '../../kernel/json.ts';
import type { Fingerprint } from '../lock/lock.ts';

/** What renders a video, as far as that decides its frames. */
export interface FingerprintContext {
  /** `embedded`, or the origin of the service's URL. */
  readonly service: string;
  /** Id of the template style version; for a package, the digest of everything in it that can affect a frame. */
  readonly styleVersion: string;
  /** Raised by the embedded engine when its frames change; null for a remote service, whose engine is unknown. */
  readonly renderEpoch: number | null;
  /** Raised by the embedded engine when its sound changes. Absent for silent videos, a remote service, and while it is 0. */
  readonly soundEpoch?: number;
}

/**
 * Computes the content hash of a video. Two videos have equal fingerprints exactly when the service would be asked for
 * the same picture and sound.
 *
 * It is the SHA-256 of the canonical JSON of one object with
 * - `service` and `style_version`, and for the embedded engine `render_epoch` and, if the video has sound, `sound_epoch`;
 * - `resources`: each filled editable's key with its `text`; its `color`; its `font`; or its `transform` and either
 *   `file`, the digest of the local file's bytes, or `url`, the address of a remote source as written;
 * - if there are any, `audio_tracks`: each track's name with the fields of a resource with a source; `font_changes`:
 *   each replaced font with the name of its replacement; the requested `output`; and `outputs`, the named files beside it.
 *
 * Everything else can change without a render: the definition's path, key order, comments and formatting, the name of a
 * local file, and the video's id, title, description, labels, protection and template name. The bytes behind a URL are
 * not included either: only a refresh detects a remote file that changes in place.
 *
 * @param spec the result of `canonicalSpec`; a spec with written-out defaults gives the fingerprint of earlier versions
 * @see RFC 8785 for the canonical form
 */
export function fingerprintOf(spec: VideoSpec<ContentId>, context: FingerprintContext): Fingerprint {
  const { resources, audio, fonts, output } = spec;
  const further = furtherOutputs(spec);
  const content = canonicalJson({
    service: context.service,
    style_version: context.styleVersion,
    render_epoch: context.renderEpoch ?? undefined,
    sound_epoch: context.soundEpoch,
    resources: mapToRecord(resources, valueJson),
    audio_tracks: audio.size === 0 ? undefined : mapToRecord(audio, sourceJson),
    font_changes: fonts.size === 0 ? undefined : Object.fromEntries(fonts),
    output: output === null ? undefined : { ...output },
    // Leaves out the name of the main file, on which no rendering depends.
    outputs: further.length === 0 ? undefined : further.map((file) => ({ ...file })),
  });
  return `v1:${sha256(content)}` as Fingerprint;
}

function valueJson(value: SpecValue<ContentId>): Json {
  switch (value.kind) {
    case 'text':
      return { text: value.text };
    case 'color':
      return { color: value.color };
    case 'font':
      return { font: value.font };
    case 'image':
    case 'video':
    case 'audio':
      return sourceJson(value);
  }
}

function sourceJson({
  source,
  transform,
}: Pick<SpecSound<ContentId>, 'source'> & { readonly transform: Transform | AudioTransform }): Json {
  return { ...source, transform: { ...transform } };
}
