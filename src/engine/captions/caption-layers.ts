import type { FullCaptionStyle } from '../../contract/captions/caption-style.ts';
import { defined } from '../../kernel/defined.ts';
import { IDENTITY_TRANSFORM, LAYER_TYPE, type LottieNode } from '../../template/lottie/lottie-layers.ts';
import type { GlyphPool } from '../text/glyph-pool.ts';
import type { PlacedCell, TypesetCharacter } from '../text/typeset-line.ts';
import type { CaptionLine, CaptionPage, CaptionWord, FrameSize } from './lay-out-caption.ts';

/** What the layers of a page share. */
export interface LayerContext {
  readonly style: FullCaptionStyle;
  readonly pool: GlyphPool;
  readonly frame: FrameSize;
  /** Frames per second of the file. */
  readonly fps: number;
  /** Vertical position of the upper edge of the first line, in pixels. */
  readonly top: number;
}

/** A page whose times are frames of the file. */
export type TimedPage = CaptionPage;

/** Seconds in which a word grows, or a caption appears. */
const POP_SECONDS = 0.16;
const FADE_SECONDS = { in: 0.16, out: 0.12 } as const;
/** Percent of its size that a word has at first, and at most. */
const POP_SCALE = { from: 70, most: 106 } as const;
/** A pause up to this long does not end the highlight of a word, in seconds. */
const BRIDGED_SECONDS = 0.5;
/** Lottie's blurriness of a standard deviation of one pixel, as Skia reads it. */
const BLUR_OF_SIGMA = 1 / 0.3;

/** Returns the layers of a page from front to back. */
export function pageLayers(page: TimedPage, context: LayerContext): LottieNode[] {
  const { style } = context;
  const bands: Bands = { active: [], text: [], outline: [], shadow: [], mark: [] };
  for (const [index, line] of page.lines.entries()) {
    const place = linePlace(page, line, index, context);
    for (const fragment of fragmentsOf(line, page, style, context.fps))
      addFragment(bands, fragment, { page, place, context });
  }
  const box = style.background === undefined ? [] : [boxLayer(page, context, style.background)];
  return [...bands.active, ...bands.text, ...bands.outline, ...bands.shadow, ...bands.mark, ...box];
}

/** Returns how a page appears and disappears as a whole: fields of the layer that shows it. */
export function pageFields(page: TimedPage, { style, fps, top, frame }: LayerContext): LottieNode {
  const { from, to } = page;
  if (style.animation === 'fade') {
    const [fadeIn, fadeOut] = [FADE_SECONDS.in * fps, FADE_SECONDS.out * fps];
    const scale = Math.min(1, (to - from) / (fadeIn + fadeOut));
    const keys = [
      [from - 0.5, 0],
      [from + fadeIn * scale, 100],
      [to - fadeOut * scale, 100],
      [to, 0],
    ] as const;
    return { ks: { ...IDENTITY_TRANSFORM, o: keyframes(keys.map(([t, value]) => [t, [value]])) } };
  }
  if (style.animation === 'pop' && !hasWords(page)) {
    const middle = [frame.width / 2, top + (page.lines.length * page.lineHeight) / 2, 0];
    return { ks: { ...IDENTITY_TRANSFORM, a: constant(middle), p: constant(middle), ...growing(from, fps) } };
  }
  return {};
}

/** Layers of a page by their depth, each list from front to back. */
type Bands = Record<'active' | 'text' | 'outline' | 'shadow' | 'mark', LottieNode[]>;

