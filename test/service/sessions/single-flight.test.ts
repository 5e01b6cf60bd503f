import { describe, expect, it } from 'vitest';
import { createSingleFlight } from '../../../src/service/sessions/single-flight.ts';

/** Work that the test ends. */
function pendingWork() {
  const runs: { signal: AbortSignal; resolve: (value: string) => void; reject: (error: Error) => void }[] = [];
  const work = (signal: AbortSignal): Promise<string> =>
    new Promise((resolve, reject) => {
      runs.push({ signal, resolve, reject });
    });
  return { runs, work };
}

describe('createSingleFlight()', () => {
  const { signal } = new AbortController();

  it('runs once for concurrent callers and again for a later one', async () => {
    const fly = createSingleFlight<string>();
    const { runs, work } = pendingWork();
    const both = Promise.all([fly('a', signal, work), fly('a', signal, work)]);
    runs[0]!.resolve('done');
    expect(await both).toEqual(['done', 'done']);
    const later = fly('a', signal, work);
    runs[1]!.reject(new Error('no'));
    await expect(later).rejects.toThrow('no');
    expect(runs).toHaveLength(2);
  });

  it('runs different keys separately', async () => {
    const fly = createSingleFlight<string>();
    expect(await Promise.all([fly('a', signal, async () => '1'), fly('b', signal, async () => '2')])).toEqual([
      '1',
      '2',
    ]);
  });

  it('lets one caller leave and aborts when all have left', async () => {
    const fly = createSingleFlight<string>();
    const { runs, work } = pendingWork();
    const [first, second] = [new AbortController(), new AbortController()];
    const flights = [fly('a', first.signal, work), fly('a', second.signal, work)];
    first.abort(new Error('first'));
    await expect(flights[0]).rejects.toThrow('first');
    expect(runs[0]!.signal.aborted).toBe(false);
    second.abort(new Error('second'));
    await expect(flights[1]).rejects.toThrow('second');
    expect(runs[0]!.signal.aborted).toBe(true);
    const anew = fly('a', signal, work);
    runs[1]!.resolve('anew');
    expect(await anew).toBe('anew');
    runs[0]!.reject(new Error('heard by nobody'));
  });

  it('starts nothing for a caller whose signal is already aborted', async () => {
    const { runs, work } = pendingWork();
    await expect(createSingleFlight<string>()('a', AbortSignal.abort(new Error('gone')), work)).rejects.toThrow('gone');
    expect(runs).toEqual([]);
  });
});
