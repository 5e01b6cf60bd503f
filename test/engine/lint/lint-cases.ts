import { describe, expect, it } from 'vitest';
import { lintInput } from '../../../src/engine/lint/lint-input.ts';
import type { RenderInput } from '../../../src/template/render-input.ts';
import { some } from '../../support/full-run.ts';
import type { CaseOptions, CaseTable } from './case-inputs.ts';
import { GROUND_CASES } from './ground-cases.ts';
import { MOTION_CASES } from './motion-cases.ts';
import { PLAIN_CASES } from './plain-cases.ts';
import { SCRIPT_CASES } from './script-cases.ts';

/** An input and what lint must report of it: `code editable`, sorted. */
export interface LintCase extends CaseOptions {
  readonly group: string;
  readonly name: string;
  readonly renderInput: () => RenderInput | Promise<RenderInput>;
  readonly expected: readonly string[];
}

/** Every case with a known answer. */
export const LINT_CASES: readonly LintCase[] = [PLAIN_CASES, MOTION_CASES, SCRIPT_CASES, GROUND_CASES].flatMap(casesOf);

function casesOf(table: CaseTable): LintCase[] {
  return Object.entries(table).flatMap(([group, cases]) =>
    cases.map(([name, renderInput, expected, options = {}]) => ({ group, name, renderInput, expected, ...options })),
  );
}

/**
 * Tests the cases of a table; outside a full run the first of each group and every tenth, because lint draws each case.
 * Each table has a separate file, so that they run at the same time.
 */
export function testCases(table: CaseTable): void {
  describe.each(Object.keys(table))('lintInput(): %s', (group) => {
    const cases = casesOf(table).filter((lintCase) => lintCase.group === group);
    it.each(some(cases))('$name', async ({ renderInput, expected, area, missed }) => {
      const findings = await lintInput(await renderInput(), area);
      const found = findings.map(({ code, editable }) => (editable === null ? code : `${code} ${editable}`));
      expect(found.sort()).toEqual([...(missed?.found ?? expected)].sort());
    });
  });
}
