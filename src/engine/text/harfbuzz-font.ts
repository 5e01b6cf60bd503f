import type * as HarfBuzz from 'harfbuzzjs';

/** One glyph of a shaped run. Lengths are in ems, y upwards. */
export interface ShapedGlyph {
  readonly glyph: number;
  /** Index of the text's UTF-16 unit that it begins to stand for; the same for all glyphs of a cluster. */
  readonly cluster: number;
  readonly advance: number;
  readonly x: number;
  readonly y: number;
}

/** What is to be shaped: a piece of a paragraph, of one direction, with the paragraph around it. */
export interface ShapeRequest {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly isRtl: boolean;
  /** OpenType features to switch off. */
  readonly without: readonly string[];
}

/** `M x y`, `L x y`, `Q`, `C` and `Z`, in ems, y upwards. */
export interface OutlineCommand {
  readonly type: string;
  readonly values: readonly number[];
}

/** Of a glyph's ink, in ems, y upwards; all zero where there is none. */
export interface GlyphBounds {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** A font that can be asked and shaped with. Lengths are in ems. */
export interface OpenFont {
  /** Of the file: the same font under two names has one. */
  readonly digest: string;
  /** Unpacked. */
  readonly sizeBytes: number;
  /** For what only some callers do with it. */
  readonly shaper: { readonly hb: typeof HarfBuzz; readonly font: HarfBuzz.Font; readonly unitsPerEm: number };
  /** Above the baseline, > 0. */
  readonly ascent: number;
  /** Below the baseline, usually > 0. */
  readonly descent: number;
  /** Whether any of its glyphs has colours of its own that can be drawn. */
  readonly hasColor: boolean;
  /** Whether the font has a character for it. */
  covers(codePoint: number): boolean;
  /** The glyph that stands for a character alone; 0 when there is none. */
  glyphOf(codePoint: number): number;
  advanceOf(glyph: number): number;
  /** In visual order, from the left. */
  shape(request: ShapeRequest): ShapedGlyph[];
  outlineOf(glyph: number): readonly OutlineCommand[];
  boundsOf(glyph: number): GlyphBounds;
  isColored(glyph: number): boolean;
  /** The picture (PNG) that the font has for a glyph; null for outlines, also coloured ones. */
  bitmapOf(glyph: number): Uint8Array | null;
}

/** What a font is made of. */
export interface FontParts extends Pick<OpenFont, 'digest' | 'sizeBytes' | 'ascent' | 'descent' | 'hasColor'> {
  readonly hb: typeof HarfBuzz;
  readonly face: HarfBuzz.Face;
  readonly font: HarfBuzz.Font;
  /** It has glyphs as SVG, and none in another colour format. */
  readonly drawsSvg: boolean;
}

/** UTF-16 units around a run by which its letters choose their forms. */
const CONTEXT = 16;
const SPACE = 0x20;
const EMPTY = { xBearing: 0, yBearing: 0, width: 0, height: 0 };
const NO_INK: GlyphBounds = { left: 0, right: 0, top: 0, bottom: 0 };

/** A font behind HarfBuzz. */
export class HarfBuzzFont implements OpenFont {
  readonly digest: string;
  readonly sizeBytes: number;
  readonly ascent: number;
  readonly descent: number;
  readonly hasColor: boolean;
  readonly #hb: typeof HarfBuzz;
  readonly #face: HarfBuzz.Face;
  readonly #font: HarfBuzz.Font;
  /** One for all: the library frees what it holds only when the collector comes by. */
  readonly #buffer: HarfBuzz.Buffer;
  readonly #glyphs = new Map<number, number>();
  readonly #drawsSvg: boolean;
  readonly #bounds = new Map<number, GlyphBounds>();

  constructor({ hb, face, font, digest, sizeBytes, ascent, descent, hasColor, drawsSvg }: FontParts) {
    this.#hb = hb;
    this.#face = face;
    this.#font = font;
    this.#drawsSvg = drawsSvg;
    this.#buffer = new hb.Buffer();
    this.digest = digest;
    this.sizeBytes = sizeBytes;
    this.ascent = ascent;
    this.descent = descent;
    this.hasColor = hasColor;
  }

  get shaper(): OpenFont['shaper'] {
    return { hb: this.#hb, font: this.#font, unitsPerEm: this.#face.upem };
  }

  covers(codePoint: number): boolean {
    return this.glyphOf(codePoint) !== 0;
  }

  glyphOf(codePoint: number): number {
    const known = this.#glyphs.get(codePoint);
    if (known !== undefined) return known;
    const glyph = this.#font.nominalGlyph(codePoint) ?? 0;
    // A font that has its emoji as SVG alone has an empty outline for each.
    const isEmpty = this.#drawsSvg && glyph !== 0 && this.boundsOf(glyph) === NO_INK && codePoint > SPACE;
    this.#glyphs.set(codePoint, isEmpty ? 0 : glyph);
    return isEmpty ? 0 : glyph;
  }

  advanceOf(glyph: number): number {
    return this.#font.glyphHAdvance(glyph) / this.#face.upem;
  }

  shape({ text, start, end, isRtl, without }: ShapeRequest): ShapedGlyph[] {
    const hb = this.#hb;
    const buffer = this.#buffer;
    buffer.reset();
    // The shaper looks at a few characters around, and copies all that it is given.
    const from = Math.max(0, start - CONTEXT);
    buffer.addText(text.slice(from, end + CONTEXT), start - from, end - start);
    buffer.guessSegmentProperties();
    buffer.setDirection(isRtl ? hb.Direction.RTL : hb.Direction.LTR);
    hb.shape(
      this.#font,
      buffer,
      without.map((tag) => new hb.Feature(tag, 0)),
    );
    const { upem } = this.#face;
    return buffer.getGlyphInfosAndPositions().map(({ codepoint, cluster, xAdvance = 0, xOffset = 0, yOffset = 0 }) => ({
      glyph: codepoint,
      cluster: cluster + from,
      advance: xAdvance / upem,
      x: xOffset / upem,
      y: yOffset / upem,
    }));
  }

  outlineOf(glyph: number): readonly OutlineCommand[] {
    const { upem } = this.#face;
    const commands = this.#font.glyphToJson(glyph);
    return commands.map(({ type, values }) => ({ type, values: values.map((value) => value / upem) }));
  }

  boundsOf(glyph: number): GlyphBounds {
    const known = this.#bounds.get(glyph);
    if (known !== undefined) return known;
    const { xBearing, yBearing, width, height } = this.#font.glyphExtents(glyph) ?? EMPTY;
    const { upem } = this.#face;
    const [left, top] = [xBearing / upem, yBearing / upem];
    const bounds =
      width === 0 || height === 0 ? NO_INK : { left, top, right: left + width / upem, bottom: top + height / upem };
    this.#bounds.set(glyph, bounds);
    return bounds;
  }

  isColored(glyph: number): boolean {
    return this.hasColor && (this.#hasLayers(glyph) || this.bitmapOf(glyph) !== null);
  }

  bitmapOf(glyph: number): Uint8Array | null {
    return this.#hasLayers(glyph) ? null : (this.#font.getGlyphColorPng(glyph)?.slice() ?? null);
  }

  #hasLayers(glyph: number): boolean {
    return this.#face.glyphHasColorPaint(glyph) || this.#face.getGlyphColorLayers(glyph).length > 0;
  }
}
