import type { CaptionStyle } from '../captions/caption-style.ts';

/** The captions of a video or of a scene that become part of its file. */
export interface CaptionsRequest {
  /** WebVTT, as text or at an address. Times count from the start of the video or of the scene. */
  source: { text: string } | { remote_url: string };
  /** How they are drawn; not drawn if absent. */
  style?: CaptionStyle;
  /** Names of further fonts of the templates, in order, for characters that the font of the style lacks. */
  fonts?: readonly string[];
  /** BCP 47. */
  lang?: string;
  /** Adds the cues to files of a format that has tracks of captions. */
  embed?: true;
}

/** Maximum cues of a video, and of each of its scenes. */
export const MAX_CUES = 5000;

/** Maximum characters of a text of captions. */
export const MAX_CAPTIONS_LENGTH = 1_000_000;

/** Maximum further fonts of captions. */
export const MAX_CAPTION_FONTS = 16;
