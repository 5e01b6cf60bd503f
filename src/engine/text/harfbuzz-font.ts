import type * as HarfBuzz from 'harfbuzzjs';
import type { FontSettings } from '../../template/render-input.ts';

/** A glyph of a shaped run. Lengths are in ems, y upwards. */
export interface ShapedGlyph {
  readonly glyph: number;
  /** Index of the first UTF-16 unit that it represents; shared by all glyphs of a cluster. */
  readonly cluster: number;
  readonly advance: number;
  readonly x: number;
  readonly y: number;
}

/** A range of a paragraph to shape, in a single direction, with the paragraph as context. */
interface ShapeRequest {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly isRtl: boolean;
  /** OpenType features to disable, unless the font's settings name them. */
  readonly without: readonly string[];
}

/** A command of an outline (`M`, `L`, `Q`, `C` or `Z`), in ems, y upwards. */
export interface OutlineCommand {
  readonly type: string;
  readonly values: readonly number[];
}

/** Bounds of a glyph's ink, in ems, y upwards; all zero without ink. */
interface GlyphBounds {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** An open font. Lengths are in ems. */
export interface OpenFont {
  /** SHA-256 of the file, so the same for a font with two names. */
  readonly digest: string;
  /** Size of the unpacked file. */
  readonly sizeBytes: number;
  /** Access to the library, for drawing colour glyphs. */
  readonly shaper: { readonly hb: typeof HarfBuzz; readonly font: HarfBuzz.Font; readonly unitsPerEm: number };
  /** Above the baseline, > 0. */
  readonly ascent: number;
  /** Below the baseline, usually > 0. */
  readonly descent: number;
  /** The font has colour glyphs that can be drawn. */
  readonly hasColor: boolean;
  /** From 1 to 1000, 400 for regular; of the instance if the font is variable. */
  readonly weight: number;
  /** Range of its axis `wght`; null if the font lacks the axis. */
  readonly weightRange: { readonly min: number; readonly max: number } | null;
  /** Returns the font with settings that `settingsProblems` accepts. */
  withSettings(settings: FontSettings): OpenFont;
  /** Returns the reasons, as clauses, why the font does not support some settings; empty if it does. */
  settingsProblems(settings: FontSettings): string[];
  /** Returns whether the font maps the code point to a glyph. */
  covers(codePoint: number): boolean;
  /** Returns the glyph of a single character; 0 if the font lacks it. */
  glyphOf(codePoint: number): number;
  advanceOf(glyph: number): number;
  /** Returns glyphs in visual order, from left to right. */
  shape(request: ShapeRequest): ShapedGlyph[];
  outlineOf(glyph: number): readonly OutlineCommand[];
  boundsOf(glyph: number): GlyphBounds;
  isColored(glyph: number): boolean;
  /** Returns the bitmap (PNG) of a glyph; null for outlines, including coloured ones. */
  bitmapOf(glyph: number): Uint8Array | null;
}

/** The inputs of `HarfBuzzFont`. */
interface FontParts extends Pick<OpenFont, 'digest' | 'sizeBytes' | 'hasColor'> {
  readonly hb: typeof HarfBuzz;
  readonly face: HarfBuzz.Face;
  /** The font's only colour glyphs are SVG. */
  readonly drawsSvg: boolean;
  /** From the table OS/2. */
  readonly weight: number;
}

/** UTF-16 units of context around a run that affect letter forms. */
const CONTEXT = 16;
const SPACE = 0x20;
/** Key of a font without settings. */
const NO_SETTINGS = '[[],[]]';
const EMPTY = { xBearing: 0, yBearing: 0, width: 0, height: 0 };
/** Maximum number of instances of a file that stay open. Each combination of settings has an instance. */
const MAX_INSTANCES = 64;
const NO_INK: GlyphBounds = { left: 0, right: 0, top: 0, bottom: 0 };

/** An `OpenFont` implemented with HarfBuzz. */
export class HarfBuzzFont implements OpenFont {
  readonly digest: string;
  readonly sizeBytes: number;
  readonly ascent: number;
  readonly descent: number;
  readonly hasColor: boolean;
  readonly #hb: typeof HarfBuzz;
  readonly #face: HarfBuzz.Face;
  readonly #font: HarfBuzz.Font;
  readonly weight: number;
  readonly weightRange: OpenFont['weightRange'];
  readonly #parts: FontParts;
  readonly #features: readonly HarfBuzz.Feature[];
  readonly #instances: Map<string, HarfBuzzFont>;
  /** Shared, because the library releases its memory only on garbage collection. */
  readonly #buffer: HarfBuzz.Buffer;
  readonly #glyphs = new Map<number, number>();
  readonly #drawsSvg: boolean;
  readonly #bounds = new Map<number, GlyphBounds>();

