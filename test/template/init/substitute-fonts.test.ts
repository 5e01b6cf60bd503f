import { describe, expect, it } from 'vitest';
import { substituteFor } from '../../../src/template/init/substitute-fonts.ts';

describe('substituteFor()', () => {
  it.each([
    ['ArialMT', 'Arial', 'Regular', 'Arimo-Regular', true],
    ['Helvetica-Bold', 'Helvetica', 'Bold', 'Arimo-Bold', true],
    ['TimesNewRomanPSMT', 'Times New Roman', 'Regular', 'Tinos-Regular', true],
    ['CourierNewPS-BoldMT', 'Courier New', 'Bold', 'Cousine-Bold', true],
    ['Montserrat-SemiBold', 'Montserrat', 'SemiBold', 'Arimo-Bold', false],
    ['PlayfairDisplay-Regular', 'Playfair Display', 'Regular', 'Tinos-Regular', false],
    ['RobotoMono-Regular', '', '', 'Cousine-Regular', false],
    ['OpenSans', 'Open Sans', 'Sans-Serif', 'Arimo-Regular', false],
  ])('replaces %s', (name, family, style, substitute, hasSameWidths) => {
    expect(substituteFor({ name, family, style })).toEqual({ name: substitute, hasSameWidths });
  });
});
