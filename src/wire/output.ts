/** `png` is one still, `png_sequence` a zip of all frames; `webp` is animated. */
export const OUTPUT_FORMATS = ['mp4', 'webm', 'gif', 'webp', 'png', 'png_sequence'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** Endings of finished files, without the dot. */
export const OUTPUT_EXTENSIONS: Readonly<Record<OutputFormat, string>> = {
  mp4: 'mp4',
  webm: 'webm',
  gif: 'gif',
  webp: 'webp',
  png: 'png',
  png_sequence: 'zip',
};

export const OUTPUT_QUALITIES = ['low', 'medium', 'high'] as const;
export type OutputQuality = (typeof OUTPUT_QUALITIES)[number];

/** Codecs of the pictures of an MP4. */
export const OUTPUT_CODECS = ['h264', 'hevc', 'av1'] as const;
export type OutputCodec = (typeof OUTPUT_CODECS)[number];

/** How the finished file is made; all of it optional. */
export interface OutputRequest {
  format?: OutputFormat;
  /** Pixels; the width follows. */
  height?: number;
  /** Frames per second. */
  fps?: number;
  quality?: OutputQuality;
  /** Of an MP4. */
  codec?: OutputCodec;
}
