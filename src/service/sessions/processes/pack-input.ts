import { packRenderInput } from '../../../engine/packed-input.ts';
import { isRecord } from '../../../kernel/json.ts';
import type { VideoInput } from '../../../template/render-input.ts';
import type { TaskInput, TaskKind } from './tasks.ts';

/**
 * Packs the animation of a task's input. A message with its objects takes many times as long to write and to read, seconds for
 * the largest animations, and blocks this thread meanwhile.
 */
export function packInput(input: TaskInput<TaskKind>): unknown {
  if (isRenderInput(input)) return packRenderInput(input);
  return 'renderInput' in input && isRenderInput(input.renderInput)
    ? { ...input, renderInput: packRenderInput(input.renderInput) }
    : input;
}

function isRenderInput(value: unknown): value is VideoInput {
  if (!isRecord(value)) return false;
  const [document] = Array.isArray(value.scenes) ? value.scenes : [value];
  return isRecord(document.animation) && !(document.animation instanceof Uint8Array);
}
