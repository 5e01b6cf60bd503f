import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../../src/kernel/digest.ts';
import { applyPlan } from '../../../src/reconciler/apply/apply-plan.ts';
import { liveAttempts } from '../../../src/reconciler/lock/fold-journal.ts';
import type { JournalRecord } from '../../../src/reconciler/lock/journal.ts';
import { type JournalFile, openJournalFile } from '../../../src/reconciler/lock/journal-file.ts';
import { emptyLock, type Lock } from '../../../src/reconciler/lock/lock.ts';
import { LockFile, readLock } from '../../../src/reconciler/lock/lock-file.ts';
import { serialiseLock } from '../../../src/reconciler/lock/lock-format.ts';
import { desiredVideo } from '../../../src/reconciler/plan/desired-video.ts';
import { planVideos } from '../../../src/reconciler/plan/plan-videos.ts';
import { writeFileAtomic } from '../../../src/reconciler/project/write-file.ts';
import { createHttpService } from '../../../src/reconciler/service-client/http-service.ts';
import { atEveryWriting, type DiskFault } from '../../support/faulty-disk.ts';
import { type InterfaceService, startInterfaceService } from '../../support/interface-service.ts';
import { temporaryRepository } from '../../support/temporary-repository.ts';
import { textVideo } from '../../support/text-video.ts';
import { entryOf, intent } from './journal-arbitrary.ts';

const at = '2026-01-01T00:00:00.000Z';
const DISKS: [DiskFault, boolean][] = [
  ['ENOSPC', false],
  ['ENOSPC', true],
  ['EIO', false],
  ['EIO', true],
];

const lockOf = (...digits: string[]): Lock => ({
  ...emptyLock,
  videos: new Map(digits.map((digit) => [digit, entryOf(digit)])),
});
const open = (path: string): Promise<JournalFile> => openJournalFile(path, { file: 'journal.ndjson' });

describe.each(DISKS)('on a disk that fails with %s (persistently: %s)', (fault, stays) => {
  test('the lockfile keeps its old or its new content and can be saved later', async () => {
    const writings = await atEveryWriting(fault, { stays }, async (run) => {
      const path = join(temporaryRepository({}), 'reelform.lock.json');
      writeFileSync(path, serialiseLock(lockOf('a')));
      const file = new LockFile(path, 'reelform.lock.json', lockOf('a'), writeFileAtomic);
      let error: unknown = null;
      const wasHit = await run(async () => {
        error = await file
          .update(() => lockOf('a', 'b'))
          .then(
            () => null,
            (thrown: unknown) => thrown,
          );
      });
      const told = readFileSync(path, 'utf8');
      expect([serialiseLock(lockOf('a')), serialiseLock(lockOf('a', 'b'))]).toContain(told);
      if (wasHit) expect(error).toMatchObject({ code: 'write_failed' });
      else expect(told).toBe(serialiseLock(lockOf('a', 'b')));
      await file.update(() => lockOf('a', 'b', 'c'));
      expect(readFileSync(path, 'utf8')).toBe(serialiseLock(lockOf('a', 'b', 'c')));
      return wasHit;
    });
    expect(writings).toBeGreaterThanOrEqual(5);
  });

  test('the journal stays readable and usable, with every confirmed line', async () => {
    const writings = await atEveryWriting(fault, { stays }, async (run) => {
      const path = join(temporaryRepository({}), '.reelform/journal.ndjson');
      const journal = await open(path);
      const kept: string[] = [];
      const steps: [string, () => Promise<unknown>][] = [
        ['a', () => journal.begin(intent('a', 'a'))],
        ['a created', () => journal.append({ type: 'created', key: 'a', session: 's', at })],
        ['b', () => journal.begin(intent('b', 'b'))],
        ['c', () => journal.begin(intent('c', 'c'))],
      ];
      const wasHit = await run(async () => {
        for (const [name, step] of steps) {
          await step().then(
            () => kept.push(name),
            (error: unknown) => expect(error).toMatchObject({ code: 'write_failed' }),
          );
        }
      });
      if (!wasHit) expect(kept).toHaveLength(steps.length);
      expect(namesOf(journal)).toEqual(expect.arrayContaining(kept.filter((name) => kept.includes(name.slice(0, 1)))));
      const read = namesOf(await open(path));
      expect(read).toEqual(expect.arrayContaining(namesOf(journal)));
      expect(await journal.begin(intent('d', 'd'))).toBeNull();
      expect(namesOf(await open(path))).toEqual(namesOf(journal));
      return wasHit;
    });
    expect(writings).toBeGreaterThanOrEqual(10);
  });

  test('compact() leaves the journal unchanged or compacted, and usable', async () => {
    const writings = await atEveryWriting(fault, { stays }, async (run) => {
      const path = join(temporaryRepository({}), '.reelform/journal.ndjson');
      const journal = await open(path);
      for (const key of ['a', 'b', 'c']) await journal.begin(intent(key, key));
      const rendering = { session: 's', video_url: 'https://x.test/v.mp4', thumbnails: [], rendered_at: at };
      await journal.append({ type: 'rendered', key: 'a', rendering, at });
      await journal.append({ type: 'failed', key: 'b', at });
      const beginning: (JournalRecord | null)[] = [];
      const wasHit = await run(async () => {
        await journal.compact(lockOf('a')).catch((error: unknown) => {
          expect(error).toMatchObject({ code: 'write_failed' });
          beginning.push(null);
        });
      });
      expect(beginning).toHaveLength(wasHit ? 1 : 0);
      expect([...liveAttempts((await open(path)).state).keys()]).toContain(intent('', 'c').fingerprint);
      expect(await journal.begin(intent('d', 'd'))).toBeNull();
      expect(await journal.begin(intent('c2', 'c'))).toMatchObject({ state: 'sending' });
      expect((await open(path)).state).toEqual(journal.state);
      return wasHit;
    });
    expect(writings).toBeGreaterThanOrEqual(5);
  });

  test('apply posts nothing without an intent on disk, and the next apply pays for nothing twice', async () => {
    const writings = await atEveryWriting(fault, { stays }, async (run, n) => {
      const server = await startInterfaceService({ looks: 1, keepsKeys: true });
      const root = temporaryRepository({});
      mkdirSync(join(root, '.reelform'));
      const wasHit = await run(() =>
        apply(root, server).catch((error: unknown) => expect(error).toMatchObject({ code: 'write_failed' })),
      );
      const { attempts } = (await open(join(root, '.reelform/journal.ndjson'))).state;
      for (const { method, headers } of server.seen) {
        if (method === 'POST') expect([...attempts.keys()], `writing ${n}`).toContain(headers['idempotency-key']);
      }
      await apply(root, server);
      const lock = await readLock(join(root, 'reelform.lock.json'), 'reelform.lock.json');
      expect(lock.ok && [...lock.value.videos.keys()].sort()).toEqual(VIDEOS.map(({ id }) => id));
      expect(server.sessions.size, `writing ${n}`).toBe(VIDEOS.length);
      await server.close();
      return wasHit;
    });
    expect(writings).toBeGreaterThanOrEqual(15);
  });
});

