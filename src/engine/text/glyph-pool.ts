import { SceneError } from '../scene-error.ts';
import { glyphShapes, missingBox, rectangleShapes } from './glyph-shapes.ts';
import type { OpenFont } from './harfbuzz-font.ts';
import type { Cell, PlacedGlyph } from './shape-paragraph.ts';
import type { TypesetCharacter } from './typeset-line.ts';

/**
 * Characters that no algorithm of a rasteriser does anything with: first syllables of a script that neither joins nor
 * composes, and then the private use area. A font of the rasteriser's is as large as its highest character, and is never
 * freed: from the private use area alone each scene would leave megabytes behind.
 */
const RANGES = [
  { first: 0x1401, count: 0x166d - 0x1401 },
  { first: 0xe000, count: 0xf900 - 0xe000 },
] as const;
const CAPACITY = RANGES.reduce((sum, { count }) => sum + count, 0);

/** @param index 0..CAPACITY-1 */
function characterAt(index: number): string {
  const [low, high] = RANGES;
  return String.fromCharCode(index < low.count ? low.first + index : high.first + index - low.count);
}

/** A picture of an emoji that characters show. */
export interface PooledEmoji {
  /** Id of the composition that shows it, for `refId`. */
  readonly id: string;
  readonly font: OpenFont;
  /** In ems at full size. */
  readonly glyphs: readonly PlacedGlyph[];
  readonly advance: number;
  readonly pixelsPerEm: number;
}

/** What characters of one document have in common. */
export interface CharacterOptions {
  /** Of spaces, in ems. */
  readonly space: number;
  /** By which glyphs are drawn below their place, in ems. */
  readonly drop: number;
  /** Of emoji. */
  readonly pixelsPerEm: number;
  readonly part: DrawnPart;
}

/**
 * What is drawn of a text; what is not takes its room all the same. `areas` are the pictures' rectangles, filled: unlike
 * pictures they fade with the text's colour.
 */
export type DrawnPart = 'all' | 'letters' | 'pictures' | 'areas';

/** Of a picture below and beside its glyph's own room, in ems. */
export const EMOJI_MARGIN = { right: 0.25, below: 0.5 } as const;

/** Where in the picture of an emoji its pen begins, in ems from the left and from the top. */
export const EMOJI_ORIGIN = { x: 0.25, y: 1.25 } as const;

interface PooledFont {
  readonly name: string;
  readonly space: number;
  readonly characters: Map<string, string>;
}

/**
 * Gives every cell of the texts of an animation, as it is set, a character of its own in a font that only the animation
 * has: an outline, or a composition that shows a picture. Characters are shared between texts.
 */
export class GlyphPool {
  readonly #fonts: PooledFont[] = [];
  readonly #chars: unknown[] = [];
  readonly #emoji = new Map<string, PooledEmoji>();
  readonly #fontIds = new Map<OpenFont, number>();

  /**
   * The text that draws these lines, and the name of the font to draw it with.
   *
   * @throws SceneError template_invalid for a text of more different characters than a font can have
   */
  add(lines: readonly (readonly TypesetCharacter[])[], options: CharacterOptions): { text: string; font: string } {
    const keys = lines.map((line) => line.map((character) => this.#keyOf(character, options)));
    const font = this.#fontFor(new Set(keys.flat()), options.space);
    const text = lines.map((line, row) =>
      line.map((character, column) => this.#characterFor(font, keys[row]![column]!, character, options)).join(''),
    );
    return { text: text.join('\r'), font: font.name };
  }

  /** For `fonts.list`. */
  get fonts(): unknown[] {
    return this.#fonts.map(({ name }) => ({
      fName: name,
      fFamily: name,
      fStyle: 'Regular',
      ascent: POOL_ASCENT * 100,
    }));
  }

  /** For `chars`. */
  get chars(): readonly unknown[] {
    return this.#chars;
  }

  get emoji(): PooledEmoji[] {
    return [...this.#emoji.values()];
  }

  #fontFor(keys: ReadonlySet<string>, space: number): PooledFont {
    const fitting = this.#fonts.find(({ space: own, characters }) => {
      const added = [...keys].filter((key) => !characters.has(key)).length;
      return own === space && characters.size + added <= CAPACITY;
    });
    if (fitting !== undefined) return fitting;
    if (keys.size > CAPACITY) {
      throw new SceneError('template_invalid', `A text has ${keys.size} different characters, at most ${CAPACITY} go`);
    }
    const name = `Reelform ${this.#fonts.length + 1}`;
    const font = { name, space, characters: new Map<string, string>() };
    this.#fonts.push(font);
    this.#chars.push({ ...charFields(name, ' ', space), data: { shapes: [] } });
    return font;
  }

  #characterFor(font: PooledFont, key: string, character: TypesetCharacter, options: CharacterOptions): string {
    if (character.kind === 'space') return ' ';
    const known = font.characters.get(key);
    if (known !== undefined) return known;
    const code = characterAt(font.characters.size);
    font.characters.set(key, code);
    const fields = charFields(font.name, code, character.advance);
    this.#chars.push({ ...fields, ...this.#drawing(character, options) });
    return code;
  }

  #drawing(
    { cell, shift }: TypesetCharacter & { kind: 'cell' },
    { drop, pixelsPerEm, part }: CharacterOptions,
  ): object {
    const { scale } = cell;
    const offset = { x: shift, y: -drop, scale };
    if (part !== 'all' && cell.isColored === (part === 'letters')) return { data: { shapes: [] } };
    if (part === 'areas') {
      const right = cell.advance / scale + EMOJI_MARGIN.right;
      const edges = [-EMOJI_ORIGIN.x, -EMOJI_MARGIN.below, right, EMOJI_ORIGIN.y] as const;
      return { data: { shapes: rectangleShapes(edges, offset) } };
    }
    if (!cell.isColored) {
      const shapes = glyphShapes(cell.glyphs, offset);
      return { data: { shapes: shapes.length === 0 && cell.isMissing ? missingBox(offset) : shapes } };
    }
    const left = (shift - EMOJI_ORIGIN.x * scale) * 100;
    const top = (drop - EMOJI_ORIGIN.y * scale) * 100;
    const percent = (100 * 100 * scale) / pixelsPerEm;
    const ks = {
      o: { a: 0, k: 100 },
      r: { a: 0, k: 0 },
      p: { a: 0, k: [left, top] },
      a: { a: 0, k: [0, 0] },
      s: { a: 0, k: [percent, percent] },
    };
    return { t: 1, data: { refId: this.#emojiFor(cell, pixelsPerEm), ip: 0, op: FOREVER, st: 0, sr: 1, ks } };
  }

  #emojiFor(cell: Cell, pixelsPerEm: number): string {
    const key = `${this.#glyphKey(cell)}:${pixelsPerEm}`;
    const known = this.#emoji.get(key);
    if (known !== undefined) return known.id;
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
    const picture = cell.isColored ? `${part}@${pixelsPerEm}` : part === 'letters' ? 'all' : part;
    return `${this.#glyphKey(cell)}|${picture}|${shift}|${advance}|${drop}`;
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

/** Of the fonts of a pool: Lottie counts where a text begins in its box from it. */
export const POOL_ASCENT = 0.75;
/** Frames: longer than any animation. */
export const FOREVER = 1e6;

function charFields(font: string, ch: string, advance: number): object {
  return { ch, size: 100, style: 'Regular', fFamily: font, w: Math.round(advance * 1e5) / 1e3 };
}
