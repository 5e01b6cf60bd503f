import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { execa } from 'execa';
import { afterEach, expect, it } from 'vitest';
import { makeCommits } from '../support/git-repository.ts';
import { count, tell } from '../support/proof.ts';
import { type Variants, type VariedRepository, VIDEOS, variedRepository } from '../support/rendered-variants.ts';
import { type SeededRandom, seededRandom } from '../support/seeded-random.ts';
import { reelform } from '../support/test-io.ts';

const KILLS = count(500, 4);
const MUTATIONS = count(1_000, 12);
/** Commits of the lockfile, more than a search without an index reads in a moment. */
const COMMITS = 250;
const CLI = join(import.meta.dirname, '../../dist/cli/main.js');
const [LOCK, INDEX] = ['reelform.lock.json', '.reelform/history.idx'];
/** Variants that the history has; one more was never rendered. */
const RENDERED = 8;

/** Burns a core while the shared flag is 1. */
const BURN = `
  const flag = new Int32Array(require('node:worker_threads').workerData);
  for (;;) if (Atomics.load(flag, 0) === 0) Atomics.wait(flag, 0, 0);
`;
const burners: Worker[] = [];
afterEach(() => Promise.all(burners.splice(0).map((burner) => burner.terminate())));

/** Starts threads, which unlike processes end with a run that is killed. */
function machineLoad(): { set(isOn: boolean): void } {
  const flag = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  burners.push(...Array.from({ length: 6 }, () => new Worker(BURN, { eval: true, workerData: flag.buffer })));
  return {
    set: (isOn) => {
      Atomics.store(flag, 0, isOn ? 1 : 0);
      Atomics.notify(flag, 0);
    },
  };
}

function anyVariants(random: SeededRandom, limit: number): Variants {
  return VIDEOS.map(() => random.below(limit));
}

/** @returns a repository whose history has the renderings of all variants but the last */
async function withHistory(random: SeededRandom): Promise<VariedRepository> {
  const repository = await variedRepository(RENDERED);
  const all = Array.from({ length: RENDERED }, (_, variant) => VIDEOS.map(() => variant));
  const versions = [...all, ...Array.from({ length: COMMITS }, () => anyVariants(random, RENDERED))];
  await makeCommits(repository, versions.length, (index) => repository.lockOf(versions[index]!));
  return repository;
}

/** Returns the plan, and the places of adopted renderings. */
async function planned({ root, service }: VariedRepository, ...flags: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await reelform(root, ['plan', '--json', ...flags], {
    env: { REELFORM_TOKEN: service.token },
  });
  expect(exitCode, stderr).toBe(0);
  return stdout;
}

it(`kill -9 of plan and apply, ${KILLS} times: no index pays for a video, adopts a wrong one or changes a plan`, async () => {
  expect(existsSync(CLI), 'build first').toBe(true);
  const random = seededRandom(33);
  const repository = await withHistory(random);
  const { root, service } = repository;
  const [index, lock] = [join(root, INDEX), join(root, LOCK)];
  const run = execa({ cwd: root, env: { REELFORM_TOKEN: service.token, CI: 'true' }, reject: false });
  const started = performance.now();
  repository.write(anyVariants(random, RENDERED));
  await run(process.execPath, [CLI, 'plan']);
  const spanMs = performance.now() - started;
  let [kills, rounds, whole, adopted] = [0, 0, 0, 0];
  while (kills < KILLS) {
    const variants = anyVariants(random, RENDERED);
    repository.write(variants);
    if (random.below(2) === 0) rmSync(index, { force: true });
    for (let attempt = 0; attempt < 3 && kills < KILLS; attempt++) {
      const args = random.pick([['plan'], ['apply', '--auto-approve']]);
      const child = run(process.execPath, [CLI, ...args]);
      await setTimeout(random.below(Math.ceil(spanMs * 1.2)));
      child.kill('SIGKILL');
      const { signal } = await child;
      if (signal === 'SIGKILL') kills += 1;
      if (existsSync(index)) whole += 1;
      expect(await planned(repository)).toBe(await planned(repository, '--no-cache'));
    }
    expect(await run(process.execPath, [CLI, 'apply', '--auto-approve'])).toMatchObject({ exitCode: 0 });
    expect(readFileSync(lock, 'utf8')).toBe(repository.lockOf(variants));
    adopted += VIDEOS.length;
    rounds += 1;
    await repository.commit({}, `Round ${rounds}`);
  }
  expect(service.count('POST /v2/render_sessions')).toBe(RENDERED * VIDEOS.length);
  tell(
    `${kills} kills in ${rounds} rounds: 0 paid, 0 of ${adopted} entries wrong; the index was there after ${whole} kills`,
  );
});

