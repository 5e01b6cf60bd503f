import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { comparePlans } from '../../support/compare-plans.ts';
import { runs } from '../../support/full-run.ts';
import { definition, makeRepository } from '../../support/repository.ts';
import { reelform } from '../../support/test-io.ts';

describe('the plan cache', () => {
  // Even seeds use a service behind a URL, odd ones a template package.
  it.each([1, 2])('gives the same plan as reading everything, after any edits (seed %i)', async (seed) => {
    const { differences } = await comparePlans(seed, runs(40));
    expect(differences).toEqual([]);
  });

  const CITY = { berlin: 'Berlin', oslo: 'Oslo', rome: 'Rome' };
  it.each<[string, Partial<typeof CITY>, (edit: Edit) => void]>([
    ['contains the id of the other video', {}, ({ write }) => write('rome', 's3://videos/berlin.mp4')],
    ['contains the id by chance', { oslo: 's3://videos/chrome' }, ({ write }) => write('rome', 's3://videos/chrome')],
    [
      'belongs to a renamed file',
      { oslo: 's3://videos/lima.mp4', rome: 's3://videos/{id}.mp4' },
      ({ root }) => renameSync(join(root, 'videos/rome.yaml'), join(root, 'videos/lima.yaml')),
    ],
    [
      'consists of two texts',
      { berlin: '"s3://videos/{id}{title}"', oslo: '"s3://videos/berlin{title}"' },
      ({ write }) => write('oslo', '"s3://videos/berlin{title}"', 'Berlin'),
    ],
  ])('reports a destination that is already used: it %s', async (_, before, edit) => {
    const root = makeRepository();
    const write = (city: string, to: string, title: string = CITY[city as keyof typeof CITY]): void =>
      writeFileSync(join(root, `videos/${city}.yaml`), definition(title, `deliver: ${to}\n`));
    for (const city of Object.keys(CITY)) write(city, before[city as keyof typeof CITY] ?? 's3://videos/{id}.mp4');
    for (let plan = 0; plan < 2; plan++) expect((await reelform(root, ['plan'])).exitCode).toBe(0);
    edit({ root, write });
    const told = await reelform(root, ['plan']);
    expect(told.stderr).toContain('destination_taken');
    expect(told).toEqual(await reelform(root, ['plan', '--no-cache']));
  });

  it('selects unchanged videos by their ids without reading them', async () => {
    const root = makeRepository();
    for (const city of ['berlin', 'oslo', 'rome']) writeFileSync(join(root, `videos/${city}.yaml`), definition(city));
    await reelform(root, ['pull']);
    expect((await reelform(root, ['apply', '--auto-approve'])).exitCode).toBe(0);
    for (let plan = 0; plan < 2; plan++) await reelform(root, ['plan']);
    writeFileSync(join(root, 'videos/rome.yaml'), definition('Roma'));
    for (const args of [
      ['--target', 'oslo'],
      ['--target', 'r*'],
      ['--exclude', 'rome'],
      ['--target', 'olso'],
    ]) {
      const cached = await reelform(root, ['plan', '--json', ...args]);
      expect(cached).toEqual(await reelform(root, ['plan', '--json', '--no-cache', ...args]));
    }
    expect((await reelform(root, ['plan', '--target', 'olso'])).stderr).toContain('Did you mean oslo?');
  });

  it.each([true, false])(
    'warns of an ignored definition from its appearance until its removal (applied: %s)',
    async (isApplied) => {
      const root = makeRepository();
      await reelform(root, ['pull']);
      if (isApplied) await reelform(root, ['apply', '--auto-approve']);
      for (let plan = 0; plan < 2; plan++) expect((await reelform(root, ['plan'])).stderr).toBe('');
      writeFileSync(join(root, 'videos/lima.yml'), definition('Lima'));
      for (let plan = 0; plan < 2; plan++) {
        const { exitCode, stderr } = await reelform(root, ['plan']);
        expect([exitCode, stderr.includes('definition_ignored')]).toEqual([0, true]);
      }
      renameSync(join(root, 'videos/lima.yml'), join(root, 'videos/lima.yaml'));
      const { stdout, stderr } = await reelform(root, ['plan', '--json']);
      expect(stderr).toBe('');
      expect(stdout).toContain('"id": "lima"');
    },
  );
});

interface Edit {
  readonly root: string;
  write(city: string, to: string, title?: string): void;
}
