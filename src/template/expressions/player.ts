/**
 * The code that runs inside the sandbox: lottie-web's expressions, its properties and its tree of layers, without a
 * page and without drawing. Bundled to `dist/template/expressions/player.js`.
 *
 * @see evaluate-expressions.ts
 */

import CVCompElement from 'lottie-web/player/js/elements/canvasElements/CVCompElement.js';
import { registerEffect } from 'lottie-web/player/js/elements/canvasElements/CVEffects.js';
import CVImageElement from 'lottie-web/player/js/elements/canvasElements/CVImageElement.js';
import CVShapeElement from 'lottie-web/player/js/elements/canvasElements/CVShapeElement.js';
import CVSolidElement from 'lottie-web/player/js/elements/canvasElements/CVSolidElement.js';
import CVTextElement from 'lottie-web/player/js/elements/canvasElements/CVTextElement.js';
import CVTransformEffect from 'lottie-web/player/js/elements/canvasElements/effects/CVTransformEffect.js';
import CanvasRenderer from 'lottie-web/player/js/renderers/CanvasRenderer.js';
import CanvasRendererBase from 'lottie-web/player/js/renderers/CanvasRendererBase.js';
import { setExpressionInterfaces, setExpressionsPlugin } from 'lottie-web/player/js/utils/common.js';
import dataManager from 'lottie-web/player/js/utils/DataManager.js';
import ExpressionManager from 'lottie-web/player/js/utils/expressions/ExpressionManager.js';
import decorateProperties from 'lottie-web/player/js/utils/expressions/ExpressionPropertyDecorator.js';
import Expressions from 'lottie-web/player/js/utils/expressions/Expressions.js';
import decorateTexts from 'lottie-web/player/js/utils/expressions/ExpressionTextPropertyDecorator.js';
import expressionHelpers from 'lottie-web/player/js/utils/expressions/expressionHelpers.js';
import interfacesProvider from 'lottie-web/player/js/utils/expressions/InterfacesProvider.js';
import ProjectInterface from 'lottie-web/player/js/utils/expressions/ProjectInterface.js';
import OffsetPathModifier from 'lottie-web/player/js/utils/shapes/OffsetPathModifier.js';
import PuckerAndBloatModifier from 'lottie-web/player/js/utils/shapes/PuckerAndBloatModifier.js';
import RepeaterModifier from 'lottie-web/player/js/utils/shapes/RepeaterModifier.js';
import RoundCornersModifier from 'lottie-web/player/js/utils/shapes/RoundCornersModifier.js';
import { ShapeModifiers } from 'lottie-web/player/js/utils/shapes/ShapeModifiers.js';
import TrimModifier from 'lottie-web/player/js/utils/shapes/TrimModifier.js';
import ZigZagModifier from 'lottie-web/player/js/utils/shapes/ZigZagModifier.js';
import TextProperty from 'lottie-web/player/js/utils/text/TextProperty.js';
import { EXPRESSION_ID, type Instance, PRELUDE, type Sample, TEXT_RECTS, type TextRect } from './player-protocol.ts';

// biome-ignore lint/suspicious/noExplicitAny: lottie-web has no types for its internals
type Any = any;

interface Recorded extends Instance {
  readonly read: () => Sample['value'];
  readonly property: Any;
  readonly element: Any;
}

const recorded: Recorded[] = [];
const failures: Record<number, string> = {};
let running: number | null = null;

setExpressionsPlugin(Expressions);
setExpressionInterfaces(interfacesProvider);
decorateProperties();
decorateTexts();
registerEffect(35, CVTransformEffect);
ShapeModifiers.registerModifier('tm', TrimModifier);
ShapeModifiers.registerModifier('pb', PuckerAndBloatModifier);
ShapeModifiers.registerModifier('rp', RepeaterModifier);
ShapeModifiers.registerModifier('rd', RoundCornersModifier);
ShapeModifiers.registerModifier('zz', ZigZagModifier);
ShapeModifiers.registerModifier('op', OffsetPathModifier);
// The canvas renderer refuses cameras.
CanvasRendererBase.prototype.createCamera = CanvasRendererBase.prototype.createNull;
(CVTextElement as Any).prototype.sourceRectAtTime = textRect;
(CVShapeElement as Any).prototype.sourceRectAtTime = () => {
  throw new Error('sourceRectAtTime of a shape layer is not supported');
};
(CVSolidElement as Any).prototype.sourceRectAtTime = areaOf((element) => [element.data.sw, element.data.sh]);
(CVImageElement as Any).prototype.sourceRectAtTime = areaOf(({ assetData }) => [assetData.w, assetData.h]);
(CVCompElement as Any).prototype.sourceRectAtTime = areaOf((element) => [element.data.w, element.data.h]);
expressionHelpers.searchExpressions = watchProperty;
(TextProperty as Any).prototype.searchExpressions = watchText;

/** Returns the measure that the host has made of a text layer, at a time in seconds or now. */
function textRect(this: Any, time?: number): Omit<TextRect, 't'> {
  const rects: readonly TextRect[] = this.data[TEXT_RECTS] ?? [];
  const frame = time === undefined ? this.comp.renderedFrame : time * this.globalData.frameRate;
  const current = rects.findLast(({ t }) => t <= frame) ?? rects[0];
  if (current === undefined) throw new Error('the text has no measure');
  const { left, top, width, height } = current;
  return { left, top, width, height };
}

