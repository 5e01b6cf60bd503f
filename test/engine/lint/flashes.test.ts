import { createCanvas } from '@napi-rs/canvas';
import { describe, expect, it } from 'vitest';
import { encoderOf, SOFTWARE } from '../../../src/engine/codec/video-encoder.ts';
import { findFlashes } from '../../../src/engine/lint/flashes.ts';
import { muxMp4 } from '../../../src/engine/writers/mux.ts';
import type { InputClip, InputImage, RenderInput } from '../../../src/template/render-input.ts';
import { bytesOf } from '../../support/in-memory.ts';
import { imageLayer, inputOf, placed, rectangleLayer } from '../inputs.ts';

type Color = readonly [number, number, number];
type Box = readonly [x: number, y: number, width: number, height: number];

const [W, H, FPS] = [640, 360, 30];
const FULL: Box = [0, 0, W, H];
const WHITE: Color = [1, 1, 1];
const BLACK: Color = [0, 0, 0];
/** sRGB greys with a relative luminance of 0.05, 0.13, 0.2, 0.82 and 0.95. */
const [G05, G13, G20, G82, G95] = [0.247, 0.397, 0.484, 0.915, 0.977].map((level): Color => [level, level, level]) as [
  Color,
  Color,
  Color,
  Color,
  Color,
];

const LINEAR = { o: { x: 0, y: 0 }, i: { x: 1, y: 1 } };

/** Two seconds of layers over a background. */
function stage(
  layers: readonly object[],
  ground: Color = BLACK,
  changes: Partial<RenderInput> & { document?: object } = {},
) {
  const { fps = FPS } = changes;
  const all = [...layers, rectangleLayer(900, FULL, ground)];
  return inputOf(all, { width: W, height: H, frameCount: 2 * fps, ...changes, fps });
}

/** Opacity that is switched `hertz` times a second, from `phase` of a period on. */
function blinking(hertz: number, { fps = FPS, phase = 0 } = {}): object {
  const half = fps / hertz / 2;
  const count = Math.ceil((2 * fps) / half) + 1;
  const key = (index: number) => ({ t: Math.round((index - phase * 2) * half), s: [index % 2 === 0 ? 100 : 0], h: 1 });
  return { o: { a: 1, k: Array.from({ length: count }, (_, index) => key(index)) } };
}

function strobe(
  hertz: number,
  { color = WHITE, ground = BLACK, box = FULL, fps = FPS, phase = 0 }: StrobeOptions = {},
) {
  const layer = rectangleLayer(1, box, color, { ks: placed(0, 0, blinking(hertz, { fps, phase })) });
  return stage([layer], ground, { fps });
}

interface StrobeOptions {
  readonly color?: Color;
  readonly ground?: Color;
  readonly box?: Box;
  readonly fps?: number;
  readonly phase?: number;
}

/** Opacity that rises and falls smoothly. */
function pulsing(hertz: number, low = 0): RenderInput {
  const half = FPS / hertz / 2;
  const keys = Array.from({ length: Math.ceil((2 * FPS) / half) + 1 }, (_, index) => ({
    t: index * half,
    s: [index % 2 === 0 ? low : 100],
    o: { x: 0.4, y: 0 },
    i: { x: 0.6, y: 1 },
  }));
  return stage([rectangleLayer(1, FULL, WHITE, { ks: placed(0, 0, { o: { a: 1, k: keys } }) })]);
}

/** Vertical stripes, half of them white, that drift by `periods` of their own in each second. */
function stripes(period: number, periods: number): RenderInput {
  const move = [
    { t: 0, s: [0, 0, 0], ...LINEAR },
    { t: 2 * FPS, s: [2 * periods * period, 0, 0] },
  ];
  const start = -2 * periods * period;
  const count = Math.ceil((W - start) / period);
  const layers = Array.from({ length: count }, (_, index) =>
    rectangleLayer(index + 1, [start + index * period, 0, period / 2, H], WHITE, {
      ks: placed(0, 0, { p: { a: 1, k: move } }),
    }),
  );
  return stage(layers);
}

/** A checkerboard whose two colours swap. */
function checkerboard(side: number, hertz: number): RenderInput {
  const layers: object[] = [];
  for (let row = 0; row * side < H; row++) {
    for (let column = 0; column * side < W; column++) {
      const phase = (row + column) % 2 === 0 ? 0 : 0.5;
      layers.push(
        rectangleLayer(layers.length + 1, [column * side, row * side, side, side], WHITE, {
          ks: placed(0, 0, blinking(hertz, { phase })),
        }),
      );
    }
  }
  return stage(layers);
}

