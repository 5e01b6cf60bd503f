import { describe, expect, it } from 'vitest';
import { fullCaptionStyle, plainCaptionStyle, plainCaptions } from '../../../src/contract/captions/caption-style.ts';
import { CAPTION_STYLES } from '../../../src/contract/captions/caption-styles.ts';
import { CAPTION_STYLE_FIELDS } from '../../../src/contract/fields/caption-style-fields.ts';
import { type Fields, isValueOf } from '../../../src/contract/fields/field.ts';

const CUE = { start: 0, end: 1, text: 'Light' };

describe('plainCaptionStyle()', () => {
  it('removes defaults and spells colours in one way', () => {
    const style = { size: 5.5, color: '#ffffffFF', active_color: '#ffcc00', axes: {}, features: { tnum: 1 } };
    expect(plainCaptionStyle(style)).toEqual({ active_color: 'FFCC00', features: { tnum: 1 } });
  });

  it('keeps what a full style shows', () => {
    const style = { size: 8, case: 'upper', words: 3 } as const;
    expect(plainCaptionStyle(fullCaptionStyle(style))).toEqual(style);
  });
});

describe('plainCaptions()', () => {
  it('rounds times to milliseconds', () => {
    const words = [{ text: 'Light', start: 0.10049, end: 0.5 }];
    const cues = [{ start: 0.0004, end: 1.00051, text: 'Light', words }];
    expect(plainCaptions({ cues, embed: true })?.cues).toEqual([
      { start: 0, end: 1.001, text: 'Light', words: [{ text: 'Light', start: 0.1, end: 0.5 }] },
    ]);
  });

  it('has nothing of captions that no file contains', () => {
    expect(plainCaptions({ cues: [CUE] })).toBeUndefined();
    expect(plainCaptions({ cues: [], style: {} })).toBeUndefined();
  });

  it('keeps fonts only where texts are drawn', () => {
    expect(plainCaptions({ cues: [CUE], fonts: ['Noto Sans JP'], lang: 'ja', embed: true })).toEqual({
      cues: [CUE],
      lang: 'ja',
      embed: true,
    });
    expect(plainCaptions({ cues: [CUE], fonts: ['Noto Sans JP'], style: {} })?.fonts).toEqual(['Noto Sans JP']);
  });
});

describe('CAPTION_STYLES', () => {
  it.each(Object.entries(CAPTION_STYLES))('%s has valid values and repeats no default', (_, style) => {
    for (const [name, value] of Object.entries(style)) {
      expect(isValueOf((CAPTION_STYLE_FIELDS as Fields)[name]!, value), `${name}: ${value}`).toBe(true);
    }
    expect(plainCaptionStyle(style)).toEqual(style);
  });
});
