import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeRepository } from '../../support/repository.ts';
import { reelform } from '../../support/test-io.ts';

it('renders nothing again when a template gets timing', async () => {
  const root = makeRepository();
  expect(await reelform(root, ['apply', '--auto-approve'])).toMatchObject({ exitCode: 0 });
  const lock = readFileSync(join(root, 'reelform.lock.json'), 'utf8');
  appendFileSync(join(root, 'templates/small/template.yaml'), 'timing:\n  - { hold: 0.9, max: 2 }\n');
  const { exitCode, stdout } = await reelform(root, ['plan', '--detailed-exitcode']);
  expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^No changes\. 3 videos are up to date\./)]);
  await reelform(root, ['apply', '--auto-approve']);
  expect(readFileSync(join(root, 'reelform.lock.json'), 'utf8')).toBe(lock);
});
