import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { type Api, openApi, untilEnded } from '../support/api.ts';
import { openFarm } from '../support/farm.ts';
import { farmSession } from '../support/farm-sessions.ts';
import { postgresPackage } from '../support/postgres-server.ts';
import { count, IS_WHOLE, percentile, tell } from '../support/proof.ts';
import { solidPng } from '../support/small-package.ts';

/**
 * Length of each turn of the victim's work, and number of quiet and attacked turns. They are short and alternate, so that
 * other work on the machine slows both alike.
 */
const SECONDS = count(6, 4);
const ROUNDS = count(16, 2);
/** A shared machine with few turns gives rough figures, so the loose bound only catches work that waits for an attacker. */
const BOUND = IS_WHOLE ? { factor: 2, extraMs: 10 } : { factor: 6, extraMs: 8_000 };
const ATTACKS = ['null', 'node', 'noise', 'setsid', 'attributes'] as const;
const PHOTO = '(Footage)/USER/photo.png';
const SESSIONS = '/v2/render_sessions';
/** The installation to attack; the one that was built here by default. */
const DIST = process.env.REELFORM_DIST ?? join(import.meta.dirname, '../../dist');

const folder = mkdtempSync(join(tmpdir(), 'reelform-taken-over-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const secret = join(folder, 'secret.txt');
const sleeper = `sleeper-of-${process.pid}`;
let number = 0;

/** Copies the built program with render processes that files can take over. @returns the program's file */
function installation(name: 'serve' | 'worker'): string {
  const root = join(folder, name);
  cpSync(DIST, join(root, 'dist'), { recursive: true });
  cpSync(join(import.meta.dirname, '../../package.json'), join(root, 'package.json'));
  symlinkSync(join(import.meta.dirname, '../../node_modules'), join(root, 'node_modules'));
  const hostile = readFileSync(join(import.meta.dirname, '../support/taken-over.cjs'), 'utf8');
  const processes = join(root, 'dist/service/sessions/processes');
  writeFileSync(join(processes, 'taken-over.cjs'), hostile.replace('@installation', name));
  const child = join(processes, 'render-process.cjs');
  writeFileSync(child, `require('./taken-over.cjs');\n${readFileSync(child, 'utf8')}`);
  return join(root, 'dist/cli/main.js');
}

/** A picture that has never been uploaded, with the mark of an attack after its end. */
function picture(mark = ''): Uint8Array {
  return Buffer.concat([solidPng(`#${(++number).toString(16).padStart(6, '0')}`), Buffer.from(mark)]);
}
const marked = (name: 'serve' | 'worker', attack: (typeof ATTACKS)[number]): Uint8Array =>
  picture(`TAKE OVER ${name} ${attack} ${attack === 'setsid' ? sleeper : secret}\0`);

const upload = (api: Api, body: Uint8Array) =>
  api('POST', '/v2/source_uploads', { body, headers: { 'content-type': 'image/png' } });

function session(photo: string | null): object {
  const { title, mapping } = farmSession('short', ++number);
  const resources = photo === null ? {} : { [PHOTO]: { source: { remote_url: photo } } };
  return { title, render: 'preview', mapping: { ...mapping, resources: { ...mapping.resources, ...resources } } };
}

/** Work of the victim: every call has to succeed. @returns the times of its requests and of its renders */
async function work(api: Api): Promise<{ requests: number[]; renders: number[] }> {
  const until = performance.now() + SECONDS * 1000;
  const [requests, renders]: [number[], number[]] = [[], []];
  const timed = async <T>(times: number[], call: () => Promise<T>): Promise<T> => {
    const at = performance.now();
    const result = await call();
    times.push(performance.now() - at);
    return result;
  };
  const read = async (): Promise<void> => {
    while (performance.now() < until) {
      expect((await timed(requests, () => api('GET', `${SESSIONS}?limit=20`))).status).toBe(200);
      expect((await timed(requests, () => upload(api, picture()))).status).toBe(201);
      await sleep(20);
    }
  };
  const render = async (): Promise<void> => {
    while (performance.now() < until) {
      await timed(renders, async () => {
        const { status, body } = await api('POST', SESSIONS, { body: session(null) });
        expect(status).toBe(201);
        const ended = await untilEnded(api, body.render_session.id);
        expect([ended.status, ended.errors]).toEqual(['preview_rendered', []]);
      });
    }
  };
  await Promise.all([read(), render()]);
  return { requests, renders };
}

/** Takes over processes of the service and of the worker, one attack after the other, until it is stopped. */
function attack(api: Api): { stop(): Promise<number> } {
  let isOver = false;
  let sent = 0;
  const repeat = async (once: (attack: (typeof ATTACKS)[number]) => Promise<unknown>): Promise<void> => {
    for (let index = 0; !isOver; index++) {
      await once(ATTACKS[index % ATTACKS.length]!);
      sent += 1;
    }
  };
  const onServe = repeat(async (kind) => {
    const answer = await upload(api, marked('serve', kind));
    expect([kind, answer.status]).toEqual([kind, 422]);
  });
  const onWorker = repeat(async (kind) => {
    const { body } = await upload(api, marked('worker', kind));
    const created = await api('POST', SESSIONS, { body: session(body.remote_url) });
    const ended = await untilEnded(api, created.body.render_session.id);
    expect([kind, ended.status]).toEqual([kind, 'preview_failed']);
  });
  return {
    async stop() {
      isOver = true;
      await Promise.all([onServe, onWorker]);
      return sent;
    },
  };
}

/** Returns the ids of processes whose command contains a text. */
function processesWith(text: string): string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'latin1').includes(text);
    } catch {
      return false;
    }
  });
}

