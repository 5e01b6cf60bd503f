import { describe, expect, it } from 'vitest';
import { sha256 } from '../../../src/digest.ts';
import { packParcel, unpackParcel } from '../../../src/session/parts/parcel.ts';
import { movingScene } from '../../engine/scenes.ts';

describe('unpackParcel()', () => {
  it('gives what was packed, byte arrays and all', () => {
    const font = { name: 'a', bytes: new Uint8Array([1, 2, 3]), isFallback: false };
    const scene = movingScene({ fonts: [font] });
    const { bytes, sha256: digest } = packParcel(scene);
    expect(unpackParcel(bytes, digest)).toEqual({ value: scene });
  });

  it('gives nothing of what is missing, cut short, changed, or no parcel at all', () => {
    const { bytes, sha256: digest } = packParcel({ build: 'a', part: [1, 2, 3] });
    const changed = Buffer.from(bytes);
    changed[changed.length - 2]! ^= 1;
    for (const other of [null, bytes.subarray(0, -1), changed]) expect(unpackParcel(other, digest)).toBeNull();
    const none = new TextEncoder().encode('none');
    expect(unpackParcel(none, sha256(none))).toBeNull();
  });
});
