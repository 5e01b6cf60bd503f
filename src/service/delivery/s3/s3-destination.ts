import {
  type DeliveredFile,
  type DeliverOptions,
  type Destination,
  publicUrlOf,
} from '../../../contract/destinations/destination.ts';
import { OrderedDigest, readRange } from '../read-delivered-file.ts';
import { sendParts } from './multipart-upload.ts';
import type { S3Bucket, S3ObjectFacts, S3ObjectKind } from './s3-bucket.ts';

/** Limits what a broken connection costs. */
const PIECE_BYTES = 8 * 2 ** 20;
/** Name of the metadata entry with the SHA-256 of the object. */
const DIGEST_METADATA = 'reelform-sha256';

interface S3DestinationOptions {
  /** Opens the bucket for each delivery; it is closed afterwards. */
  open(): Promise<S3Bucket>;
  readonly key: string;
  readonly publicUrl: string | null;
  /**
   * Larger files are sent in parts of this size; 8 MiB by default. S3 requires at least 5 MiB except for the last part.
   */
  readonly pieceBytes?: number;
}

/**
 * Writes an object of a bucket. It appears only when complete: the store verifies the MD5 of each part, and its size
 * and digest are checked at the end.
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
    const digest = new OrderedDigest();
    digest.add(0, bytes);
    await digest.check(file, 1, signal);
    await bucket.put(key, bytes, kind, signal);
  } else {
    const isSent = await sendParts({ bucket, key, file, kind, smallestPartBytes: pieceBytes }, options);
    // A missing upload may have been completed by an earlier request. Stores answer 403 instead of 404 if the key may
    // not list the bucket.
    if (!isSent && !isIt(await bucket.head(key, signal).catch(() => null), file)) {
      signal.throwIfAborted();
      throw bucket.failure('lost the data uploaded so far');
    }
  }
  const facts = await bucket.head(key, signal);
  if (facts !== null && isIt(facts, file)) return facts;
  throw bucket.failure('does not contain the file that was sent; another process may write to it');
}

function isIt(facts: S3ObjectFacts | null, { size, sha256 }: DeliveredFile): boolean {
  return facts !== null && facts.size === size && facts.metadata[DIGEST_METADATA] === sha256;
}
