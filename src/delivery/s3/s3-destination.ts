import { type DeliveredFile, type DeliverOptions, type Destination, publicUrlOf } from '../destination.ts';
import { PartsDigest, readRange } from '../read-delivered-file.ts';
import { sendParts } from './multipart-upload.ts';
import type { S3Bucket, S3ObjectFacts, S3ObjectKind } from './s3-bucket.ts';

/** So that a connection that breaks costs no more than this. */
const PIECE_BYTES = 8 * 2 ** 20;
/** Of the object, beside it: holds its SHA-256. */
export const DIGEST_METADATA = 'reelform-sha256';

export interface S3DestinationOptions {
  /** Opened for each delivery, and closed after it. */
  open(): Promise<S3Bucket>;
  readonly key: string;
  readonly publicUrl: string | null;
  /** Larger files go in parts of this size; 8 MiB unless told. S3 takes none below 5 MiB but for the last. */
  readonly pieceBytes?: number;
}

/**
 * An object of a bucket. It appears when all of it is there: the store holds each piece against its MD5, and is asked at
 * the end for size and digest of what it has.
 */
export function createS3Destination(to: S3DestinationOptions): Destination {
  return {
    async deliver(file, options) {
      options.signal.throwIfAborted();
      const bucket = await to.open();
      const { key, publicUrl } = to;
      try {
        const facts = await send(bucket, to, file, options);
        return { remoteId: facts.versionId ?? facts.etag.replaceAll('"', ''), url: publicUrlOf(publicUrl, key) };
      } finally {
        bucket.close();
      }
    },
  };
}

async function send(
  bucket: S3Bucket,
  { key, pieceBytes = PIECE_BYTES }: S3DestinationOptions,
  file: DeliveredFile,
  options: DeliverOptions,
): Promise<S3ObjectFacts> {
  const { signal } = options;
  const kind: S3ObjectKind = { contentType: file.contentType, metadata: { [DIGEST_METADATA]: file.sha256 } };
  if (file.size <= pieceBytes) {
    const bytes = await readRange(file, { start: 0, end: file.size }, signal);
    const digest = new PartsDigest();
    digest.add(0, bytes);
    await digest.check(file, 1, signal);
    await bucket.put(key, bytes, kind, signal);
  } else {
    const isSent = await sendParts({ bucket, key, file, kind, smallestPartBytes: pieceBytes }, options);
    // An upload that is gone may have come to its end without that anybody heard of it. Who may not list a bucket is told
    // of what is not there that it is forbidden.
    if (!isSent && !isIt(await bucket.head(key, signal).catch(() => null), file)) {
      signal.throwIfAborted();
      throw bucket.failure('has lost what was sent so far');
    }
  }
  const facts = await bucket.head(key, signal);
  if (facts !== null && isIt(facts, file)) return facts;
  throw bucket.failure('has another file under the key than was sent; somebody else may write to it');
}

function isIt(facts: S3ObjectFacts | null, { size, sha256 }: DeliveredFile): boolean {
  return facts !== null && facts.size === size && facts.metadata[DIGEST_METADATA] === sha256;
}
