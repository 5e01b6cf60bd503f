import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import { DeliveryFailure, type FailureKind, OTHER_BYTES } from '../../../contract/destinations/destination.ts';
import { defined } from '../../../kernel/defined.ts';
import { isRecord } from '../../../kernel/json.ts';

type S3Sdk = typeof import('./s3-sdk.ts');

/** Properties of an object. */
export interface S3ObjectFacts {
  /** Bytes. */
  readonly size: number;
  /** Includes the quotes. */
  readonly etag: string;
  /** Keys are lower case. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly versionId: string | null;
}

export interface S3ObjectKind {
  readonly contentType?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

/** A stored part of a multipart upload. */
export interface S3Part {
  /** Counted from 1. */
  readonly number: number;
  readonly etag: string;
  readonly size: number;
}

interface ListedObject {
  readonly key: string;
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number;
}

interface S3BucketParts {
  readonly sdk: S3Sdk;
  readonly client: S3Client;
  readonly bucket: string;
  /** Name of the bucket in messages. */
  readonly place: string;
}

/** Limit of one DeleteObjects request. */
const REMOVED_AT_ONCE = 1000;
/** Consecutive attempts without receiving a byte before a stream fails. */
const STREAM_ATTEMPTS = 3;

/**
 * Client for the S3 calls that deliveries and storage need, with retries.
 *
 * All methods throw DeliveryFailure, or the signal's reason when it is aborted.
 */
export class S3Bucket {
  readonly #parts: S3BucketParts;

  constructor(parts: S3BucketParts) {
    this.#parts = parts;
  }

  /** Writes an object in one request; the store verifies its MD5. */
  async put(key: string, bytes: Uint8Array, kind: S3ObjectKind = {}, signal?: AbortSignal): Promise<void> {
    const command = new this.#parts.sdk.PutObjectCommand({ ...this.#at(key), ...kindOf(kind), ...bodyOf(bytes) });
    await this.#try(() => this.#parts.client.send(command, optionsOf(signal)), signal);
  }

  /** Null when it is not there. */
  async head(key: string, signal?: AbortSignal): Promise<S3ObjectFacts | null> {
    const command = new this.#parts.sdk.HeadObjectCommand(this.#at(key));
    const answer = await this.#try(() => this.#parts.client.send(command, optionsOf(signal)), signal, isGone);
    if (answer === null) return null;
    const { ContentLength: size = 0, ETag: etag = '', Metadata: metadata = {}, VersionId: versionId } = answer;
    return { size, etag, metadata, versionId: versionId ?? null };
  }

  /** @returns null if it is missing or has more than `maxBytes` */
  async get(key: string, maxBytes = Number.POSITIVE_INFINITY, signal?: AbortSignal): Promise<Buffer | null> {
    const command = new this.#parts.sdk.GetObjectCommand(this.#at(key));
    const read = async (): Promise<Buffer | null> => {
      const { Body, ContentLength = 0 } = await this.#parts.client.send(command, optionsOf(signal));
      if (ContentLength > maxBytes) {
        (Body as Readable).destroy();
        return null;
      }
      return Buffer.from((await Body?.transformToByteArray()) ?? []);
    };
    return await this.#try(read, signal, isGone);
  }

  /**
   * Streams an object and resumes after a broken connection. The first request is sent when the stream is read.
   *
   * @param range half-open
   */
  stream(key: string, range?: { readonly start: number; readonly end: number }): Readable {
    if (range !== undefined && range.end <= range.start) return Readable.from([]);
    return Readable.from(this.#pieces(key, range), { objectMode: false });
  }

  async *#pieces(key: string, range?: { readonly start: number; readonly end: number }): AsyncGenerator<Buffer> {
    let start = range?.start ?? 0;
    let end = range?.end;
    let etag: string | undefined;
    for (let failures = 0; end === undefined || start < end; ) {
      const command = new this.#parts.sdk.GetObjectCommand({
        ...this.#at(key),
        ...(end === undefined ? {} : { Range: `bytes=${start}-${end - 1}` }),
        ...defined({ IfMatch: etag }),
      });
      try {
        const answer = await this.#parts.client.send(command);
        etag ??= answer.ETag;
        end ??= answer.ContentLength;
        for await (const piece of answer.Body as Readable as AsyncIterable<Buffer>) {
          start += piece.length;
          failures = 0;
          yield piece;
        }
        if (end === undefined || start >= end) return;
      } catch (error) {
        const failure = s3Failure(error, this.#parts.place);
        if (!failure.isRetryable || failures + 1 >= STREAM_ATTEMPTS) throw failure;
      }
      if (++failures >= STREAM_ATTEMPTS) throw this.failure('ended its response too early');
    }
  }

