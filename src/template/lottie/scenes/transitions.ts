import type { Direction, Easing, TransitionStyle } from '../../render-input.ts';
import type { LottieNode } from '../lottie-layers.ts';

/** How a scene replaces the scene before it, and for how long. */
export interface SceneTransition extends TransitionStyle {
  /** Length in frames of the document. */
  readonly frames: number;
}

/** Frames of the document from the first frame of a transition up to the first frame after it. */
export interface TransitionTimes {
  readonly from: number;
  readonly to: number;
}

/** Fields that a transition adds to the layer of a scene. */
export interface LayerEffect {
  readonly transform: LottieNode;
  readonly masks: readonly LottieNode[];
}

interface Size {
  readonly width: number;
  readonly height: number;
}

type Point = readonly [x: number, y: number];

/** Percent of its size from which `zoom` reduces the new scene, whose edges are never seen, and to which it enlarges the old scene. */
const ZOOM = { entering: 130, leaving: 160 } as const;

/**
 * Returns what a transition does to the new scene, which lies above the old scene.
 *
 * @param times frames in which it happens
 * @param size of the picture in pixels
 */
export function enteringEffect(transition: SceneTransition, times: TransitionTimes, size: Size): LayerEffect {
  const { type, direction, easing } = transition;
  const between = betweenTimes(times, easing);
  const away = awayFrom(direction, size);
  switch (type) {
    case 'fade':
      return effect({ o: between([0], [100]) });
    case 'dip':
      return effect({});
    case 'slide':
    case 'push':
      return effect({ p: between([-away[0], -away[1], 0], [0, 0, 0]) });
    case 'wipe':
      return effect({}, [mask(between([edgeOf(direction, size)], [wholeOf(size)]))]);
    case 'iris':
      return effect({}, [mask(between([circle(size, 0)], [circle(size, Math.hypot(size.width, size.height) / 2)]))]);
    case 'zoom':
      return effect({ ...aroundCentre(size, between, ZOOM.entering, 100), o: between([0], [100]) });
  }
}

/**
 * Returns what a transition does to the old scene.
 *
 * @param isTransparent whether the background of the video is transparent: then the old scene may be seen only where the new scene
 *   does not cover it yet, as if both were opaque
 */
export function leavingEffect(
  transition: SceneTransition,
  times: TransitionTimes,
  size: Size,
  isTransparent: boolean,
): LayerEffect {
  const { type, direction, easing } = transition;
  const between = betweenTimes(times, easing);
  const away = awayFrom(direction, size);
  const fading = isTransparent ? { o: between([100], [0]) } : {};
  switch (type) {
    case 'fade':
      return effect(fading);
    case 'dip':
      return effect({});
    case 'push':
      return effect({ p: between([0, 0, 0], [...away, 0]) });
    case 'slide':
    case 'wipe':
      return effect({}, isTransparent ? [mask(between([wholeOf(size)], [oppositeEdgeOf(direction, size)]))] : []);
    case 'iris': {
      const radius = Math.hypot(size.width, size.height) / 2;
      const hole = { ...mask(between([circle(size, 0)], [circle(size, radius)])), inv: true };
      return effect({}, isTransparent ? [hole] : []);
    }
    case 'zoom':
      return effect({ ...aroundCentre(size, between, 100, ZOOM.leaving), ...fading });
  }
}

/**
 * Returns the opacity of the colour that `dip` shows between two scenes, and the frame at which it covers the picture: the old scene
 * is shown before it, the new scene from it.
 */
export function dipOf(
  { easing }: SceneTransition,
  { from, to }: TransitionTimes,
): { opacity: LottieNode; middle: number } {
  const middle = (from + to) / 2;
  const rising = betweenTimes({ from, to: middle }, easing)([0], [100]) as { k: LottieNode[] };
  const falling = betweenTimes({ from: middle, to }, easing)([100], [0]) as { k: LottieNode[] };
  return { opacity: { a: 1, k: [rising.k[0]!, ...falling.k] }, middle };
}

function effect(transform: LottieNode, masks: readonly LottieNode[] = []): LayerEffect {
  return { transform, masks };
}

type Between = (from: readonly unknown[], to: readonly unknown[]) => LottieNode;

/** Control points of the curves, as in CSS. @see CSS Easing Functions Level 1, "Cubic Bézier" */
const CURVES: Readonly<Record<Easing, { readonly out: Point; readonly in: Point }>> = {
  linear: { out: [0, 0], in: [1, 1] },
  'ease-in': { out: [0.42, 0], in: [1, 1] },
  'ease-out': { out: [0, 0], in: [0.58, 1] },
  'ease-in-out': { out: [0.42, 0], in: [0.58, 1] },
};

/** Returns a function that animates a property from its value on the first frame to its value on the frame after the last. */
function betweenTimes({ from, to }: TransitionTimes, easing: Easing): Between {
  const { out, in: into } = CURVES[easing];
  const curve = { o: { x: [out[0]], y: [out[1]] }, i: { x: [into[0]], y: [into[1]] } };
  return (first, last) => ({
    a: 1,
    k: [
      { t: from, s: first, ...curve },
      { t: to, s: last },
    ],
  });
}

/** Returns how far a picture moves until it is out of sight. */
function awayFrom(direction: Direction, { width, height }: Size): Point {
  return { left: [-width, 0], right: [width, 0], up: [0, -height], down: [0, height] }[direction] as unknown as Point;
}

function aroundCentre({ width, height }: Size, between: Between, from: number, to: number): LottieNode {
  const centre = { a: 0, k: [width / 2, height / 2, 0] };
  return { a: centre, p: centre, s: between([from, from, 100], [to, to, 100]) };
}

/** Returns a mask that shows the inside of a path. @see Lottie specification 1.0.1, "Mask" */
function mask(path: LottieNode): LottieNode {
  return { mode: 'a', inv: false, o: { a: 0, k: 100 }, pt: path, x: { a: 0, k: 0 } };
}

function wholeOf({ width, height }: Size): LottieNode {
  return rectangle([0, 0], [width, height]);
}

/** Returns the edge, as a rectangle without area, at which a picture that moves in a direction appears first. */
function edgeOf(direction: Direction, { width, height }: Size): LottieNode {
  switch (direction) {
    case 'left':
      return rectangle([width, 0], [width, height]);
    case 'right':
      return rectangle([0, 0], [0, height]);
    case 'up':
      return rectangle([0, height], [width, height]);
    case 'down':
      return rectangle([0, 0], [width, 0]);
  }
}

function oppositeEdgeOf(direction: Direction, size: Size): LottieNode {
  return edgeOf(({ left: 'right', right: 'left', up: 'down', down: 'up' } as const)[direction], size);
}

function rectangle([left, top]: Point, [right, bottom]: Point): LottieNode {
  const corners: Point[] = [
    [left, top],
    [right, top],
    [right, bottom],
    [left, bottom],
  ];
  const straight = corners.map(() => [0, 0]);
  return { c: true, v: corners, i: straight, o: straight };
}

/** Length of the tangents of a quarter circle of radius 1. */
const QUARTER = 0.5523;

function circle({ width, height }: Size, radius: number): LottieNode {
  const [x, y] = [width / 2, height / 2];
  const tangent = radius * QUARTER;
  return {
    c: true,
    v: [
      [x, y - radius],
      [x + radius, y],
      [x, y + radius],
      [x - radius, y],
    ],
    i: [
      [-tangent, 0],
      [0, -tangent],
      [tangent, 0],
      [0, tangent],
    ],
    o: [
      [tangent, 0],
      [0, tangent],
      [-tangent, 0],
      [0, -tangent],
    ],
  };
}
