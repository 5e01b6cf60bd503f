/** A video that each program draws in its own way: Remotion in React, HyperFrames in HTML, and Reelform as a template. */
export interface Composition {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly fps: number;
  readonly frameCount: number;
  /** Files by the name that elements use; paths in the repository. */
  readonly files: Readonly<Record<string, string>>;
  /** Paths in the repository by the family that texts use. */
  readonly fonts: Readonly<Record<string, string>>;
  /** From the bottom to the top. */
  readonly elements: readonly Element[];
}

export interface Element {
  readonly kind: 'box' | 'image' | 'text';
  /** Pixels from the top left corner of the video. */
  readonly box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
  /** First frame, and the frame after the last. The whole video by default. */
  readonly span?: readonly [from: number, to: number];
  readonly color?: string;
  /** Radius of the corners in pixels. */
  readonly round?: number;
  /** Draws only an edge of this width in pixels. */
  readonly edge?: number;
  /** The file of an image, which covers its box. */
  readonly file?: string;
  readonly text?: string;
  readonly font?: string;
  /** Pixels per em. */
  readonly size?: number;
  /** Draws nothing outside of the box while the content moves: a line comes out of its edge. */
  readonly isMasked?: boolean;
  readonly moves?: readonly Move[];
}

export interface Move {
  /** Pixels, factors, degrees, shares of opacity; `circle`: radius in pixels of a circle in the middle that shows the content. */
  readonly property: 'x' | 'y' | 'scale' | 'rotation' | 'opacity' | 'circle';
  /** Frame and value, relative to the box; eased out. */
  readonly from: readonly [frame: number, value: number];
  readonly to: readonly [frame: number, value: number];
}

const FONTS = {
  Bricolage: 'templates/launch/fonts/BricolageGrotesque-SemiBold.ttf',
  Instrument: 'templates/launch/fonts/InstrumentSans-Medium.ttf',
};
const VIDEO = { width: 1920, height: 1080, fps: 30, frameCount: 324, fonts: FONTS };
const FULL = { x: 0, y: 0, width: 1920, height: 1080 };
const GROUND = '#f1ece2';
const ACCENT = '#c8602c';
const DARK = '#22261e';
const LIGHT = '#f6f1e7';

function circle(x: number, y: number, radius: number): Pick<Element, 'box' | 'round'> {
  return { box: { x: x - radius, y: y - radius, width: 2 * radius, height: 2 * radius }, round: radius };
}

function rising(start: number, distance: number): Move[] {
  return [{ property: 'y', from: [start, distance], to: [start + 36, 0] }];
}

/** Two texts, a picture and a background. */
export const simple: Composition = {
  ...VIDEO,
  name: 'simple',
  files: { 'hero.jpg': 'templates/launch/images/hero.jpg' },
  elements: [
    { kind: 'box', box: FULL, color: GROUND },
    {
      kind: 'image',
      box: { x: 920, y: 40, width: 1000, height: 1000 },
      file: 'hero.jpg',
      moves: [{ property: 'scale', from: [0, 1.08], to: [324, 1] }],
    },
    {
      kind: 'text',
      box: { x: 112, y: 380, width: 780, height: 150 },
      text: 'Light to carry',
      font: 'Bricolage',
      size: 110,
      color: DARK,
      moves: [{ property: 'x', from: [10, -900], to: [60, 0] }],
    },
    {
      kind: 'text',
      box: { x: 112, y: 560, width: 780, height: 70 },
      text: 'Pebble, the new lantern',
      font: 'Instrument',
      size: 44,
      color: DARK,
      moves: [{ property: 'opacity', from: [40, 0], to: [80, 1] }],
    },
  ],
};

/**
 * What `templates/launch` shows, as far as boxes, pictures and lines of text go: its rings are whole circles, its edges
 * straight, its texts move by line and without blur, and its picture follows no camera.
 */
