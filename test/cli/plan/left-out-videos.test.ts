import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { PlanDocument } from '../../../src/reconciler/plan/plan-document.ts';
import { gitIn } from '../../support/git-repository.ts';
import { definition, makeRepository } from '../../support/repository.ts';
import { type Ran, reelform } from '../../support/test-io.ts';

const SERIES = `template: small
title: "\${name}"
each: {from: ../data/shows.csv, id: "\${slug}"}
when: {state: {not: draft}}
resources: {t_01: "\${name}", c_01: "#EEADA7"}
`;
const shows = (states: readonly string[]): string =>
  ['slug,name,state', ...['alps', 'dune', 'reef'].map((slug, index) => `${slug},${slug},${states[index]}`)].join('\n');

/** Creates a repository with a series of three rows and one rendered video beside them. */
async function openSeries(states: readonly string[]) {
  const root = makeRepository({ 'videos/series.yaml': SERIES, 'data/shows.csv': shows(states) });
  const run = (...args: string[]): Promise<Ran> => reelform(root, args);
  return {
    root,
    run,
    set: (...next: string[]) => writeFileSync(join(root, 'data/shows.csv'), shows(next)),
    async apply(): Promise<void> {
      expect(await run('apply', '--auto-approve')).toMatchObject({ exitCode: 0 });
    },
    async plan(...flags: string[]): Promise<PlanDocument> {
      return JSON.parse((await run('plan', '--json', ...flags)).stdout) as PlanDocument;
    },
    lock: () => JSON.parse(readFileSync(join(root, 'reelform.lock.json'), 'utf8')) as { videos: object },
  };
}

const actions = ({ changes }: PlanDocument): string[] => changes.map(({ id, action }) => `${action} ${id}`);

it('is in every plan with its reason, also in those from the plan cache', async () => {
  const { apply, run, plan } = await openSeries(['ready', 'draft', 'draft']);
  await apply();
  const leftOut = ['dune', 'reef'].map((slug) => ({
    id: `series/${slug}`,
    path: 'videos/series.yaml',
    reason: 'state is "draft"',
  }));
  for (const flags of [[], [], ['--no-cache']]) {
    expect(await plan(...flags)).toMatchObject({ changes: [], left_out_videos: leftOut });
  }
  const { stdout } = await run('plan');
  expect(stdout).toBe(`No changes. 4 videos are up to date.

2 videos are left out by "when":
  ○ state is "draft": series/dune, series/reef
`);
});

it('is removed from the lockfile like a removed definition, and its rendering is found again', async () => {
  const { root, apply, set, plan, run, lock } = await openSeries(['ready', 'ready', 'ready']);
  const { git } = gitIn(root);
  await git('init', '--quiet');
  await apply();
  await git('add', '.');
  await git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '--quiet', '-m', 'all');
  set('ready', 'draft', 'ready');
  const document = await plan();
  expect(actions(document)).toEqual(['forget series/dune']);
  expect(document.changes[0]).toMatchObject({
    path: 'videos/series.yaml',
    left_out: [{ scene: null, reason: 'state is "draft"' }],
  });
  expect((await run('plan')).stdout).toBe(`Plan: 1 to forget, 5 unchanged · nothing to render

  - series/dune  dune
    videos/series.yaml · left out: state is "draft"; the video is not deleted
`);
  expect((await run('explain', 'series/dune')).stdout).toContain(
    'It would be removed from the lockfile: left out: state is "draft"',
  );
  writeFileSync(join(root, 'videos/kiel.yaml'), `${definition('Kiel')}when: no\n`);
  const since = await plan('--changed-since', 'HEAD');
  expect(actions(since)).toEqual(['forget series/dune']);
  expect(since.left_out_videos?.map(({ id }) => id)).toEqual(['kiel', 'series/dune']);
  rmSync(join(root, 'videos/kiel.yaml'));
  const [, list] = (await run('list', 'dune')).stdout.split('series/dune');
  expect(list).toMatch(/^ {2}left out {2}renders\//);
  await apply();
  expect(Object.keys(lock().videos)).not.toContain('series/dune');
  expect((await run('list', 'dune')).stdout).toBe('series/dune  left out  state is "draft"\n');

  set('ready', 'ready', 'ready');
  expect(actions(await plan())).toEqual(['adopt series/dune']);
});

it('keeps its entry while it is protected, or if nothing would be left', async () => {
  const { root, apply, set, run } = await openSeries(['ready', 'ready', 'ready']);
  for (const name of ['berlin', 'oslo', 'rome']) {
    writeFileSync(join(root, `videos/${name}.yaml`), `${definition(name)}when: no\n`);
  }
  await apply();
  set('draft', 'draft', 'draft');
  const all = await run('plan');
  expect(all.exitCode).toBe(5);
  expect(all.stderr).toContain('All videos are left out by their conditions, but the lockfile has 3');
  expect(all.stderr).toContain('Check "when". If this is intended, pass --allow-empty');
  writeFileSync(join(root, 'videos/series.yaml'), `${SERIES}protect: true\n`);
  set('ready', 'ready', 'ready');
  await apply();
  set('draft', 'ready', 'ready');
  const { exitCode, stderr, stdout } = await run('plan');
  expect(exitCode).toBe(5);
  expect(stderr).toContain('The video "series/alps" is protected, but its condition leaves it out: state is "draft"');
  expect(stdout).toContain('protected, but left out: state is "draft"');
});

