import type { OutputFormat } from '../wire/output.ts';

/** What a finished file of a format is called, and how it is served. */
export interface OutputFile {
  /** Without the dot. */
  readonly extension: string;
  /** MIME type. */
  readonly contentType: string;
}

export const OUTPUT_FILES: Readonly<Record<OutputFormat, OutputFile>> = {
  mp4: { extension: 'mp4', contentType: 'video/mp4' },
  webm: { extension: 'webm', contentType: 'video/webm' },
  gif: { extension: 'gif', contentType: 'image/gif' },
  webp: { extension: 'webp', contentType: 'image/webp' },
  png: { extension: 'png', contentType: 'image/png' },
  png_sequence: { extension: 'zip', contentType: 'application/zip' },
};
