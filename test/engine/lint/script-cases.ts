import type { RenderInput } from '../../../src/template/render-input.ts';
import { everyScript } from '../text/test-fonts.ts';
import {
  at,
  block,
  boxed,
  type CaseTable,
  type Color,
  CUT,
  grey,
  HIDDEN,
  LOW,
  NAVY,
  onNavy,
  SHRUNK,
  SMALL,
  stage,
  still,
  switched,
  type TextOptions,
  text,
  WHITE,
} from './case-inputs.ts';

const MISSING = ['glyph_missing t_01'];

/** A text in an input that has a fallback font for each script. */
const written = (options: TextOptions, ground: Color = NAVY): RenderInput =>
  stage([text(options), block(ground)], { fonts: everyScript() });

const sized = (width: number, height: number, size: number): RenderInput => {
  const document = { w: width, h: height };
  const ground = block(NAVY, [0, 0, width, height]);
  return stage([text({ size, x: width / 4, y: height / 2 }), ground], { width, height, document });
};

/** A headline of 64 pixels whose box shrinks long texts. */
const headline = (words: string, style: object = boxed(760, 90, { rs: 2 }), options: TextOptions = {}) =>
  text({ text: words, x: 100, y: 80, style, ...options });
/** A line of 52 pixels below it. */
const below = (options: TextOptions = {}) =>
  text({ key: 't_02', text: 'Below it', size: 52, x: 100, y: 300, ...options });
/** At 64 pixels it is wider than the box of the headline: it is shrunk to 42. */
const LONG = 'A headline that has far too many words';
const ENDLESS = 'W'.repeat(35);
const ZOOMED: TextOptions = { x: 0, y: 0, size: 32, ks: { p: at(100, 80), s: still([200, 200, 100]) } };
const FIRST_HALF = { op: 15 };
const LAST_HALF = { ip: 15 };

