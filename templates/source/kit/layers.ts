import { defined } from '../../../src/kernel/defined.ts';
import { type Property, still } from './keyframes.ts';
import type { Shape } from './shapes.ts';

/** How a layer stands on the canvas; what is silent is Lottie's neutral value. Scale and opacity in per cent, rotation in degrees. */
export interface Placement {
  readonly position?: Property;
  readonly anchor?: Property;
  readonly scale?: Property;
  readonly rotation?: Property;
  readonly opacity?: Property;
}

/** When a layer is there at all, in frames, half-open; the whole composition when silent. */
export interface Span {
  readonly from?: number;
  readonly to?: number;
}

/** A layer before `compose` has numbered it. */
export interface Layer extends Span {
  readonly name: string;
  readonly placement: Placement;
  /** The fields that only this kind of layer has. */
  readonly content: Readonly<Record<string, unknown>>;
  /** Moves, turns and scales along with this layer. */
  readonly parent?: Layer;
  /** Shows only inside this path, which is in the layer's own pixels. Far quicker to draw than a matte. */
  readonly mask?: Property;
}

export type LayerOptions = Placement & Span & Pick<Layer, 'parent' | 'mask'>;

/** @internal Splits options into what a layer keeps. */
export function layer(name: string, options: LayerOptions, content: Layer['content']): Layer {
  const { from, to, parent, mask, ...placement } = options;
  return {
    name,
    placement,
    content,
    ...defined({ from, to }),
    ...(parent && { parent }),
    ...(mask && { mask }),
  };
}

export function shapeLayer(name: string, shapes: readonly Shape[], options: LayerOptions = {}): Layer {
  return layer(name, options, { ty: 4, shapes });
}

/** An image asset, centred on its position. */
export function imageLayer(
  name: string,
  image: { readonly id: string; readonly width: number; readonly height: number },
  options: LayerOptions = {},
): Layer {
  const anchor = still([image.width / 2, image.height / 2]);
  return layer(name, { anchor, ...options }, { ty: 2, refId: image.id });
}

/** A sound asset, heard from its first frame on. */
export function soundLayer(name: string, sound: { readonly id: string }, options: Span = {}): Layer {
  return layer(name, options, { ty: 6, refId: sound.id, au: { lv: still([100, 100]) } });
}

/** Layers that are shown together, cut to a size. */
export interface Composition {
  readonly id: string;
  readonly width: number;
  readonly height: number;
  /** Top first. */
  readonly layers: readonly Layer[];
}

/** A composition, its top left corner on its position. Layers that are cut or masked as a whole lie in a composition. */
export function compositionLayer(name: string, composition: Composition, options: LayerOptions = {}): Layer {
  const { id, width, height } = composition;
  return layer(name, options, { ty: 0, refId: id, w: width, h: height });
}

/** Numbers the layers (top first) and resolves parents. */
export function compose(layers: readonly Layer[], frameCount: number): unknown[] {
  const numberOf = (member: Layer) => {
    if (!layers.includes(member)) throw new Error(`Layer ${member.name} is used but not in the composition`);
    return layers.indexOf(member) + 1;
  };
  return layers.map((member) => {
    const { name, content, parent, mask, placement, from = 0, to = frameCount } = member;
    return {
      ddd: 0,
      ind: numberOf(member),
      nm: name,
      ...content,
      ...(parent && { parent: numberOf(parent) }),
      ...(mask && {
        hasMask: true,
        masksProperties: [{ mode: 'a', inv: false, pt: mask, o: still(100), x: still(0) }],
      }),
      ks: {
        o: placement.opacity ?? still(100),
        r: placement.rotation ?? still(0),
        p: placement.position ?? still([0, 0]),
        a: placement.anchor ?? still([0, 0]),
        s: placement.scale ?? still([100, 100]),
      },
      sr: 1,
      ao: 0,
      bm: 0,
      ip: from,
      op: to,
      st: 0,
    };
  });
}
