import type { Place } from '../../contract/timeline/place.ts';
import { present } from '../../kernel/defined.ts';
import { normalizeLineBreaks, type TextStyle } from '../lottie/slots/lottie-slots.ts';

/** The contents of a new `template.yaml`. */
interface NewManifest {
  readonly name: string;
  readonly description: string;
  readonly stillcuts: readonly { readonly name: string; readonly seconds: number }[];
  /** Places of `timing`, each as YAML. */
  readonly timing: readonly string[];
  readonly editables: readonly {
    readonly key: string;
    readonly label: string;
    readonly kind: string;
    readonly stillcut: string;
    readonly maxLength: number | null;
    readonly required: boolean;
  }[];
}

/** Formats `template.yaml`, with a line per editable. */
export function manifestText({ name, description, stillcuts, timing, editables }: NewManifest): string {
  const stills = stillcuts.map((still) => `  ${still.name}: ${still.seconds}`);
  const lines = editables.map(({ key, label, kind, stillcut, maxLength, required }) => {
    const fields = present([
      `label: ${scalar(label)}`,
      `kind: ${kind}`,
      `stillcut: ${stillcut}`,
      maxLength !== null && `max_length: ${maxLength}`,
      !required && 'required: false',
    ]);
    return `  ${key}: { ${fields.join(', ')} }`;
  });
  const head = [`name: ${scalar(name)}`, `description: ${scalar(description)}`];
  const places = timing.length === 0 ? [] : ['timing:', ...timing.map((place) => `  - ${place}`)];
  return `${[...head, 'stillcuts:', ...stills, ...places, 'editables:', ...lines].join('\n')}\n`;
}

/**
 * Formats a place of `timing`.
 *
 * @param secondsOf converts a frame
 */
export function placeText(place: Place, secondsOf: (frame: number) => number): string {
  if ('hold' in place) return `{ hold: ${secondsOf(place.hold)} }`;
  const [kind, [from, to]] = 'loop' in place ? ['loop', place.loop] : ['stretch', place.stretch];
  return `{ ${kind}: [${secondsOf(from)}, ${secondsOf(to)}] }`;
}

/** Formats a string as a plain scalar if YAML reads it as a string, otherwise as JSON, which is valid YAML. Omits control characters. */
function scalar(unsafeText: string): string {
  const text = unsafeText.replaceAll(/\p{Cc}+/gu, ' ');
  const isPlain = /^\p{L}[\p{L}\p{N} ._/()–—×-]*$/u.test(text) && text.trim() === text;
  return isPlain && !/^(?:true|false|null|yes|no|on|off)$/i.test(text) ? text : JSON.stringify(text);
}

/**
 * Average advance of a character in ems: in Latin, Cyrillic and Greek words with spaces, and in scripts with square
 * characters.
 */
const ADVANCE = 0.52;
const WIDE_ADVANCE = 1;
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
/** Usable share of a box with several lines, because lines break between words. */
const FILLED_SHARE = 0.85;
const MAX_LENGTH = 2_000;

/**
 * Estimates the maximum length of a text: the number of characters that fit its box at its size, at least the example's
 * length; without a box, 1.5 times the example's length. Designers can correct it.
 *
 * @returns Unicode code points, 1..2000
 */
export function textLength(style: TextStyle): number {
  const exampleLength = [...normalizeLineBreaks(style.t)].length;
  const [width, height] = Array.isArray(style.sz) ? style.sz.map(Number) : [];
  const size = Number(style.s);
  if (!(Number(width) > 0 && Number(height) > 0 && size > 0))
    return roundLength(Math.max(exampleLength + 4, Math.ceil(exampleLength * 1.5)));
  const tracking = (Number(style.tr) || 0) / 1000;
  const advance = ((WIDE.test(style.t) ? WIDE_ADVANCE : ADVANCE) + tracking) * size;
  const leading = Number(style.lh) > 0 ? Number(style.lh) : size * 1.2;
  const lines = Math.max(1, Math.floor(Number(height) / leading + 0.2));
  const room = Math.floor((Number(width) / Math.max(advance, 1)) * lines * (lines === 1 ? 1 : FILLED_SHARE));
  return roundLength(Math.max(exampleLength, room));
}

/** Rounds a length up to a multiple of 2, 5 or 10, within the limits. */
function roundLength(characters: number): number {
  const step = characters > 100 ? 10 : characters > 20 ? 5 : 2;
  return Math.max(1, Math.min(MAX_LENGTH, Math.ceil(characters / step) * step));
}
