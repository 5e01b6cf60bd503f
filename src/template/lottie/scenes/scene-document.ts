import { defined } from '../../../kernel/defined.ts';
import type { LottieDocument } from '../../render-input.ts';
import { IDENTITY_TRANSFORM, LAYER_TYPE, type LottieNode } from '../lottie-layers.ts';
import { fontList } from '../slots/lottie-slots.ts';
import { dipOf, enteringEffect, type LayerEffect, leavingEffect, type SceneTransition } from './transitions.ts';

/** A scene with its place in a document. */
export interface PlacedScene {
  /** Name of its layer; absent for none. */
  readonly name?: string;
  /** Template with values. The ids of its assets must not be used by other scenes: see `withPrefix`. */
  readonly animation: LottieDocument;
  /** Frame of the document that shows the first frame of the scene; may be negative. */
  readonly start: number;
  /** Length of the scene in frames of the document. */
  readonly length: number;
  /** Which frames of the template the scene shows: a time remapping, whose frames are counted from `start`. */
  readonly remap: LottieNode;
  /** How a scene of another size fills the picture. */
  readonly fit: 'cover' | 'contain';
  /** Colour behind the scene: `#` and six hexadecimal digits; null for none. */
  readonly background: string | null;
  /** How the scene follows the scene before it; null for a cut. */
  readonly transition: PlacedTransition | null;
}

/** A transition with its first frame in the document. */
export interface PlacedTransition extends SceneTransition {
  readonly from: number;
}

/** What all scenes of a document share. */
export interface SceneCanvas {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** Frames per second of the timeline. */
  readonly rate: number;
  /** Frames of the document. */
  readonly frames: number;
  /** The video has no background, so a scene must not be seen through the scene above it. */
  readonly isTransparent: boolean;
}

/**
 * Returns one document that shows several scenes, each as a precomposition that remaps its template's time. A scene stays on its
 * first and last picture as long as a transition shows it outside its own time.
 *
 * @param scenes in the order of the timeline
 */
export function sceneDocument(scenes: readonly PlacedScene[], canvas: SceneCanvas): LottieDocument {
  const { width, height, rate, frames } = canvas;
  const layers: LottieNode[] = [];
  const assets: LottieDocument['assets'] = [];
  for (const [index, scene] of scenes.entries()) {
    const next = scenes[index + 1]?.transition ?? null;
    const shown = shownFrames(scene, next, canvas);
    if (shown === null) continue;
    const id = `reelform/scene/${index}`;
    assets.push(...(scene.animation.assets ?? []), ...compositionsOf(scene, id, canvas));
    const entering = enteringLayer(scene, canvas);
    const leaving = leavingLayer(next, canvas);
    const times = { ip: shown.from, op: shown.to };
    const layer = { ...compositionLayer(id, canvas), ...times, st: scene.start, ...defined({ nm: scene.name }) };
    if (entering === null || leaving === null) layers.unshift({ ...layer, ...entering, ...leaving });
    else {
      assets.push({ id: `${id}/leaving`, w: width, h: height, layers: numbered([{ ...layer, ...leaving }]) });
      layers.unshift({ ...compositionLayer(`${id}/leaving`, canvas), ...times, ...entering });
    }
    // Layers are drawn from the last to the first: a later scene lies above, and the colour of a dip above both scenes.
    if (scene.transition?.type === 'dip') layers.unshift(dipLayer(scene.transition, canvas));
  }
  const shared = { assets, ...textFields(scenes.map(({ animation }) => animation)) };
  return { v: '5.7.0', fr: rate, ip: 0, op: frames, w: width, h: height, ...shared, layers: numbered(layers) };
}

/** Frames of the document in which a scene is shown; `to` is exclusive. */
interface ShownFrames {
  readonly from: number;
  readonly to: number;
}

function shownFrames(
  { start, length, transition }: PlacedScene,
  next: PlacedTransition | null,
  { frames }: SceneCanvas,
): ShownFrames | null {
  const end = start + length;
  const from =
    transition === null ? start : transition.type === 'dip' ? middleOf(transition) : Math.min(start, transition.from);
  const to = next === null ? end : next.type === 'dip' ? middleOf(next) : Math.max(end, next.from + next.frames);
  return to <= 0 || from >= frames || to <= from ? null : { from: Math.max(0, from), to: Math.min(frames, to) };
}

