import { describe, expect, it } from 'vitest';
import { sha256 } from '../../../../src/kernel/digest.ts';
import {
  type ChunkJob,
  chunkJobId,
  packPayload,
  parseChunkJob,
  unpackPayload,
} from '../../../../src/service/sessions/segments/distributed-renders.ts';
import { movingInput } from '../../../engine/inputs.ts';

describe('unpackPayload()', () => {
  it('round-trips an input with its byte arrays', () => {
    const font = { name: 'a', bytes: new Uint8Array([1, 2, 3]), isFallback: false };
    const renderInput = movingInput({ fonts: [font] });
    const { bytes, sha256: digest } = packPayload(renderInput);
    expect(unpackPayload(bytes, digest)).toEqual({ value: renderInput });
  });

  it('returns null for missing, truncated, modified or foreign bytes', () => {
    const { bytes, sha256: digest } = packPayload({ build: 'a', chunk: [1, 2, 3] });
    const changed = Buffer.from(bytes);
    changed[changed.length - 2]! ^= 1;
    for (const other of [null, bytes.subarray(0, -1), changed]) expect(unpackPayload(other, digest)).toBeNull();
    const none = new TextEncoder().encode('none');
    expect(unpackPayload(none, sha256(none))).toBeNull();
  });
});

const OF = { session: 'rs_aB-9_', attempt: 12 };

describe('parseChunkJob()', () => {
  it.each<[string, ChunkJob]>([
    ['rs_aB-9_/12/0', { ...OF, kind: 'chunk', chunk: 0 }],
    ['rs_aB-9_/12/join', { ...OF, kind: 'join' }],
    ['rs_aB-9_/12/wait-3', { ...OF, kind: 'wait', count: 3 }],
  ])('reads what partJobId() writes: %s', (id, job) => {
    expect(parseChunkJob(id)).toEqual(job);
    expect(chunkJobId(job)).toBe(id);
  });

  it.each(['rs_aB-9_', 'rs_a/1', 'rs_a/1/', 'rs_a/x/1', 'rs_a/1/wait'])('returns null for %s', (id) => {
    expect(parseChunkJob(id)).toBeNull();
  });
});
