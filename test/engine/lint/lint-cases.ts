import type { Scene } from '../../../src/template/scene.ts';
import type { CaseOptions } from './case-scenes.ts';
import { GROUND_CASES } from './ground-cases.ts';
import { MOTION_CASES } from './motion-cases.ts';
import { PLAIN_CASES } from './plain-cases.ts';
import { SCRIPT_CASES } from './script-cases.ts';

/** A scene and what lint must report of it: `code editable`, sorted. */
export interface LintCase extends CaseOptions {
  readonly group: string;
  readonly name: string;
  readonly scene: () => Scene | Promise<Scene>;
  readonly expected: readonly string[];
}

/** Every case with a known answer. */
export const LINT_CASES: readonly LintCase[] = [PLAIN_CASES, MOTION_CASES, SCRIPT_CASES, GROUND_CASES].flatMap(
  (table) =>
    Object.entries(table).flatMap(([group, cases]) =>
      cases.map(([name, scene, expected, options = {}]) => ({ group, name, scene, expected, ...options })),
    ),
);
