import { type FullCaptionStyle, fullCaptionStyle } from '../../contract/captions/caption-style.ts';
import { defined } from '../../kernel/defined.ts';
import { IDENTITY_TRANSFORM, LAYER_TYPE, type LottieNode } from '../../template/lottie/lottie-layers.ts';
import { withPrefix } from '../../template/lottie/scenes/with-prefix.ts';
import { fontList } from '../../template/lottie/slots/lottie-slots.ts';
import type { InputCaptions, InputCue, LottieDocument } from '../../template/render-input.ts';
import { GlyphPool } from '../text/glyph-pool.ts';
import type { TextFinding } from '../text/text-findings.ts';
import { type LayerContext, layerTimes, pageFields, pageLayers } from './caption-layers.ts';
import { captionStep, fileFrameOf, isBelow } from './captions-of-range.ts';
import { type CaptionPage, type FrameSize, layOutCaption } from './lay-out-caption.ts';

/** Where and when captions are drawn. */
export interface CaptionCanvas extends FrameSize {
  /** Frames per second of the file. */
  readonly fps: number;
}

/** A cue that is laid out. */
export interface PlacedCue {
  readonly cue: InputCue;
  readonly style: FullCaptionStyle;
  readonly pages: readonly PlacedPage[];
  /** Characters that no font has, and a text that is too long for its style. */
  readonly findings: readonly TextFinding[];
}

/** A page whose times are frames of the file. */
export interface PlacedPage extends CaptionPage {
  /** Vertical position of the upper edge of the first line, in pixels. */
  readonly top: number;
}

/** Captions as a document. */
export interface DrawnCaptions {
  readonly document: LottieDocument;
  /** Cues with characters that no font has, and those that are too long for their style. */
  readonly findings: readonly TextFinding[];
}

/**
 * Returns a document that shows captions, of which frame 0 is the first frame of the file, and whose rate is that of the file. Its texts
 * are set, as of `typesetTexts`.
 *
 * @throws RenderError template_invalid for an unusable font
 */
export async function captionDocument(captions: InputCaptions, canvas: CaptionCanvas): Promise<DrawnCaptions> {
  const pool = new GlyphPool();
  const layers: LottieNode[] = [];
  const assets: { id: string; [field: string]: unknown }[] = [];
  const placed = await placeCaptions(captions, canvas);
  for (const { style, pages } of placed) {
    for (const page of pages) {
      const context = { style, pool, frame: canvas, fps: canvas.fps, top: page.top };
      layers.unshift(...groupedLayers(page, context, assets));
    }
  }
  const findings = placed.flatMap((cue) => cue.findings);
  const { width: w, height: h, fps } = canvas;
  const emoji = pool.emoji.length === 0 ? [] : await (await import('../text/draw-emoji.ts')).drawEmoji(pool.emoji);
  const document = {
    v: '5.7.0',
    fr: fps,
    ip: 0,
    op: FOREVER,
    w,
    h,
    assets: [...assets, ...emoji],
    fonts: { list: pool.fonts },
    chars: pool.chars,
    layers: numbered(layers),
  };
  return { document, findings };
}

/**
 * Lays out captions, each above those that are shown at the same time.
 *
 * @returns in the order of the cues
 * @throws RenderError template_invalid for an unusable font
 */
export async function placeCaptions(captions: InputCaptions, canvas: CaptionCanvas): Promise<PlacedCue[]> {
  const placed: (PlacedCue & { readonly offset: number })[] = [];
  for (const cue of captions.cues) {
    const look = captions.looks[cue.look]!;
    const style = { ...fullCaptionStyle(look.style), ...defined({ position: cue.place }) };
    const laidOut = await layOutCaption(cue, look, canvas);
    const below = placed.filter((other) => standsOn(captions, cue, other.cue));
    /** Distance of the cue from the edge at which it stands, in pixels. */
    const offset = Math.max(0, ...below.map((other) => other.offset + heightOf(other.pages)));
    const pages = laidOut
      .map((page) => ({ ...inFile(page, captions, canvas.fps), top: topOf(page, offset, style, canvas) }))
      .filter(({ from, to }) => to > from);
    placed.push({ cue, style, pages, offset, findings: findingsOf(laidOut, cue, style) });
  }
  return placed;
}

/** Share by which a text may exceed its line, because of rounding. */
const TOLERANCE = 0.005;