const canRun = postgresPackage() !== null && process.platform === 'linux';
it.skipIf(!canRun)('a process that is taken over ends alone, in the service and in a worker', async () => {
  writeFileSync(secret, 'secret');
  const farm = await openFarm({
    concurrency: 0,
    program: installation('serve'),
    env: { REELFORM_TENANT_CONCURRENCY: '1' },
  });
  onTestFinished(async () => void (await farm.close()));
  const program = installation('worker');
  const workers = [await farm.hire('first', { program }), await farm.hire('second', { program })];
  const pids = workers.map((worker) => worker.pid());
  const [victim, attackers] = [await farm.token('victim'), await farm.token('attackers')];
  const [api, hostile] = [openApi(farm.url, victim), openApi(farm.url, attackers)];
  await work(api);
  const figures = {
    requests: { quiet: [] as number[], attacked: [] as number[] },
    renders: { quiet: [] as number[], attacked: [] as number[] },
  };
  for (let round = 0; round < ROUNDS; round++) {
    const states = ['quiet', 'attacked'] as const;
    for (const state of round % 2 === 0 ? states : states.toReversed()) {
      const attacking = state === 'attacked' ? attack(hostile) : null;
      const { requests, renders } = await work(api);
      figures.requests[state].push(...requests);
      figures.renders[state].push(...renders);
      if (attacking !== null)
        tell(`round ${round + 1}: ${renders.length} renders beside ${await attacking.stop()} attacks`);
    }
  }
  // Neither ended, and no session of the victim was started twice.
  expect(workers.map((worker) => worker.pid())).toEqual(pids);
  const attempts = await farm.records.query<{ attempt: number }>(
    `select distinct attempt from reelform.sessions where tenant = 'victim' order by attempt`,
  );
  expect(attempts).toEqual([{ attempt: 1 }]);
  expect(processesWith(sleeper)).toEqual([]);
  const attributes = await execa('lsattr', [secret], { reject: false });
  expect(attributes.stdout ?? '').not.toMatch(/^\S*d/);
  for (const [what, { quiet, attacked }] of Object.entries(figures)) {
    for (const share of [0.5, 0.9]) {
      const [usual, under] = [percentile(quiet, share), percentile(attacked, share)];
      tell(`${what}: p${share * 100} ${under.toFixed(0)} ms, quiet ${usual.toFixed(0)} ms`);
    }
    const [before, meanwhile] = [percentile(quiet, 0.99), percentile(attacked, 0.99)];
    const ratio = (meanwhile / before).toFixed(2);
    const counts = `${attacked.length} and ${quiet.length} times`;
    tell(`${what}: p99 ${meanwhile.toFixed(0)} ms, quiet ${before.toFixed(0)} ms, ratio ${ratio}, of ${counts}`);
    expect(meanwhile).toBeLessThan(BOUND.factor * before + BOUND.extraMs);
  }
  const { codes, orphans } = await farm.close();
  expect({ codes, orphans }).toEqual({ codes: [0, 0, 0], orphans: 0 });
});
