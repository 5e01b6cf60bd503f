import { readFileSync } from 'node:fs';
import {
  type BakedExpression,
  bakeLiveExpressions,
  type Evaluate,
} from '../../template/expressions/bake-expressions.ts';
import { openEvaluator, RENDER_LIMITS } from '../../template/expressions/evaluate-expressions.ts';
import { TEXT_RECTS, type TextRect } from '../../template/expressions/player-protocol.ts';
import type { LottieNode } from '../../template/lottie/lottie-layers.ts';
import type { InputDocument, LottieDocument } from '../../template/render-input.ts';
import { expressionPlayer } from '../built-file.ts';
import { checkDocument } from '../check-input.ts';
import { RenderError } from '../render-error.ts';
import { inkOf } from '../text/fit-text.ts';
import { type LaidOutText, layOutLayers } from '../text/lay-out-layers.ts';
import { lineLeft } from '../text/lay-out-text.ts';
import type { PlacedCell } from '../text/typeset-line.ts';

let evaluator: Promise<Evaluate> | undefined;

/**
 * Evaluates the expressions of an input that depend on editables, such as boxes that fit a text. Returns an input without such
 * expressions unchanged. EDGE.
 *
 * @param renderInput checked
 * @throws RenderError template_invalid for an expression that has no value, and as `layOutLayers`
 */
export async function evaluateInput<Document extends InputDocument>(renderInput: Document): Promise<Document> {
  if (renderInput.animation.live_expressions !== true) return renderInput;
  const animation = structuredClone(renderInput.animation);
  evaluator ??= openEvaluator(readFileSync(expressionPlayer(import.meta.url), 'utf8'), RENDER_LIMITS);
  const evaluate = await evaluator;
  let baked = await evaluateTexts(animation, renderInput.fonts, evaluate);
  // Texts changed by expressions must be measured again.
  if (baked.some(({ pointer }) => WORDS.test(pointer))) {
    baked = await evaluateTexts(animation, renderInput.fonts, evaluate);
  }
  const failed = baked.flatMap(({ layer, pointer, failure }) =>
    failure === null ? [] : [`the expression of the layer ${JSON.stringify(layer)} (${pointer}) fails: ${failure}`],
  );
  if (failed.length > 0) {
    throw new RenderError(
      'template_invalid',
      `The animation cannot be evaluated: ${failed.slice(0, MAX_LISTED).join('; ')}`,
    );
  }
  const evaluated = { ...renderInput, animation };
  checkDocument(evaluated);
  return evaluated;
}

const MAX_LISTED = 5;
/** Pointer of the words of a text layer. */
const WORDS = /\/t\/d$/;

/** Measures the texts of an animation, and evaluates its expressions with the measures. */
async function evaluateTexts(
  animation: LottieDocument,
  fonts: InputDocument['fonts'],
  evaluate: Evaluate,
): Promise<BakedExpression[]> {
  const measured = new Map<LottieNode, TextRect[]>();
  for (const text of await layOutLayers(animation, fonts)) {
    const { layer, document } = text;
    const rects = measured.get(layer.layer) ?? [];
    rects.push({ t: startOf(layer.layer, document), ...textRect(text) });
    measured.set(layer.layer, rects);
  }
  for (const [layer, rects] of measured) layer[TEXT_RECTS] = rects;
  const baked = bakeLiveExpressions(animation, evaluate);
  for (const layer of measured.keys()) delete layer[TEXT_RECTS];
  return baked;
}

/** Returns the frame from which a layer has a text document. */
function startOf(layer: LottieNode, document: LottieNode): number {
  const { k: keyframes } = (layer.t as { d: { k: { t?: unknown; s?: unknown }[] } }).d;
  return Number(keyframes.find((keyframe) => keyframe.s === document)?.t) || 0;
}

/**
 * Returns the bounds of the ink of a laid-out text, in pixels of its layer, as After Effects measures text with
 * `sourceRectAtTime`. A text without ink has no size and lies at the start of its first baseline.
 */
function textRect({ spec, layout }: Pick<LaidOutText, 'spec' | 'layout'>): Omit<TextRect, 't'> {
  const { size, lineHeight, lines, baseline } = layout;
  const rows = lines.map((line, index) => {
    const start = lineLeft(line, spec, size);
    const [left, right] = horizontalInk(line.cells);
    const ink = inkOf(line.cells.map(({ cell }) => cell));
    return ink === null || left > right
      ? null
      : {
          left: start + left * size,
          right: start + right * size,
          top: baseline + index * lineHeight - ink.top * size,
          bottom: baseline + index * lineHeight - ink.bottom * size,
        };
  });
  const inked = rows.filter((row) => row !== null);
  if (inked.length === 0) {
    const line = lines[0];
    return { left: line === undefined ? spec.x : lineLeft(line, spec, size), top: baseline, width: 0, height: 0 };
  }
  const left = Math.min(...inked.map((row) => row.left));
  const top = Math.min(...inked.map((row) => row.top));
  const width = Math.max(...inked.map((row) => row.right)) - left;
  return { left, top, width, height: Math.max(...inked.map((row) => row.bottom)) - top };
}

/** Returns the horizontal extent of the ink, in ems from the left end of the line. */
function horizontalInk(cells: readonly PlacedCell[]): [left: number, right: number] {
  let [from, to] = [Infinity, -Infinity];
  for (const { cell, left } of cells) {
    if (cell.isColored) {
      from = Math.min(from, left);
      to = Math.max(to, left + cell.advance);
      continue;
    }
    for (const { font, glyph, x } of cell.glyphs) {
      const bounds = font.boundsOf(glyph);
      if (bounds.top === bounds.bottom) continue;
      from = Math.min(from, left + x + bounds.left * cell.scale);
      to = Math.max(to, left + x + bounds.right * cell.scale);
    }
  }
  return [from, to];
}
