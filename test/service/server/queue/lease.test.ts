import { describe, expect, it, onTestFinished } from 'vitest';
import { keepLease, LeaseLost } from '../../../../src/service/server/queue/job-claims.ts';

function lease(renew: () => Promise<boolean>, lifetimeMs: number): Promise<LeaseLost> {
  return new Promise((resolve) => {
    const { release } = keepLease({ renew, everyMs: 2, lifetimeMs, onLost: resolve });
    onTestFinished(release);
  });
}

const HOUR_MS = 3_600_000;

describe('keepLease()', () => {
  it('is lost when another worker holds the job or the database is silent for too long', async () => {
    expect(await lease(async () => false, HOUR_MS)).toBeInstanceOf(LeaseLost);
    const refused = lease(() => Promise.reject(new Error('the database is away')), 10);
    const silent = lease(() => new Promise(() => undefined), 10);
    expect(await refused).toBeInstanceOf(LeaseLost);
    expect(await silent).toBeInstanceOf(LeaseLost);
  });

  it('is kept while it is renewed, even when a renewal comes late', async () => {
    const renewed: boolean[] = [];
    let isLost = false;
    await new Promise<void>((resolve) => {
      const { release } = keepLease({
        everyMs: 2,
        lifetimeMs: 0,
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