  /** Lists objects below a prefix, page by page, ordered by key. */
  async *list(prefix: string): AsyncGenerator<readonly ListedObject[]> {
    let token: string | undefined;
    do {
      const command = new this.#parts.sdk.ListObjectsV2Command({
        Bucket: this.#parts.bucket,
        Prefix: prefix,
        ...defined({ ContinuationToken: token }),
      });
      const answer = await this.#try(() => this.#parts.client.send(command));
      yield (answer.Contents ?? []).map(({ Key: key = '', LastModified }) => ({
        key,
        modifiedAt: LastModified?.getTime() ?? 0,
      }));
      token = answer.IsTruncated === true ? answer.NextContinuationToken : undefined;
    } while (token !== undefined);
  }

  /** Removes objects; missing ones are ignored. */
  async remove(keys: readonly string[]): Promise<void> {
    for (let start = 0; start < keys.length; start += REMOVED_AT_ONCE) {
      await this.#removeSome(keys.slice(start, start + REMOVED_AT_ONCE));
    }
  }

  async #removeSome(keys: readonly string[]): Promise<void> {
    const command = new this.#parts.sdk.DeleteObjectsCommand({
      Bucket: this.#parts.bucket,
      Delete: { Objects: keys.map((Key) => ({ Key })), Quiet: true },
    });
    const answer = await this.#try(() => this.#parts.client.send(command), undefined, isUnsupported);
    // Some stores only remove single objects.
    if (answer === null) {
      for (const key of keys) {
        await this.#try(
          () => this.#parts.client.send(new this.#parts.sdk.DeleteObjectCommand(this.#at(key))),
          undefined,
          isGone,
        );
      }
      return;
    }
    const refused = answer.Errors?.[0];
    if (refused !== undefined) throw s3Failure(Object.assign(new Error(), { name: refused.Code }), this.#parts.place);
  }

  /** Starts a multipart upload. @returns its id */
  async beginParts(key: string, kind: S3ObjectKind, signal: AbortSignal): Promise<string> {
    const command = new this.#parts.sdk.CreateMultipartUploadCommand({ ...this.#at(key), ...kindOf(kind) });
    const { UploadId = '' } = await this.#try(() => this.#parts.client.send(command, optionsOf(signal)), signal);
    return UploadId;
  }

  /** @returns null if the upload no longer exists */
  async putPart(
    key: string,
    uploadId: string,
    { number, bytes }: { readonly number: number; readonly bytes: Uint8Array },
    signal: AbortSignal,
  ): Promise<S3Part | null> {
    const command = new this.#parts.sdk.UploadPartCommand({
      ...this.#at(key),
      ...bodyOf(bytes),
      UploadId: uploadId,
      PartNumber: number,
    });
    const answer = await this.#try(() => this.#parts.client.send(command, optionsOf(signal)), signal, isGone);
    return answer === null ? null : { number, etag: answer.ETag ?? '', size: bytes.length };
  }

  /** Lists the parts of an upload; null if it no longer exists. */
  async parts(key: string, uploadId: string, signal: AbortSignal): Promise<S3Part[] | null> {
    const parts: S3Part[] = [];
    let marker: string | undefined;
    do {
      const command = new this.#parts.sdk.ListPartsCommand({
        ...this.#at(key),
        UploadId: uploadId,
        ...defined({ PartNumberMarker: marker }),
      });
      const answer = await this.#try(() => this.#parts.client.send(command, optionsOf(signal)), signal, isGone);
      if (answer === null) return null;
      for (const { PartNumber = 0, ETag = '', Size = 0 } of answer.Parts ?? []) {
        parts.push({ number: PartNumber, etag: ETag, size: Size });
      }
      marker = answer.IsTruncated === true ? answer.NextPartNumberMarker : undefined;
    } while (marker !== undefined);
    return parts;
  }

  /** @param parts ordered by number @returns false if the upload no longer exists */
  async completeParts(key: string, uploadId: string, parts: readonly S3Part[], signal: AbortSignal): Promise<boolean> {
    const Parts = parts.map(({ number, etag }) => ({ PartNumber: number, ETag: etag }));
    const command = new this.#parts.sdk.CompleteMultipartUploadCommand({
      ...this.#at(key),
      UploadId: uploadId,
      MultipartUpload: { Parts },
    });
    return (await this.#try(() => this.#parts.client.send(command, optionsOf(signal)), signal, isGone)) !== null;
  }

  async abortParts(key: string, uploadId: string): Promise<void> {
    const command = new this.#parts.sdk.AbortMultipartUploadCommand({ ...this.#at(key), UploadId: uploadId });
    await this.#try(() => this.#parts.client.send(command), undefined, isGone);
  }

  /** @param says predicate that follows the name of the bucket */
  failure(says: string): DeliveryFailure {
    return new DeliveryFailure(`${this.#parts.place} ${says}`, { isRetryable: true });
  }

  /** Closes its connections. */
  close(): void {
    this.#parts.client.destroy();
  }

  #at(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.#parts.bucket, Key: key };
  }

  async #try<T>(send: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  async #try<T>(send: () => Promise<T>, signal: AbortSignal | undefined, isNothing: Judge): Promise<T | null>;
  async #try<T>(send: () => Promise<T>, signal?: AbortSignal, isNothing?: Judge): Promise<T | null> {
    signal?.throwIfAborted();
    try {
      return await send();
    } catch (error) {
      signal?.throwIfAborted();
      if (isNothing?.(error)) return null;
      throw s3Failure(error, this.#parts.place);
    }
  }
}

