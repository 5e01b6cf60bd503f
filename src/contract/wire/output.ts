import type { FieldValue, FieldValues } from '../fields/field.ts';
import { OUTPUT_FIELDS } from '../fields/output-fields.ts';

/** `png` is a still, `png_sequence` a zip of all frames; `webp` is animated. */
export const OUTPUT_FORMATS = OUTPUT_FIELDS.format.values;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** Extension and media type of a finished file. */
interface OutputFileType {
  /** Without the dot. */
  readonly extension: string;
  readonly contentType: string;
}

export const OUTPUT_FILE_TYPES: Readonly<Record<OutputFormat, OutputFileType>> = {
  mp4: { extension: 'mp4', contentType: 'video/mp4' },
  mov: { extension: 'mov', contentType: 'video/quicktime' },
  webm: { extension: 'webm', contentType: 'video/webm' },
  gif: { extension: 'gif', contentType: 'image/gif' },
  webp: { extension: 'webp', contentType: 'image/webp' },
  png: { extension: 'png', contentType: 'image/png' },
  png_sequence: { extension: 'zip', contentType: 'application/zip' },
};

export type OutputQuality = FieldValue<typeof OUTPUT_FIELDS.quality>;
export type OutputCodec = FieldValue<typeof OUTPUT_FIELDS.codec>;

/** Formats with a sound track; the others are silent. */
const SOUND_FORMATS = ['mp4', 'mov', 'webm'] as const satisfies readonly OutputFormat[];
export type SoundFormat = (typeof SOUND_FORMATS)[number];

/** Returns whether a format has a sound track. */
export function isSoundFormat(format: OutputFormat): format is SoundFormat {
  return SOUND_FORMATS.some((known) => known === format);
}

/** Formats with a choice of codecs, the default codec first. */
export const FORMAT_CODECS: Readonly<Partial<Record<OutputFormat, readonly [OutputCodec, ...OutputCodec[]]>>> = {
  mp4: ['h264', 'hevc', 'av1'],
  mov: ['prores422', 'prores4444'],
};

/** Returns the default codec of a format; undefined for a format without a choice. */
export function defaultCodec(format: OutputFormat = 'mp4'): OutputCodec | undefined {
  return FORMAT_CODECS[format]?.[0];
}

/**
 * Format and quality of the video. The width keeps the aspect ratio of the template at the height, in pixels; `fps` are frames per
 * second, and `codec` is one of `FORMAT_CODECS`.
 */
export type OutputRequest = FieldValues<typeof OUTPUT_FIELDS>;

/** An output of a video that has several files. */
export interface NamedOutput extends OutputRequest {
  /** Matches `OUTPUT_NAME`; unique among the outputs of a video, ignoring case. */
  name: string;
}

/** Part of file names and URLs. */
export const OUTPUT_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/;

/** Maximum number of files of a video. */
export const MAX_OUTPUTS = 8;

/** Returns the settings of a named output; undefined if there are none. */
export function withoutName({ name: _, ...output }: NamedOutput): OutputRequest | undefined {
  return Object.keys(output).length === 0 ? undefined : output;
}
