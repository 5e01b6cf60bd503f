import LineBreaker from 'linebreak';
import { phraseFinder, type UnspacedLanguage } from './phrases/phrase-model.ts';

/** UTF-16 indices at which a line may begin, except 0 and the end. */
export interface CaptionBreaks {
  /** Between words and phrases. */
  readonly phrases: ReadonlySet<number>;
  /** Also between characters of Chinese and Japanese, for a phrase that is wider than a line. */
  readonly characters: ReadonlySet<number>;
}

const HAN = /\p{Script=Han}/u;
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}ー]/u;
const THAI = /\p{Script=Thai}/u;
const HANGUL = /\p{Script=Hangul}/u;
const IN_WORD = /[\p{L}\p{N}]/u;
/** French quotation marks have spaces inside. */
const OPENS_WITH_SPACE = /(?:^|\s)[«‹]\s$/u;
/** Passages without spaces whose phrases are found by a model, with the punctuation between them. */
const CJK_PASSAGE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\u30fb\u30fc\uff00-\uffef]+/gu;
const THAI_PASSAGE = /\p{Script=Thai}+/gu;

/** No line begins with these. @see JIS X 4051 and "Requirements for Japanese Text Layout", appendix A */
const NEVER_FIRST =
  /[、。，．・：；？！゛゜ヽヾゝゞ々ー―…‥’”）〕］｝〉》」』】〙〗〟｠»ぁぃぅぇぉっゃゅょゎゕゖァィゥェォッャュョヮヵヶㇰ-ㇿ,.:;?!%)\]}·‼⁇⁈⁉～〜°′″℃％]/u;
/** No line ends with these. */
const NEVER_LAST = /[‘“（〔［｛〈《「『【〘〖〝｟«([{$£¥＄￥￡]/u;

/**
 * Finds where lines of captions may break. Uses data of this package only, so that all versions of Node.js give the same lines.
 *
 * @param lang BCP 47; null if it is not known
 * @see Unicode Standard Annex #14 (line breaking)
 */
export async function captionBreaks(text: string, lang: string | null): Promise<CaptionBreaks> {
  const characters = new Set<number>();
  const breaker = new LineBreaker(text);
  for (let next = breaker.nextBreak(); next !== null; next = breaker.nextBreak()) characters.add(next.position);
  for (const index of characters) if (isForbidden(text, index)) characters.delete(index);
  // Addresses and alternatives such as and/or stay whole.
  const phrases = new Set([...characters].filter((index) => text.charAt(index - 1) !== '/'));
  if (HAN.test(text) || KANA.test(text)) {
    const find = await phraseFinder(languageOfHan(text, lang));
    for (const { 0: passage, index } of text.matchAll(CJK_PASSAGE)) {
      const starts = new Set(find(passage).map((at) => index + at));
      for (let at = index + 1; at < index + passage.length; at++) if (!starts.has(at)) phrases.delete(at);
    }
  }
  if (THAI.test(text)) {
    const find = await phraseFinder('th');
    for (const { 0: passage, index } of text.matchAll(THAI_PASSAGE)) {
      for (const at of find(passage)) if (!isForbidden(text, index + at)) phrases.add(index + at);
      for (const at of find(passage)) if (!isForbidden(text, index + at)) characters.add(index + at);
    }
  }
  for (const set of [phrases, characters]) {
    set.delete(0);
    set.delete(text.length);
  }
  return { phrases, characters };
}

function isForbidden(text: string, index: number): boolean {
  const [before, after] = [text.charAt(index - 1), text.charAt(index)];
  // Korean has spaces between words, and texts break only there.
  const isKoreanWord = (HANGUL.test(before) && IN_WORD.test(after)) || (IN_WORD.test(before) && HANGUL.test(after));
  return (
    NEVER_FIRST.test(after) || NEVER_LAST.test(before) || isKoreanWord || OPENS_WITH_SPACE.test(text.slice(0, index))
  );
}

/** Japanese has kana; Chinese without a known region is taken as simplified. */
function languageOfHan(text: string, lang: string | null): UnspacedLanguage {
  const tag = (lang ?? '').toLowerCase();
  if (/^ja\b/.test(tag) || (KANA.test(text) && !/^zh\b/.test(tag))) return 'ja';
  return /^(?:zh-(?:.*-)?(?:hant|tw|hk|mo)\b|yue\b)/.test(tag) ? 'zh-hant' : 'zh-hans';
}
