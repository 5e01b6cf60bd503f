import { OUTPUT_EXTENSIONS, type OutputFormat } from '../contract/wire/output.ts';

/** Extension and media type of a finished file. */
interface OutputFileType {
  /** Without the dot. */
  readonly extension: string;
  readonly contentType: string;
}

export const OUTPUT_FILE_TYPES: Readonly<Record<OutputFormat, OutputFileType>> = {
  mp4: { extension: OUTPUT_EXTENSIONS.mp4, contentType: 'video/mp4' },
  mov: { extension: OUTPUT_EXTENSIONS.mov, contentType: 'video/quicktime' },
  webm: { extension: OUTPUT_EXTENSIONS.webm, contentType: 'video/webm' },
  gif: { extension: OUTPUT_EXTENSIONS.gif, contentType: 'image/gif' },
  webp: { extension: OUTPUT_EXTENSIONS.webp, contentType: 'image/webp' },
  png: { extension: OUTPUT_EXTENSIONS.png, contentType: 'image/png' },
  png_sequence: { extension: OUTPUT_EXTENSIONS.png_sequence, contentType: 'application/zip' },
};