it('is removed with its condition when its row does not pass "where"', async () => {
  const { root, apply, set, plan, run } = await openSeries(['ready', 'ready', 'ready']);
  const filtered = SERIES.replace('when: {state: {not: draft}}\n', '').replace('}"}', '}", where: {state: ready}}');
  writeFileSync(join(root, 'videos/series.yaml'), filtered);
  await apply();
  set('ready', 'draft', 'ready');
  const reason = 'its row does not pass "where": state is "draft"';
  for (const flags of [[], [], ['--no-cache']]) {
    const document = await plan(...flags);
    expect(actions(document)).toEqual(['forget series/dune']);
    expect(document.changes[0]).toMatchObject({ path: 'videos/series.yaml', left_out: [{ scene: null, reason }] });
    expect(document.left_out_videos).toBeUndefined();
  }
  const [{ stdout }, markdown] = [await run('plan'), await run('plan', '--markdown')];
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(`· left out: ${reason}; the video is not deleted`);
  expect(markdown.stdout).toContain('its row does not pass "where"&#58; state is "draft"');
  await run('plan', '--report', 'report');
  expect(readFileSync(join(root, 'report/plan.html'), 'utf8')).toMatch(
    /its row does not pass .{1,6}where.{1,6}: state is/,
  );
  expect((await run('lint', 'series/dune')).exitCode).not.toBe(0);
  await apply();
  expect((await run('plan')).stdout).toBe('No changes. 5 videos are up to date.\n');
});

it('is named where its id is used', async () => {
  const { apply, run } = await openSeries(['ready', 'ready', 'draft']);
  await apply();
  const targeted = await run('plan', '--target', 'series/reef');
  expect(targeted.exitCode).toBe(0);
  expect(targeted.stdout).toContain('1 video is left out by "when":\n  ○ state is "draft": series/reef');
  expect((await run('plan', '--target', 'series/alps')).stdout).not.toContain('left out');
  expect((await run('explain', 'series/reef')).stdout).toBe(
    'series/reef\n  videos/series.yaml\n  It is left out: state is "draft".\n',
  );
  expect(JSON.parse((await run('explain', 'series/reef', '--json')).stdout)).toMatchObject({
    left_out: [{ scene: null, reason: 'state is "draft"' }],
    files: ['data/shows.csv', 'videos/series.yaml'],
  });
  const hint = 'videos/series.yaml leaves out the video series/reef: state is "draft"';
  for (const command of [
    ['render', 'series/reef'],
    ['apply', '--replace', 'series/reef'],
  ]) {
    const { exitCode, stderr } = await run(...command);
    expect({ exitCode, hint: stderr.includes(hint) }, command.join(' ')).toEqual({ exitCode: 1, hint: true });
  }
});

it('is told of a scene that was rendered and whose row does not pass "where" now', async () => {
  const products = (campaigns: string): string =>
    ['slug,campaign', ...campaigns.split(' ').map((campaign, at) => `${'abc'[at]},${campaign}`)].join('\n');
  const root = makeRepository({
    'videos/sale.yaml': `title: Sale
scenes:
  - template: small
    id: product
    each: {from: ../data/products.csv, where: {campaign: spring}, id: "\${slug}"}
    resources: {t_01: "\${slug}", c_01: "#EEADA7"}
`,
    'data/products.csv': products('spring spring winter'),
  });
  const plan = async (...flags: string[]): Promise<unknown[]> => {
    const { stdout } = await reelform(root, ['plan', '--json', ...flags]);
    const { changes } = JSON.parse(stdout) as PlanDocument;
    return changes.map(({ id, left_out }) => [id, left_out]);
  };
  expect(await plan()).toContainEqual(['sale', undefined]);
  expect(await reelform(root, ['apply', '--auto-approve'])).toMatchObject({ exitCode: 0 });

  writeFileSync(join(root, 'data/products.csv'), products('spring autumn winter'));
  const scene = 'product/b';
  const reason = 'its row does not pass "where": campaign is "autumn"';
  for (const flags of [[], [], ['--no-cache']]) expect(await plan(...flags)).toEqual([['sale', [{ scene, reason }]]]);
  const { stdout } = await reelform(root, ['plan']);
  const lines = stdout.split('\n').filter((line) => line.includes('product/'));
  expect(lines.map((line) => line.trim().replaceAll(/\s+/g, ' '))).toEqual([`${scene} left out: ${reason}`]);
});