function photo(assetId: string, tone: number): InputImage {
  const canvas = createCanvas(W, H);
  const context = canvas.getContext('2d');
  const gradient = context.createLinearGradient(0, 0, W, H);
  gradient.addColorStop(0, `hsl(${40 + tone * 160} 40% ${20 + tone * 40}%)`);
  gradient.addColorStop(1, `hsl(${40 + tone * 80} 60% ${50 + tone * 30}%)`);
  context.fillStyle = gradient;
  context.fillRect(0, 0, W, H);
  return { assetId, name: assetId, width: W, height: H, transform: {}, bytes: canvas.toBuffer('image/png') };
}

/** Two photos that alternate, each for `frames`. */
function cuts(frames: number): RenderInput {
  const images = [photo('dark', 0), photo('light', 1)];
  const layers = Array.from({ length: Math.ceil((2 * FPS) / frames) }, (_, index) => ({
    ...imageLayer(index + 1, images[index % 2]!.assetId),
    ip: index * frames,
    op: (index + 1) * frames,
  }));
  const assets = images.map(({ assetId }) => ({ id: assetId, w: W, h: H, u: '', p: `${assetId}.png` }));
  return stage(layers, BLACK, { images, document: { assets } });
}

/** A clip that is black and white in turn. */
async function flashingClip(framesEach: number): Promise<RenderInput> {
  const format = { width: 64, height: 36, rate: { numerator: FPS, denominator: 1 } };
  const encoder = await encoderOf(SOFTWARE)(format, 'high');
  try {
    const i420 = new Uint8Array(64 * 36 * 1.5).fill(128);
    for (let picture = 0; picture < 2 * FPS; picture++) {
      i420.fill(Math.floor(picture / framesEach) % 2 === 0 ? 16 : 235, 0, 64 * 36);
      await encoder.encode(i420, picture);
    }
    const bytes = await bytesOf(await muxMp4(await encoder.finish(), { sound: null, fingerprint: null }));
    const clip: InputClip = { assetId: 'clip', name: 'clip', width: W, height: H, transform: {}, bytes };
    const assets = [{ id: 'clip', w: W, h: H, u: '', p: 'clip.png' }];
    return stage([imageLayer(1, 'clip')], BLACK, { clips: [clip], document: { assets } });
  } finally {
    encoder.close();
  }
}

const RED: Color = [1, 0, 0];
/** Not saturated: R / (R + G + B) is 0.6 in linear light. */
const PINK: Color = [1, 0.61, 0.61];
/** Saturated reds whose (R − G − B) × 320 differ by about 16 and 32; their luminances by less than a tenth. */
const [DARK_RED, DARK_RED_16, DARK_RED_32] = [0, 0.25, 0.35].map((red): Color => [red, 0, 0]) as [Color, Color, Color];
/** A field is a third of each side: 213 × 120; a quarter of it is 6,400 pixels. */
const SMALL: Box = [200, 100, 72, 72];
const LARGE: Box = [200, 100, 90, 90];

interface FlashCase {
  readonly name: string;
  readonly renderInput: () => RenderInput | Promise<RenderInput>;
  readonly expected: readonly string[];
}

