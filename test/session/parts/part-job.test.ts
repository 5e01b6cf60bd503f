import { describe, expect, it } from 'vitest';
import { type PartJob, parsePartJob, partJobId } from '../../../src/session/parts/part-job.ts';

const OF = { session: 'rs_aB-9_', attempt: 12 };

describe('parsePartJob()', () => {
  it.each<[string, PartJob]>([
    ['rs_aB-9_/12/0', { ...OF, kind: 'part', part: 0 }],
    ['rs_aB-9_/12/join', { ...OF, kind: 'join' }],
    ['rs_aB-9_/12/wait-3', { ...OF, kind: 'wait', count: 3 }],
  ])('reads what partJobId() writes: %s', (id, job) => {
    expect(parsePartJob(id)).toEqual(job);
    expect(partJobId(job)).toBe(id);
  });

  it.each(['rs_aB-9_', 'rs_a/1', 'rs_a/1/', 'rs_a/x/1', 'rs_a/1/wait'])('has nothing to say of %s', (id) => {
    expect(parsePartJob(id)).toBeNull();
  });
});
