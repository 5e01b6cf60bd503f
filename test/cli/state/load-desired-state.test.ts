import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadDesiredState } from '../../../src/cli/state/load-desired-state.ts';
import { definition, makeRepository } from '../../support/repository.ts';
import { reelform } from '../../support/test-io.ts';

it('passes on the files and templates that it has read to the rest of a plan', async () => {
  const root = makeRepository();
  expect(await reelform(root, ['plan', '--detailed-exitcode'])).toMatchObject({ exitCode: 2 });
  const path = 'videos/rome.yaml';
  writeFileSync(join(root, path), definition('Roma'));
  const state = await loadDesiredState(root);
  // Whatever happens to the file later, a plan shows one state of it.
  writeFileSync(join(root, path), definition('Rom'));
  const [first, second] = [await state.definitionsAt([path]), await state.definitionsAt([path])];
  expect(first.videos.map(({ id, scenes }) => [id, scenes[0]?.resources.get('t_01')])).toMatchObject([
    ['rome', { text: 'Roma' }],
  ]);
  expect(first.source(path)).toBe(definition('Roma'));
  expect(first.templateOf('small')).not.toBeNull();
  expect(first.templateOf('small')).toBe(second.templateOf('small'));
});