/** Scripts, emoji, boxes and sizes. */
export const SCRIPT_CASES: CaseTable = {
  scripts: [
    ['Arabic', () => written({ text: 'مرحبا بالعالم' }), []],
    ['Arabic, cut on the left', () => written({ text: 'مرحبا بالعالم الجميل', align: 1, x: 200 }), CUT],
    ['Arabic without a font', () => onNavy(text({ text: 'مرحبا' })), MISSING],
    ['Hebrew with numbers and brackets', () => written({ text: 'מחיר (1,234) ש"ח' }), []],
    [
      'Hebrew, too long for its box',
      () => written({ text: 'שלום עולם שלום עולם שלום עולם', x: 100, y: 100, style: boxed(220, 90) }),
      CUT,
    ],
    [
      'Hebrew that shrinks into its box',
      () => written({ text: 'שלום עולם שלום עולם', x: 100, y: 100, style: boxed(400, 80, { rs: 2 }) }),
      [],
    ],
    ['Japanese', () => written({ text: '東京の朝' }), []],
    [
      'Japanese in a box, without spaces',
      () => written({ text: '東京の朝はとても静かです', x: 100, y: 100, style: boxed(420, 320) }),
      [],
    ],
    ['Japanese, cut on the right', () => written({ text: '東京の朝はとても静かです', x: 480 }), CUT],
    ['Korean on its own colour', () => written({ text: '안녕하세요', color: grey(0.9) }, WHITE), LOW],
    ['Thai with marks', () => written({ text: 'สวัสดีครับ' }), []],
    ['Thai whose marks touch the edge', () => written({ text: 'ที่นี่', x: 200, y: 40 }), CUT],
    ['Devanagari', () => written({ text: 'नमस्ते दुनिया' }), []],
    ['Greek and Cyrillic in one line', () => written({ text: 'Ελλάδα и Россия', x: 200 }), []],
    ['Vietnamese', () => written({ text: 'Việt Nam đẹp lắm' }), []],
    ['one character of many without a font', () => written({ text: 'Reel ᚠ form' }), MISSING],
    [
      'spaces, joiners and hyphens that are never drawn',
      () => onNavy(text({ text: 'Re\u00adel\u200b\u00a0for\u2060m' })),
      [],
    ],
  ],
  emoji: [
    ['beside letters', () => written({ text: 'Reel 😀' }), []],
    ['alone', () => written({ text: '😀👍' }), []],
    ['a family as one', () => written({ text: 'Wir 👨‍👩‍👧‍👦' }), []],
    ['without a font', () => onNavy(text({ text: 'Reel 😀' })), MISSING],
    ['alone, cut by the edge', () => written({ text: '😀👍😀', x: 850 }), CUT],
    ['alone, transparent', () => written({ text: '😀👍', ks: { o: still(0) } }), HIDDEN],
    ['beside letters of the background’s colour', () => written({ text: 'Reelform 😀' }, WHITE), LOW],
  ],
  'boxes and sizes': [
    [
      'shrunk, still large enough',
      () =>
        onNavy(
          text({
            x: 100,
            y: 100,
            text: 'Words that shrink to a size that people can read',
            style: boxed(420, 60, { rs: 2 }),
          }),
        ),
      [],
    ],
    [
      'shrunk in a layer of 25 %',
      () =>
        onNavy(
          text({
            x: 0,
            y: 0,
            text: 'Words that shrink to a size that people cannot read in this layer',
            style: boxed(420, 60, { rs: 2 }),
            ks: { p: at(100, 100), s: still([25, 25, 100]) },
          }),
        ),
      SMALL,
    ],
    [
      'enlarged to its box',
      () => onNavy(text({ x: 100, y: 100, size: 12, text: 'Grown', style: boxed(500, 120, { rs: 1 }) })),
      [],
    ],
    [
      'bottom-aligned, and too high',
      () =>
        onNavy(
          text({
            x: 100,
            y: 430,
            text: 'Many words in a small box',
            style: boxed(300, 90, { vj: 2 }),
          }),
        ),
      CUT,
    ],
    [
      'a box that is larger than the picture around a short text',
      () => onNavy(text({ x: -200, y: 200, align: 2, text: 'Short', style: boxed(1360, 200) })),
      [],
    ],
    [
      'a box beyond the picture with long lines',
      () =>
        onNavy(text({ x: 500, y: 100, text: 'Words that fill this box up to its right end', style: boxed(800, 300) })),
      CUT,
    ],
    [
      'flattened to a twentieth',
      () => onNavy(text({ x: 0, y: 0, ks: { p: at(300, 280), s: still([100, 5, 100]) } })),
      SMALL,
    ],
    ['flattened to a half', () => onNavy(text({ x: 0, y: 0, ks: { p: at(300, 280), s: still([100, 50, 100]) } })), []],
    ['small capitals', () => onNavy(text({ style: { ca: 2 } })), []],
    ['just above the limit', () => onNavy(text({ size: 6.2 })), []],
    ['just below the limit', () => onNavy(text({ size: 5.8 })), SMALL],
    ['15 pixels of 2160 lines', () => sized(3840, 2160, 15), SMALL],
    ['30 pixels of 2160 lines', () => sized(3840, 2160, 30), []],
    ['20 pixels upright', () => sized(1080, 1920, 20), []],
    ['10 pixels upright', () => sized(1080, 1920, 10), SMALL],
    ['letter-spaced within the picture', () => onNavy(text({ x: 100, style: { tr: 300 } })), []],
    ['letter-spaced beyond the edge', () => onNavy(text({ x: 400, style: { tr: 800 } })), CUT],
    [
      'two lines, the second too long',
      () => onNavy(text({ x: 60, text: 'Short\rA second line far too long for the picture' })),
      CUT,
    ],
  ],
  'texts that their boxes shrink': [
    ['under half', () => onNavy(headline(ENDLESS)), SHRUNK],
    ['under half, and smaller than the text below', () => onNavy(headline(ENDLESS), below()), SHRUNK],
    [
      'under half, in a layer twice as large',
      () => onNavy(headline(ENDLESS, boxed(380, 90, { rs: 2 }), ZOOMED)),
      SHRUNK,
    ],
    ['smaller than the text below', () => onNavy(headline(LONG), below()), SHRUNK],
    ['smaller than a fixed text', () => onNavy(headline(LONG), below({ key: null })), SHRUNK],
    [
      'smaller than a text of another time',
      () => onNavy(headline(LONG, undefined, { layer: FIRST_HALF }), below({ layer: LAST_HALF })),
      [],
    ],
    [
      'smaller than a hidden text',
      () => onNavy(headline(LONG), block(NAVY, [0, 240, 960, 120]), below({ key: 't_02' })),
      ['text_hidden t_02'],
    ],
    ['smaller than a text that flashes up', () => onNavy(headline(LONG), below({ ks: switched(10, 12) })), []],
    ['still larger than the text below', () => onNavy(headline(LONG), below({ size: 30 })), []],
    ['as large as the text below', () => onNavy(headline(LONG), below({ size: 44 })), []],
    ['smaller than a text that is larger by design', () => onNavy(headline(LONG), below({ size: 80 })), []],
    [
      'smaller than a text that grew',
      () => onNavy(headline('Short'), below({ style: boxed(700, 200, { rs: 1 }) })),
      [],
    ],
    ['by a box that is lower than the font', () => onNavy(headline('Short', boxed(760, 30, { rs: 2 }))), []],
    ['until nobody can read it', () => onNavy(headline(ENDLESS.repeat(4)), below()), SMALL],
    ['a fixed text', () => onNavy(headline(ENDLESS, undefined, { key: null }), below()), []],
  ],
};