export const launch: Composition = {
  ...VIDEO,
  name: 'launch',
  files: {
    'hero.jpg': 'templates/launch/images/hero.jpg',
    'detail.jpg': 'templates/launch/images/detail.jpg',
    'logo.png': 'templates/launch/images/logo.png',
  },
  elements: [
    { kind: 'box', box: FULL, color: GROUND },
    ...['Light to', 'carry', 'home'].map(
      (text, line): Element => ({
        kind: 'text',
        box: { x: 112, y: 444 + 149 * line, width: 780, height: 149 },
        span: [26, 124],
        text,
        font: 'Bricolage',
        size: 152,
        color: DARK,
        isMasked: true,
        moves: rising(26 + 4 * line, 160),
      }),
    ),
    {
      kind: 'text',
      box: { x: 168, y: 922, width: 680, height: 68 },
      span: [46, 124],
      text: 'Pebble, the new lantern',
      font: 'Instrument',
      size: 44,
      color: DARK,
      isMasked: true,
      moves: rising(46, 70),
    },
    ...[350, 430].map(
      (radius): Element => ({
        kind: 'box',
        ...circle(1400, 540, radius),
        span: [0, 94],
        color: DARK,
        edge: 2.5,
        moves: [{ property: 'opacity', from: [0, 0], to: [40, 0.34] }],
      }),
    ),
    {
      kind: 'box',
      ...circle(1400, 540, 300),
      span: [0, 60],
      color: ACCENT,
      moves: [{ property: 'scale', from: [0, 0], to: [36, 1] }],
    },
    {
      kind: 'image',
      box: { x: 920, y: 0, width: 1000, height: 1080 },
      span: [8, 154],
      file: 'hero.jpg',
      moves: [{ property: 'circle', from: [8, 0], to: [58, 740] }],
    },
    {
      kind: 'box',
      box: FULL,
      span: [94, 262],
      color: DARK,
      moves: [{ property: 'x', from: [94, 1920], to: [128, 0] }],
    },
    {
      kind: 'image',
      box: { x: 0, y: 0, width: 920, height: 1080 },
      span: [120, 262],
      file: 'detail.jpg',
      moves: [{ property: 'y', from: [120, 1080], to: [160, 0] }],
    },
    ...['Forty hours of light', 'from one charge', 'Warm as a candle,', 'and safe to drop'].map(
      (text, line): Element => ({
        kind: 'text',
        box: { x: 1040, y: 270 + 80 * line + (line > 1 ? 136 : 0), width: 770, height: 80 },
        span: [line > 1 ? 154 : 124, 262],
        text,
        font: 'Bricolage',
        size: 72,
        color: LIGHT,
        isMasked: true,
        moves: rising((line > 1 ? 154 : 124) + 4 * (line % 2), 90),
      }),
    ),
    ...[242, 534].map(
      (y): Element => ({
        kind: 'box',
        box: { x: 1040, y, width: 770, height: 2 },
        span: [120, 262],
        color: LIGHT,
        moves: [{ property: 'x', from: [120, 880], to: [160, 0] }],
      }),
    ),
    {
      kind: 'box',
      ...circle(989, 606, 1250),
      span: [222, 256],
      color: ACCENT,
      moves: [{ property: 'scale', from: [222, 0], to: [246, 1] }],
    },
    {
      kind: 'box',
      ...circle(989, 606, 1250),
      span: [232, 324],
      color: GROUND,
      moves: [{ property: 'scale', from: [232, 0], to: [256, 1] }],
    },
    ...[430, 510].map(
      (radius): Element => ({
        kind: 'box',
        ...circle(1415, 540, radius),
        span: [244, 324],
        color: DARK,
        edge: 2.5,
        moves: [{ property: 'opacity', from: [244, 0], to: [290, 0.34] }],
      }),
    ),
    {
      kind: 'box',
      ...circle(1507, 476, 350),
      span: [236, 324],
      color: ACCENT,
      moves: [{ property: 'scale', from: [236, 0], to: [272, 1] }],
    },
    {
      kind: 'image',
      box: { x: 1063, y: 188, width: 704, height: 704 },
      span: [238, 324],
      file: 'hero.jpg',
      moves: [{ property: 'circle', from: [238, 0], to: [270, 346] }],
    },
    ...['€ 89', 'from 12 September'].map(
      (text, line): Element => ({
        kind: 'text',
        box: { x: 115, y: 553 + 97 * line, width: 810, height: 97 },
        span: [240, 324],
        text,
        font: 'Bricolage',
        size: 88,
        color: DARK,
        isMasked: true,
        moves: rising(240 + 6 * line, 100),
      }),
    ),
    {
      kind: 'box',
      box: { x: 120, y: 820, width: 600, height: 112 },
      span: [244, 324],
      color: ACCENT,
      round: 56,
      moves: [{ property: 'scale', from: [244, 0], to: [280, 1] }],
    },
    {
      kind: 'text',
      box: { x: 176, y: 845, width: 520, height: 62 },
      span: [258, 324],
      text: 'Order at olune.example',
      font: 'Instrument',
      size: 46,
      color: LIGHT,
      isMasked: true,
      moves: rising(260, 80),
    },
    {
      kind: 'image',
      box: { x: 120, y: 94, width: 288, height: 77 },
      file: 'logo.png',
      moves: [{ property: 'opacity', from: [0, 0], to: [20, 1] }],
    },
  ],
};
