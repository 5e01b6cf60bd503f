import { RenderError } from '../render-error.ts';
import { glyphShapes, missingBox, rectangleShapes } from './glyph-shapes.ts';
import type { OpenFont } from './harfbuzz-font.ts';
import type { Cell, PlacedGlyph } from './shape-paragraph.ts';
import type { TypesetCharacter } from './typeset-line.ts';

/**
 * Characters that the rasteriser draws unchanged: Canadian syllabics, which neither join nor compose, then the private
 * use area. The size of a font in the rasteriser grows with its highest character: 0.25 MB, or megabytes with the private use area.
 */
const RANGES = [
  { first: 0x1401, count: 0x166d - 0x1401 },
  { first: 0xe000, count: 0xf900 - 0xe000 },
] as const;
const CAPACITY = RANGES.reduce((sum, { count }) => sum + count, 0);
/** Shapes of a glyph without ink. lottie-web expects a group first in every glyph. */
const NOTHING = [{ ty: 'gr', it: [] }];

/** @param index 0..CAPACITY-1 */
function characterAt(index: number): string {
  const [low, high] = RANGES;
  return String.fromCharCode(index < low.count ? low.first + index : high.first + index - low.count);
}

/** An emoji picture that characters show. */
export interface PooledEmoji {
  /** Id of the composition that shows it, for `refId`. */
  readonly id: string;
  readonly font: OpenFont;
  /** In ems, unscaled. */
  readonly glyphs: readonly PlacedGlyph[];
  readonly advance: number;
  readonly pixelsPerEm: number;
}

/** Options of all characters of a text document. */
export interface CharacterOptions {
  /** Advance of spaces, in ems. */
  readonly space: number;
  /** Distance to draw glyphs below their baseline, in ems. */
  readonly drop: number;
  /** `drop` of the first line. */
  readonly firstDrop: number;
  /** Resolution of emoji pictures. */
  readonly pixelsPerEm: number;
  readonly part: DrawnPart;
}

/**
 * The part of a text to draw; the rest keeps its space. `areas` draws filled rectangles in place of pictures, which
 * unlike pictures fade with the text's colour.
 */
export type DrawnPart = 'all' | 'letters' | 'pictures' | 'areas';

/** Margin of a picture beyond its glyph's advance and below its baseline, in ems. */
export const EMOJI_MARGIN = { right: 0.25, below: 0.5 } as const;

/** Position of the pen's origin in an emoji picture, in ems from the left and the top. */
export const EMOJI_ORIGIN = { x: 0.25, y: 1.25 } as const;

interface PooledFont {
  readonly name: string;
  readonly space: number;
  readonly characters: Map<string, string>;
}

/**
 * Assigns each typeset cell of an animation a character of an embedded font. The character has an outline, or a composition
 * that shows a picture. Texts share characters.
 */
export class GlyphPool {
  readonly #fonts: PooledFont[] = [];
  readonly #chars: unknown[] = [];
  readonly #emoji = new Map<string, PooledEmoji>();
  readonly #fontIds = new Map<OpenFont, number>();

  /**
   * Returns the text that draws these lines, and the name of its font.
   *
   * @throws RenderError template_invalid for a text with more distinct characters than a font can have
   */
  add(lines: readonly (readonly TypesetCharacter[])[], options: CharacterOptions): { text: string; font: string } {
    const first = { ...options, drop: options.firstDrop };
    const optionsOf = (row: number): CharacterOptions => (row === 0 ? first : options);
    const keys = lines.map((line, row) => line.map((character) => this.#keyOf(character, optionsOf(row))));
    const font = this.#fontFor(new Set(keys.flat()), options.space);
    const text = lines.map((line, row) =>
      line
        .map((character, column) => this.#characterFor(font, keys[row]![column]!, character, optionsOf(row)))
        .join(''),
    );
    return { text: text.join('\r'), font: font.name };
  }

  /** Entries for `fonts.list`. */
  get fonts(): unknown[] {
    return this.#fonts.map(({ name }) => ({
      fName: name,
      fFamily: name,
      fStyle: 'Regular',
      ascent: POOL_ASCENT * 100,
    }));
  }

  /** Entries for `chars`. */
  get chars(): readonly unknown[] {
    return this.#chars;
  }

