import { isDeepStrictEqual } from 'node:util';
import { defined } from '../../kernel/defined.ts';
import { isRecord } from '../../kernel/json.ts';
import { allLayers, type LottieNode, nodesOf } from '../lottie/lottie-layers.ts';
import { type KeyframePath, withPoints } from '../lottie/paths/path-points.ts';
import { SOURCE } from '../lottie/property-value.ts';
import { hasExpression, UNBAKED } from '../lottie/unsupported/find-unsupported.ts';
import type { LottieDocument } from '../render-input.ts';
import { exampleVariants } from './example-variants.ts';
import {
  type Evaluation,
  EXPRESSION_ID,
  type ExpressionValue,
  type Sample,
  type TextValue,
} from './player-protocol.ts';

/**
 * Largest error of a value that thinning may cause, in the units of the property: a twentieth of a pixel, a degree or a
 * percent.
 */
export const THINNING_ERROR = 0.05;

/** An expression of an animation, after baking. */
export interface BakedExpression {
  /** Name of the layer. */
  readonly layer: string;
  /** JSON pointer of the property. */
  readonly pointer: string;
  /** Why the expression is not replaced by keyframes; null if it is. */
  readonly failure: string | null;
  /** True if it is evaluated again for each video, because it depends on values of editables. */
  readonly isLive: boolean;
}

interface Found {
  readonly node: LottieNode & { x: string };
  readonly layer: string;
  readonly pointer: string;
}

/**
 * Evaluates the expressions of a document that `checkAnimation` accepts and whose properties are numbered by
 * `EXPRESSION_ID`.
 */
export type Evaluate = (numbered: LottieDocument) => Evaluation;

/**
 * Replaces expressions by the keyframes that they result in, thinned up to `THINNING_ERROR`, because the renderer knows
 * keyframes only. An expression that fails stays, so that `template check` reports it.
 *
 * @param animation modified; accepted by `checkAnimation`
 */
export function bakeExpressions(animation: LottieDocument, evaluate: Evaluate): BakedExpression[] {
  const found = findExpressions(animation);
  if (found.length === 0) return [];
  for (const [id, { node }] of found.entries()) node[EXPRESSION_ID] = id;
  const evaluations = exampleVariants(animation, found).map((variant) => evaluate(variant));
  for (const { node } of found) delete node[EXPRESSION_ID];
  const baked = found.map((property, id) => {
    const variants = evaluations.map((evaluation) => samplesOf(id, evaluation));
    const isMeasuring = evaluations.some(({ measuring }) => measuring.includes(id));
    const isLive = isMeasuring || variants.some((samples) => !isDeepStrictEqual(samples, variants[0]));
    return writeResult(property, variants[0]!, isLive);
  });
  if (baked.some(({ isLive }) => isLive)) animation.live_expressions = true;
  return baked;
}

/**
 * Evaluates the expressions that depend on editables again, and replaces their keyframes.
 *
 * @param animation modified; bound, with `TEXT_RECTS` in its text layers
 */
export function bakeLiveExpressions(animation: LottieDocument, evaluate: Evaluate): BakedExpression[] {
  restoreExpressions(animation, 'live');
  const found = findExpressions(animation);
  for (const [id, { node }] of found.entries()) node[EXPRESSION_ID] = id;
  const evaluation = evaluate(animation);
  for (const { node } of found) delete node[EXPRESSION_ID];
  delete animation.live_expressions;
  return found.map((property, id) => writeResult(property, samplesOf(id, evaluation), true));
}

function writeResult({ node, layer, pointer }: Found, result: Sample[] | string, isLive: boolean): BakedExpression {
  delete (node as LottieNode)[UNBAKED];
  if (typeof result === 'string') {
    (node as LottieNode)[UNBAKED] = result;
    return { layer, pointer, failure: result, isLive };
  }
  const { x, a, k } = node;
  if (result.length > 0) {
    const source = { expression: x, ...defined({ a }), k: structuredClone(k) };
    node[SOURCE] = isLive ? { ...source, live: true } : source;
    writeSamples(node, result);
  }
  delete (node as LottieNode).x;
  return { layer, pointer, failure: null, isLive: isLive && result.length > 0 };
}

