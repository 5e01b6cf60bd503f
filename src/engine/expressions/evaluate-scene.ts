import { readFileSync } from 'node:fs';
import {
  type BakedExpression,
  bakeLiveExpressions,
  type Evaluate,
} from '../../template/expressions/bake-expressions.ts';
import { openEvaluator, RENDER_LIMITS } from '../../template/expressions/evaluate-expressions.ts';
import { TEXT_RECTS, type TextRect } from '../../template/expressions/player-protocol.ts';
import type { LottieNode } from '../../template/lottie/lottie-layers.ts';
import type { LottieDocument, Scene } from '../../template/scene.ts';
import { builtFile } from '../built-file.ts';
import { checkScene } from '../check-scene.ts';
import { SceneError } from '../scene-error.ts';
import { layOutLayers } from '../text/lay-out-layers.ts';
import { textRect } from '../text/text-rect.ts';

let evaluator: Promise<Evaluate> | undefined;

/**
 * Returns a scene in which the expressions that depend on editables are evaluated with its own values: boxes have the
 * size of its texts. A scene without such expressions is returned as it is. EDGE.
 *
 * @param scene checked
 * @throws SceneError template_invalid for an expression that has no value, and as `layOutLayers`
 */
export async function evaluateScene(scene: Scene): Promise<Scene> {
  if (scene.animation.live_expressions !== true) return scene;
  const animation = structuredClone(scene.animation);
  evaluator ??= openEvaluator(
    readFileSync(builtFile(import.meta.url, 'template/expressions/player.js'), 'utf8'),
    RENDER_LIMITS,
  );
  const evaluate = await evaluator;
  let baked = await evaluateTexts(animation, scene.fonts, evaluate);
  // Texts that expressions have written have other measures.
  if (baked.some(({ pointer }) => WORDS.test(pointer))) {
    baked = await evaluateTexts(animation, scene.fonts, evaluate);
  }
  const failed = baked.flatMap(({ layer, pointer, failure }) =>
    failure === null ? [] : [`the expression of the layer ${JSON.stringify(layer)} (${pointer}) fails: ${failure}`],
  );
  if (failed.length > 0) {
    throw new SceneError(
      'template_invalid',
      `The animation cannot be evaluated: ${failed.slice(0, MOST_LISTED).join('; ')}`,
    );
  }
  const evaluated = { ...scene, animation };
  checkScene(evaluated);
  return evaluated;
}

const MOST_LISTED = 5;
/** Pointer of the words of a text layer. */
const WORDS = /\/t\/d$/;

/** Measures the texts of an animation, and evaluates its expressions with the measures. */
async function evaluateTexts(
  animation: LottieDocument,
  fonts: Scene['fonts'],
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
  const { k } = (layer.t as { d: { k: { t?: unknown; s?: unknown }[] } }).d;
  return Number(k.find(({ s }) => s === document)?.t) || 0;
}
