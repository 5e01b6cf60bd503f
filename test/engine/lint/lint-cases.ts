import { describe, expect, it } from 'vitest';
import { lintScene } from '../../../src/engine/lint/lint-scene.ts';
import type { Scene } from '../../../src/template/scene.ts';
import type { CaseOptions, CaseTable } from './case-scenes.ts';
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
export const LINT_CASES: readonly LintCase[] = [PLAIN_CASES, MOTION_CASES, SCRIPT_CASES, GROUND_CASES].flatMap(casesOf);

function casesOf(table: CaseTable): LintCase[] {
  return Object.entries(table).flatMap(([group, cases]) =>
    cases.map(([name, scene, expected, options = {}]) => ({ group, name, scene, expected, ...options })),
  );
}

/** Tests each case of a table. One file for each table, so that they run at the same time: together they take a minute. */
export function testCases(table: CaseTable): void {
  describe.each(Object.keys(table))('lintScene(): %s', (group) => {
    const cases = casesOf(table).filter((one) => one.group === group);
    it.each(cases)('$name', async ({ scene, expected, area, missed }) => {
      const findings = await lintScene(await scene(), area);
      const found = findings.map(({ code, editable }) => (editable === null ? code : `${code} ${editable}`));
      expect(found.sort()).toEqual([...(missed?.found ?? expected)].sort());
    });
  });
}
