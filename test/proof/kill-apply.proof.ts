import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { execa, type ResultPromise } from 'execa';
import pLimit from 'p-limit';
import { expect, it } from 'vitest';
import { bundleProgram, startChild } from '../support/child-program.ts';
import { gitIn } from '../support/git-repository.ts';
import {
  countPaid,
  expectWhole,
  KILLED_IMAGE,
  KILLED_STYLE_VERSION,
  type KillFigures,
  killSomewhere,
  makeRemoteRepository,
  makeScenesRepository,
  newFigures,
  resolveUnknown,
} from '../support/kill-figures.ts';
import type { KilledApplyOptions } from '../support/killed-apply.ts';
import type { KilledServiceOptions } from '../support/killed-service.ts';
import { count, tell } from '../support/proof.ts';
import { definition, makeFolder } from '../support/repository.ts';

/** Runs of the components of apply, composed as the command does, because starting the whole command dominates the time of a run. */
const PARTS_RUNS = count(1_900, 4);
/** Runs of the command itself. */
const COMMAND_RUNS = count(100, 2);
/** The same with videos of scenes. */
const SCENES_RUNS = count(100, 1);
/** Git repositories in which edits are applied and taken back, with up to `KILLS` kills in each of three phases. */
const HISTORY_RUNS = count(92, 2);
const VIDEOS = 6;
const KILLS = count(4, 2);
/** For two cores; a run spends half of its time waiting. */
const SIDE_BY_SIDE = 3;

const ROOT = join(import.meta.dirname, '../..');
const SUPPORT = join(ROOT, 'test/support');
const COMMAND = join(ROOT, 'dist/cli/main.js');
const calm = { lostAnswers: 0, refusals: 0, renderMs: 5 };
const rough = { lostAnswers: 0.15, refusals: 0.05, renderMs: 5 };
/** `isSaid`: reelform.yaml declares that keys are stored; otherwise the first answer shows it. */
type Variant = KilledServiceOptions & { readonly isSaid: boolean };

const VARIANTS: Readonly<Record<string, Variant>> = {
  'keys kept, as is said, 15 % of answers lost, 5 % 503': { keepsKeys: true, isSaid: true, ...rough },
  'keys kept, to be found out': { keepsKeys: true, isSaid: false, ...calm },
  'no keys': { keepsKeys: false, isSaid: false, ...calm },
  'no keys, 15 % of answers lost, 5 % 503': { keepsKeys: false, isSaid: false, ...rough },
};

const APPLYING = { reject: false, all: true } as const;
type Applying = ResultPromise<typeof APPLYING>;

/** A repository whose videos are applied until nothing is left to do. */
interface Subject {
  readonly options: KilledApplyOptions;
  /** Starts an apply. */
  start(): Applying;
  /** Approximate number of lines that it prints. */
  readonly lines: number;
}

async function inEveryVariant(
  runs: number,
  name: string,
  setUp: (url: string, prefix: string, isSaid: boolean) => Subject,
  more: Partial<KilledServiceOptions> = {},
): Promise<void> {
  const variants = Object.entries(VARIANTS).slice(0, runs);
  for (const [variant, options] of variants) {
    const service = await startChild(join(SUPPORT, 'killed-service.ts'), [JSON.stringify({ ...options, ...more })]);
    const url = (await service.line('listening ')).slice('listening '.length);
    const figures = newFigures();
    const limit = pLimit(SIDE_BY_SIDE);
    const numbers = Array.from({ length: runs / variants.length }, (_, index) => index);
    await Promise.all(
      numbers.map((index) => limit(() => untilDone(setUp(url, `${index} `, options.isSaid), `${index} `, figures))),
    );
    await service.kill();
    tell(`${name}, ${variant}: ${JSON.stringify(figures)}`);
  }
}

async function untilDone(subject: Subject, prefix: string, figures: KillFigures): Promise<void> {
  const { root, url, titles } = subject.options;
  await applyKilled(subject, figures);
  figures.runs += 1;
  figures.unfinished += readdirSync(root).filter((name) => name.startsWith('.unfinished-')).length;
  await expectWhole(root, await countPaid(url, prefix), titles, figures);
  rmSync(root, { recursive: true });
}

/** Starts an apply and kills it, until one finishes and leaves nothing to do. */
async function applyKilled({ options, start, lines }: Subject, figures: KillFigures): Promise<void> {
  for (let kills = 0, starts = 0; ; starts += 1) {
    const child = start();
    if (kills < KILLS && (starts === 0 || Math.random() < 0.8)) killSomewhere(child, child.all, lines);
    const { all, exitCode, signal } = await child;
    if (signal === 'SIGKILL') {
      kills += 1;
      figures.kills += 1;
      continue;
    }
    expect([0, 4], String(all)).toContain(exitCode);
    // Where keys are known to be stored, the next apply repeats the request without asking the user.
    if (!options.keepsKeys && (await resolveUnknown(options, figures))) continue;
    if (exitCode === 0) return;
  }
}

