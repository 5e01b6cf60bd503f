import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { defined } from '../../../src/kernel/defined.ts';
import { FairQueue, type FairQueueOptions } from '../../../src/service/sessions/fair-queue.ts';
import { runs } from '../../support/full-run.ts';

/** Queue whose jobs run until the test ends them; records their start order. */
function watched(options: FairQueueOptions) {
  const queue = new FairQueue(options);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    queue,
    begun,
    async take(name: string, size = 0, signal?: AbortSignal): Promise<void> {
      const end = await queue.take(name[0]!, { size, ...defined({ signal }) });
      begun.push(name);
      ends.set(name, end);
    },
    async end(name: string): Promise<void> {
      ends.get(name)!();
      await settled();
    },
  };
}

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe('FairQueue', () => {
  it('gives one owner half of the slots and another owner a slot at once', async () => {
    const { begun, take } = watched({ places: 8 });
    for (let n = 0; n < 20; n++) void take(`a${n}`);
    await settled();
    expect(begun).toEqual(['a0', 'a1', 'a2', 'a3']);
    for (let n = 0; n < 3; n++) void take(`b${n}`);
    for (const owner of ['c', 'd', 'e']) void take(owner);
    await settled();
    expect(begun.slice(4)).toEqual(['b0', 'b1', 'c', 'd']);
  });

  it('gives a free slot to the owner that has waited longest since its last turn', async () => {
    const { begun, take, end } = watched({ places: 1 });
    for (const name of ['a0', 'a1', 'a2', 'b0', 'b1', 'c0']) void take(name);
    await settled();
    for (const name of ['a0', 'a1', 'b0', 'c0', 'a2', 'b1']) await end(name);
    expect(begun).toEqual(['a0', 'a1', 'b0', 'c0', 'a2', 'b1']);
  });

  it('shares capacity as it shares slots and runs oversized work alone', async () => {
    const { begun, take, end } = watched({ places: 8, capacity: 400 });
    void take('a0', 500);
    void take('b0', 1);
    await settled();
    expect(begun).toEqual(['a0']);
    await end('a0');
    void take('a1', 200);
    void take('a2', 1);
    void take('c0', 150);
    await settled();
    expect(begun).toEqual(['a0', 'b0', 'a1', 'c0']);
    await end('a1');
    expect(begun.at(-1)).toBe('a2');
  });

  it('rejects the waiting work of one owner beyond its limit without affecting others', async () => {
    const { begun, queue, take, end } = watched({ places: 1, maxWaiting: 2 });
    for (const name of ['a0', 'a1', 'a2']) void take(name);
    await expect(queue.take('a')).rejects.toMatchObject({ status: 429, code: 'rate_limited' });
    void take('b0');
    await settled();
    await end('a0');
    await end('a1');
    expect(begun).toEqual(['a0', 'a1', 'b0']);
  });

  it('removes waiting work whose signal is aborted', async () => {
    const { begun, queue, take, end } = watched({ places: 1 });
    const gone = new AbortController();
    void take('a0');
    const waiting = take('a1', 0, gone.signal);
    void take('b0');
    gone.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    await end('a0');
    expect(begun).toEqual(['a0', 'b0']);
    await expect(queue.take('a', { signal: gone.signal })).rejects.toThrow('gone');
  });

  it('rejects work that has waited too long', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { queue, take, begun, end } = watched({ places: 1, waitMs: 60_000 });
      await take('a0');
      const late = queue.take('b');
      const refused = expect(late).rejects.toMatchObject({ status: 503, code: 'unavailable' });
      vi.advanceTimersByTime(60_000);
      await refused;
      void take('c0');
      await end('a0');
      expect(begun).toEqual(['a0', 'c0']);
    } finally {
      vi.useRealTimers();
    }
  });

  it('run() releases its slot whether the work succeeds or fails', async () => {
    const { queue } = watched({ places: 1 });
    await expect(queue.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await queue.run('a', async () => 1)).toBe(1);
  });

  it('never exceeds its slots and completes all work', async () => {
    const jobs = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat({ max: 60 })), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(jobs, fc.integer({ min: 1, max: 5 }), async (work, places) => {
        const queue = new FairQueue({ places, capacity: 100 });
        let [atWork, size, done] = [0, 0, 0];
        await Promise.all(
          work.map(async ([owner, bytes]) => {
            const end = await queue.take(owner, { size: bytes });
            atWork += 1;
            size += bytes;
            expect(atWork).toBeLessThanOrEqual(places);
            expect(size).toBeLessThanOrEqual(100);
            await settled();
            atWork -= 1;
            size -= bytes;
            done += 1;
            end();
            end();
          }),
        );
        expect(done).toBe(work.length);
      }),
      { numRuns: runs(50) },
    );
  });
});
