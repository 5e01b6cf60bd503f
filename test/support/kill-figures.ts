import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ResultPromise } from 'execa';
import { expect } from 'vitest';
import { openJournal } from '../../src/cli/state/open-journal.ts';
import { readLock } from '../../src/reconciler/lock/lock-file.ts';
import { LOCK_FILE } from '../../src/reconciler/project/repository-layout.ts';
import type { KilledApplyOptions } from './killed-apply.ts';
import type { PaidSession } from './killed-service.ts';
import { definition, makeFolder, NO_LINT } from './repository.ts';
import { smallPackage, smallPackageFiles } from './small-package.ts';
import { reelform } from './test-io.ts';

/** Counts of a proof that kills processes. */
export interface KillFigures {
  runs: number;
  kills: number;
  renders: number;
  duplicates: number;
  lost: number;
  corrupt: number;
  /** Attempts that a person had to resolve. */
  unknown: number;
  /** Temporary files that a kill left unfinished. */
  unfinished: number;
}

export function newFigures(): KillFigures {
  return { runs: 0, kills: 0, renders: 0, duplicates: 0, lost: 0, corrupt: 0, unknown: 0, unfinished: 0 };
}

/**
 * Kills a process with SIGKILL a moment after a random line of its output.
 *
 * @param lines approximate number of lines that it prints
 */
export function killSomewhere(child: Pick<ResultPromise, 'kill' | 'once'>, output: Readable, lines: number): void {
  let left = Math.floor(Math.random() * (lines + 1));
  let timer: NodeJS.Timeout | null = null;
  output.on('data', (chunk: Buffer) => {
    left -= chunk.toString().split('\n').length - 1;
    if (left <= 0) timer ??= setTimeout(() => child.kill('SIGKILL'), Math.random() * 30);
  });
  child.once('exit', () => timer !== null && clearTimeout(timer));
}

/** Image editable of the definitions. */
export const KILLED_IMAGE = '  (Footage)/USER/photo.png: https://example.com/a.png\n';

/** A video of two scenes. */
function film(title: string): string {
  const scene = (id: string, more: string) =>
    `  - { id: ${id}, template: small, resources: { t_01: ${title}, c_01: "#EEADA7" }${more} }\n`;
  const last = scene('last', ', duration: 2, transition: { type: fade, duration: 0.3 }');
  return `title: ${title}\nscenes:\n${scene('first', '')}${last}`;
}

/** The answer of a service about the template of `makeScenesRepository`. */
export const KILLED_STYLE_VERSION = { ...smallPackage().spec, status: 'edit_ready', errors: [] };

/** Creates a repository of videos of scenes for `reelform apply`, whose template the service has. */
export function makeScenesRepository(url: string, titles: readonly string[], { keepsKeys = false } = {}): string {
  const said = keepsKeys ? ', capabilities: {idempotency_hours: 24}' : '';
  const template = [...smallPackageFiles()].map(([path, bytes]) => [`templates/small/${path}`, bytes] as const);
  return makeFolder({
    'reelform.yaml': `service: {url: "${url}"${said}}\ntemplates: {small: ./templates/small}\nconcurrency: 3\n${NO_LINT}`,
    ...Object.fromEntries(template),
    ...Object.fromEntries(titles.map((title, index) => [`videos/video-${index}.yaml`, film(title)])),
  });
}

/**
 * Creates a repository of these videos for `reelform apply`. @param options.keepsKeys whether reelform.yaml says that
 * the service keeps keys
 */
export function makeRemoteRepository(url: string, titles: readonly string[], { keepsKeys = false } = {}): string {
  const said = keepsKeys ? ', capabilities: {idempotency_hours: 24}' : '';
  return makeFolder({
    'reelform.yaml': `service: {url: "${url}"${said}}\ntemplates: {small: tsv_1}\nconcurrency: 3\n`,
    'schemas/small.spec.json': JSON.stringify({ style_version: { ...smallPackage().spec, id: 'tsv_1' } }),
    ...Object.fromEntries(
      titles.map((title, index) => [`videos/video-${index}.yaml`, definition(title, KILLED_IMAGE)]),
    ),
  });
}

/** Returns the sessions that the service was paid for whose titles start with `prefix`. */
export async function countPaid(url: string, prefix: string): Promise<readonly PaidSession[]> {
  const answer = await fetch(`${url}/paid?prefix=${encodeURIComponent(prefix)}`);
  return (await answer.json()) as PaidSession[];
}

/**
 * Resolves each unknown attempt by the service's record, as a person would.
 *
 * @returns whether there was one
 */
export async function resolveUnknown(
  { root, url, titles, journal: config, speed, epochMs }: KilledApplyOptions,
  figures: KillFigures,
): Promise<boolean> {
  const journal = await openJournal(root, { journal: config });
  const attempts = [...journal.state.attempts.values()];
  await journal.close();
  const known = new Set(attempts.map(({ session }) => session));
  const unknown = attempts.filter(({ state }) => state === 'sending' || state === 'unknown');
  for (const { intent } of unknown) {
    figures.unknown += 1;
    const title = titles[Number(intent.id.slice('video-'.length))]!;
    const nothing = Math.random() < 0.5 ? '--retry' : '--abandon';
    const resolve = async () => {
      const paid = (await countPaid(url, title)).find((one) => one.title === title && !known.has(one.id));
      const decision = paid === undefined ? [nothing] : ['--session', paid.id];
      return reelform(root, ['resolve', intent.id, ...decision, '--attempt', intent.key], {
        env: { REELFORM_TOKEN: 'rf_token' },
        now: () => epochMs + (Date.now() - epochMs) * speed,
      });
    };
    let said = await resolve();
    // The run that recorded it counts as running until its claim lapses.
    while (said.stderr.startsWith('error already_running')) {
      await sleep(100);
      said = await resolve();
    }
    expect(said).toMatchObject({ exitCode: 0, stderr: '' });
  }
  return unknown.length > 0;
}

/** Compares the lockfile and journal of a finished repository with the sessions that the service was paid for. */
export async function expectWhole(
  root: string,
  paid: readonly PaidSession[],
  titles: readonly string[],
  figures: KillFigures,
): Promise<void> {
  const lock = await readLock(join(root, LOCK_FILE), LOCK_FILE);
  if (!lock.ok) figures.corrupt += 1;
  const entries = lock.ok ? lock.value.videos : new Map<string, never>();
  for (const [index, title] of titles.entries()) {
    const renders = paid.filter((one) => one.title === title);
    figures.renders += renders.length;
    figures.duplicates += Math.max(0, renders.length - 1);
    const session = entries.get(`video-${index}`)?.session;
    if (!renders.some(({ id }) => id === session)) figures.lost += 1;
  }
  const { duplicates, lost, corrupt } = figures;
  expect({ duplicates, lost, corrupt }).toEqual({ duplicates: 0, lost: 0, corrupt: 0 });
}