  get emoji(): PooledEmoji[] {
    return [...this.#emoji.values()];
  }

  #fontFor(keys: ReadonlySet<string>, space: number): PooledFont {
    const fitting = this.#fonts.find((font) => {
      const addedCount = [...keys].filter((key) => !font.characters.has(key)).length;
      return font.space === space && font.characters.size + addedCount <= CAPACITY;
    });
    if (fitting !== undefined) return fitting;
    if (keys.size > CAPACITY) {
      throw new RenderError(
        'template_invalid',
        `A text has ${keys.size} different characters; the limit is ${CAPACITY}`,
      );
    }
    const name = `Reelform ${this.#fonts.length + 1}`;
    const font = { name, space, characters: new Map<string, string>() };
    this.#fonts.push(font);
    this.#chars.push({ ...charFields(name, ' ', space), data: { shapes: NOTHING } });
    return font;
  }

  #characterFor(font: PooledFont, key: string, character: TypesetCharacter, options: CharacterOptions): string {
    if (character.kind === 'space') return ' ';
    const assigned = font.characters.get(key);
    if (assigned !== undefined) return assigned;
    const next = characterAt(font.characters.size);
    font.characters.set(key, next);
    const fields = charFields(font.name, next, character.advance);
    this.#chars.push({ ...fields, ...this.#drawing(character, options) });
    return next;
  }

  #drawing(
    { cell, shift }: TypesetCharacter & { kind: 'cell' },
    { drop, pixelsPerEm, part }: CharacterOptions,
  ): object {
    const { scale } = cell;
    const offset = { x: shift, y: -drop, scale };
    if (part !== 'all' && cell.isColored === (part === 'letters')) return { data: { shapes: NOTHING } };
    if (part === 'areas') {
      const right = cell.advance / scale + EMOJI_MARGIN.right;
      const edges = [-EMOJI_ORIGIN.x, -EMOJI_MARGIN.below, right, EMOJI_ORIGIN.y] as const;
      return { data: { shapes: rectangleShapes(edges, offset) } };
    }
    if (!cell.isColored) {
      const shapes = glyphShapes(cell.glyphs, offset);
      if (shapes.length > 0) return { data: { shapes } };
      return { data: { shapes: cell.isMissing ? missingBox(offset) : NOTHING } };
    }
    const left = (shift - EMOJI_ORIGIN.x * scale) * 100;
    const top = (drop - EMOJI_ORIGIN.y * scale) * 100;
    const percent = (100 * 100 * scale) / pixelsPerEm;
    const transform = {
      o: { a: 0, k: 100 },
      r: { a: 0, k: 0 },
      p: { a: 0, k: [left, top] },
      a: { a: 0, k: [0, 0] },
      s: { a: 0, k: [percent, percent] },
    };
    const refId = this.#emojiFor(cell, pixelsPerEm);
    return { t: 1, data: { refId, ip: 0, op: FOREVER, st: 0, sr: 1, ks: transform } };
  }

  #emojiFor(cell: Cell, pixelsPerEm: number): string {
    const key = `${this.#glyphKey(cell)}:${pixelsPerEm}`;
    const pooled = this.#emoji.get(key);
    if (pooled !== undefined) return pooled.id;
    const { scale } = cell;
    const emoji: PooledEmoji = {
      id: `reelform emoji ${this.#emoji.size + 1}`,
      font: cell.glyphs[0]!.font,
      glyphs: cell.glyphs.map((glyph) => ({ ...glyph, x: glyph.x / scale, y: glyph.y / scale })),
      advance: cell.advance / scale,
      pixelsPerEm,
    };
    this.#emoji.set(key, emoji);
    return emoji.id;
  }

  #keyOf(character: TypesetCharacter, { drop, pixelsPerEm, part }: CharacterOptions): string {
    if (character.kind === 'space') return '';
    const { cell, shift, advance } = character;
    // Letters have the same outline whether pictures are drawn too or not.
    const letterPart = part === 'letters' ? 'all' : part;
    const drawing = cell.isColored ? `${part}@${pixelsPerEm}` : letterPart;
    return `${this.#glyphKey(cell)}|${drawing}|${shift}|${advance}|${drop}`;
  }

  #glyphKey({ glyphs, scale }: Cell): string {
    return `${scale} ${glyphs.map(({ font, glyph, x, y }) => `${this.#idOf(font)}/${glyph}@${x},${y}`).join(' ')}`;
  }

  #idOf(font: OpenFont): number {
    const id = this.#fontIds.get(font) ?? this.#fontIds.size;
    this.#fontIds.set(font, id);
    return id;
  }
}

/** Ascent of the pool's fonts, from which Lottie computes the first baseline in a box. */
export const POOL_ASCENT = 0.75;
/** Number of frames longer than any animation. */
export const FOREVER = 1e6;

function charFields(font: string, character: string, advance: number): object {
  return { ch: character, size: 100, style: 'Regular', fFamily: font, w: Math.round(advance * 1e5) / 1e3 };
}
