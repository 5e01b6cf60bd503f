/** `png` is one still, `png_sequence` a zip of all frames; `webp` is animated. */
export const OUTPUT_FORMATS = ['mp4', 'webm', 'gif', 'webp', 'png', 'png_sequence'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** File extensions by format, without the dot. */
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

/** Video codecs of MP4. */
export const OUTPUT_CODECS = ['h264', 'hevc', 'av1'] as const;
export type OutputCodec = (typeof OUTPUT_CODECS)[number];

/** Format and quality of the video. */
export interface OutputRequest {
  format?: OutputFormat;
  /** Pixels; the width keeps the aspect ratio. */
  height?: number;
  /** Frames per second. */
  fps?: number;
  quality?: OutputQuality;
  /** MP4 only. */
  codec?: OutputCodec;
}