type Judge = (error: unknown) => boolean;

function optionsOf(signal: AbortSignal | undefined): { abortSignal?: AbortSignal } {
  return signal === undefined ? {} : { abortSignal: signal };
}

function bodyOf(bytes: Uint8Array): { Body: Uint8Array; ContentMD5: string; ContentLength: number } {
  return { Body: bytes, ContentMD5: createHash('md5').update(bytes).digest('base64'), ContentLength: bytes.length };
}

function kindOf({ contentType, metadata }: S3ObjectKind): { ContentType?: string; Metadata?: Record<string, string> } {
  return {
    ...defined({ ContentType: contentType }),
    ...(metadata === undefined ? {} : { Metadata: { ...metadata } }),
  };
}

const REFUSED: FailureKind = { says: 'denied access with this credential', isRetryable: false };
const OTHER_REGION: FailureKind = { says: 'is in a different region than the credential', isRetryable: false };
const EXPIRED: FailureKind = { says: 'rejected the session token as expired', isRetryable: true };
const FULL: FailureKind = { says: 'has no space left', isRetryable: true };
const LOST: FailureKind = { says: 'closed the connection', isRetryable: true };
const BUSY: FailureKind = { says: 'is busy or unavailable', isRetryable: true };

/** Error codes of S3 and compatible stores. @see https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html */
const CODES: Readonly<Record<string, FailureKind>> = {
  AccessDenied: REFUSED,
  AllAccessDisabled: REFUSED,
  AccountProblem: REFUSED,
  InvalidAccessKeyId: { says: 'rejected the access key of the credential as unknown', isRetryable: false },
  SignatureDoesNotMatch: { says: 'rejected the secret access key of the credential', isRetryable: false },
  ExpiredToken: EXPIRED,
  InvalidToken: EXPIRED,
  RequestTimeTooSkewed: { says: 'rejected the request because the clock of this machine differs', isRetryable: true },
  NoSuchBucket: { says: 'does not exist', isRetryable: false },
  PermanentRedirect: OTHER_REGION,
  AuthorizationHeaderMalformed: OTHER_REGION,
  IllegalLocationConstraintException: OTHER_REGION,
  BadDigest: OTHER_BYTES,
  XAmzContentSHA256Mismatch: OTHER_BYTES,
  IncompleteBody: OTHER_BYTES,
  EntityTooLarge: { says: 'does not accept a file of this size', isRetryable: false },
  QuotaExceeded: FULL,
  XMinioStorageFull: FULL,
  SlowDown: BUSY,
  RequestTimeout: { says: 'did not receive the bytes in time', isRetryable: true },
  TimeoutError: { says: 'did not respond in time', isRetryable: true },
  ECONNRESET: LOST,
  EPIPE: LOST,
  CredentialsProviderError: {
    says: 'cannot be accessed without keys: neither a credential nor the environment provides them',
    isRetryable: false,
  },
};

