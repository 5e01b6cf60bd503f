import type { VideoInput } from '../template/render-input.ts';
import type { ComparedStill, StillComparison } from './stills/compare-stills.ts';
import type { StillImage } from './stills/draw-stills.ts';
import { runInThread } from './threads/drawing-thread.ts';

/** Called after each still. */
export type OnStill = (stillsDone: number, stillCount: number) => void;

/**
 * Renders the stills of an input without its video; they equal the video's frames before encoding. Draws in a worker thread
 * so that native code does not block this thread's events.
 *
 * @param isChecked true if the input was checked, and its media examined
 * @returns in the input's order
 * @throws RenderError as `renderFile`
 */
export function renderStills(
  renderInput: VideoInput,
  onStill?: OnStill,
  isChecked = false,
): Promise<readonly StillImage[]> {
  const { length: count } = renderInput.stills;
  let done = 0;
  return runInThread('stills', { renderInput, isChecked }, () => onStill?.(++done, count));
}

/**
 * Runs `compareStills` in a worker thread so that native code does not block this thread's events.
 *
 * @param onStill called after each still of either input
 * @throws RenderError as `compareStills`; render_crashed when the thread ends without a result
 */
export async function compareInThread(
  comparison: StillComparison,
  onStill?: OnStill,
): Promise<readonly ComparedStill[]> {
  const { before, after } = comparison;
  const count = (before?.stills.length ?? 0) + after.stills.length;
  let done = 0;
  return runInThread('compare', comparison, () => onStill?.(++done, count));
}
