import type { CaptionStyle } from './caption-style.ts';

/** The built-in styles by name. A style is hashed as its values, so that a change here changes the videos that use its name. */
export const CAPTION_STYLES = {
  /** White letters with a soft shadow, for any picture. */
  clean: { size: 5.2, outline: 5, outline_color: '00000080', shadow: 4, shadow_blur: 14, shadow_color: '000000E6' },
  /** The box of broadcasters. */
  box: { weight: 500, size: 4.8, background: '000000D9', padding: 36, radius: 14, line_height: 138 },
  /** Large capitals with an outline; the spoken word is yellow. */
  bold: {
    ...{ font: 'Montserrat', weight: 850, size: 8.4, case: 'upper', line_height: 108, tracking: -1 },
    ...{ active_color: 'FFE600', outline: 9, shadow: 9, shadow_color: '000000B3', margin: 18, width: 86, words: 5 },
  },
  /** The spoken word has a coloured box. */
  highlight: {
    ...{ font: 'Montserrat', weight: 800, size: 7.2, line_height: 132, active_background: '7C3AED', padding: 20 },
    ...{ radius: 26, outline: 7, outline_color: '000000A6', margin: 18, words: 6 },
  },
  /** Words grow as they are spoken. */
  pop: {
    ...{ font: 'Montserrat', weight: 900, size: 9.6, case: 'upper', line_height: 106, tracking: -1, outline: 10 },
    ...{ active_color: '39FF88', margin: 20, width: 86, words: 3, animation: 'pop' },
  },
  /** One word at a time, condensed, in the middle. */
  word: {
    ...{ font: 'Anton', size: 14, case: 'upper', line_height: 112, tracking: 1, outline: 5, shadow: 6 },
    ...{ shadow_color: '000000B3', position: 'middle', width: 86, lines: 1, words: 1, animation: 'pop' },
  },
  /** Lines fill with colour as they are spoken or sung. */
  karaoke: {
    ...{ font: 'Montserrat', weight: 800, size: 6.8, line_height: 126, active_color: 'FF4D8D', outline: 7 },
    ...{ outline_color: '1A0B2E', margin: 12, animation: 'karaoke' },
  },
  /** A serif in italics that appears softly. */
  elegant: {
    ...{ font: 'Instrument Serif', size: 7.6, line_height: 108, outline: 5, outline_color: '00000073', shadow: 3 },
    ...{ shadow_blur: 16, shadow_color: '000000E6', margin: 10, animation: 'fade' },
  },
  /** Black on a white label; the spoken word is coloured. */
  label: {
    ...{ weight: 700, size: 5.4, color: '111111', background: 'FFFFFF', padding: 38, radius: 22, line_height: 136 },
    ...{ active_color: 'D6246E', margin: 12, words: 8 },
  },
  /** Small and quiet, in a corner. */
  minimal: {
    ...{ weight: 560, size: 3.9, align: 'left', width: 60, margin: 7, outline: 6, outline_color: '00000099' },
    ...{ shadow: 2, shadow_blur: 10, shadow_color: '000000CC', animation: 'fade' },
  },
} as const satisfies Readonly<Record<string, CaptionStyle>>;
