import {
  type DeliveredFile,
  type DeliverOptions,
  DeliveryFailure,
} from '../../../contract/destinations/destination.ts';
import type { Json } from '../../../kernel/digest.ts';
import { isRecord } from '../../../kernel/json.ts';
import { contentOf, streamContent } from '../../../kernel/read-source.ts';
import { type SourceBytes, sourceSha256 } from '../../../kernel/source-file.ts';
import { TemporaryFile } from '../../../kernel/temporary-file.ts';
import { sendPieces } from '../read-delivered-file.ts';
import type { S3Bucket, S3ObjectKind, S3Part } from './s3-bucket.ts';

interface SendPartsOptions {
  readonly bucket: S3Bucket;
  readonly key: string;
  readonly file: DeliveredFile;
  readonly kind: S3ObjectKind;
  /** Parts are larger if the file would need more than 10,000. */
  readonly smallestPartBytes: number;
}

/** Stored between attempts. */
interface UploadState {
  readonly uploadId: string;
  readonly partBytes: number;
  readonly sha256: string;
}

/** Limit of S3. */
const MAX_PARTS = 10_000;
const STEP_BYTES = 2 ** 20;

/**
 * Sends the parts of a file that earlier attempts did not store, and completes the upload.
 *
 * @returns false if the upload no longer exists, perhaps because it was completed. The next attempt starts over.
 */
export async function sendParts(options: SendPartsOptions, delivering: DeliverOptions): Promise<boolean> {
  const { bucket, key, file } = options;
  const { signal } = delivering;
  const known = readState(delivering.state, file);
  const there = known === null ? [] : await bucket.parts(key, known.uploadId, signal);
  if (known !== null && there === null) {
    await delivering.onState(null);
    return false;
  }
  const state = known ?? (await begin(options, delivering));
  const parts = await sendMissing(options, state, there ?? [], signal).catch(async (error: unknown) => {
    // Abandoned parts would cost money.
    if (error instanceof DeliveryFailure && !error.isRetryable) {
      await bucket.abortParts(key, state.uploadId).catch(() => undefined);
    }
    throw error;
  });
  if (parts !== null && (await bucket.completeParts(key, state.uploadId, parts, signal))) return true;
  await delivering.onState(null);
  return false;
}

async function begin(
  { bucket, key, file, kind, smallestPartBytes }: SendPartsOptions,
  { signal, onState }: DeliverOptions,
): Promise<UploadState> {
  const fewest = file.size / MAX_PARTS;
  const partBytes = fewest <= smallestPartBytes ? smallestPartBytes : Math.ceil(fewest / STEP_BYTES) * STEP_BYTES;
  const uploadId = await bucket.beginParts(key, kind, signal);
  const state = { uploadId, partBytes, sha256: file.sha256 };
  await onState(state);
  return state;
}

/** @returns all parts ordered by number; null if the upload no longer exists */
async function sendMissing(
  { bucket, key, file }: SendPartsOptions,
  { uploadId, partBytes }: UploadState,
  there: readonly S3Part[],
  signal: AbortSignal,
): Promise<S3Part[] | null> {
  const parts = await sendPieces(file, partBytes, signal, async ({ index, sizeBytes, read }) => {
    const number = index + 1;
    const known = there.find((part) => part.number === number && part.size === sizeBytes);
    return known ?? (await bucket.putPart(key, uploadId, { number, bytes: await read() }, signal));
  });
  return parts.every((part) => part !== null) ? parts : null;
}

/** Returns null for the state of another file. */
function readState(state: Json | null, { sha256 }: DeliveredFile): UploadState | null {
  if (!isRecord(state) || state.sha256 !== sha256) return null;
  const { uploadId, partBytes } = state;
  if (typeof uploadId !== 'string' || uploadId === '' || !Number.isSafeInteger(partBytes)) return null;
  return (partBytes as number) > 0 ? { uploadId, partBytes: partBytes as number, sha256 } : null;
}

/** Sizes in bytes. Larger requests would take too long to repeat. */
const SIZES = { oneRequest: 32 * 2 ** 20, part: 16 * 2 ** 20 };

/** Reads a source into memory. @throws Error for a file that has changed */
async function wholeOf(source: SourceBytes): Promise<Uint8Array> {
  const bytes = await contentOf(source);
  if (bytes === null) throw new Error('Internal error: a source changed before it was stored');
  return bytes;
}

/** Writes an object atomically. A failed multipart upload is aborted. @throws as `S3Bucket` */
export async function putObject(
  bucket: S3Bucket,
  key: string,
  content: SourceBytes | TemporaryFile,
  sizes: typeof SIZES = SIZES,
): Promise<void> {
  const isTemporary = content instanceof TemporaryFile;
  const size = isTemporary ? content.size : content.length;
  if (size <= sizes.oneRequest) {
    return await bucket.put(key, isTemporary ? await content.bytes() : await wholeOf(content));
  }
  const file = {
    size,
    contentType: 'application/octet-stream',
    sha256: isTemporary ? await content.sha256() : sourceSha256(content),
    stream: ({ start, end } = { start: 0, end: size }) =>
      isTemporary ? content.stream({ start, end }) : streamContent(content, start, end),
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
    if (!isSent && (await bucket.head(key))?.size !== size) throw bucket.failure('lost the uploaded data');
  } catch (error) {
    if (uploadId !== '') await bucket.abortParts(key, uploadId).catch(() => undefined);
    throw error;
  }
}