const CASES: readonly FlashCase[] = [
  { name: 'a white strobe of 4 Hz', renderInput: () => strobe(4), expected: ['general'] },
  { name: 'a white strobe of 3 Hz', renderInput: () => strobe(3), expected: [] },
  { name: 'a white strobe of 2 Hz', renderInput: () => strobe(2), expected: [] },
  { name: 'a white strobe of 10 Hz', renderInput: () => strobe(10), expected: ['general'] },
  { name: 'every other frame white at 30 frames a second', renderInput: () => strobe(15), expected: ['general'] },
  { name: '4 Hz at 25 frames a second', renderInput: () => strobe(4, { fps: 25 }), expected: ['general'] },
  { name: '4 Hz at 60 frames a second', renderInput: () => strobe(4, { fps: 60 }), expected: ['general'] },
  { name: '3 Hz at 25 frames a second', renderInput: () => strobe(3, { fps: 25 }), expected: [] },
  { name: '3 Hz at 60 frames a second', renderInput: () => strobe(3, { fps: 60 }), expected: [] },
  { name: 'less than a quarter of a field', renderInput: () => strobe(4, { box: SMALL }), expected: [] },
  { name: 'more than a quarter of a field', renderInput: () => strobe(4, { box: LARGE }), expected: ['general'] },
  {
    name: 'more than a quarter of a field in a corner',
    renderInput: () => strobe(4, { box: [W - 90, H - 90, 90, 90] }),
    expected: ['general'],
  },
  { name: 'a long thin line', renderInput: () => strobe(8, { box: [0, 100, W, 20] }), expected: [] },
  {
    name: 'a change of luminance below a tenth',
    renderInput: () => strobe(5, { color: G13, ground: G05 }),
    expected: [],
  },
  {
    name: 'a change of luminance above a tenth',
    renderInput: () => strobe(5, { color: G20, ground: G05 }),
    expected: ['general'],
  },
  { name: 'both states bright', renderInput: () => strobe(5, { color: G95, ground: G82 }), expected: [] },
  { name: 'a red strobe of 4 Hz on black', renderInput: () => strobe(4, { color: RED }), expected: ['general', 'red'] },
  { name: 'a red strobe of 3 Hz on black', renderInput: () => strobe(3, { color: RED }), expected: [] },
  {
    name: 'a dark red strobe on black',
    renderInput: () => strobe(4, { color: DARK_RED_32, ground: DARK_RED }),
    expected: ['red'],
  },
  {
    name: 'a red strobe with a change of (R − G − B) × 320 below 20',
    renderInput: () => strobe(4, { color: DARK_RED_16, ground: DARK_RED }),
    expected: [],
  },
  { name: 'pink on black, not saturated', renderInput: () => strobe(4, { color: PINK }), expected: ['general'] },
  { name: 'blue and black', renderInput: () => strobe(4, { color: [0, 0, 1] }), expected: [] },
  {
    name: 'red to white and back',
    renderInput: () => strobe(4, { color: RED, ground: WHITE }),
    expected: ['general', 'red'],
  },
  { name: 'small red flashes', renderInput: () => strobe(5, { color: RED, box: SMALL }), expected: [] },
  { name: 'a slow fade', renderInput: () => pulsing(0.5), expected: [] },
  { name: 'a soft pulse of 2 Hz', renderInput: () => pulsing(2), expected: [] },
  { name: 'a soft pulse of 5 Hz', renderInput: () => pulsing(5), expected: ['general'] },
  { name: 'a soft pulse of 5 Hz that hardly changes', renderInput: () => pulsing(5, 97), expected: [] },
  { name: 'a cut between photos each second', renderInput: () => cuts(30), expected: [] },
  { name: 'a cut between photos three times a second', renderInput: () => cuts(10), expected: [] },
  { name: 'a cut between photos ten times a second', renderInput: () => cuts(3), expected: ['general'] },
  { name: 'stripes that drift slowly', renderInput: () => stripes(80, 1), expected: [] },
  { name: 'stripes that drift by four periods a second', renderInput: () => stripes(80, 4), expected: [] },
  { name: 'a checkerboard of large squares, 5 Hz', renderInput: () => checkerboard(80, 5), expected: ['general'] },
  { name: 'a checkerboard of large squares, 2 Hz', renderInput: () => checkerboard(80, 2), expected: [] },
  { name: 'a clip that flashes at 5 Hz', renderInput: () => flashingClip(3), expected: ['general'] },
  { name: 'a clip that changes each half second', renderInput: () => flashingClip(15), expected: [] },
];

describe('findFlashes()', () => {
  it.each(CASES)('$name', async ({ renderInput, expected }) => {
    // The first call keeps nothing for the second one.
    const input = await renderInput();
    const alone = await findFlashes(input, true);
    expect(alone.map(({ kind }) => kind)).toEqual(expected);
    expect(await findFlashes(input)).toEqual(alone);
  });

  it('counts the flashes of the worst second and returns its first frame', async () => {
    const layer = rectangleLayer(1, FULL, WHITE, { ks: placed(0, 0, blinking(5)) });
    const calm = rectangleLayer(2, FULL, BLACK, { ip: 0, op: FPS, ks: placed() });
    const renderInput = stage([calm, layer], BLACK);
    expect(await findFlashes(renderInput)).toMatchObject([{ kind: 'general', flashes: 5, frame: FPS }]);
  });

  it('returns the box around the flashing pixels', async () => {
    const [found] = await findFlashes(strobe(4, { box: [320, 180, 160, 90] }));
    const { x, y, width, height } = found!.box;
    expect([x, y, width, height].map((share) => Math.round(share * 100))).toEqual([50, 50, 25, 26]);
  });
});
