import { askThread } from '../raster/drawing-thread.ts';
import type { ComparedStill, Comparison } from './still-protocol.ts';

/**
 * `compareStills` in a thread that draws, so that this one hears of the outside whatever native code does.
 *
 * @param onProgress called after each still of either side
 * @throws SceneError as `compareStills`; render_crashed when the thread ends without a word
 */
export async function compareInThread(
  comparison: Comparison,
  onProgress?: (stillsDone: number, stillCount: number) => void,
): Promise<readonly ComparedStill[]> {
  const { before, after } = comparison;
  const count = (before?.stills.length ?? 0) + after.stills.length;
  let done = 0;
  return askThread(
    { kind: 'compare', comparison },
    {
      resultOf: (message) => (message.kind === 'compared' ? message.stills : null),
      onStill: () => onProgress?.(++done, count),
    },
  );
}