  constructor(parts: FontParts, { axes = {}, features = {} }: FontSettings = {}, file?: HarfBuzzFont) {
    const { hb, face, digest, sizeBytes, hasColor, drawsSvg, weight } = parts;
    this.#parts = parts;
    this.#hb = hb;
    this.#face = face;
    this.#font = new hb.Font(face);
    const positions = Object.entries(axes);
    if (positions.length > 0) this.#font.setVariations(positions.map(([tag, value]) => new hb.Variation(tag, value)));
    this.#features = Object.entries(features).map(([tag, value]) => new hb.Feature(tag, value));
    this.#instances = file === undefined ? new Map() : file.#instances;
    this.#drawsSvg = drawsSvg;
    this.#buffer = file === undefined ? new hb.Buffer() : file.#buffer;
    const extents = this.#font.hExtents();
    this.digest = digest;
    this.sizeBytes = sizeBytes;
    this.ascent = extents.ascender / face.upem || 0.8;
    this.descent = -extents.descender / face.upem;
    this.hasColor = hasColor;
    const { wght } = face.getAxisInfos();
    this.weight = axes.wght ?? wght?.default ?? weight;
    this.weightRange = wght === undefined ? null : { min: wght.min, max: wght.max };
  }

  withSettings({ axes = {}, features = {} }: FontSettings): OpenFont {
    const key = JSON.stringify([axes, features].map((values) => Object.entries(values).sort()));
    if (key === NO_SETTINGS) return this;
    const instance = this.#instances.get(key) ?? new HarfBuzzFont(this.#parts, { axes, features }, this);
    this.#instances.delete(key);
    this.#instances.set(key, instance);
    for (const oldest of this.#instances.keys()) {
      if (this.#instances.size <= MAX_INSTANCES) break;
      this.#instances.delete(oldest);
    }
    return instance;
  }

  settingsProblems({ axes = {}, features = {} }: FontSettings): string[] {
    const infos = this.#face.getAxisInfos();
    const ranges = Object.values(infos).map(({ tag, min, max }) => `${tag} ${min} to ${max}`);
    const supported = ranges.length === 0 ? 'it is not a variable font' : `its axes are ${ranges.join(', ')}`;
    const axisProblems = Object.entries(axes).flatMap(([tag, value]) => {
      const info = Object.hasOwn(infos, tag) ? infos[tag] : undefined;
      if (info === undefined) return [`it has no axis ${tag}: ${supported}`];
      const { min, max } = info;
      return value >= min && value <= max ? [] : [`its axis ${tag} goes from ${min} to ${max}, not to ${value}`];
    });
    const featureTags = this.#featureTags();
    const featureProblems = Object.entries(features).flatMap(([tag, value]) =>
      value === 0 || featureTags.has(tag)
        ? []
        : [`it has no feature ${tag}: its features are ${[...featureTags].join(', ') || 'none'}`],
    );
    return [...axisProblems, ...featureProblems];
  }

  #featureTags(): ReadonlySet<string> {
    const tags: string[] = (['GSUB', 'GPOS'] as const).flatMap((table) => this.#face.getTableFeatureTags(table));
    // Old fonts have kerning in a separate table.
    const kern = this.#face.referenceTable('kern');
    if (kern !== undefined && kern.length > 0) tags.push('kern');
    return new Set(tags.sort());
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
    // A font with SVG emoji has an empty outline for each emoji.
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
    // The shaper reads a few characters of context but copies all the text that it receives.
    const from = Math.max(0, start - CONTEXT);
    buffer.addText(text.slice(from, end + CONTEXT), start - from, end - start);
    buffer.guessSegmentProperties();
    buffer.setDirection(isRtl ? hb.Direction.RTL : hb.Direction.LTR);
    hb.shape(this.#font, buffer, [...without.map((tag) => new hb.Feature(tag, 0)), ...this.#features]);
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
    const outline: OutlineCommand[] = [];
    for (const { type, values } of commands) {
      const scaled: number[] = [];
      for (const value of values) scaled.push(value / upem);
      outline.push({ type, values: scaled });
    }
    return outline;
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
