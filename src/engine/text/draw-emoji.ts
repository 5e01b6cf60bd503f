import { type Canvas, createCanvas, loadImage, type SKRSContext2D } from '@napi-rs/canvas';
import type * as HarfBuzz from 'harfbuzzjs';
import { checkImage } from '../images/check-image.ts';
import { EMOJI_MARGIN, EMOJI_ORIGIN, FOREVER, type PooledEmoji } from './glyph-pool.ts';
import type { OpenFont } from './harfbuzz-font.ts';

/** Shared, because the library releases its memory only on garbage collection. */
let painter: GlyphPainter | undefined;

/**
 * Draws emoji with their own fonts.
 *
 * @returns entries for `assets`: the image of each emoji, and the composition that characters refer to
 * @throws RenderError for a bitmap in a font that `checkImage` rejects
 */
export async function drawEmoji(emoji: readonly PooledEmoji[]): Promise<{ id: string; [field: string]: unknown }[]> {
  const assets: { id: string; [field: string]: unknown }[] = [];
  for (const pooled of emoji) {
    painter ??= new GlyphPainter(pooled.font.shaper.hb);
    assets.push(...(await assetsOf(pooled, painter)));
  }
  return assets;
}

async function assetsOf(
  { id, font, glyphs, advance, pixelsPerEm }: PooledEmoji,
  painter: GlyphPainter,
): Promise<{ id: string; [field: string]: unknown }[]> {
  const width = Math.ceil((EMOJI_ORIGIN.x + advance + EMOJI_MARGIN.right) * pixelsPerEm);
  const height = Math.ceil((EMOJI_ORIGIN.y + EMOJI_MARGIN.below) * pixelsPerEm);
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  const unit = pixelsPerEm / font.shaper.unitsPerEm;
  for (const { glyph, x, y } of glyphs) {
    const [left, base] = [(EMOJI_ORIGIN.x + x) * pixelsPerEm, (EMOJI_ORIGIN.y - y) * pixelsPerEm];
    const bitmap = font.bitmapOf(glyph);
    if (bitmap === null) {
      context.setTransform(unit, 0, 0, -unit, left, base);
      painter.paint(font.shaper.font, glyph, context);
    } else {
      context.setTransform(pixelsPerEm, 0, 0, pixelsPerEm, left, base);
      await drawBitmap(bitmap, font, glyph, context);
    }
  }
  const picture = `data:image/png;base64,${(await canvas.encode('png')).toString('base64')}`;
  const constant = (value: unknown): unknown => ({ a: 0, k: value });
  const transform = {
    o: constant(100),
    r: constant(0),
    p: constant([0, 0]),
    a: constant([0, 0]),
    s: constant([100, 100]),
  };
  const layer = { ty: 2, nm: id, refId: `${id} picture`, ind: 1, ip: 0, op: FOREVER, st: 0, sr: 1, ks: transform };
  return [
    { id: `${id} picture`, w: width, h: height, u: '', p: picture, e: 1 },
    { id, nm: id, w: width, h: height, layers: [layer] },
  ];
}

/**
 * Draws a bitmap as wide as its glyph, vertically centred between the font's ascent and descent. This matches the
 * placement of bitmap fonts within a few hundredths of an em.
 *
 * @param context in ems from the glyph's origin
 */
async function drawBitmap(png: Uint8Array, font: OpenFont, glyph: number, context: SKRSContext2D): Promise<void> {
  const picture = checkImage({ bytes: png, name: 'an emoji' });
  const width = font.advanceOf(glyph);
  const height = (width * picture.height) / picture.width;
  context.drawImage(await loadImage(png), 0, (font.descent - font.ascent - height) / 2, width, height);
}

/** Canvas names of HarfBuzz's compositing modes, by their numbers. */
const COMPOSITING: readonly SKRSContext2D['globalCompositeOperation'][] = [
  ...(['source-over', 'copy', 'destination-over', 'source-over', 'destination-over', 'source-in'] as const),
  ...(['destination-in', 'source-out', 'destination-out', 'source-atop', 'destination-atop', 'xor'] as const),
  ...(['lighter', 'screen', 'overlay', 'darken', 'lighten', 'color-dodge', 'color-burn', 'hard-light'] as const),
  ...(['soft-light', 'difference', 'exclusion', 'multiply', 'hue', 'saturation', 'color', 'luminosity'] as const),
];
const [CLEAR, KEEP] = [0, 2];
/** Larger than any glyph, in font units. */
const EVERYWHERE = 1e6;
const FULL_TURN = 2 * Math.PI;

/** Draws colour glyphs with layers and gradients (COLR). */
class GlyphPainter {
  readonly #paintFuncs: HarfBuzz.PaintFuncs;
  #contexts: SKRSContext2D[] = [];

  constructor(hb: typeof HarfBuzz) {
    this.#paintFuncs = new hb.PaintFuncs();
    this.#register(this.#paintFuncs);
  }

  /** @param context with a transformation from font units, y upwards, to pixels */
  paint(font: HarfBuzz.Font, glyph: number, context: SKRSContext2D): void {
    this.#contexts = [context];
    font.paintGlyph(glyph, this.#paintFuncs, undefined, 0, { red: 0, green: 0, blue: 0, alpha: 255 });
  }

  get #context(): SKRSContext2D {
    return this.#contexts.at(-1)!;
  }

