import type { ColorSlot, ImageSlot } from '../kit/document.ts';
import type { TextSlot } from '../kit/text.ts';

// The canvas, what people fill, and the beats.

export const WIDTH = 1080;
export const HEIGHT = 1920;
export const MARGIN = 96;
export const LAST = 210;

export const paper: ColorSlot = { key: 'c_01', example: '#F4EADC' };
export const accent: ColorSlot = { key: 'c_02', example: '#E2672F' };
export const ink: ColorSlot = { key: 'c_03', example: '#2B2019' };
export const onPhoto: ColorSlot = { key: 'c_04', example: '#FFF7EA' };
export const onAccent: ColorSlot = { key: 'c_05', example: '#FFF7EA' };

export const photo: ImageSlot = { id: 'photo', file: 'background.jpg', width: 1080, height: 1920 };
export const logo: ImageSlot = { id: 'logo', file: 'logo.png', width: 600, height: 160 };

export const kicker: TextSlot = { key: 't_01', example: 'A new store' };
export const headline: TextSlot = { key: 't_02', example: 'By the sea' };
export const place: TextSlot = { key: 't_03', example: 'Strandgade 12, Svaneke' };
export const time: TextSlot = { key: 't_04', example: 'Opens Saturday 6 June, 10:00' };
export const action: TextSlot = { key: 't_05', example: 'Come by' };

export const SERIF = 'InstrumentSerif-Regular';
export const ITALIC = 'InstrumentSerif-Italic';
export const TEXT = 'InstrumentSans-Medium';

/** The tide rises from here on. */
export const TIDE = 92;
/** The height at which its edge comes to rest, and from when on it does. */
export const SHEET = 1050;
export const RESTED = TIDE + 52;
