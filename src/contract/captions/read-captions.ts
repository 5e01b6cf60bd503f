import { type CaptionFormat, type CaptionsReading, captionFormat } from './caption-file.ts';
import { readAss } from './read-ass.ts';
import { readSrt } from './read-srt.ts';
import { readVtt } from './read-vtt.ts';

const READERS: Readonly<Record<CaptionFormat, (file: string, text: string) => CaptionsReading>> = {
  vtt: readVtt,
  srt: readSrt,
  ass: readAss,
};

/**
 * Reads the cues of a file: WebVTT, SubRip or ASS.
 *
 * @param file path or URL, for locations
 * @param format that of the file's content if absent, as of a URL without an ending
 */
export function readCaptions(
  file: string,
  text: string,
  format: CaptionFormat = detectFormat(file, text),
): CaptionsReading {
  return READERS[format](file, text);
}

function detectFormat(file: string, text: string): CaptionFormat {
  const named = captionFormat(file);
  if (named !== null) return named;
  if (/^\ufeff?WEBVTT/.test(text)) return 'vtt';
  return /^\s*\[(?:Script Info|Events|V4)/im.test(text) ? 'ass' : 'srt';
}
