import { readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { makePeers, type Peer } from './plan-peers.ts';
import { makeTree, pathOf } from './plan-tree.ts';
import { recordFigure } from './record-figure.ts';

/**
 * Measures a plan over generated definitions: without changes, after one edit, after touching all files, and without
 * the plan cache. Compares it with the time that other tools need to find nothing to do in the same tree. Measurements
 * alternate.
 * `npm run bench:plan [-- --rounds 9 --counts 1000,10000,100000 --no-turbo]`
 */
const CLI = join(process.cwd(), 'dist/cli/main.js');
const PLAN_CACHE = '.reelform/plan-cache.json';

const rounds = Number(option('--rounds') ?? 9);
const counts = (option('--counts') ?? '1000,10000').split(',').map(Number);

function option(name: string): string | undefined {
  const at = process.argv.indexOf(name);
  return at === -1 ? undefined : process.argv[at + 1];
}

/** Milliseconds of wall time. NODE_EXTRA_CA_CERTS is unset because it delays the start of Node 20 by 30 ms. */
async function timed({ command, args, cwd, env }: Peer, expected = ''): Promise<number> {
  const { NODE_EXTRA_CA_CERTS: _, ...own } = process.env;
  const started = performance.now();
  const { stdout } = await execa(command, args, { cwd, env: { ...own, NO_COLOR: '1', ...env }, extendEnv: false });
  const elapsedMs = performance.now() - started;
  if (!stdout.includes(expected)) throw new Error(`${command} ${args.join(' ')}: ${stdout.slice(0, 300)}`);
  return elapsedMs;
}

/** Peak resident memory in MB; null without GNU time. */
async function memoryOf({ command, args, cwd, env }: Peer): Promise<number | null> {
  const ran = await execa('/usr/bin/time', ['-f', '%M', command, ...args], { cwd, env: env ?? {}, reject: false });
  const kilobytes = Number(ran.stderr?.trim().split('\n').at(-1));
  return Number.isFinite(kilobytes) && kilobytes > 0 ? kilobytes / 1024 : null;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

async function measure(count: number): Promise<void> {
  const root = await makeTree(count);
  const peers = await makePeers(root, count, !process.argv.includes('--no-turbo'));
  const plan: Peer = { name: 'plan', command: process.execPath, args: [CLI, 'plan'], cwd: root };
  const times = new Map<string, number[]>();
  const note = (name: string, elapsedMs: number): void => {
    times.set(name, [...(times.get(name) ?? []), elapsedMs]);
  };
  const edited = join(root, pathOf(Math.floor(count / 2)));
  const text = readFileSync(edited, 'utf8');
  const settle = async (): Promise<void> => {
    // The second run comes when the files are old enough for the plan cache to trust their times.
    await timed(plan, 'No changes');
    await new Promise((resolve) => setTimeout(resolve, 50));
    await timed(plan, 'No changes');
    for (const peer of peers) if (peer.update !== undefined) await timed({ ...peer, args: peer.update });
  };
  await settle();
  for (let round = 0; round < rounds; round++) {
    for (const peer of peers) note(peer.name, await timed(peer));
    note('plan: nothing to do', await timed(plan, 'No changes'));
    writeFileSync(
      edited,
      text.replace('title: Video', `title: Round ${round} of video`).replace('Text of', `Text ${round} of`),
    );
    note('plan: one edit', await timed(plan, '1 to update'));
    writeFileSync(edited, text);
    await settle();
  }
  for (let round = 0; round < Math.min(rounds, 3); round++) {
    for (let index = 0; index < count; index++) utimesSync(join(root, pathOf(index)), round + 1, round + 1);
    note('plan: all touched', await timed(plan, 'No changes'));
    rmSync(join(root, PLAN_CACHE));
    note('plan: nothing remembered', await timed(plan, 'No changes'));
    note('plan: --no-cache', await timed({ ...plan, args: [...plan.args, '--no-cache'] }, 'No changes'));
  }
  await settle();
  const noop = median(times.get('plan: nothing to do')!);
  console.log(`\n${count} definitions, medians of ${rounds} rounds\n${'what'.padEnd(26)}      ms  to no-op   MB`);
  for (const [name, all] of times) {
    const peer = peers.find((one) => one.name === name) ?? (name === 'plan: nothing to do' ? plan : null);
    const memory = peer && (await memoryOf(peer));
    recordFigure(`${count.toLocaleString('en')} definitions`, name, `${median(all).toFixed(0)} ms`, median(all));
    const [ms, ratio] = [median(all).toFixed(1).padStart(8), (median(all) / noop).toFixed(2).padStart(8)];
    console.log(`${name.padEnd(26)}${ms}${ratio}${memory === null ? '' : memory.toFixed(0).padStart(6)}`);
  }
  rmSync(root, { recursive: true });
}

for (const count of counts) await measure(count);
