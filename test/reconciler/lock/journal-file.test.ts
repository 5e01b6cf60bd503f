import { existsSync, statSync } from 'node:fs';
import { appendFile, mkdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { foldJournal } from '../../../src/reconciler/lock/fold-journal.ts';
import { type JournalRecord, parseJournal } from '../../../src/reconciler/lock/journal.ts';
import { type JournalFile, openJournalFile } from '../../../src/reconciler/lock/journal-file.ts';
import { emptyLock, type Lock, type LockEntry } from '../../../src/reconciler/lock/lock.ts';
import { runs } from '../../support/full-run.ts';
import { temporaryRepository } from '../../support/temporary-repository.ts';
import { intent, journalRecord } from './journal-arbitrary.ts';

const FILE = '.reelform/journal.ndjson';
const at = '2026-01-01T00:00:00.000Z';
const newPath = (): string => join(temporaryRepository({}), FILE);
const open = (path: string): Promise<JournalFile> => openJournalFile(path, { file: FILE });
const created = (key: string): JournalRecord => ({ type: 'created', key, session: `s-${key}`, at });
const rendering = { session: 's-k', video_url: 'https://x.test/v.mp4', thumbnails: [], rendered_at: at };
const lockWith = (digit: string): Lock => ({
  ...emptyLock,
  videos: new Map([['v', { fingerprint: intent('', digit).fingerprint, rendered_at: at } as LockEntry]]),
});

async function recordsOf(path: string): Promise<readonly JournalRecord[]> {
  return parseJournal(await readFile(path), FILE).records;
}

describe('openJournalFile()', () => {
  test('creates no file if nothing is written', async () => {
    const path = newPath();
    const journal = await open(path);
    await journal.compact(emptyLock);
    await journal.close();
    expect(journal.state.attempts.size).toBe(0);
    expect(existsSync(join(path, '..'))).toBe(false);
  });

  test('reads the lines written before', async () => {
    const path = newPath();
    const journal = await open(path);
    await journal.begin(intent('k'));
    await journal.append(created('k'));
    expect((await open(path)).state).toEqual(journal.state);
    expect(journal.state.attempts.get('k')).toMatchObject({ state: 'created', session: 's-k' });
  });

  test.each([
    ['an empty file', ''],
    ['anything else', 'PNG'],
  ])('refuses %s', async (_, text) => {
    const path = newPath();
    await mkdir(join(path, '..'));
    await writeFile(path, text);
    await expect(open(path)).rejects.toMatchObject({ code: 'journal_unreadable' });
  });

  test('refuses a folder', async () => {
    const path = newPath();
    await mkdir(path, { recursive: true });
    await expect(open(path)).rejects.toMatchObject({ code: 'journal_unreadable' });
  });
});

describe('JournalFile', () => {
  test('begin() lets one of several concurrent callers claim a fingerprint', async () => {
    const path = newPath();
    const journal = await open(path);
    const answers = await Promise.all(['a', 'b', 'c'].map((key) => journal.begin(intent(key))));
    expect(answers.map((answer) => answer?.intent.key ?? null)).toEqual([null, 'a', 'a']);
    expect(await recordsOf(path)).toHaveLength(1);
  });

  test('begin() can claim a fingerprint again once its attempt is closed', async () => {
    const journal = await open(newPath());
    await journal.begin(intent('a'));
    await journal.append({ type: 'failed', key: 'a', at });
    expect(await journal.begin(intent('b'))).toBeNull();
  });

  test('begin() lets one caller resend an attempt that may be retried, under the same key', async () => {
    const journal = await open(newPath());
    await journal.begin(intent('a'));
    await journal.append({ type: 'retry', key: 'a', at });
    const answers = await Promise.all([
      journal.begin(intent('b')),
      journal.begin({ ...intent('a'), run: 'run-2' }),
      journal.begin({ ...intent('a'), run: 'run-3' }),
    ]);
    expect(answers.map((answer) => answer && [answer.state, answer.intent.run])).toEqual([
      ['retry', 'run-1'],
      null,
      ['sending', 'run-2'],
    ]);
  });

  test('combines calls made during a write into the next one', async () => {
    const path = newPath();
    const journal = await open(path);
    await journal.begin(intent('k'));
    const { ino } = statSync(path);
    await Promise.all(Array.from({ length: 50 }, (_, index) => journal.append(created(`k${index}`))));
    expect(statSync(path).ino).toBe(ino);
    expect(await recordsOf(path)).toHaveLength(51);
  });

  test('cuts off a last line torn at any byte before appending', async () => {
    const path = newPath();
    const journal = await open(path);
    await journal.begin(intent('a', 'a'));
    const before = statSync(path).size;
    await journal.begin(intent('b', 'b'));
    const whole = await readFile(path);
    for (let length = before; length < whole.length; length++) {
      await writeFile(path, whole.subarray(0, length));
      const again = await open(path);
      expect([...again.state.attempts.keys()]).toEqual(['a']);
      await again.append(created('a'));
      expect((await recordsOf(path)).map(({ type }) => type)).toEqual(['intent', 'created']);
    }
  });

  test('keeps lines of another process intact and sees its attempts', async () => {
    const path = newPath();
    await (await open(path)).begin(intent('first', 'f'));
    await appendFile(path, '{"sum":');
    const [ours, theirs] = [await open(path), await open(path)];
    expect(await ours.begin(intent('a', 'a'))).toBeNull();
    expect(await theirs.begin(intent('b', 'a'))).toMatchObject({ intent: { key: 'a' } });
    await Promise.all(
      [ours, theirs].flatMap((journal, index) =>
        Array.from({ length: 50 }, (_, line) => journal.append(created(`${index}-${line}`))),
      ),
    );
    expect(await recordsOf(path)).toHaveLength(102);
    await ours.append({ type: 'failed', key: 'a', at });
    expect(await theirs.begin(intent('b', 'a'))).toBeNull();
  });

  test('continues a journal that another process created in the meantime', async () => {
    const path = newPath();
    const [ours, theirs] = [await open(path), await open(path)];
    await ours.begin(intent('a', 'a'));
    expect(await theirs.begin(intent('b', 'a'))).toMatchObject({ intent: { key: 'a' } });
  });

  test('fails if its file was removed, and records nothing', async () => {
    const path = newPath();
    const journal = await open(path);
    await journal.begin(intent('a', 'a'));
    await rm(path);
    await expect(journal.begin(intent('b', 'b'))).rejects.toMatchObject({ code: 'write_failed' });
    expect([...journal.state.attempts.keys()]).toEqual(['a']);
  });

  test('compact() drops closed and recorded attempts and keeps working', async () => {
    const path = newPath();
    const journal = await open(path);
    for (const [key, digit] of [
      ['a', 'a'],
      ['b', 'b'],
      ['c', 'c'],
    ] as const)
      await journal.begin(intent(key, digit));
    await journal.append({ type: 'rendered', key: 'a', rendering, at });
    await journal.append({ type: 'rendered', key: 'b', rendering, at });
    await journal.append({ type: 'failed', key: 'c', at });
    await Promise.all([journal.compact(lockWith('a')), journal.begin(intent('d', 'd'))]);
    expect([...journal.state.attempts.keys()]).toEqual(['b', 'd']);
    expect((await open(path)).state).toEqual(journal.state);
  });

  test('compact() leaves the file unchanged if there is nothing to drop', async () => {
    const path = newPath();
    const journal = await open(path);
    await journal.begin(intent('a'));
    const { ino, size } = statSync(path);
    await journal.compact(emptyLock);
    expect(statSync(path)).toMatchObject({ ino, size });
  });

  test('compact() refuses a damaged file', async () => {
    const path = newPath();
    const journal = await open(path);
    await journal.begin(intent('a'));
    await appendFile(path, 'damage\n');
    await expect(journal.compact(emptyLock)).rejects.toMatchObject({ code: 'journal_unreadable' });
    await truncate(path, statSync(path).size - 'damage\n'.length);
    await journal.append({ type: 'failed', key: 'a', at });
    await journal.compact(emptyLock);
    expect(await recordsOf(path)).toEqual([]);
  });

  test('keeps live attempts for any interleaving of writes, compactions and reopenings', async () => {
    const step = fc.oneof(
      { weight: 8, arbitrary: journalRecord },
      { weight: 1, arbitrary: fc.constantFrom('compact' as const, 'reopen' as const, 'together' as const) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
        const path = newPath();
        let journal = await open(path);
        let waiting: Promise<unknown>[] = [];
        const written: JournalRecord[] = [];
        for (const one of steps) {
          if (one === 'compact') waiting.push(journal.compact(emptyLock));
          else if (one !== 'together' && one !== 'reopen') {
            written.push(one);
            waiting.push(journal.append(one));
          } else {
            await Promise.all(waiting);
            waiting = [];
            if (one === 'reopen') journal = await open(path);
          }
        }
        await Promise.all(waiting);
        await journal.compact(emptyLock);
        const live = [...foldJournal(written).attempts.values()].filter(({ state }) => state !== 'closed');
        const found = [...(await open(path)).state.attempts.values()].filter(({ state }) => state !== 'closed');
        expect(found).toEqual(expect.arrayContaining(live));
      }),
      { numRuns: runs(60) },
    );
  });
});