function middleOf(transition: PlacedTransition): number {
  return dipOf(transition, timesOf(transition)).middle;
}

function timesOf({ from, frames }: PlacedTransition): { from: number; to: number } {
  return { from, to: from + frames };
}

/** Returns the compositions of a scene: its template, and the picture that the template and its background fill. */
function compositionsOf(scene: PlacedScene, id: string, { width, height }: SceneCanvas): LottieDocument['assets'] & {} {
  const { animation, remap, fit, background } = scene;
  const template = { id: `${id}/template`, w: animation.w, h: animation.h, layers: animation.layers };
  const scale = Math[fit === 'cover' ? 'max' : 'min'](width / animation.w, height / animation.h);
  const layers: LottieNode[] = [
    {
      ...compositionLayer(template.id, { width: animation.w, height: animation.h }),
      ...ALWAYS,
      tm: remap,
      ks: {
        ...IDENTITY_TRANSFORM,
        a: constant([animation.w / 2, animation.h / 2, 0]),
        p: constant([width / 2, height / 2, 0]),
        s: constant([scale * 100, scale * 100, 100]),
      },
    },
  ];
  if (background !== null) {
    layers.push({ ty: LAYER_TYPE.solid, sw: width, sh: height, sc: background, ...ALWAYS, ks: IDENTITY_TRANSFORM });
  }
  return [template, { id, w: width, h: height, layers: numbered(layers) }];
}

/** Times of a layer that its composition always shows: a transition may show a scene before its first frame and after its last. */
const ALWAYS = { ip: -100_000, op: 1_000_000, st: 0 };

type Size = Pick<SceneCanvas, 'width' | 'height'>;

/** Returns a layer that shows a composition in the time of the composition around it. */
function compositionLayer(refId: string, { width, height }: Size): LottieNode {
  return { ty: LAYER_TYPE.precomposition, refId, w: width, h: height, st: 0, ks: IDENTITY_TRANSFORM };
}

/** Returns the fields that show the transition to a scene; null if it has no effect on the scene's layer. */
function enteringLayer({ transition }: PlacedScene, canvas: SceneCanvas): LottieNode | null {
  return transition === null ? null : fieldsOf(enteringEffect(transition, timesOf(transition), canvas));
}

/** Returns the fields that show the transition from a scene to the next; null as `enteringLayer`. */
function leavingLayer(next: PlacedTransition | null, canvas: SceneCanvas): LottieNode | null {
  return next === null ? null : fieldsOf(leavingEffect(next, timesOf(next), canvas, canvas.isTransparent));
}

function fieldsOf({ transform, masks }: LayerEffect): LottieNode | null {
  if (Object.keys(transform).length === 0 && masks.length === 0) return null;
  const ks = { ...IDENTITY_TRANSFORM, ...transform };
  return masks.length === 0 ? { ks } : { ks, hasMask: true, masksProperties: masks };
}

function dipLayer(transition: PlacedTransition, { width, height }: Size): LottieNode {
  const { from, to } = timesOf(transition);
  const { opacity } = dipOf(transition, { from, to });
  const ks = { ...IDENTITY_TRANSFORM, o: opacity };
  return { ty: LAYER_TYPE.solid, sw: width, sh: height, sc: transition.color, ip: from, op: to, st: 0, ks };
}

function numbered(layers: readonly LottieNode[]): LottieNode[] {
  return layers.map((layer, index) => ({ ind: index + 1, ddd: 0, sr: 1, ao: 0, bm: 0, ...layer }));
}

function constant(k: unknown): LottieNode {
  return { a: 0, k };
}

/** Returns the fonts and embedded outlines of several animations. */
function textFields(animations: readonly LottieDocument[]): { fonts?: object; chars?: unknown[] } {
  const list = animations.flatMap(fontList);
  const chars = animations.flatMap((animation) => (Array.isArray(animation.chars) ? animation.chars : []));
  return list.length === 0 && chars.length === 0 ? {} : { fonts: { list }, chars };
}
