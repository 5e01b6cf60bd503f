import { expect } from 'vitest';
import type { Lock } from '../../src/reconciler/lock/lock.ts';
import { emptyLock } from '../../src/reconciler/lock/lock.ts';
import { parseLock } from '../../src/reconciler/lock/lock-format.ts';
import { LOCK, type MergeFlow } from './merge-flow.ts';
import { startRunner } from './merge-runner.ts';
import { IS_WHOLE } from './proof.ts';

/** Counts of a proof of merges. */
export interface MergeFigures {
  merges: number;
  /** Started jobs, including those that only verify the end. */
  runs: number;
  kills: number;
  /** Jobs that were refused because main had moved on. */
  refused: number;
  /** Sessions that the service was paid for. */
  renders: number;
  /** Commits of the lockfile. */
  commits: number;
  /** Paid sessions beyond the first for the same text. */
  doubles: number;
  /** Wanted entries that disappeared from main's lockfile or are missing at the end. */
  lost: number;
  /** Entries that a commit reverted to the state of an earlier merge. */
  takenBack: number;
  /** Unwanted entries at the end. */
  orphans: number;
  /** Empty commits, and commits caused by a commit of the lockfile. */
  loops: number;
  /** Lockfiles on main that do not parse, and commits that touch any other file. */
  damaged: number;
}

export const CLEAN = { doubles: 0, lost: 0, takenBack: 0, orphans: 0, loops: 0, damaged: 0 } as const;

export function newMergeFigures(): MergeFigures {
  return { merges: 0, runs: 0, kills: 0, refused: 0, renders: 0, commits: 0, ...CLEAN };
}

/**
 * Checks all of main's history and the paid sessions against the merges, each of which uses unique texts. Then starts a
 * job for the last commit, with the token of an app; it must find nothing to do.
 *
 * @param options.startsJob false omits that job
 */
export async function expectSettled(
  flow: MergeFlow,
  figures: MergeFigures,
  { startsJob = IS_WHOLE }: { readonly startsJob?: boolean } = {},
): Promise<void> {
  const last = await auditHistory(flow, figures);
  const wanted = [...flow.wanted.values()].at(-1) ?? {};
  const texts = textsOf(last, flow);
  figures.lost += Object.entries(wanted).filter(([id, text]) => texts.get(id) !== text).length;
  figures.orphans += [...texts.keys()].filter((id) => !Object.hasOwn(wanted, id)).length;
  figures.merges += flow.wanted.size;

  const sessions = [...flow.service.sessions.values()];
  figures.renders += sessions.length;
  figures.doubles += sessions.length - new Set(sessions.map(({ title }) => title)).size;

  expect(figures).toMatchObject(CLEAN);
  if (!startsJob) return;
  const tip = await flow.remote.git('rev-parse', 'main');
  const next = await (await startRunner(flow, ['--commit=push', '--allow-empty'])).ended;
  figures.runs += 1;
  if ((await flow.remote.git('rev-parse', 'main')) !== tip || flow.service.sessions.size !== sessions.length) {
    figures.loops += 1;
  }
  expect(figures, JSON.stringify(next)).toMatchObject(CLEAN);
  expect(next).toMatchObject({ exitCode: 0 });
}

/** Walks over main, commit by commit. @returns its lockfile */
async function auditHistory(flow: MergeFlow, figures: MergeFigures): Promise<Lock> {
  const told = await flow.remote.git(
    'log',
    '--reverse',
    '--first-parent',
    '--raw',
    '--no-abbrev',
    '--format=%x01%H',
    'main',
  );
  const order = new Map([...flow.wanted.values()].flatMap(Object.values).map((text, index) => [text as string, index]));
  let wanted: Readonly<Record<string, string>> = {};
  let before = emptyLock;
  for (const block of told.split('\x01').filter((one) => one !== '')) {
    const [commit = '', ...changes] = block
      .trim()
      .split('\n')
      .filter((line) => line !== '');
    wanted = flow.wanted.get(commit) ?? wanted;
    const change = changes.find((line) => line.endsWith(`\t${LOCK}`));
    if (change === undefined) continue;
    figures.commits += 1;
    if (changes.length > 1) figures.damaged += 1;
    const lock = parseLock(await flow.remote.git('cat-file', 'blob', change.split(' ')[3]!), LOCK);
    if (!lock.ok) {
      figures.damaged += 1;
      continue;
    }
    const [was, is] = [textsOf(before, flow), textsOf(lock.value, flow)];
    const ids = [...new Set([...was.keys(), ...is.keys()])].filter((id) => was.get(id) !== is.get(id));
    if (ids.length === 0) figures.loops += 1;
    figures.lost += ids.filter((id) => was.has(id) && was.get(id) === wanted[id]).length;
    figures.takenBack += ids.filter((id) => order.get(is.get(id) ?? '')! < order.get(was.get(id) ?? '')!).length;
    before = lock.value;
  }
  return before;
}

/** Returns the rendered text of each id. */
function textsOf(lock: Lock, { service }: MergeFlow): Map<string, string> {
  return new Map([...lock.videos].map(([id, { session }]) => [id, service.sessions.get(session ?? '')?.title ?? '?']));
}