const STATUSES: Readonly<Record<number, FailureKind>> = { 301: OTHER_REGION, 403: REFUSED, 429: BUSY, 507: FULL };

/** Node error codes for an invalid server certificate. */
const CERTIFICATE = /^(?:CERT_|ERR_TLS_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/;

/**
 * Converts an SDK error to a plain message, because SDK messages can contain signed URLs and headers.
 *
 * @param place name of the bucket
 */
function s3Failure(error: unknown, place: string): DeliveryFailure {
  if (error instanceof DeliveryFailure) return error;
  const { name, code, status } = describe(error);
  const details = [name === 'Error' ? null : name, status].filter((detail) => detail !== null).join(', ');
  const suffix = details === '' ? '' : ` (${details})`;
  const kind = CODES[name] ?? (status === null ? undefined : STATUSES[status]);
  if (kind !== undefined) return new DeliveryFailure(`${place} ${kind.says}${suffix}`, kind);
  if (status !== null && status >= 500) return new DeliveryFailure(`${place} ${BUSY.says}${suffix}`, BUSY);
  if (code !== null) {
    const isCertificate = CERTIFICATE.test(code);
    const what = isCertificate ? 'has a certificate that is not trusted' : 'is unreachable';
    return new DeliveryFailure(`${place} ${what} (${code})`, { isRetryable: !isCertificate });
  }
  if (error instanceof Error && /^Region is missing/.test(error.message)) {
    return new DeliveryFailure(`${place} needs a region: add it to the credential`, { isRetryable: false });
  }
  return new DeliveryFailure(`${place} returned an error${suffix}`, {
    isRetryable: status === null || status < 400,
  });
}

/** Reports whether a key or a multipart upload does not exist. */
function isGone(error: unknown): boolean {
  const { name, status } = describe(error);
  return ['NoSuchKey', 'NotFound', 'NoSuchUpload'].includes(name) || (status === 404 && name !== 'NoSuchBucket');
}

/** Reports whether the store does not implement a call. */
function isUnsupported(error: unknown): boolean {
  const { name, status } = describe(error);
  return ['NotImplemented', 'MethodNotAllowed'].includes(name) || status === 501 || status === 405;
}

function describe(error: unknown): { name: string; code: string | null; status: number | null } {
  const record: Record<string, unknown> = isRecord(error) ? error : {};
  const metadata = isRecord(record.$metadata) ? record.$metadata : {};
  const status = typeof metadata.httpStatusCode === 'number' ? metadata.httpStatusCode : null;
  const given = error instanceof Error && /^[A-Za-z0-9.]{1,64}$/.test(error.name) ? error.name : 'Error';
  const code = typeof record.code === 'string' && /^[A-Z0-9_]{1,64}$/.test(record.code) ? record.code : null;
  // The SDK calls a lost connection a TimeoutError, too.
  const name = given === 'TimeoutError' && code !== null ? code : given;
  return { name, code: status === null ? code : null, status };
}
