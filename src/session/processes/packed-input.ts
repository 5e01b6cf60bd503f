import { type PackedScene, packScene, unpackScene } from '../../engine/packed-scene.ts';
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

/** Undoes `packInput`. */
export function unpackInput<Kind extends TaskKind>(input: unknown): TaskInput<Kind> {
  if (isPacked(input)) return unpackScene(input) as TaskInput<Kind>;
  if (isRecord(input) && isPacked(input.scene)) return { ...input, scene: unpackScene(input.scene) } as TaskInput<Kind>;
  return input as TaskInput<Kind>;
}

function isScene(value: unknown): value is Scene {
  return isRecord(value) && isRecord(value.animation);
}

function isPacked(value: unknown): value is PackedScene {
  return isRecord(value) && typeof value.animation === 'string';
}
