/** A word and when it is spoken. */
export interface Word {
  readonly text: string;
  /** Seconds from the start of the source. */
  readonly start: number;
  readonly end: number;
}

/** A text that is shown for a time. */
export interface Cue {
  /** Seconds from the start of its file, of its scene or of its video. */
  readonly start: number;
  readonly end: number;
  /** Lines are separated by line feeds. No markup. */
  readonly text: string;
  /** The words of the text in their order; absent if only the times of the whole are known. */
  readonly words?: readonly Word[];
  /** Who speaks, if the file names them. */
  readonly speaker?: string;
  /** Third of the picture that the file asks for; absent for the place of the style. */
  readonly place?: CuePlace;
}

export type CuePlace = 'top' | 'middle';

/**
 * A change of a cue where it is written. `position` is the source location of its times in a file of captions, or of its first key in a
 * definition; `after` is that of the cue before a new one. Times are in seconds, as they are written.
 */
export type CueChange =
  | {
      readonly kind: 'change';
      readonly position: number;
      readonly start?: number;
      readonly end?: number;
      readonly text?: string;
    }
  | { readonly kind: 'remove'; readonly position: number }
  | {
      readonly kind: 'add';
      readonly after: number;
      readonly start: number;
      readonly end: number;
      readonly text: string;
    };

/** Rounds a time to milliseconds, which WebVTT and SubRip store. @param seconds */
export function toMilliseconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
