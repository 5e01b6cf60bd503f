import { packScene } from '../../engine/packed-scene.ts';
import { isRecord } from '../../is-record.ts';
import type { Scene } from '../../template/scene.ts';
import type { TaskInput, TaskKind } from './tasks.ts';

/**
 * Makes the animation of a task's scene a text. A message with its objects takes many times as long to write and to read,
 * seconds for the largest animations, and blocks this thread meanwhile.
 */
export function packInput(input: TaskInput<TaskKind>): unknown {
  if (isScene(input)) return packScene(input);
  return 'scene' in input && isScene(input.scene) ? { ...input, scene: packScene(input.scene) } : input;
}

function isScene(value: unknown): value is Scene {
  return isRecord(value) && isRecord(value.animation);
}
