import type { ColorSlot, ImageSlot } from '../kit/document.ts';
import type { TextSlot } from '../kit/text.ts';

// The canvas, what people fill, and the beats.

export const WIDTH = 1920;
export const HEIGHT = 1080;
export const MARGIN = 120;
export const LAST = 324;

export const background: ColorSlot = { key: 'c_01', example: '#F1ECE2' };
export const second: ColorSlot = { key: 'c_02', example: '#3F4A38' };
export const accent: ColorSlot = { key: 'c_03', example: '#C8602C' };
export const ink: ColorSlot = { key: 'c_04', example: '#22261E' };
export const light: ColorSlot = { key: 'c_05', example: '#F6F1E7' };

export const hero: ImageSlot = { id: 'hero', file: 'hero.jpg', width: 1296, height: 1296 };
export const detail: ImageSlot = { id: 'detail', file: 'detail.jpg', width: 1080, height: 1296 };
export const logo: ImageSlot = { id: 'logo', file: 'logo.png', width: 600, height: 160 };

export const headline: TextSlot = { key: 't_01', example: 'Light to carry home' };
export const subline: TextSlot = { key: 't_02', example: 'Pebble, the new lantern' };
export const featureOne: TextSlot = { key: 't_03', example: 'Forty hours of light from one charge' };
export const featureTwo: TextSlot = { key: 't_04', example: 'Warm as a candle, and safe to drop' };
export const offer: TextSlot = { key: 't_05', example: '€ 89\rfrom 12 September' };
export const action: TextSlot = { key: 't_06', example: 'Order at olune.example' };

export const DISPLAY = 'BricolageGrotesque-SemiBold';
export const TEXT = 'InstrumentSans-Medium';

/** Frames: scene 2 begins under the sweep, scene 3 under the flood. */
export const SWEEP = 94;
export const FLOOD = 222;
export const CARD = FLOOD + 14;

/** Where the two features begin, from the top, and when the dot goes from the first to the second. */
export const ROWS = [236, 532] as const;
export const HOP = 148;

/** The first frame's disc, where the hero opens. */
export const DISC = { x: 1400, y: 540, size: 560 } as const;

/** Where the dot rests: beside the subline, and beside each feature. */
export const sublineDot = [131, 956] as const;
export const featureDot = (row: 0 | 1) => [989, ROWS[row] + 74] as const;
