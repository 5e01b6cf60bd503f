import { type Property, still } from './keyframes.ts';
import { type Layer, type LayerOptions, layer } from './layers.ts';
import { type Box, rectanglePath } from './shapes.ts';

/** How a text is set. It wraps in its box and shrinks until it fits. */
export interface TextStyle {
  /** `fName` of a font of the package. */
  readonly font: string;
  /** Pixels per em. */
  readonly size: number;
  /** Baseline to baseline, in ems; 1.2 when silent. */
  readonly leading?: number;
  /** Thousandths of an em between characters. */
  readonly tracking?: number;
  readonly align?: 'left' | 'right' | 'center';
  readonly rise?: 'top' | 'center' | 'bottom';
  readonly color: Property;
}

/** A text that a person fills. */
export interface TextSlot {
  readonly key: string;
  readonly example: string;
}

/** What is done to characters that a range covers, in full at 100 %. */
export interface Effect {
  readonly shift?: readonly [number, number];
  readonly opacity?: number;
  readonly rotation?: number;
  readonly scale?: number;
  readonly blur?: number;
  /** What is counted by the range. */
  readonly by: 'character' | 'word' | 'line';
  /** −100: every unit is affected. 100: none is. Between, they are released in turn from the start. */
  readonly release: Property;
}

const UNITS = { character: 1, word: 3, line: 4 } as const;
const ALIGNMENTS = { left: 0, right: 1, center: 2 } as const;
const RISES = { top: 0, center: 1, bottom: 2 } as const;

/** The text document of a slot in a style. */
export function textDocument(slot: TextSlot, style: TextStyle, box: Box): Readonly<Record<string, unknown>> {
  return {
    t: slot.example,
    f: style.font,
    s: style.size,
    fc: (style.color.k as number[]).slice(0, 3),
    j: ALIGNMENTS[style.align ?? 'left'],
    tr: style.tracking ?? 0,
    lh: style.size * (style.leading ?? 1.2),
    ls: 0,
    sz: [box.width, box.height],
    ps: [box.x, box.y],
    rs: 2,
    vj: RISES[style.rise ?? 'top'],
  };
}

function animator(name: string, effect: Effect): unknown {
  return {
    nm: name,
    s: {
      t: 0,
      r: 1,
      rn: 0,
      b: UNITS[effect.by],
      sh: 2,
      a: still(100),
      s: still(0),
      e: still(100),
      o: effect.release,
      ne: still(0),
      xe: still(0),
      sm: still(100),
    },
    a: {
      ...(effect.shift && { p: still(effect.shift) }),
      ...(effect.opacity !== undefined && { o: still(effect.opacity) }),
      ...(effect.rotation !== undefined && { r: still(effect.rotation) }),
      ...(effect.scale !== undefined && { s: still([effect.scale, effect.scale]) }),
      ...(effect.blur !== undefined && { bl: still([effect.blur, effect.blur]) }),
    },
  };
}

/**
 * A text layer. Its colour sits in an animator, since a document's own colour cannot be a slot.
 * With `clip`, nothing is drawn outside of that box: a shifted line comes out of its edge.
 */
export function textLayer(
  name: string,
  slot: TextSlot,
  style: TextStyle,
  box: Box,
  options: LayerOptions & { readonly effects?: readonly Effect[]; readonly clip?: Box } = {},
): Layer {
  const { effects = [], clip, ...rest } = options;
  const paint = {
    nm: 'color',
    s: {
      t: 0,
      r: 1,
      rn: 0,
      b: 1,
      sh: 1,
      a: still(100),
      s: still(0),
      e: still(100),
      o: still(0),
      sm: still(100),
      ne: still(0),
      xe: still(0),
    },
    a: { fc: style.color },
  };
  const mask = clip && still(rectanglePath(clip));
  return layer(
    name,
    { ...rest, ...(mask && { mask }) },
    {
      ty: 5,
      t: {
        d: { sid: slot.key, k: [{ s: textDocument(slot, style, box), t: 0 }] },
        p: {},
        m: { g: 1, a: still([0, 0]) },
        a: [paint, ...effects.map((effect, index) => animator(`effect ${index + 1}`, effect))],
      },
    },
  );
}
