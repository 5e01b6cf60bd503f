import { Readable } from 'node:stream';
import { sha256 } from '../../digest.ts';
import type { S3Bucket } from './s3-bucket.ts';
import { sendParts } from './send-parts.ts';

/** Bytes. More in one request would take too long to send again. */
const SIZES = { oneRequest: 32 * 2 ** 20, part: 16 * 2 ** 20 };

/** Writes an object from memory: nobody sees a part of it, and nothing of it stays where that fails. @throws as `S3Bucket` */
export async function putWhole(
  bucket: S3Bucket,
  key: string,
  bytes: Uint8Array,
  sizes: typeof SIZES = SIZES,
): Promise<void> {
  if (bytes.length <= sizes.oneRequest) return await bucket.put(key, bytes);
  const file = {
    size: bytes.length,
    contentType: 'application/octet-stream',
    sha256: sha256(bytes),
    stream: ({ start, end } = { start: 0, end: bytes.length }) => Readable.from([bytes.subarray(start, end)]),
  };
  let uploadId = '';
  const delivering = {
    signal: new AbortController().signal,
    state: null,
    onState: async (state: unknown) => {
      uploadId = (state as { uploadId?: string } | null)?.uploadId ?? uploadId;
    },
  };
  try {
    const isSent = await sendParts({ bucket, key, file, kind: {}, smallestPartBytes: sizes.part }, delivering);
    if (!isSent && (await bucket.head(key))?.size !== bytes.length) throw bucket.failure('lost what was sent');
  } catch (error) {
    if (uploadId !== '') await bucket.abortParts(key, uploadId).catch(() => undefined);
    throw error;
  }
}
