import type { QuickJSContext, QuickJSWASMModule } from 'quickjs-emscripten-core';
import { isRecord } from '../../kernel/json.ts';
import type { LottieDocument } from '../render-input.ts';
import type { Evaluate } from './bake-expressions.ts';
import { type Evaluation, EXPRESSION_ID, type ExpressionValue, type Sample } from './player-protocol.ts';

/** Limits of an evaluation. Steps are counted, not timed, so that every machine computes the same result. */
export interface EvaluationLimits {
  readonly memoryBytes: number;
  /** Maximum number of calls of the interrupt handler, which QuickJS calls about every ten thousand operations. */
  readonly steps: number;
  /** Maximum number of these calls while a frame is evaluated. */
  readonly stepsPerFrame: number;
}

const USUAL_LIMITS: EvaluationLimits = { memoryBytes: 256 * 1024 * 1024, steps: 400_000, stepsPerFrame: 20_000 };
/** Limits while a video is rendered, where an animation may be hostile and its expressions are few. */
export const RENDER_LIMITS: EvaluationLimits = { memoryBytes: 128 * 1024 * 1024, steps: 20_000, stepsPerFrame: 2_000 };
/** Number of evaluations that are kept: an animation is evaluated with several texts, and again for each package made of it. */
const MAX_KEPT = 4;
/** Characters of an error message, which a script can choose. */
const MAX_CHARACTERS = 200;
const STACK_BYTES = 512 * 1024;
/** Expressions that end the sandbox are left out, a single expression for each attempt. */
const MAX_RESTARTS = 8;

/**
 * Loads a sandbox without input, output or clock, and returns a function that evaluates the expressions of an animation
 * at each of its frames. Random numbers are the same in every evaluation.
 *
 * @param player code of the bundle of `player.ts`
 */
export async function openEvaluator(player: string, limits: EvaluationLimits = USUAL_LIMITS): Promise<Evaluate> {
  // Loaded on demand: most animations have no expressions.
  const { newQuickJSWASMModuleFromVariant } = await import('quickjs-emscripten-core');
  const { default: releaseVariant } = await import('@jitl/quickjs-wasmfile-release-sync');
  // The package declares the types of its CommonJS form.
  const variant = releaseVariant as unknown as typeof releaseVariant.default;
  const sandbox = await newQuickJSWASMModuleFromVariant(variant);
  const kept = new Map<string, Evaluation>();
  return (animation) => {
    const text = JSON.stringify(animation);
    const evaluation = kept.get(text) ?? evaluateAll(animation, { sandbox, player, limits });
    kept.delete(text);
    kept.set(text, evaluation);
    if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value!);
    return evaluation;
  };
}

type Sandbox = Omit<Attempt, 'failures'>;

/** Evaluates again without each expression that ends the sandbox. */
function evaluateAll(animation: LottieDocument, sandbox: Sandbox): Evaluation {
  const failures: Record<string, string> = {};
  for (let restart = 0; restart <= MAX_RESTARTS; restart++) {
    const result = evaluateOnce(animation, { ...sandbox, failures });
    if ('instances' in result) return result;
    if (result.expression === null || result.expression in failures) return failedAll(animation, result.reason);
    failures[result.expression] = result.reason;
  }
  return failedAll(animation, 'too many expressions run without an end');
}

/** The sandbox ended while an expression ran, or at another time (null). */
interface Stopped {
  readonly expression: number | null;
  readonly reason: string;
}

interface Attempt {
  readonly sandbox: QuickJSWASMModule;
  readonly player: string;
  readonly limits: EvaluationLimits;
  readonly failures: Readonly<Record<string, string>>;
}

