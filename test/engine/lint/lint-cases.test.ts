import { describe, expect, it } from 'vitest';
import { lintScene } from '../../../src/engine/lint/lint-scene.ts';
import { LINT_CASES } from './lint-cases.ts';

describe.each([...new Set(LINT_CASES.map(({ group }) => group))])('lintScene(): %s', (group) => {
  it.each(LINT_CASES.filter((one) => one.group === group))('$name', async ({ scene, expected }) => {
    const findings = await lintScene(await scene());
    expect(findings.map(({ code, editable }) => (editable === null ? code : `${code} ${editable}`)).sort()).toEqual(
      [...expected].sort(),
    );
  });
});

describe('the cases', () => {
  it('cover every finding about texts and pictures', () => {
    const codes = new Set(LINT_CASES.flatMap(({ expected }) => expected.map((one) => one.split(' ')[0])));
    expect([...codes].sort()).toEqual([
      ...['glyph_missing', 'image_too_small', 'low_contrast', 'text_collision', 'text_hidden', 'text_overflow'],
      'text_too_small',
    ]);
  });
});
