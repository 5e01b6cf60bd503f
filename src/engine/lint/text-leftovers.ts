import type { LottieDocument } from '../../template/render-input.ts';
import type { FindingMoment, LeftoverKind, LintDefect } from '../lint-finding.ts';
import { filledTextLayers } from '../text/text-layers.ts';

const TAGS =
  'a|b|big|br|center|code|del|div|em|font|h[1-6]|hr|i|img|li|mark|ol|p|pre|s|small|span|strike|strong|sub|sup|table|td|tr|u|ul|wbr';

/**
 * Patterns by kind. Each matches only text that is not written for viewers: single braces and percent signs need a name, a tag
 * must exist in HTML, and words such as "null" must be the whole text.
 */
const PATTERNS: readonly (readonly [kind: LeftoverKind, pattern: RegExp])[] = [
  // Not in a Windows path such as C:\new.
  ['escape', /(?<![A-Za-z]:\\?\S*)\\(?:[nrt]|u[0-9A-Fa-f]{4})/u],
  ['placeholder', /\{\{[^{}]*\}\}|\$\{[^{}]*\}|<%[^%]*%>|\{[A-Za-z_]\w*(?:\.\w+)*\}|\[\[\w+\]\]|%[A-Z][A-Z0-9_]{2,}%/u],
  // Not after a number, as in "50 %s".
  ['placeholder', /(?<![\d%]\s?)%(?:\d+\$)?[sd](?!\w)/u],
  ['entity', /&(?:[A-Za-z][A-Za-z0-9]{1,7}|#\d{1,7}|#[xX][0-9A-Fa-f]{1,6});/u],
  ['markup', new RegExp(`</?(?:${TAGS})(?:\\s[^<>]*)?/?>`, 'iu')],
  ['markup', /(?<![\w*])\*\*[^\s*](?:[^*\n]*[^\s*])?\*\*(?![\w*])/u],
  ['value', /\bundefined\b|(?<!\w)NaN(?!\w)|\[object [A-Z]\w*\]|#(?:N\/A|REF!|VALUE!|NAME\?|DIV\/0!|NUM!)/u],
  ['value', /^\s*(?:null|nil|None|NULL)\s*$/u],
  // UTF-8 that was read as Latin-1 or Windows-1252. After capitals, Ã and Â may be letters before a quote or a dash.
  ['encoding', /\uFFFD|[ÃÂ][\u0080-\u009F\u00A1-\u00A9\u00AC\u00AE-\u00B9\u00BC-\u00BF]|â€/u],
  ['encoding', /(?<!\p{Lu})(?:Ã[\u0080-\u00BF\u0152-\u0192\u02C6-\u02DC\u2013-\u2122]|Â[\u0080-\u00BF])/u],
];

const MAX_CHARACTERS = 40;

/**
 * Finds markup, placeholders, missing values and wrongly decoded characters in the texts of editables, which are drawn as they
 * are written.
 *
 * @param moments by editable; editables that no frame shows are ignored
 * @returns a single finding for each editable and kind
 */
export function lintLeftovers(animation: LottieDocument, moments: ReadonlyMap<string, FindingMoment>): LintDefect[] {
  const found = new Map<string, LintDefect>();
  for (const { editable, documents } of filledTextLayers(animation)) {
    const moment = moments.get(editable);
    if (moment === undefined) continue;
    for (const { t: text } of documents) {
      for (const { kind, leftover } of typeof text === 'string' ? leftoversIn(text) : []) {
        const key = `${kind} ${editable}`;
        if (!found.has(key)) found.set(key, { code: 'text_leftover', editable, ...moment, kind, leftover });
      }
    }
  }
  return [...found.values()];
}

/** Returns the first passage of each kind in a text that was not meant to be drawn. */
export function leftoversIn(text: string): { readonly kind: LeftoverKind; readonly leftover: string }[] {
  const kinds = new Map<LeftoverKind, string>();
  for (const [kind, pattern] of PATTERNS) {
    const [match] = pattern.exec(text) ?? [];
    if (match !== undefined && !kinds.has(kind)) kinds.set(kind, match.trim());
  }
  return [...kinds].map(([kind, match]) => ({ kind, leftover: shortened(match) }));
}

function shortened(text: string): string {
  const characters = [...text];
  return characters.length <= MAX_CHARACTERS ? text : `${characters.slice(0, MAX_CHARACTERS - 1).join('')}…`;
}
