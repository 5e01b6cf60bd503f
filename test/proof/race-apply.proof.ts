import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { bundleProgram, CAN_UNSHARE, startChild, UNSHARE } from '../support/child-program.ts';
import { cloneOf, type GitRepository, newRemote } from '../support/git-repository.ts';
import {
  countPaid,
  expectWhole,
  type KillFigures,
  killSomewhere,
  makeRemoteRepository,
  newFigures,
  resolveUnknown,
} from '../support/kill-figures.ts';
import type { KilledApplyOptions } from '../support/killed-apply.ts';
import type { KilledServiceOptions } from '../support/killed-service.ts';
import { count, tell } from '../support/proof.ts';

/** Rounds at each of two services. */
const ROUNDS = count(50, 1);
const RUNS = count(6, 2);
const VIDEOS = count(4, 2);
/** Kills per round. */
const KILLS = count(4, 1);

/** Rounds with two containers on one checkout. */
const CONTAINER_ROUNDS = count(20, 1);
const CONTAINER_VIDEOS = count(10, 2);
/** The first apply must not end before the other one starts, which takes seconds on a busy machine. */
const RENDER_MS = count(500, 3_000);

const SUPPORT = join(import.meta.dirname, '../support');
const COMMAND = join(import.meta.dirname, '../../dist/cli/main.js');
const BRANCH = 'reelform-journal';
const VARIANTS: readonly (readonly [string, KilledServiceOptions])[] = [
  ['keeps keys', { keepsKeys: true, lostAnswers: 0.1, refusals: 0.05, renderMs: 20 }],
  ['keeps none', { keepsKeys: false, lostAnswers: 0.1, refusals: 0, renderMs: 20 }],
];

it.each(VARIANTS)(
  `${RUNS} racing runs over one git remote, killed with kill -9, at a service that %s: each video is paid once and known to every run`,
  async (name, options) => {
    const program = await bundleProgram(join(SUPPORT, 'killed-apply.ts'), { isWhole: true });
    const service = await startChild(join(SUPPORT, 'killed-service.ts'), [JSON.stringify(options)]);
    const url = (await service.line('listening ')).slice('listening '.length);
    const figures = newFigures();
    for (let round = 0; round < ROUNDS; round++) await oneRound(`${round} `, program, url, figures);
    // Every run's lockfile was compared with the same renders.
    tell(`${name}, ${ROUNDS} rounds: ${JSON.stringify({ ...figures, renders: figures.renders / RUNS })}`);
  },
);

it.runIf(CAN_UNSHARE)(
  `two containers on one checkout, ${CONTAINER_ROUNDS} rounds: one applies, the other is rejected, and each video is paid once`,
  async () => {
    const options: KilledServiceOptions = { keepsKeys: false, lostAnswers: 0, refusals: 0, renderMs: RENDER_MS };
    const service = await startChild(join(SUPPORT, 'killed-service.ts'), [JSON.stringify(options)]);
    const url = (await service.line('listening ')).slice('listening '.length);
    const figures = newFigures();
    for (let round = 0; round < CONTAINER_ROUNDS; round++) {
      const titles = Array.from({ length: CONTAINER_VIDEOS }, (_, index) => `${round} video ${index}`);
      const root = makeRemoteRepository(url, titles);
      const first = applyInContainer(root);
      // In every other round the second one starts while the first waits for its videos.
      while (round % 2 === 1 && (await countPaid(url, `${round} `)).length === 0) await setTimeout(20);
      const ends = await Promise.all([first, applyInContainer(root)]);
      const refusals = ends.filter(({ exitCode }) => exitCode !== 0);
      expect(refusals.map(({ exitCode, all }) => [exitCode, all])).toEqual([
        [1, expect.stringMatching(/already_running: .*process 1 in another container/)],
      ]);
      figures.runs += 1;
      await expectWhole(root, await countPaid(url, `${round} `), titles, figures);
      rmSync(root, { recursive: true });
    }
    tell(`containers: ${JSON.stringify(figures)}`);
  },
);

function applyInContainer(root: string) {
  const env = { REELFORM_TOKEN: 'rf_token', CI: 'true' };
  const words = [...UNSHARE.slice(1), process.execPath, COMMAND, 'apply', '--auto-approve'];
  return execa(UNSHARE[0]!, words, { cwd: root, env, reject: false, all: true });
}

async function oneRound(prefix: string, program: string, url: string, figures: KillFigures): Promise<void> {
  const remote = await newRemote();
  const seed = await cloneOf(remote);
  const config = `service: {url: "${url}"}\ntemplates: {}\njournal: {git: ${BRANCH}}\n`;
  await seed.commit({ 'reelform.yaml': config, 'videos/.gitkeep': '' });
  await seed.git('push', '--quiet', 'origin', 'main');
  const clones = await Promise.all(Array.from({ length: RUNS }, () => cloneOf(remote, '--depth=1')));
  const titles = Array.from({ length: VIDEOS }, (_, index) => `${prefix}video ${index}`);
  // Short enough that claims of a dead run lapse within seconds.
  const world = { url, titles, keepsKeys: false, speed: 30, epochMs: Date.now() };
  const optionsOf = ({ root }: GitRepository): KilledApplyOptions => {
    return { root, journal: { branch: BRANCH, remote: 'origin' }, ...world };
  };
  const budget = { kills: KILLS };
  for (;;) {
    const ends = await Promise.all(clones.map((clone) => untilEnded(program, optionsOf(clone), budget, figures)));
    // No run is active any more, so a person can inspect the state.
    const wasUnknown = await resolveUnknown(optionsOf(clones[0]!), figures);
    if (!wasUnknown && ends.every((exitCode) => exitCode === 0)) break;
  }
  const paid = await countPaid(url, prefix);
  for (const { root } of clones) {
    figures.runs += 1;
    await expectWhole(root, paid, titles, figures);
  }
  for (const { root } of [remote, seed, ...clones]) rmSync(root, { recursive: true });
}

/** @returns the exit code of the run that was not killed */
async function untilEnded(
  program: string,
  options: KilledApplyOptions,
  budget: { kills: number },
  figures: KillFigures,
): Promise<number | undefined> {
  for (;;) {
    const child = execa(process.execPath, [program, JSON.stringify(options)], { reject: false, all: true });
    if (budget.kills > 0 && Math.random() < 0.5) {
      budget.kills -= 1;
      killSomewhere(child, child.all, 17);
    }
    const { all, exitCode, signal } = await child;
    if (signal === 'SIGKILL') {
      figures.kills += 1;
      continue;
    }
    expect([0, 4], all).toContain(exitCode);
    return exitCode;
  }
}
