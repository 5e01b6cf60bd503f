import { expect, it } from 'vitest';
import type { StyleVersion } from '../../../src/contract/wire/style-version.ts';
import { createChecks } from '../../../src/reconciler/schema/create-checks.ts';
import { smallPackage } from '../../support/small-package.ts';

it('createChecks() checks by the current specification of a template, although schemas are compiled once a process', () => {
  const spec: StyleVersion = smallPackage().spec;
  const short = structuredClone(spec);
  short.editables.t_01!.max_length = 3;
  const document = { template: 'small', title: 'Rome', resources: { t_01: 'Rome', c_01: '#EEADA7' } };
  const problemsOf = (version: StyleVersion): string[] =>
    createChecks()
      .video({ name: 'small', spec: version })(document, () => ({ file: 'rome.yaml', line: 1, column: 1 }) as never)
      .map(({ message }) => message);
  expect(problemsOf(spec)).toEqual([]);
  expect(problemsOf(short)).toHaveLength(1);
  expect(problemsOf(structuredClone(spec))).toEqual([]);
});