/**
 * Restores the expressions that `bakeExpressions` has replaced.
 *
 * @param animation modified
 * @param which `live` for those that are evaluated again for each video
 * @returns the number of expressions
 */
export function restoreExpressions(animation: LottieDocument, which: 'all' | 'live' = 'all'): number {
  let count = 0;
  for (const place of allLayers(animation)) {
    for (const { node } of nodesOf(place)) {
      const source = node[SOURCE];
      if (!isRecord(source) || typeof source.expression !== 'string') continue;
      if (which === 'live' && source.live !== true) continue;
      const { expression, live: _, ...original } = source;
      delete node[SOURCE];
      delete node.a;
      Object.assign(node, original, { x: expression });
      count++;
    }
  }
  return count;
}

function findExpressions(animation: LottieDocument): Found[] {
  return allLayers(animation).flatMap((place) =>
    nodesOf(place).flatMap(({ node, pointer }): Found[] =>
      hasExpression(node) ? [{ node, layer: place.name, pointer }] : [],
    ),
  );
}

/** Returns the samples of an expression in ascending order, or why there are none. */
function samplesOf(id: number, { instances, failures }: Evaluation): Sample[] | string {
  if (failures[id] !== undefined) return failures[id];
  const uses = instances.filter((instance) => instance.id === id);
  if (uses.length === 0) return 'properties of this kind are not evaluated';
  const byTime = new Map<number, Sample>();
  for (const sample of uses.flatMap(({ samples }) => samples)) {
    const known = byTime.get(sample.time);
    if (known !== undefined && !isSame(known.value, sample.value)) {
      return 'it differs between the places where its composition is shown';
    }
    byTime.set(sample.time, sample);
  }
  const samples = [...byTime.values()].sort((a, b) => a.time - b.time);
  const [first] = samples;
  if (first !== undefined && samples.some(({ value }) => kindOf(value) !== kindOf(first.value))) {
    return 'its values are of several kinds';
  }
  return samples;
}

function isSame(a: ExpressionValue, b: ExpressionValue): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Values of the same kind can be interpolated: numbers of the same count, paths of the same number of points. */
function kindOf(value: ExpressionValue): string {
  if (typeof value === 'number') return 'number';
  if (isPath(value)) return `path ${value.c}`;
  return 'text' in value ? 'text' : `list ${value.length}`;
}

/** @param samples at least one */
function writeSamples(node: LottieNode, samples: readonly Sample[]): void {
  const first = samples[0]!.value;
  if (samples.every(({ value }) => isSame(value, first))) writeConstant(node, first);
  else if (isWords(first)) node.k = textKeyframes(node, samples);
  else Object.assign(node, { a: 1, k: keyframes(samples, isColor(node) ? 1 / 512 : THINNING_ERROR) });
}

function textKeyframes(node: LottieNode, samples: readonly Sample[]): object[] {
  return samples
    .filter(({ value }, index) => index === 0 || !isSame(value, samples[index - 1]!.value))
    .map(({ time, value }) => ({ t: time, s: styleOf(node, time, value as TextValue) }));
}

function keyframes(samples: readonly Sample[], error: number): object[] {
  if (!canInterpolate(samples)) {
    const most = Math.max(...samples.map(({ value }) => (isPath(value) ? value.v.length : 0)));
    return samples.map(({ time, value }) => {
      return { t: time, s: isPath(value) ? [withPoints(value, most)] : startOf(value), h: 1 };
    });
  }
  const kept = thinSamples(samples, error);
  const straight = { o: { x: 0, y: 0 }, i: { x: 1, y: 1 } };
  return kept.map(({ time, value }, index) => ({
    t: time,
    s: startOf(value),
    ...(index < kept.length - 1 ? straight : {}),
  }));
}

