import { toMilliseconds } from './cue.ts';

/** A time as it is written in a file. */
export interface WrittenTime {
  /** Seconds; negative if the file says so. */
  readonly seconds: number;
  /** False if its format does not allow the notation. */
  readonly isStrict: boolean;
}

/** Hours, minutes, seconds and a fraction, in the notations that are found in files. */
export const TIME = /-?(?:\d+:)?\d{1,3}:\d{1,2}(?:[.,]\d{1,9})?/;

const PARTS = /^(-?)(?:(\d+):)?(\d{1,3}):(\d{1,2})(?:[.,](\d{1,9}))?$/;

/** Notation of each format. @see https://www.w3.org/TR/webvtt1/#webvtt-timestamp */
const STRICT = {
  vtt: /^(?:\d{2,}:)?[0-5]\d:[0-5]\d\.\d{3}$/,
  srt: /^\d{2,}:[0-5]\d:[0-5]\d,\d{3}$/,
  ass: /^\d+:[0-5]\d:[0-5]\d\.\d{2}$/,
} as const;

export type TimeNotation = keyof typeof STRICT;

/** Reads a time. @returns null if it is none, such as a time with frames */
export function readTime(text: string, notation: TimeNotation): WrittenTime | null {
  const parts = PARTS.exec(text);
  if (parts === null) return null;
  const [, sign, hours = '0', minutes, seconds, fraction = '0'] = parts;
  const whole = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  const time = toMilliseconds(whole + Number(`0.${fraction}`));
  return { seconds: sign === '-' && time !== 0 ? -time : time, isStrict: STRICT[notation].test(text) };
}

/**
 * Writes a time in the notation of a format. WebVTT and SubRip have milliseconds, ASS has hundredths.
 *
 * @param like a time of the same file: without hours the new time has none either, if it is below an hour
 */
export function writeTime(seconds: number, notation: TimeNotation, like?: string): string {
  const digits = notation === 'ass' ? 2 : 3;
  const scale = 10 ** digits;
  const units = Math.round(seconds * scale);
  const pad = (value: number, length: number): string => String(value).padStart(length, '0');
  const [hours, minutes] = [Math.floor(units / (3600 * scale)), Math.floor(units / (60 * scale)) % 60];
  const separator = like?.includes(',') || (like === undefined && notation === 'srt') ? ',' : '.';
  const rest = `${pad(minutes, 2)}:${pad(Math.floor(units / scale) % 60, 2)}${separator}${pad(units % scale, digits)}`;
  const isShort = hours === 0 && like !== undefined && like.split(':').length === 2;
  return isShort ? rest : `${pad(hours, notation === 'ass' ? 1 : 2)}:${rest}`;
}