function findingsOf(pages: readonly CaptionPage[], { text }: InputCue, { font }: LayerContext['style']): TextFinding[] {
  const subject = { editable: null, text, font };
  const characters = [...new Set(pages.flatMap(({ missing }) => missing))];
  const overflow = Math.max(0, ...pages.map((page) => page.overflow));
  return [
    ...(characters.length > 0 ? [{ code: 'glyph_missing' as const, ...subject, characters, overflow: 0 }] : []),
    ...(overflow > TOLERANCE ? [{ code: 'text_overflow' as const, ...subject, characters: [], overflow }] : []),
  ];
}

const FOREVER = 1e6;

/** Returns whether a cue stands above another: it is shown at the same time, at the same edge, and has a higher level. */
function standsOn({ looks }: InputCaptions, cue: InputCue, other: InputCue): boolean {
  const positionOf = ({ look, place }: InputCue): string => place ?? fullCaptionStyle(looks[look]!.style).position;
  return isBelow(other, cue) && positionOf(cue) === positionOf(other);
}

function heightOf(pages: readonly CaptionPage[]): number {
  return Math.max(0, ...pages.map(({ lines, lineHeight }) => lines.length * lineHeight + lineHeight * GAP));
}

/** Space between cues that are shown at the same time, in lines. */
const GAP = 0.25;

function inFile(page: CaptionPage, captions: InputCaptions, fps: number): CaptionPage {
  const step = captionStep(captions, fps);
  const timed = <T extends { readonly from: number; readonly to: number }>(item: T): T => {
    return { ...item, from: fileFrameOf(item.from, step), to: fileFrameOf(item.to, step) };
  };
  const lines = page.lines.map((line) => ({ ...line, words: line.words.map(timed) }));
  return { ...timed(page), lines };
}

function topOf(page: CaptionPage, offset: number, style: LayerContext['style'], { height }: FrameSize): number {
  const [edge, block] = [(style.margin / 100) * height, page.lines.length * page.lineHeight];
  switch (style.position) {
    case 'top':
      return Math.round(edge + offset);
    case 'middle':
      return Math.round((height - block) / 2 - offset);
    case 'bottom':
      return Math.round(height - edge - block - offset);
  }
}

/** Returns the layers of a page; one layer if the page appears as a whole. */
function groupedLayers(
  page: CaptionPage,
  context: LayerContext,
  assets: { id: string; [field: string]: unknown }[],
): LottieNode[] {
  const layers = pageLayers(page, context);
  const fields = pageFields(page, context);
  if (Object.keys(fields).length === 0) return layers;
  const id = `page ${assets.length}`;
  const { width: w, height: h } = context.frame;
  assets.push({ id, w, h, layers: numbered(layers) });
  return [{ ty: LAYER_TYPE.precomposition, refId: id, w, h, ...layerTimes(page), ...fields }];
}

function numbered(layers: readonly LottieNode[]): LottieNode[] {
  return layers.map((layer, index) => ({ ind: index + 1, ddd: 0, sr: 1, ao: 0, bm: 0, ...layer }));
}

const PREFIX = 'captions/';

/**
 * Returns a document with captions above everything.
 *
 * @param below its texts are set
 * @param captions as `captionDocument`, for a canvas with the size of the document
 */
export function withCaptionsAbove(below: LottieDocument, captions: LottieDocument): LottieDocument {
  const { assets = [], fonts, chars, layers, fr } = withPrefix(captions, PREFIX);
  const root = { id: `${PREFIX}root`, w: captions.w, h: captions.h, layers };
  const pace = below.fr / fr;
  const highest = below.layers.reduce(
    (max: number, layer) => Math.max(max, Number((layer as LottieNode)?.ind) || 0),
    0,
  );
  const times = { ip: below.ip - pace, op: below.op + 1, st: below.ip, sr: pace };
  const common = { ddd: 0, ao: 0, bm: 0, ks: IDENTITY_TRANSFORM };
  const shown = {
    ty: LAYER_TYPE.precomposition,
    refId: root.id,
    w: below.w,
    h: below.h,
    ind: highest + 1,
    ...common,
    ...times,
  };
  // Without a layer between them, a layer that has the layer before it as its matte would have the captions.
  const between = { ty: NULL_LAYER, ind: highest + 2, sr: 1, ...common, ip: 0, op: 0, st: 0 };
  return {
    ...below,
    assets: [...(below.assets ?? []), ...assets, root],
    fonts: { list: [...fontList(below), ...fontList({ ...captions, fonts })] },
    chars: [...(Array.isArray(below.chars) ? below.chars : []), ...(chars as unknown[])],
    layers: [shown, between, ...below.layers],
  };
}

const NULL_LAYER = 3;
