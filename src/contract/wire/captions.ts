import { type CaptionStyle, plainCaptions, plainCue, type SpecCaptions } from '../captions/caption-style.ts';
import { readVtt } from '../captions/read-vtt.ts';
import { writeVtt } from '../captions/write-captions.ts';

/** The captions of a video or of a scene that become part of its file. */
export interface CaptionsRequest {
  /** WebVTT: at a URL, or itself. Times count from the start of the video or of the scene. */
  source: { remote_url: string } | CaptionsText;
  /** How they are drawn; not drawn if absent. */
  style?: CaptionStyle;
  /** Shows them in the texts of the templates that are of kind `captions`. Only without a style. */
  layer?: true;
  /** Names of further fonts, in order, for characters that the font of the style lacks. */
  fonts?: readonly string[];
  /** BCP 47. */
  lang?: string;
  /** Adds the cues to files of a format that has tracks of captions. */
  embed?: true;
}

interface CaptionsText {
  text: string;
}

/** Maximum cues of a video, and of each of its scenes. */
export const MAX_CUES = 5000;

/** Maximum characters of a text of captions. */
export const MAX_CAPTIONS_LENGTH = 500_000;

/** Maximum bytes of a file of captions: each character has at most four. */
export const MAX_CAPTIONS_BYTES = 4 * MAX_CAPTIONS_LENGTH;

/** Maximum further fonts of captions. */
export const MAX_CAPTION_FONTS = 16;

/** Returns captions as a request has them, with their text; undefined for captions that are neither drawn nor embedded. */
export function captionsRequest(
  captions: SpecCaptions | undefined,
): (CaptionsRequest & { source: CaptionsText }) | undefined {
  const plain = captions && plainCaptions(captions);
  if (plain === undefined) return undefined;
  const { cues, ...rest } = plain;
  return { source: { text: writeVtt(cues) }, ...rest };
}

/** Returns the captions of a request whose text is known. */
export function captionsOfRequest({ source, ...rest }: CaptionsRequest): SpecCaptions {
  if (!('text' in source)) throw new Error('Internal error: captions were not fetched');
  return { cues: readVtt('captions.vtt', source.text).cues.map(plainCue), ...rest };
}
