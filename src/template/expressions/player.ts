/**
 * The code that runs inside the sandbox: lottie-web's expressions, its properties and its tree of layers, without a
 * page and without drawing. Bundled to `dist/template/expressions/player.js`.
 *
 * @see evaluate-expressions.ts
 */

import './player/page.ts';

import CVCompElement from 'lottie-web/player/js/elements/canvasElements/CVCompElement.js';
import { registerEffect } from 'lottie-web/player/js/elements/canvasElements/CVEffects.js';
import CVImageElement from 'lottie-web/player/js/elements/canvasElements/CVImageElement.js';
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
import ProjectInterface from 'lottie-web/player/js/utils/expressions/ProjectInterface.js';
import OffsetPathModifier from 'lottie-web/player/js/utils/shapes/OffsetPathModifier.js';
import PuckerAndBloatModifier from 'lottie-web/player/js/utils/shapes/PuckerAndBloatModifier.js';
import RepeaterModifier from 'lottie-web/player/js/utils/shapes/RepeaterModifier.js';
import RoundCornersModifier from 'lottie-web/player/js/utils/shapes/RoundCornersModifier.js';
import { ShapeModifiers } from 'lottie-web/player/js/utils/shapes/ShapeModifiers.js';
import TrimModifier from 'lottie-web/player/js/utils/shapes/TrimModifier.js';
import ZigZagModifier from 'lottie-web/player/js/utils/shapes/ZigZagModifier.js';
import TextProperty from 'lottie-web/player/js/utils/text/TextProperty.js';
import { interfaces, styleChanges } from './player/objects.ts';
import { freezeGlobals } from './player/page.ts';
import { type Any, currentValue, isOfOtherTime, isPath } from './player/properties.ts';
import { createScope, withScope } from './player/scope.ts';
import { EXPRESSION_ID, type Instance, type Sample, TEXT_RECTS, type TextRect } from './player-protocol.ts';

interface Recorded extends Instance {
  readonly read: () => Sample['value'];
  readonly property: Any;
  readonly element: Any;
}

const recorded: Recorded[] = [];
const failures: Record<number, string> = {};
const measuring = new Set<number>();
let running: number | null = null;
/** The expression that the host has interrupted. QuickJS lets scripts catch that in an iterator. */
let stopped: number | null = null;

setExpressionsPlugin(Expressions);
setExpressionInterfaces(interfaces);
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
(CVSolidElement as Any).prototype.sourceRectAtTime = areaOf((element) => [element.data.sw, element.data.sh]);
(CVImageElement as Any).prototype.sourceRectAtTime = areaOf(({ assetData }) => [assetData.w, assetData.h]);
(CVCompElement as Any).prototype.sourceRectAtTime = areaOf((element) => [element.data.w, element.data.h]);
expressionHelpers.searchExpressions = watchProperty;
(TextProperty as Any).prototype.searchExpressions = watchText;

/** Returns the host's measure of a text layer, at a time in seconds or now. */
function textRect(this: Any, time?: number): Omit<TextRect, 't'> {
  if (running !== null) measuring.add(running);
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
  recorded.push({ id: data[EXPRESSION_ID], samples: [], property, element, read: () => sampleOf(property) });
}

/** Lets an expression of words return a style, too. */
(TextProperty as Any).prototype.getExpressionValue = function words(this: Any, current: Any, text: unknown): Any {
  const result = this.calculateExpression(text);
  const { t = current.t, ...style } = styleChanges(result) ?? { t: String(result) };
  return { ...current, ...style, t, style: Object.keys(style).length > 0 ? style : undefined, __complete: false };
};

/** The same for the words of a text layer. */
function watchText(this: Any): true | null {
  const { data, elem } = this;
  if (!data.d.x) return null;
  const run = compile(elem, data.d, this);
  if (run === null) return null;
  this.calculateExpression = guarded(data.d[EXPRESSION_ID], run, this);
  this.addEffect(this.getExpressionValue.bind(this));
  const read = (): Sample['value'] => {
    const { t, style } = this.currentData;
    return style === undefined ? { text: String(t) } : { text: String(t), style };
  };
  recorded.push({ id: data.d[EXPRESSION_ID], samples: [], property: this, element: elem, read });
  return true;
}

function compile(element: Any, data: Any, property: Any): ((value: Any) => unknown) | null {
  const id = data[EXPRESSION_ID];
  if (id in failures) return null;
  const before = running;
  running = id;
  try {
    const scope = createScope(element, data, property);
    const expression = { ...data, x: withScope(data.x, scope) };
    const run = ExpressionManager.initiateExpression.call(property, element, expression, property);
    return (value) => {
      // An expression may change the array.
      const copy = Array.isArray(value) ? [...value] : value;
      scope.enter(copy);
      return run.call(property, copy);
    };
  } catch (error) {
    failures[id] = String(error);
    return null;
  } finally {
    running = before;
  }
}

function guarded(id: number, run: (value: Any) => unknown, property: Any): (value: Any) => unknown {
  return (value) => {
    if (id in failures) return value;
    const before = running;
    running = id;
    try {
      const result = run.call(property, value);
      if (result !== undefined && result !== null && !Number.isNaN(result)) return result;
      failures[id] = Number.isNaN(result) ? 'its value is no number' : 'it has no value';
    } catch (error) {
      failures[id] = String(error);
      if (failures[id] === 'InternalError: interrupted') {
        stopped = id;
        throw error;
      }
    } finally {
      running = before;
    }
    return value;
  };
}

/** Returns the value of a property in the form in which it leaves the sandbox. */
function sampleOf(property: Any): Sample['value'] {
  const value = currentValue(property);
  if (!isPath(value)) return value;
  const points = (list: Any[], base: Any[] | null): number[][] =>
    list
      .slice(0, value._length)
      .map(([x, y], index) => (base === null ? [x, y] : [x - base[index][0], y - base[index][1]]));
  return { c: value.c, v: points(value.v, null), i: points(value.i, value.v), o: points(value.o, value.v) };
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
        if (isOfOtherTime(property.frameId)) property.getValue();
        if (property.frameId !== renderer.globalData.frameId) continue;
        samples.push({ time: element.comp.renderedFrame, value: read() });
      }
    },
    results: (): string =>
      JSON.stringify({
        instances: recorded.map(({ id, samples }) => ({ id, samples })),
        failures,
        measuring: [...measuring],
      }),
    running: (): number | null => stopped ?? running,
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
  freezeGlobals();
  renderer.searchExtraCompositions(animation.assets);
  Expressions.initExpressions(item);
  renderer.compInterface = interfaces('comp')(renderer);
  renderer.initItems();
}
