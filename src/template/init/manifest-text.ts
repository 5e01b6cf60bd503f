import { normalizeLineBreaks, type TextStyle } from '../lottie/lottie-slots.ts';

/** What `template.yaml` of a new package says. */
export interface NewManifest {
  readonly name: string;
  readonly description: string;
  readonly stillcuts: readonly { readonly name: string; readonly seconds: number }[];
  readonly editables: readonly {
    readonly key: string;
    readonly label: string;
    readonly kind: string;
    readonly stillcut: string;
    readonly maxLength: number | null;
    readonly required: boolean;
  }[];
}

/** `template.yaml` as a person would write it: one line for each editable. */
export function manifestText({ name, description, stillcuts, editables }: NewManifest): string {
  const stills = stillcuts.map((still) => `  ${still.name}: ${still.seconds}`);
  const lines = editables.map(({ key, label, kind, stillcut, maxLength, required }) => {
    const fields = [
      `label: ${scalar(label)}`,
      `kind: ${kind}`,
      `stillcut: ${stillcut}`,
      ...(maxLength === null ? [] : [`max_length: ${maxLength}`]),
      ...(required ? [] : ['required: false']),
    ];
    return `  ${key}: { ${fields.join(', ')} }`;
  });
  const head = [`name: ${scalar(name)}`, `description: ${scalar(description)}`];
  return `${[...head, 'stillcuts:', ...stills, 'editables:', ...lines].join('\n')}\n`;
}

/** Plain where YAML takes it for a text, in quotes elsewhere. A JSON text is one of YAML, too. */
function scalar(text: string): string {
  const isPlain = /^\p{L}[\p{L}\p{N} ._/()–—×-]*$/u.test(text) && text.trim() === text;
  return isPlain && !/^(?:true|false|null|yes|no|on|off)$/i.test(text) ? text : JSON.stringify(text);
}

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
