/** `png` is one still, `png_sequence` a zip of all frames; `webp` is animated. */
export const OUTPUT_FORMATS = ['mp4', 'mov', 'webm', 'gif', 'webp', 'png', 'png_sequence'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** File extensions by format, without the dot. */
export const OUTPUT_EXTENSIONS: Readonly<Record<OutputFormat, string>> = {
  mp4: 'mp4',
  mov: 'mov',
  webm: 'webm',
  gif: 'gif',
  webp: 'webp',
  png: 'png',
  png_sequence: 'zip',
};

export const OUTPUT_QUALITIES = ['low', 'medium', 'high'] as const;
export type OutputQuality = (typeof OUTPUT_QUALITIES)[number];

export const OUTPUT_CODECS = ['h264', 'hevc', 'av1', 'prores422', 'prores4444'] as const;
export type OutputCodec = (typeof OUTPUT_CODECS)[number];

/** Formats with a choice of codecs, the default codec first. */
export const FORMAT_CODECS: Readonly<Partial<Record<OutputFormat, readonly [OutputCodec, ...OutputCodec[]]>>> = {
  mp4: ['h264', 'hevc', 'av1'],
  mov: ['prores422', 'prores4444'],
};

/** Returns the codec of a format that is asked for without one; undefined for a format without a choice. */
export function defaultCodec(format: OutputFormat = 'mp4'): OutputCodec | undefined {
  return FORMAT_CODECS[format]?.[0];
}

/** Format and quality of the video. */
export interface OutputRequest {
  format?: OutputFormat;
  /** Pixels; the width keeps the aspect ratio. */
  height?: number;
  /** Frames per second. */
  fps?: number;
  quality?: OutputQuality;
  /** One of `FORMAT_CODECS`. */
  codec?: OutputCodec;
}

/** An output of a video that has several files. */
export interface NamedOutput extends OutputRequest {
  /** Matches `OUTPUT_NAME`; unique among the outputs of a video, ignoring case. */
  name: string;
}

/** Part of file names and URLs. */
export const OUTPUT_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/;

/** Maximum files of one video. */
export const MAX_OUTPUTS = 8;

/** Returns the settings of a named output; undefined if there are none. */
export function withoutName({ name: _, ...output }: NamedOutput): OutputRequest | undefined {
  return Object.keys(output).length === 0 ? undefined : output;
}