/** A part of a line that appears or changes its colour by itself. */
interface Fragment {
  readonly cells: readonly PlacedCell[];
  /** Frames that show it. */
  readonly from: number;
  readonly to: number;
  /** Frames in which it is the word that is spoken; null for a part that is no word. */
  readonly active: { readonly from: number; readonly to: number } | null;
  readonly isRtl: boolean;
  readonly pops: boolean;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

interface FragmentContext {
  readonly page: TimedPage;
  /** Left end of the line on its baseline. */
  readonly place: Point;
  readonly context: LayerContext;
}

function hasWords({ lines }: CaptionPage): boolean {
  return lines.some(({ words }) => words.length > 0);
}

/** Returns the parts of a line: one, unless its words differ from each other at some time. */
function fragmentsOf(line: CaptionLine, page: TimedPage, style: FullCaptionStyle, fps: number): Fragment[] {
  const { from, to } = page;
  const { animation, active_color: color, active_background: background } = style;
  const whole = { from, to, active: null, isRtl: false, pops: false };
  const isByWord = animation === 'word' || animation === 'pop' || animation === 'karaoke';
  const visible = line.cells.filter(({ cell }) => !cell.isSpace);
  if (line.words.length === 0 || !(isByWord || color !== undefined || background !== undefined)) {
    return [{ ...whole, cells: visible }];
  }
  const all = page.lines.flatMap(({ words }) => words);
  const inWords = new Set(line.words.flatMap(({ cells }) => cells));
  const rest = visible.filter((cell) => !inWords.has(cell));
  const appears = animation === 'word' || animation === 'pop';
  const fragments = line.words.map((word): Fragment => {
    return {
      cells: word.cells,
      from: appears ? Math.max(from, Math.min(word.from, to)) : from,
      to,
      active: activeFrames(word, all, page, fps),
      isRtl: word.isRtl,
      pops: animation === 'pop',
    };
  });
  return rest.length === 0 ? fragments : [...fragments, { ...whole, cells: rest }];
}

/** A word is highlighted until the next word begins, unless a pause follows. */
function activeFrames(
  word: CaptionWord,
  all: readonly CaptionWord[],
  { from, to }: TimedPage,
  fps: number,
): { from: number; to: number } {
  const starts = all.map((other) => other.from).filter((start) => start > word.from);
  const next = Math.min(to, ...starts);
  const end = next - word.to <= BRIDGED_SECONDS * fps ? next : word.to;
  return { from: Math.max(from, word.from), to: Math.min(to, Math.max(word.from, end)) };
}

function addFragment(bands: Bands, fragment: Fragment, where: FragmentContext): void {
  const { page, place, context } = where;
  const { style, pool } = context;
  const { cells, from, to, active } = fragment;
  if (cells.length === 0 || to <= from) return;
  const drawn = pool.add([charactersOf(cells)], {
    space: 0.25,
    drop: 0,
    firstDrop: 0,
    pixelsPerEm: emojiPixels(page.size),
    part: 'all',
  });
  const left = cells[0]!.left * page.size;
  const width = widthOf(cells) * page.size;
  const middle = { x: left + width / 2, y: -page.drop };
  const text = (times: Times, colors: TextColors, below = 0): LottieNode => {
    return textLayer({ ...drawn, ...colors, size: page.size }, times, {
      place: { x: place.x + left, y: place.y + below },
      middle: { x: middle.x - left, y: middle.y },
      grows: fragment.pops ? growing(from, context.fps) : {},
    });
  };
  const activeColor = style.active_color ?? style.color;
  if (active !== null && style.animation === 'karaoke') {
    bands.text.push(text({ from, to }, { fill: style.color }));
    if (active.to > active.from) {
      const filled = text({ from: active.from, to }, { fill: activeColor });
      bands.active.push({ ...filled, ...fillingMask(fragment, { width, size: page.size }) });
    }
  } else if (active !== null && style.active_color !== undefined && active.to > active.from) {
    if (active.from > from) bands.text.push(text({ from, to: active.from }, { fill: style.color }));
    bands.text.push(text(active, { fill: activeColor }));
    if (active.to < to) bands.text.push(text({ from: active.to, to }, { fill: style.color }));
  } else bands.text.push(text({ from, to }, { fill: style.color }));
  const outline =
    style.outline === 0 ? undefined : { stroke: style.outline_color, strokeWidth: (style.outline / 50) * page.size };
  if (outline !== undefined) bands.outline.push(text({ from, to }, outline));
  if (style.shadow_color !== undefined) {
    const colors = {
      fill: style.shadow_color,
      ...defined({ stroke: outline && style.shadow_color, strokeWidth: outline?.strokeWidth }),
    };
    const shadow = text({ from, to }, colors, (style.shadow / 100) * page.size);
    bands.shadow.push({ ...shadow, ...blurred((style.shadow_blur / 100) * page.size) });
  }
  if (active !== null && style.active_background !== undefined && active.to > active.from) {
    const area = { x: place.x + left, y: place.y - page.drop - page.lineHeight / 2, width, height: page.lineHeight };
    bands.mark.push(
      rectangles([padded(area, page, style)], active, style.active_background, (style.radius / 100) * page.size),
    );
  }
}

interface Times {
  readonly from: number;
  readonly to: number;
}

/** Colours are RRGGBB or RRGGBBAA. */
interface TextColors {
  readonly fill?: string | undefined;
  readonly stroke?: string | undefined;
  readonly strokeWidth?: number | undefined;
}

/** Returns the left end of a line on its baseline. */
function linePlace(
  page: TimedPage,
  { width }: CaptionLine,
  index: number,
  { style, frame, top }: Pick<LayerContext, 'style' | 'frame' | 'top'>,
): Point {
  const side = (style.margin_side / 100) * frame.width;
  const room = frame.width - 2 * side - width * page.size;
  const share = style.align === 'left' ? 0 : style.align === 'right' ? 1 : 0.5;
  return { x: side + room * share, y: top + (index + 0.5) * page.lineHeight + page.drop };
}

/** Returns characters that move the pen from each cell to the next. */
function charactersOf(cells: readonly PlacedCell[]): TypesetCharacter[] {
  return cells.map(({ cell, left, width }, index): TypesetCharacter => {
    const next = cells[index + 1]?.left ?? left + width;
    return { kind: 'cell', cell, shift: 0, advance: Math.round((next - left) * 1e5) / 1e5 };
  });
}

function widthOf(cells: readonly PlacedCell[]): number {
  const last = cells.at(-1)!;
  return last.left + last.width - cells[0]!.left;
}

interface TextPlace {
  /** Of its left end on the baseline. */
  readonly place: Point;
  /** Point from which it grows, relative to its left end. */
  readonly middle: Point;
  /** Fields of its transform. */
  readonly grows: LottieNode;
}

function textLayer(
  { text, font, size, fill, stroke, strokeWidth }: { text: string; font: string; size: number } & TextColors,
  times: Times,
  { place, middle, grows }: TextPlace,
): LottieNode {
  const document = {
    t: text,
    f: font,
    s: size,
    lh: size,
    j: 0,
    tr: 0,
    ...defined({
      fc: fill && rgb(fill),
      sc: stroke && rgb(stroke),
      sw: strokeWidth,
      of: stroke && false,
      lj: stroke && ROUND,
    }),
  };
  const opacity = alphaOf(fill ?? stroke ?? '');
  const ks = {
    ...IDENTITY_TRANSFORM,
    a: constant([middle.x, middle.y, 0]),
    p: constant([place.x + middle.x, place.y + middle.y, 0]),
    ...(opacity < 1 && { o: constant(opacity * 100) }),
    ...grows,
  };
  const data = { a: [], p: {}, m: { g: 1, a: constant([0, 0]) }, d: { k: [{ t: 0, s: document }] } };
  return { ty: LAYER_TYPE.text, ...layerTimes(times), ks, t: data };
}

const ROUND = 2;

/** Layers begin and end between frames, where no rounding of times matters. */
export function layerTimes({ from, to }: Times): { ip: number; op: number; st: number } {
  return { ip: from - 0.5, op: to - 0.5, st: 0 };
}

function growing(from: number, fps: number): LottieNode {
  const frames = POP_SECONDS * fps;
  const scale = (percent: number): number[] => [percent, percent, 100];
  return {
    s: keyframes([
      [from, scale(POP_SCALE.from)],
      [from + frames * 0.6, scale(POP_SCALE.most)],
      [from + frames, scale(100)],
    ]),
  };
}

/** Returns a mask that uncovers a word while it is spoken, in its direction. */
function fillingMask({ active, isRtl }: Fragment, { width, size }: { width: number; size: number }): LottieNode {
  const [start, end] = isRtl ? [width + size, -size / 4] : [-size / 4, width + size / 4];
  const path = (edge: number): object => {
    const [left, right] = isRtl ? [edge, width + size] : [-size, edge];
    const v = [
      [left, -2 * size],
      [right, -2 * size],
      [right, size],
      [left, size],
    ];
    const none = v.map(() => [0, 0]);
    return { c: true, v, i: none, o: none };
  };
  const pt = keyframes([
    [active!.from, [path(isRtl ? width + size / 4 : start)]],
    [active!.to, [path(end)]],
  ]);
  return { hasMask: true, masksProperties: [{ mode: 'a', inv: false, pt, o: constant(100), x: constant(0) }] };
}

function blurred(sigma: number): LottieNode {
  if (sigma <= 0) return {};
  const values = [
    { ty: 0, v: constant(sigma * 0.5 * BLUR_OF_SIGMA) },
    { ty: 7, v: constant(1) },
    { ty: 7, v: constant(0) },
  ];
  return { ef: [{ ty: 29, ef: values }] };
}

interface Rectangle extends Point {
  readonly width: number;
  readonly height: number;
}

/** Returns the areas of the lines of a page, each as high as the distance of lines, without padding. */
export function lineAreas(page: TimedPage, context: Pick<LayerContext, 'style' | 'frame' | 'top'>): Rectangle[] {
  return page.lines.map((line, index): Rectangle => {
    const { x, y } = linePlace(page, line, index, context);
    return { x, y: y - page.drop - page.lineHeight / 2, width: line.width * page.size, height: page.lineHeight };
  });
}

/** Returns the box behind all lines, or behind each. */
function boxLayer(page: TimedPage, context: LayerContext, color: string): LottieNode {
  const { style } = context;
  const lines = lineAreas(page, context);
  const areas = style.box === 'block' ? [around(lines)] : lines;
  return rectangles(
    areas.map((area) => padded(area, page, style)),
    page,
    color,
    (style.radius / 100) * page.size,
  );
}

function around(areas: readonly Rectangle[]): Rectangle {
  const [x, y] = [Math.min(...areas.map((area) => area.x)), Math.min(...areas.map((area) => area.y))];
  const right = Math.max(...areas.map((area) => area.x + area.width));
  const bottom = Math.max(...areas.map((area) => area.y + area.height));
  return { x, y, width: right - x, height: bottom - y };
}

/** Adds the padding of boxes, on whole pixels. */
function padded({ x, y, width, height }: Rectangle, { size }: TimedPage, { padding }: FullCaptionStyle): Rectangle {
  const side = (padding / 100) * size;
  const [left, top] = [Math.round(x - side), Math.round(y - side / 2)];
  return {
    x: left,
    y: top,
    width: Math.round(x + width + side) - left,
    height: Math.round(y + height + side / 2) - top,
  };
}

/** Returns a layer of rectangles with one fill, so that they do not darken each other where they overlap. */
function rectangles(areas: readonly Rectangle[], times: Times, color: string, radius: number): LottieNode {
  const shapes = areas.map(({ x, y, width, height }) => ({
    ty: 'rc',
    d: 1,
    p: constant([x + width / 2, y + height / 2]),
    s: constant([width, height]),
    r: constant(Math.min(radius, width / 2, height / 2)),
  }));
  const fill = { ty: 'fl', c: constant([...rgb(color), 1]), o: constant(alphaOf(color) * 100), r: 1 };
  const group = { ty: 'gr', it: [...shapes, fill, { ty: 'tr', ...IDENTITY_TRANSFORM }] };
  return { ty: LAYER_TYPE.shape, ...layerTimes(times), ks: IDENTITY_TRANSFORM, shapes: [group] };
}

function constant(k: unknown): LottieNode {
  return { a: 0, k };
}

const EASE = { i: { x: [0.3], y: [1] }, o: { x: [0.3], y: [0] } };

function keyframes(keys: readonly (readonly [frame: number, value: readonly unknown[]])[]): LottieNode {
  return { a: 1, k: keys.map(([t, s], index) => ({ t, s, ...(index < keys.length - 1 && EASE) })) };
}

function rgb(color: string): number[] {
  return [0, 2, 4].map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255);
}

function alphaOf(color: string): number {
  return color.length > 6 ? Number.parseInt(color.slice(6, 8), 16) / 255 : 1;
}

function emojiPixels(size: number): number {
  return Math.min(512, Math.max(64, 2 ** Math.ceil(Math.log2(Math.max(1, size * 1.5)))));
}