  #register(funcs: HarfBuzz.PaintFuncs): void {
    funcs.setPushTransformFunc((xx, yx, xy, yy, dx, dy) => {
      this.#context.save();
      this.#context.transform(xx, yx, xy, yy, dx, dy);
    });
    funcs.setPopTransformFunc(() => this.#context.restore());
    funcs.setPushClipGlyphFunc((glyph, font) => {
      this.#context.save();
      traceGlyph(this.#context, font, glyph);
      this.#context.clip();
    });
    funcs.setPushClipRectangleFunc((left, bottom, right, top) => {
      this.#context.save();
      this.#context.beginPath();
      this.#context.rect(left, bottom, right - left, top - bottom);
      this.#context.clip();
    });
    funcs.setPopClipFunc(() => this.#context.restore());
    funcs.setColorFunc((_, color) => this.#fill(cssColor(color)));
    funcs.setLinearGradientFunc((line, ...points) => this.#fill(linearGradient(this.#context, line, points)));
    funcs.setRadialGradientFunc((line, ...circles) => this.#fill(radialGradient(this.#context, line, circles)));
    funcs.setSweepGradientFunc((line, x, y, from, to) =>
      this.#fill(sweepGradient(this.#context, line, x, y, from, to)),
    );
    funcs.setPushGroupFunc(() => this.#pushGroup());
    funcs.setPopGroupFunc((mode) => this.#popGroup(mode));
  }

  #fill(style: string | CanvasGradient): void {
    this.#context.fillStyle = style;
    this.#context.fillRect(-EVERYWHERE, -EVERYWHERE, 2 * EVERYWHERE, 2 * EVERYWHERE);
  }

  #pushGroup(): void {
    const { width, height } = this.#context.canvas as Canvas;
    const group = createCanvas(width, height).getContext('2d');
    group.setTransform(this.#context.getTransform());
    this.#contexts.push(group);
  }

  #popGroup(mode: number): void {
    const group = this.#contexts.pop()!;
    const context = this.#context;
    context.save();
    context.resetTransform();
    context.globalCompositeOperation = COMPOSITING[mode] ?? 'source-over';
    if (mode === CLEAR) context.clearRect(0, 0, context.canvas.width, context.canvas.height);
    else if (mode !== KEEP) context.drawImage(group.canvas as Canvas, 0, 0);
    context.restore();
  }
}

function traceGlyph(context: SKRSContext2D, font: HarfBuzz.Font, glyph: number): void {
  context.beginPath();
  for (const { type, values } of font.glyphToJson(glyph)) {
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0, x3 = 0, y3 = 0] = values;
    if (type === 'M') context.moveTo(x1, y1);
    else if (type === 'L') context.lineTo(x1, y1);
    else if (type === 'Q') context.quadraticCurveTo(x1, y1, x2, y2);
    else if (type === 'C') context.bezierCurveTo(x1, y1, x2, y2, x3, y3);
    else context.closePath();
  }
}

type CanvasGradient = ReturnType<SKRSContext2D['createLinearGradient']>;

/** @see OpenType 1.9, COLR, "Linear gradients": the third point rotates the gradient */
function linearGradient(context: SKRSContext2D, line: HarfBuzz.ColorLine, points: readonly unknown[]): CanvasGradient {
  const [x0, y0, x1, y1, x2, y2] = points as [number, number, number, number, number, number];
  const [normalX, normalY] = [y2 - y0, x0 - x2];
  const length = normalX ** 2 + normalY ** 2;
  const along = length === 0 ? 0 : ((x1 - x0) * normalX + (y1 - y0) * normalY) / length;
  const [dx, dy] = length === 0 ? [x1 - x0, y1 - y0] : [normalX * along, normalY * along];
  const { first, last, stops } = stopsOf(line);
  return withStops(
    context.createLinearGradient(x0 + dx * first, y0 + dy * first, x0 + dx * last, y0 + dy * last),
    stops,
  );
}

function radialGradient(context: SKRSContext2D, line: HarfBuzz.ColorLine, circles: readonly unknown[]): CanvasGradient {
  const [x0, y0, r0, x1, y1, r1] = circles as [number, number, number, number, number, number];
  const { first, last, stops } = stopsOf(line);
  const at = (part: number): [number, number, number] => [
    x0 + (x1 - x0) * part,
    y0 + (y1 - y0) * part,
    Math.max(0, r0 + (r1 - r0) * part),
  ];
  return withStops(context.createRadialGradient(...at(first), ...at(last)), stops);
}

function sweepGradient(
  context: SKRSContext2D,
  line: HarfBuzz.ColorLine,
  x: number,
  y: number,
  from: number,
  to: number,
): CanvasGradient {
  const stops = line.colorStops.map(({ offset, color }) => {
    const turn = (offset * (to - from)) / FULL_TURN;
    return { offset: Math.min(1, Math.max(0, turn)), color: cssColor(color) };
  });
  return withStops(context.createConicGradient(from, x, y), stops);
}

interface Stop {
  readonly offset: number;
  readonly color: string;
}

/** Returns the stops scaled to 0..1, and the positions of the first and last on the original line. */
function stopsOf({ colorStops }: HarfBuzz.ColorLine): { first: number; last: number; stops: Stop[] } {
  const sorted = colorStops.toSorted((a, b) => a.offset - b.offset);
  const first = sorted[0]?.offset ?? 0;
  const last = sorted.at(-1)?.offset ?? 1;
  const range = last - first || 1;
  const stops = sorted.map(({ offset, color }) => ({ offset: (offset - first) / range, color: cssColor(color) }));
  return { first, last, stops };
}

function withStops(gradient: CanvasGradient, stops: readonly Stop[]): CanvasGradient {
  for (const { offset, color } of stops) gradient.addColorStop(offset, color);
  return gradient;
}

function cssColor({ red, green, blue, alpha }: HarfBuzz.Color): string {
  return `rgba(${red}, ${green}, ${blue}, ${alpha / 255})`;
}