it(`${MUTATIONS} plan mutations under load and without it: equal plans`, async () => {
  const random = seededRandom(34);
  const repository = await withHistory(random);
  const { root } = repository;
  const load = machineLoad();
  const path = process.env.PATH ?? '';
  const slow = slowGit(root, path);
  const actions = new Map<string, number>();
  const renders = { none: 0, some: 0 };
  try {
    for (let mutation = 0; mutation < MUTATIONS; mutation++) {
      const name = random.pick(Object.keys(MUTATIONS_BY_NAME));
      await MUTATIONS_BY_NAME[name]!(repository, random);
      actions.set(name, (actions.get(name) ?? 0) + 1);
      const quiet = await planned(repository, ...random.pick([[], [], ['--no-cache']]));
      if (random.below(2) === 0) rmSync(join(root, INDEX), { force: true });
      load.set(true);
      // Now and then git takes longer than any time limit of a plan did.
      if (mutation % 100 === 0) process.env.PATH = slow;
      const loaded = await planned(repository, ...random.pick([[], [], ['--no-cache']]));
      process.env.PATH = path;
      load.set(false);
      expect(loaded, `mutation ${mutation}: ${name}`).toBe(quiet);
      const { estimate } = JSON.parse(quiet) as { estimate: { renders: number } };
      renders[estimate.renders === 0 ? 'none' : 'some'] += 1;
    }
  } finally {
    process.env.PATH = path;
  }
  tell(`${MUTATIONS} mutations (${[...actions].map(([name, times]) => `${times} × ${name}`).join(', ')}): equal plans`);
  tell(`${renders.none} of them paid for nothing, ${renders.some} rendered a new variant`);
  expect(Math.min(renders.none, renders.some)).toBeGreaterThan(0);
});

type Mutation = (repository: VariedRepository, random: SeededRandom) => unknown;

const MUTATIONS_BY_NAME: Readonly<Record<string, Mutation>> = {
  'earlier texts': (repository, random) => repository.write(anyVariants(random, RENDERED)),
  'earlier or new texts': (repository, random) => repository.write(anyVariants(random, RENDERED + 1)),
  'another lockfile': ({ root, lockOf }, random) =>
    writeFileSync(join(root, LOCK), lockOf(anyVariants(random, RENDERED))),
  'a commit of the lockfile': ({ commit, lockOf }, random) => commit({ [LOCK]: lockOf(anyVariants(random, RENDERED)) }),
  'a commit on another branch': async ({ git, commit, lockOf }, random) => {
    const name = `side-${random.below(1e6)}`;
    await git('checkout', '--quiet', '-b', name);
    await commit({ [LOCK]: lockOf(anyVariants(random, RENDERED)) });
    await git('checkout', '--quiet', 'main');
  },
  'a removed branch': async ({ git }) => {
    const names = (await git('branch', '--list', 'side-*', '--format=%(refname:short)')).split('\n');
    if (names[0]) await git('branch', '--quiet', '-D', names[0]);
  },
};

/** Returns a search path on which git starts after three seconds. */
function slowGit(root: string, path: string): string {
  const folder = join(root, '.reelform/slow');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'git'), `#!/bin/sh\nPATH='${path}'\nsleep 3\nexec git "$@"\n`);
  chmodSync(join(folder, 'git'), 0o755);
  return `${folder}:${path}`;
}
