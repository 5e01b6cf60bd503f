import { normalizeLineBreaks, type TextStyle } from '../lottie/lottie-slots.ts';

/** Average advance of a character in ems: of Latin, Cyrillic and Greek words with their spaces, and of scripts with square characters. */
const ADVANCE = 0.52;
const WIDE_ADVANCE = 1;
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
/** Lines break at words, so that not all of a box is filled. */
const FILLED = 0.85;
const MOST = 2_000;

/**
 * How many characters a text may have: as many as its box has room for at its own size, and never fewer than the example
 * has; for a text without a box half as many again as the example has. An estimate, for its designer to correct.
 *
 * @returns Unicode code points, 1..2000
 */
export function textLength(style: TextStyle): number {
  const own = [...normalizeLineBreaks(style.t)].length;
  const [width, height] = Array.isArray(style.sz) ? style.sz.map(Number) : [];
  const size = Number(style.s);
  if (!(Number(width) > 0 && Number(height) > 0 && size > 0)) return limit(Math.max(own + 4, Math.ceil(own * 1.5)));
  const tracking = (Number(style.tr) || 0) / 1000;
  const advance = ((WIDE.test(style.t) ? WIDE_ADVANCE : ADVANCE) + tracking) * size;
  const leading = Number(style.lh) > 0 ? Number(style.lh) : size * 1.2;
  const lines = Math.max(1, Math.floor(Number(height) / leading + 0.2));
  const room = Math.floor((Number(width) / Math.max(advance, 1)) * lines * (lines === 1 ? 1 : FILLED));
  return limit(Math.max(own, room));
}

/** Rounded up to what a person would have written. */
function limit(characters: number): number {
  const step = characters > 100 ? 10 : characters > 20 ? 5 : 2;
  return Math.max(1, Math.min(MOST, Math.ceil(characters / step) * step));
}