function areaOf(size: (element: Any) => [number, number]): (this: Any) => Omit<TextRect, 't'> {
  return function area(this: Any) {
    const [width, height] = size(this);
    return { left: 0, top: 0, width, height };
  };
}

/** Replaces lottie-web's function, so that each expression is recorded and its errors are caught. */
function watchProperty(element: Any, data: Any, property: Any): void {
  if (!data.x) return;
  const run = compile(element, data, property);
  if (run === null) return;
  property.k = true;
  property.x = true;
  property.effectsSequence.push(guarded(data[EXPRESSION_ID], run, property));
  recorded.push({ id: data[EXPRESSION_ID], samples: [], property, element, read: () => currentValue(property) });
}

/** The same for the words of a text layer. */
function watchText(this: Any): true | null {
  const { data, elem } = this;
  if (!data.d.x) return null;
  const run = compile(elem, data.d, this);
  if (run === null) return null;
  this.calculateExpression = guarded(data.d[EXPRESSION_ID], run, this);
  this.addEffect(this.getExpressionValue.bind(this));
  const read = (): Sample['value'] => ({ text: String(this.currentData.t) });
  recorded.push({ id: data.d[EXPRESSION_ID], samples: [], property: this, element: elem, read });
  return true;
}

function compile(element: Any, data: Any, property: Any): ((value: unknown) => unknown) | null {
  const id = data[EXPRESSION_ID];
  if (id in failures) return null;
  running = id;
  try {
    return ExpressionManager.initiateExpression.call(property, element, { ...data, x: PRELUDE + data.x }, property);
  } catch (error) {
    failures[id] = String(error);
    return null;
  } finally {
    running = null;
  }
}

function guarded(id: number, run: (value: unknown) => unknown, property: Any): (value: unknown) => unknown {
  return (value) => {
    if (id in failures) return value;
    running = id;
    try {
      const result = run.call(property, value);
      if (result !== undefined && result !== null && !Number.isNaN(result)) return result;
      failures[id] = Number.isNaN(result) ? 'its value is no number' : 'it has no value';
    } catch (error) {
      failures[id] = String(error);
    } finally {
      running = null;
    }
    return value;
  };
}

/** Returns the value of a property in the units of the document. */
function currentValue(property: Any): Sample['value'] {
  const { v, mult = 1 } = property;
  if (typeof v === 'number') return v / mult;
  if (v?.c !== undefined) {
    const points = (list: Any[], base: Any[] | null): number[][] =>
      list
        .slice(0, v._length)
        .map(([x, y], index) => (base === null ? [x, y] : [x - base[index][0], y - base[index][1]]));
    return { c: v.c, v: points(v.v, null), i: points(v.i, v.v), o: points(v.o, v.v) };
  }
  return Array.from(v as ArrayLike<number>, (one) => one / mult);
}

let renderer: Any;

/** Calls of the host. */
Object.assign(globalThis, {
  player: {
    /** @param skipped ids of expressions that failed before, with the reasons */
    load(text: string, skipped: string): void {
      Object.assign(failures, JSON.parse(skipped));
      const animation = JSON.parse(text);
      dataManager.completeAnimation(animation, (completed: Any) => start(completed), undefined);
    },
    frame(number: number): void {
      renderer.renderedFrame = number;
      renderer.globalData.frameNum = number;
      renderer.globalData.frameId += 1;
      renderer.globalData.projectInterface.currentFrame = number;
      Expressions.resetFrame();
      for (let index = renderer.layers.length - 1; index >= 0; index--) {
        renderer.elements[index]?.prepareFrame(number - renderer.layers[index].st);
      }
      for (const { element, property, read, samples } of recorded) {
        if (property.frameId !== renderer.globalData.frameId) continue;
        samples.push({ time: element.comp.renderedFrame, value: read() });
      }
    },
    results: (): string =>
      JSON.stringify({ instances: recorded.map(({ id, samples }) => ({ id, samples })), failures }),
    running: (): number | null => running,
  },
});

function start(animation: Any): void {
  const item: Any = {
    getAssetData: (id: string) => animation.assets.find((asset: Any) => asset.id === id) ?? {},
    getAssetsPath: () => '',
    imagePreloader: { getAsset: () => ({}), loadAssets: () => undefined, loadedImages: () => true },
    audioController: { createAudio: () => ({}), addAudio: () => undefined },
    animType: 'canvas',
    _isFirstFrame: false,
  };
  const context = (globalThis as Any).document.createElement('canvas').getContext('2d');
  renderer = new CanvasRenderer(item, { context, clearCanvas: true, preserveAspectRatio: 'none' });
  item.renderer = renderer;
  renderer.setProjectInterface((ProjectInterface as Any)());
  renderer.configAnimation(animation);
  renderer.searchExtraCompositions(animation.assets);
  Expressions.initExpressions(item);
  renderer.initItems();
}
