import { describe, expect, it, onTestFinished } from 'vitest';
import { keepLease, LeaseLost } from '../../../src/server/queue/lease.ts';

function lease(renew: () => Promise<boolean>, lifetimeMs: number): Promise<LeaseLost> {
  return new Promise((resolve) => {
    const { release } = keepLease({ renew, everyMs: 2, lifetimeMs, onLost: resolve });
    onTestFinished(release);
  });
}

const HOUR_MS = 3_600_000;

describe('keepLease()', () => {
  it('is lost when the job is not ours any more, and when nobody can be asked for too long', async () => {
    expect(await lease(async () => false, HOUR_MS)).toBeInstanceOf(LeaseLost);
    const refused = lease(() => Promise.reject(new Error('the database is away')), 10);
    const silent = lease(() => new Promise(() => undefined), 10);
    expect(await refused).toBeInstanceOf(LeaseLost);
    expect(await silent).toBeInstanceOf(LeaseLost);
  });

  it('stays while it is renewed, also when its time had passed before that could be asked', async () => {
    const renewed: boolean[] = [];
    let isLost = false;
    await new Promise<void>((resolve) => {
      const { release } = keepLease({
        ...{ everyMs: 2, lifetimeMs: 0 },
        async renew() {
          if (renewed.push(true) === 5) resolve();
          return true;
        },
        onLost: () => {
          isLost = true;
        },
      });
      onTestFinished(release);
    });
    expect(isLost).toBe(false);
  });
});