const titlesOf = (prefix: string): string[] => Array.from({ length: VIDEOS }, (_, index) => `${prefix}video ${index}`);

it(`kill -9 of the components of apply at random moments, restarted until done, ${PARTS_RUNS} runs: nothing is paid twice, lost or corrupt`, async () => {
  const program = await bundleProgram(join(SUPPORT, 'killed-apply.ts'), { isWhole: true });
  await inEveryVariant(PARTS_RUNS, 'parts', (url, prefix, keepsKeys) => {
    const root = makeFolder({ 'reelform.yaml': `service: {url: "${url}"}\ntemplates: {}\n` });
    mkdirSync(join(root, 'videos'));
    const world = { speed: 20, epochMs: Date.now() };
    const options: KilledApplyOptions = { root, url, journal: 'file', titles: titlesOf(prefix), keepsKeys, ...world };
    const args = [program, JSON.stringify(options)];
    return { options, lines: 25, start: () => execa(process.execPath, args, APPLYING) };
  });
});

it(`kill -9 of reelform apply at random moments, restarted until done, ${COMMAND_RUNS} runs: nothing is paid twice, lost or corrupt`, async () => {
  expect(existsSync(COMMAND), 'build first').toBe(true);
  await inEveryVariant(COMMAND_RUNS, 'command', (url, prefix, keepsKeys) => {
    const titles = titlesOf(prefix);
    const root = makeRemoteRepository(url, titles, { keepsKeys });
    const options: KilledApplyOptions = { root, url, journal: 'file', titles, keepsKeys, speed: 1, epochMs: 0 };
    return { options, lines: 35, start: () => startApply(root) };
  });
});

it(`kill -9 of reelform apply with videos of scenes, restarted until done, ${SCENES_RUNS} runs: nothing is paid twice, lost or corrupt`, async () => {
  expect(existsSync(COMMAND), 'build first').toBe(true);
  await inEveryVariant(
    SCENES_RUNS,
    'scenes',
    (url, prefix, keepsKeys) => {
      const titles = titlesOf(prefix);
      const root = makeScenesRepository(url, titles, { keepsKeys });
      const options: KilledApplyOptions = { root, url, journal: 'file', titles, keepsKeys, speed: 1, epochMs: 0 };
      return { options, lines: 35, start: () => startApply(root) };
    },
    { styleVersion: KILLED_STYLE_VERSION },
  );
});

function startApply(root: string): Applying {
  const run = execa({ ...APPLYING, cwd: root, env: { REELFORM_TOKEN: 'rf_token', CI: 'true' } });
  return run(COMMAND, ['apply', '--auto-approve']) as Applying;
}

it(`kill -9 of reelform apply while edits are applied and taken back, ${HISTORY_RUNS} git repositories: each content is paid once`, async () => {
  expect(existsSync(COMMAND), 'build first').toBe(true);
  const variants = Object.entries(VARIANTS).slice(0, HISTORY_RUNS);
  for (const [variant, options] of variants) {
    const service = await startChild(join(SUPPORT, 'killed-service.ts'), [JSON.stringify(options)]);
    const url = (await service.line('listening ')).slice('listening '.length);
    const figures = newFigures();
    const limit = pLimit(SIDE_BY_SIDE);
    const numbers = Array.from({ length: HISTORY_RUNS / variants.length }, (_, index) => index);
    await Promise.all(numbers.map((index) => limit(() => editAndTakeBack(url, `${index} `, options, figures))));
    await service.kill();
    tell(`history, ${variant}: ${JSON.stringify(figures)}`);
  }
});

/** Applies a repository, then other content of each video, then the first content again, which the history knows. */
async function editAndTakeBack(url: string, prefix: string, { isSaid }: Variant, figures: KillFigures): Promise<void> {
  const [first, edited] = ['', 'edited '].map((name) => titlesOf(`${prefix}${name}`)) as [string[], string[]];
  const root = makeRemoteRepository(url, first, { keepsKeys: isSaid });
  const { git, commit } = gitIn(root);
  await git('init', '--quiet', '--initial-branch=main');
  const wholes: { titles: string[]; paid: number }[] = [
    { titles: first, paid: VIDEOS },
    { titles: edited, paid: 2 * VIDEOS },
    { titles: first, paid: 2 * VIDEOS },
  ];
  for (const { titles, paid } of wholes) {
    const written = titles.map((title, index) => [`videos/video-${index}.yaml`, definition(title, KILLED_IMAGE)]);
    await commit({ ...Object.fromEntries(written), '.gitignore': '.reelform/\n' }, 'Write the definitions');
    const options: KilledApplyOptions = { root, url, journal: 'file', titles, keepsKeys: isSaid, speed: 1, epochMs: 0 };
    await applyKilled({ options, lines: 35, start: () => startApply(root) }, figures);
    await commit({}, 'Record the renderings');
    const sessions = await countPaid(url, prefix);
    await expectWhole(root, sessions, titles, figures);
    expect(sessions).toHaveLength(paid);
  }
  figures.runs += 1;
  rmSync(root, { recursive: true });
}