function evaluateOnce(animation: LottieDocument, { sandbox, player, limits, failures }: Attempt): Evaluation | Stopped {
  const runtime = sandbox.newRuntime();
  runtime.setMemoryLimit(limits.memoryBytes);
  runtime.setMaxStackSize(STACK_BYTES);
  let [steps, stepsOfFrame] = [0, 0];
  let isWhole = false;
  runtime.setInterruptHandler(() => {
    steps += 1;
    stepsOfFrame += 1;
    return steps > limits.steps || stepsOfFrame > limits.stepsPerFrame;
  });
  const context = runtime.newContext();
  try {
    run(context, player);
    const call = (method: string, ...values: unknown[]): unknown => {
      stepsOfFrame = 0;
      return run(context, `player.${method}(${values.map((value) => JSON.stringify(value)).join(',')})`);
    };
    call('load', JSON.stringify(animation), JSON.stringify(failures));
    for (let frame = Math.floor(animation.ip); frame < animation.op; frame++) call('frame', frame);
    const evaluation = checkEvaluation(JSON.parse(String(call('results'))));
    // QuickJS loses objects when a script fills the stack, and aborts when it is asked to free them.
    isWhole = !JSON.stringify(evaluation).includes('stack overflow');
    return evaluation;
  } catch (error) {
    const reason = steps > limits.steps || stepsOfFrame > limits.stepsPerFrame ? 'it takes too long' : messageOf(error);
    stepsOfFrame = 0;
    return { expression: runningIn(context), reason };
  } finally {
    if (isWhole) {
      context.dispose();
      runtime.dispose();
    }
  }
}

function run(context: QuickJSContext, code: string): unknown {
  const result = context.evalCode(code);
  if (result.error !== undefined) {
    const error: unknown = context.dump(result.error);
    result.error.dispose();
    throw new Error(isRecord(error) ? `${error.name}: ${error.message}` : String(error));
  }
  const value: unknown = context.dump(result.value);
  result.value.dispose();
  return value;
}

function runningIn(context: QuickJSContext): number | null {
  try {
    const id = run(context, 'player.running()');
    return typeof id === 'number' ? id : null;
  } catch {
    return null;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function failedAll(animation: LottieDocument, reason: string): Evaluation {
  const ids = [...JSON.stringify(animation).matchAll(new RegExp(`"${EXPRESSION_ID}":(\\d+)`, 'g'))];
  return { instances: [], measuring: [], failures: Object.fromEntries(ids.map(([, id]) => [id!, reason])) };
}

/** Checks the output of the sandbox: expressions can change all of its functions. */
function checkEvaluation(value: unknown): Evaluation | Stopped {
  const invalid: Stopped = { expression: null, reason: 'the values have no valid form' };
  if (!isRecord(value) || !Array.isArray(value.instances) || !isRecord(value.failures)) return invalid;
  const failures = Object.fromEntries(
    Object.entries(value.failures).map(([id, reason]) => [id, String(reason).slice(0, MAX_CHARACTERS)]),
  );
  const instances = value.instances.flatMap((instance: unknown) => {
    if (!isRecord(instance) || typeof instance.id !== 'number' || !Array.isArray(instance.samples)) return [];
    const samples = instance.samples.filter(isSample);
    if (samples.length < instance.samples.length) failures[instance.id] ??= 'its value is no number';
    return [{ id: instance.id, samples }];
  });
  const measuring = Array.isArray(value.measuring) ? value.measuring.filter(Number.isInteger) : [];
  return { instances, failures, measuring };
}

function isSample(value: unknown): value is Sample {
  return isRecord(value) && Number.isFinite(value.time) && isExpressionValue(value.value);
}

function isExpressionValue(value: unknown): value is ExpressionValue {
  if (typeof value === 'number') return Number.isFinite(value);
  if (isNumbers(value)) return true;
  if (!isRecord(value)) return false;
  if (typeof value.text === 'string') return value.text.length <= 10_000 && isStyle(value.style);
  const lists = [value.v, value.i, value.o];
  return typeof value.c === 'boolean' && lists.every((list) => Array.isArray(list) && list.every(isNumbers));
}

/** Fields of a text document that expressions may change. */
const STYLE_FIELDS = { s: 'number', lh: 'number', tr: 'number', ls: 'number', sw: 'number', j: 'number', fc: 'color', sc: 'color' }; // biome-ignore format: a table

function isStyle(style: unknown): boolean {
  if (style === undefined) return true;
  const kinds: Readonly<Record<string, string>> = STYLE_FIELDS;
  const isValid = ([key, value]: [string, unknown]): boolean =>
    kinds[key] === 'number' ? Number.isFinite(value) : kinds[key] === 'color' && isNumbers(value) && value.length >= 3;
  return isRecord(style) && Object.entries(style).every(isValid);
}

function isNumbers(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length > 0 && value.every(Number.isFinite);
}
