import { deserialize, serialize } from 'node:v8';
import { type Sha256, sha256 } from '../../digest.ts';

/** A value as bytes that lie somewhere until another process reads them, and the digest by which it knows them. */
export interface Parcel {
  readonly bytes: Uint8Array;
  readonly sha256: Sha256;
}

/**
 * Packs plain data: scenes and rendered parts, which are trees of values and byte arrays, in the form in which V8 sends
 * them between processes. That form has no check of its own, and is made for what one's own processes wrote: hence the
 * digest, which goes another way than the bytes (through the database) and vouches for every field of them.
 */
export function packParcel(value: unknown): Parcel {
  const bytes = serialize(value);
  return { bytes, sha256: sha256(bytes) };
}

/** @returns null for bytes that are missing, are not those that were packed, or were packed by a newer V8 */
export function unpackParcel<T>(bytes: Uint8Array | null, digest: Sha256): { readonly value: T } | null {
  if (bytes === null || sha256(bytes) !== digest) return null;
  try {
    return { value: deserialize(bytes) as T };
  } catch {
    return null;
  }
}