function isWords(value: ExpressionValue): value is TextValue {
  return typeof value === 'object' && 'text' in value;
}

function writeConstant(node: LottieNode, value: ExpressionValue): void {
  if (isWords(value)) {
    const frames = Array.isArray(node.k) ? node.k : [];
    for (const frame of frames)
      if (isRecord(frame) && isRecord(frame.s)) Object.assign(frame.s, value.style, { t: value.text });
    return;
  }
  node.a = 0;
  node.k = typeof value === 'number' || isPath(value) ? value : rounded(value);
}

/** Returns the text document of a time with other words. */
function styleOf(node: LottieNode, time: number, value: TextValue): object {
  const frames = (Array.isArray(node.k) ? node.k : []).filter(isRecord);
  const frame = frames.findLast(({ t }) => typeof t === 'number' && t <= time) ?? frames[0];
  return { ...(isRecord(frame?.s) ? frame.s : {}), ...value.style, t: value.text };
}

function canInterpolate(samples: readonly Sample[]): boolean {
  const counts = samples.map(({ value }) => (isPath(value) ? value.v.length : 0));
  return counts.every((count) => count === counts[0]);
}

function startOf(value: ExpressionValue): unknown[] {
  if (typeof value === 'number') return rounded([value]);
  return isPath(value) ? [value] : rounded(value as readonly number[]);
}

function rounded(values: readonly number[]): number[] {
  return values.map((value) => Math.round(value * 1e5) / 1e5);
}

function isColor(node: LottieNode): boolean {
  const frames = Array.isArray(node.k) ? node.k : [];
  const first: unknown = isRecord(frames[0]) ? frames[0].s : frames;
  return Array.isArray(first) && first.length === 4;
}

/**
 * Returns the samples between which straight lines meet all remaining samples, up to an error. A value that stays the same leaves
 * its first and last sample.
 *
 * @param samples in ascending order of their times, which differ
 * @see https://en.wikipedia.org/wiki/Ramer%E2%80%93Douglas%E2%80%93Peucker_algorithm
 */
function thinSamples(samples: readonly Sample[], error: number): Sample[] {
  if (samples.length <= 2) return [...samples];
  const rows = samples.map(({ value }) => numbersOf(value));
  const kept = new Set([0, samples.length - 1]);
  const open: [number, number][] = [[0, samples.length - 1]];
  for (let span = open.pop(); span !== undefined; span = open.pop()) {
    const [from, to] = span;
    const worst = worstBetween(samples, rows, from, to);
    if (worst === null || worst.distance <= error) continue;
    kept.add(worst.index);
    open.push([from, worst.index], [worst.index, to]);
  }
  return samples.filter((_, index) => kept.has(index));
}

/** Returns the sample that is farthest from the line between two samples. */
function worstBetween(
  samples: readonly Sample[],
  rows: readonly (readonly number[])[],
  from: number,
  to: number,
): { index: number; distance: number } | null {
  let worst: { index: number; distance: number } | null = null;
  const [start, end] = [rows[from]!, rows[to]!];
  const duration = samples[to]!.time - samples[from]!.time;
  for (let index = from + 1; index < to; index++) {
    const share = (samples[index]!.time - samples[from]!.time) / duration;
    const row = rows[index]!;
    let distance = 0;
    for (const [at, value] of row.entries()) {
      distance = Math.max(distance, Math.abs(start[at]! + (end[at]! - start[at]!) * share - value));
    }
    if (worst === null || distance > worst.distance) worst = { index, distance };
  }
  return worst;
}

function numbersOf(value: ExpressionValue): readonly number[] {
  if (typeof value === 'number') return [value];
  if (isPath(value)) return [...value.v, ...value.i, ...value.o].flat();
  return 'text' in value ? [] : value;
}

function isPath(value: ExpressionValue): value is KeyframePath {
  return typeof value === 'object' && 'c' in value;
}