function namesOf({ state }: JournalFile): string[] {
  return [...state.attempts].flatMap(([key, attempt]) => [
    key,
    ...(attempt.session === null ? [] : [`${key} created`]),
  ]);
}

const VIDEOS = ['a', 'b'].map((id) => textVideo(id));

/** Does what the command does after reading the definitions, with a clock that runs a hundred times faster. */
async function apply(root: string, server: InterfaceService): Promise<void> {
  const path = join(root, 'reelform.lock.json');
  const lock = await readLock(path, 'reelform.lock.json');
  if (!lock.ok) throw new Error(lock.diagnostics[0]?.message);
  const journal = await open(join(root, '.reelform/journal.ndjson'));
  const wait = async (milliseconds: number, signal?: AbortSignal): Promise<void> => {
    await setTimeout(milliseconds / 100, undefined, signal === undefined ? {} : { signal });
  };
  const service = createHttpService({
    url: server.url,
    token: server.token,
    keyLifetimeMs: journal.state.services.get(server.url)?.keyLifetimeMs ?? 86_400_000,
    now: Date.now,
    monotonicNow: () => performance.now(),
    wait,
    random: () => 0.5,
  });
  const context = {
    service: service.name,
    styleVersions: { small: 'tsv_1' },
    renderEpoch: null,
    measures: null,
    assetDigest: () => sha256(''),
  };
  const plan = planVideos({
    desired: VIDEOS.map((video) => desiredVideo(video, context)),
    lock: lock.value,
    observations: { missingOutputs: new Set(), journal: journal.state },
  });
  const lockFile = new LockFile(path, 'reelform.lock.json', lock.value, writeFileAtomic);
  await applyPlan({
    plan,
    digestOf: () => undefined,
    service,
    concurrency: 2,
    signal: new AbortController().signal,
    detach: new AbortController().signal,
    deadlineMs: null,
    failFast: false,
    run: randomUUID(),
    onEvent: () => undefined,
    ports: {
      updateLock: (change) => lockFile.update(change),
      journal,
      writeCaptions: async () => undefined,
      deliverCaptions: async (_, { to }) => ({ to }),
      timelineOf: () => null,
      ensureStyleVersion: async () => undefined,
      probeUrl: async () => ({ kind: 'there', validator: null }),
      readSource: async () => new Uint8Array(),
      clock: { now: Date.now, monotonicNow: Date.now, wait },
      newKey: randomUUID,
    },
  });
}
