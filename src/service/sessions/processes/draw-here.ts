import type { LintPartInput, LintPartResult } from '../../../engine/lint/lint-part.ts';
import { unpackRenderInput } from '../../../engine/packed-input.ts';
import { parentEnd } from '../../sandbox/parent-end.ts';
import type { TaskInput, TaskOutput } from './tasks.ts';

type OnProgress = (done: number, count: number) => void;

// Pictures that the process draws in its own thread. Starting a drawing thread takes longer than drawing a few stills. This thread does not
// notice the end of the parent while native code draws, so the kernel kills the process then.

const endWithParent = parentEnd();
let running = 0;

/** Whether this process can draw in its own thread. */
export const CAN_DRAW_HERE = endWithParent !== null;

/** Loads the code and the libraries of most pictures. */
export async function prepareToDraw(): Promise<void> {
  const { loadShaper } = await import('../../../engine/text/open-font.ts');
  // Other threads compile it, while this one goes on.
  loadShaper().catch(() => undefined);
  await import('../../../engine/stills/compare-stills.ts');
}

/** Loads the code and the libraries of lint. */
export async function prepareToLint(): Promise<void> {
  const { loadShaper } = await import('../../../engine/text/open-font.ts');
  loadShaper().catch(() => undefined);
  await import('../../../engine/lint/lint-part.ts');
}

/** As the task of a drawing thread, in this thread. */
export function lintHere({ renderInput, ...input }: LintPartInput): Promise<LintPartResult> {
  return drawing(async () => {
    const { lintPart } = await import('../../../engine/lint/lint-part.ts');
    return lintPart({ ...input, renderInput: structuredClone(renderInput) });
  });
}

/** As `renderStills`, in this thread. */
export function drawStillsHere(input: TaskInput<'stills'>, onProgress: OnProgress): Promise<TaskOutput<'stills'>> {
  return drawing(async () => {
    const { checkStills, drawStills } = await import('../../../engine/stills/draw-stills.ts');
    const renderInput = unpackRenderInput(structuredClone(input));
    await checkStills(renderInput);
    return drawStills(renderInput, stillCounter(renderInput.stills.length, onProgress));
  });
}

/** As `compareInThread`, in this thread. */
export function compareHere(input: TaskInput<'compare'>, onProgress: OnProgress): Promise<TaskOutput<'compare'>> {
  return drawing(async () => {
    const { compareStills } = await import('../../../engine/stills/compare-stills.ts');
    const { before, after } = input;
    const count = (before?.stills.length ?? 0) + after.stills.length;
    return compareStills(structuredClone(input), stillCounter(count, onProgress));
  });
}

function stillCounter(count: number, onProgress: OnProgress): () => void {
  let done = 0;
  return () => onProgress(++done, count);
}

/** Calls a function that draws; several may draw at once. */
async function drawing<T>(draw: () => Promise<T>): Promise<T> {
  // After the parent's end, the end of its requests ends this process.
  if (endWithParent?.(true) === false) return new Promise<never>(() => undefined);
  running += 1;
  try {
    return await draw();
  } finally {
    running -= 1;
    // An idle process empties its folder first.
    if (running === 0) endWithParent?.(false);
  }
}
