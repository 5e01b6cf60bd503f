import { describe, expect, it, vi } from 'vitest';
import { Lane } from '../../../../src/service/server/queue/lane.ts';

const never = new AbortController().signal;

/** Returns whether a promise has already resolved. */
async function isDone(promise: Promise<unknown>): Promise<boolean> {
  let done = false;
  void promise.then(() => {
    done = true;
  });
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  return done;
}

describe('Lane', () => {
  it('limits an owner to the number of slots free beside it', () => {
    const lane = new Lane({ places: 4, isFair: true });
    expect(lane.isLimited).toBe(true);
    const first = lane.begin('acme');
    expect(lane.fullOwners()).toEqual([]);
    lane.begin('acme');
    expect(lane.fullOwners()).toEqual(['acme']);
    const other = lane.begin('other');
    expect(lane.fullOwners()).toEqual(['acme', 'other']);
    expect(lane.mayClaim()).toBe(true);
    other.end();
    first.end();
    expect(lane.fullOwners()).toEqual([]);
  });

  it('limits an owner to its own maximum', () => {
    const lane = new Lane({ places: 100, isFair: true, ownerPlaces: 2 });
    for (const owner of ['acme', 'other', 'acme']) lane.begin(owner);
    expect(lane.fullOwners()).toEqual(['acme']);
  });

  it('claims jobs for free slots only, and more while jobs prepare for too long', () => {
    vi.useFakeTimers();
    try {
      const lane = new Lane({ places: 8, slots: 2, isFair: true, patienceMs: 1_000 });
      const changed = vi.fn();
      lane.onChange = changed;
      for (const owner of ['acme', 'acme']) lane.begin(owner);
      expect([lane.mayClaim(), changed.mock.calls.length]).toEqual([false, 0]);
      vi.advanceTimersByTime(1_000);
      expect([lane.mayClaim(), changed.mock.calls.length]).toEqual([true, 2]);
      expect(lane.busySlots).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it('assigns slots by priority and skips aborted jobs', async () => {
    const lane = new Lane({ places: 8, slots: 1 });
    const [first, low, high, lost] = ['a', 'b', 'c', 'd'].map((owner, index) =>
      lane.begin(owner, [0, -9, -1, 0][index]),
    );
    await first!.takeSlot(never);
    const giveUp = new AbortController();
    const [lowGets, highGets, lostGets] = [low!.takeSlot(never), high!.takeSlot(never), lost!.takeSlot(giveUp.signal)];
    expect(lane.busySlots).toBe(4);
    giveUp.abort(new Error('canceled'));
    await expect(lostGets).rejects.toThrow('canceled');
    lost!.end();
    first!.end();
    expect([await isDone(highGets), await isDone(lowGets)]).toEqual([true, false]);
    high!.end();
    high!.end();
    expect(await isDone(lowGets)).toBe(true);
    low!.end();
    expect([lane.busySlots, lane.mayClaim()]).toEqual([0, true]);
  });
});
