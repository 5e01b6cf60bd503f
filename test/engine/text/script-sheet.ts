import type { Canvas } from '@napi-rs/canvas';
import type { InputFont } from '../../../src/template/render-input.ts';
import { everyScript, LATIN } from './test-fonts.ts';
import { drawTexts, text, textAnimation } from './text-input.ts';

/** Rows of the sheet: label, text in each writing system, and style. */
const ROWS: readonly (readonly [label: string, words: string, style?: Record<string, unknown>])[] = [
  ['Latin', 'AVATAR Tofu “Ypsilon” – Ærøskøbing, fjord & Žižkov'],
  ['Small capitals', 'Hamburgefonts', { ca: 2 }],
  ['Cyrillic', 'Съешь же ещё этих мягких булок'],
  ['Greek', 'Ξεσκεπάζω την ψυχοφθόρα σας'],
  ['Arabic', 'السلام عليكم ورحمة الله وبركاته'],
  ['Arabic with marks, tracked', 'بِسْمِ ٱللَّهِ مُحَمَّد', { tr: 200 }],
  ['Hebrew, marks', 'שָׁלוֹם עולם, מה שלומך?'],
  ['Devanagari', 'क्षत्रिय हिन्दी में श्री कर्म ज्ञान'],
  ['Thai', 'สวัสดีชาวโลก ภาษาไทยที่นี่'],
  ['Hangul', '안녕하세요 세계, 한글 글꼴'],
  ['Kana', 'ひらがなとカタカナ、「ラーメン」'],
  ['Han', '漢字東京日本語学校'],
  ['Emoji', '😀 👍🏽 ❤️ 👨‍👩‍👧‍👦 🏳️‍🌈 🇩🇪 🇯🇵 1️⃣ ☎️'],
  ['Marks on their own letters', 'ạ̈́ é ñ̃ ở'],
  ['Bidi: Hebrew first', 'המחיר הוא 1,234.50 (USD) בלבד!'],
  ['Bidi: Latin first', 'The word שלום means peace, سلام too.'],
  ['No font has it', 'Runes: ᚠᚢᚦ, math: ∰'],
];
const BOXES: readonly (readonly [words: string, style: Record<string, unknown>])[] = [
  ['ภาษาไทยไม่มีการเว้นวรรคระหว่างคำจึงต้องใช้พจนานุกรม', {}],
  ['吾輩は猫である。名前はまだ無い。「どこで生れたか」とんと見当がつかぬ。', {}],
  ['هذا نص عربي طويل يمتد على عدة أسطر مع Latin وأرقام 123.', { j: 1 }],
  ['Justified text has straight edges on both sides but for its last line.', { j: 3 }],
  ['한국어 문장은 낱말 사이에서 나뉩니다. 그래서 읽기 쉽습니다.', { j: 2 }],
  ['Donaudampfschifffahrtsgesellschaftskapitän', { rs: 2 }],
];
const ROW = 64;
const [LABEL_X, WORDS_X, WIDTH] = [24, 330, 1200];
const [BOX_WIDTH, BOX_HEIGHT] = [372, 150];
const TOP_OF_BOXES = ROWS.length * ROW + 20;

/** Draws texts in every writing system into a picture for visual review. UPDATE_FRAMES=1 stores it again. */
export async function drawScriptSheet(): Promise<Canvas> {
  const fonts: InputFont[] = [LATIN, ...everyScript()];
  const rows = ROWS.flatMap(([label, words, style], row) => [
    text(label, { s: 18, lh: 22, ps: [LABEL_X, row * ROW + 48], fc: [0.4, 0.4, 0.4] }),
    text(words, { s: 36, lh: 44, ps: [WORDS_X, row * ROW + 48], ...style }),
  ]);
  const boxes = BOXES.map(([words, style], index) => {
    const ps = [24 + (index % 3) * (BOX_WIDTH + 18), TOP_OF_BOXES + Math.floor(index / 3) * (BOX_HEIGHT + 20)];
    return text(words, { s: 28, lh: 38, sz: [BOX_WIDTH, BOX_HEIGHT], ps, ...style });
  });
  const size = { w: WIDTH, h: TOP_OF_BOXES + 2 * (BOX_HEIGHT + 20) };
  return drawTexts(textAnimation([...rows, ...boxes], size), fonts);
}
