import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { EditedRepository } from './edited-repository.ts';
import { EDITS, editAtRandom } from './random-edits.ts';
import { seededRandom } from './seeded-random.ts';
import { type Ran, reelform } from './test-io.ts';

const SETTLED = 'settled';

export interface ComparedPlans {
  readonly plans: number;
  /** Plans without changes, and plans that failed. */
  readonly empty: number;
  readonly failed: number;
  /** Kind of edit → how often it was made. */
  readonly edits: ReadonlyMap<string, number>;
  /** Each difference with the edits that led to it. */
  readonly differences: readonly string[];
}

/**
 * Edits a repository at random, and after every few edits plans twice with the plan cache and once without.
 *
 * @param planned makes a plan with the cache
 */
export async function comparePlans(
  seed: number,
  rounds: number,
  planned: (root: string, args: readonly string[]) => Promise<Ran> = reelform,
): Promise<ComparedPlans> {
  const random = seededRandom(seed);
  const repository = new EditedRepository(seed % 2 === 0 ? 'remote' : 'embedded');
  const names = Object.keys(EDITS);
  const edits = new Map<string, number>();
  const story: string[] = [];
  const differences: string[] = [];
  let [empty, failed, hasFailed] = [0, 0, false];
  let latest: string | null = null;
  /** Chooses edits: often one on a sound repository, else several on top of each other. */
  const chooseEdits = (): string[] => {
    const before = latest;
    if (before === SETTLED) {
      latest = random.pick(names);
      return [latest];
    }
    if (random.below(4) === 0) {
      latest = SETTLED;
      return ['reset', 'the journal goes', 'apply'];
    }
    // A failure persists and hides everything else until it is repaired.
    const mending = hasFailed ? ['put a file right', 'reset', 'another glob', 'the journal goes'] : [];
    // Often repeats the last edit: redirects a link twice, touches a file twice.
    const next = (): string => (random.below(3) === 0 && before !== null ? before : random.pick(names));
    const chosen = [...mending, ...Array.from({ length: 1 + random.below(2) }, next)];
    latest = chosen.at(-1)!;
    return random.below(3) === 0 ? [...chosen, 'apply'] : chosen;
  };
  await repository.apply();
  for (let round = 0; round < rounds && differences.length === 0; round++) {
    const chosen = chooseEdits();
    for (const name of chosen) {
      if (await editAtRandom(repository, name, random)) edits.set(name, (edits.get(name) ?? 0) + 1);
    }
    story.push(chosen.join(', '));
    const args = [
      'plan',
      ...random.pick([['--json'], [], ['--verbose'], ['--detailed-exitcode', '--ignore-missing-outputs']]),
    ];
    const remembered = [await planned(repository.root, args), await planned(repository.root, args)];
    const fresh = await reelform(repository.root, [...args, '--no-cache']);
    hasFailed = fresh.exitCode === 1;
    if (hasFailed) failed++;
    if (fresh.stdout.startsWith('No changes')) empty++;
    for (const [index, plan] of remembered.entries()) {
      if (JSON.stringify(plan) === JSON.stringify(fresh)) continue;
      const way = story.map((line, at) => `${at}: ${line}`).join('\n');
      differences.push(`seed ${seed}, plan ${index}\n${way}\n${show(plan)}\ninstead of\n${show(fresh)}`);
    }
  }
  rmSync(dirname(repository.root), { recursive: true, force: true });
  return { plans: story.length * 2, empty, failed, edits, differences };
}

function show({ exitCode, stdout, stderr }: Ran): string {
  return `${exitCode}\n${stdout}\n${stderr}`.slice(0, 3000);
}
