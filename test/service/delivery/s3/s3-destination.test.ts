import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { S3Credential } from '../../../../src/contract/destinations/credential.ts';
import {
  type Delivered,
  type DeliveredFile,
  type DeliverOptions,
  DeliveryFailure,
} from '../../../../src/contract/destinations/destination.ts';
import { parseDestination } from '../../../../src/contract/destinations/destination-address.ts';
import { type Json, sha256 } from '../../../../src/kernel/digest.ts';
import { openDestination } from '../../../../src/service/delivery/open-destination.ts';
import { openBucket } from '../../../../src/service/delivery/s3/open-bucket.ts';
import { createS3Destination } from '../../../../src/service/delivery/s3/s3-destination.ts';
import { BUSY, type S3Fault, type S3Request, type S3Server, startS3Server } from '../../../support/s3-server.ts';

let s3: S3Server;
beforeAll(async () => {
  s3 = await startS3Server();
});
afterEach(() => s3.fault(null));
afterAll(() => s3.close());

const SIGNATURE: S3Fault = { kind: 'status', status: 403, code: 'SignatureDoesNotMatch' };
const PIECE_BYTES = 100_000;
/** Three full parts and a small one. */
const LARGE = randomBytes(3 * PIECE_BYTES + 5);

function fileOf(bytes: Uint8Array): DeliveredFile {
  return {
    size: bytes.length,
    contentType: 'video/mp4',
    sha256: sha256(bytes),
    stream: ({ start, end } = { start: 0, end: bytes.length }) => Readable.from([bytes.subarray(start, end)]),
  };
}

function credentialOf(over: Partial<S3Credential> = {}): S3Credential {
  return {
    kind: 's3',
    name: 'main',
    allow: ['s3://videos/', 's3://nowhere/'],
    publicUrl: 'https://cdn.example.com/v/',
    tenants: null,
    endpoint: s3.url,
    region: null,
    pathStyle: true,
    keys: {
      accessKeyId: { kind: 'env', name: 'KEY' },
      secretAccessKey: { kind: 'env', name: 'SECRET' },
      sessionToken: null,
    },
    ...over,
  };
}

interface Attempt {
  /** Saved states of earlier attempts; the states of this attempt are appended. */
  readonly states?: Json[];
  readonly signal?: AbortSignal;
  readonly credential?: S3Credential;
  readonly env?: Record<string, string>;
}

/** Delivers with a part size small enough for several parts; the test server accepts it. */
async function deliverLarge(key: string, file: DeliveredFile, attempt: Attempt = {}): Promise<Delivered> {
  const env = { KEY: 'S3RVER', SECRET: 'S3RVER' };
  const open = () => openBucket({ bucket: 'videos', access: credentialOf(), env });
  const destination = createS3Destination({ open, key, publicUrl: null, pieceBytes: PIECE_BYTES });
  return await destination.deliver(file, optionsOf(attempt));
}

function optionsOf({ states = [], signal = new AbortController().signal }: Attempt): DeliverOptions {
  return { signal, state: states.at(-1) ?? null, onState: async (state) => void states.push(state) };
}

async function deliver(to: string, file: DeliveredFile, attempt: Attempt = {}): Promise<Delivered> {
  const { credential = credentialOf() } = attempt;
  const parsed = parseDestination(to);
  if (!parsed.ok) throw new Error(parsed.problem.message);
  const env = attempt.env ?? { KEY: s3.env.AWS_ACCESS_KEY_ID, SECRET: s3.env.AWS_SECRET_ACCESS_KEY };
  const destination = await openDestination(parsed.target, credential, { env, directory: '/' });
  return await destination.deliver(file, optionsOf(attempt));
}

/** Returns the requests that the server received during an action. */
async function during(action: () => Promise<unknown>): Promise<S3Request[]> {
  const before = s3.requests.length;
  await action();
  return s3.requests.slice(before);
}

function sentParts(requests: readonly S3Request[]): number[] {
  return requests.flatMap(({ method, query }) =>
    method === 'PUT' && query.partNumber ? Number(query.partNumber) : [],
  );
}

async function failureOf(delivery: Promise<unknown>): Promise<DeliveryFailure> {
  const error = await delivery.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(DeliveryFailure);
  return error as DeliveryFailure;
}

describe('S3 destination', () => {
  it.each([
    ['small files', 'a b/Ü & + # %41 (1).mp4', randomBytes(1000)],
    ['files without a byte', 'empty.mp4', Buffer.alloc(0)],
    ['large files', 'dir/large 世界.mp4', randomBytes(8 * 2 ** 20 + 5)],
  ])('delivers %s byte for byte and returns their URL', async (_, key, bytes) => {
    const { url, remoteId } = await deliver(`s3://videos/${key}`, fileOf(bytes));
    expect((await s3.read('videos', key))?.equals(bytes)).toBe(true);
    expect(decodeURIComponent(url ?? '')).toBe(`https://cdn.example.com/v/${key}`);
    expect(new URL(url ?? '').search + new URL(url ?? '').hash).toBe('');
    expect(remoteId).toMatch(/^[0-9a-f]{32}(-2)?$/);
  });

  it('resumes from the uploaded parts after a broken connection', async () => {
    const states: Json[] = [];
    s3.fault(({ query }) => (query.partNumber === '3' ? { kind: 'reset', afterBytes: 50_000 } : null));
    const failure = await failureOf(deliverLarge('broken.mp4', fileOf(LARGE), { states }));
    expect(failure.isRetryable).toBe(true);
    expect(await s3.read('videos', 'broken.mp4')).toBeNull();
    s3.fault(null);
    const requests = await during(() => deliverLarge('broken.mp4', fileOf(LARGE), { states }));
    expect(sentParts(requests)).toEqual([3]);
    expect(requests.filter(({ query }) => query.uploads !== undefined)).toEqual([]);
    expect((await s3.read('videos', 'broken.mp4'))?.equals(LARGE)).toBe(true);
  });

  it('starts again when the store has dropped the upload or the file is another one', async () => {
    const states: Json[] = [{ uploadId: 'gone', partBytes: PIECE_BYTES, sha256: fileOf(LARGE).sha256 }];
    const failure = await failureOf(deliverLarge('forgotten.mp4', fileOf(LARGE), { states }));
    expect([failure.isRetryable, states.at(-1)]).toEqual([true, null]);
    await deliverLarge('forgotten.mp4', fileOf(LARGE), { states });
    const other = randomBytes(PIECE_BYTES + 1);
    await deliverLarge('forgotten.mp4', fileOf(other), { states });
    expect((await s3.read('videos', 'forgotten.mp4'))?.equals(other)).toBe(true);
  });

  it('succeeds when the answer to the final request is lost', async () => {
    let isLost = false;
    s3.fault(({ method, query }) => {
      if (isLost || method !== 'POST' || query.uploadId === undefined) return null;
      isLost = true;
      return { kind: 'lost' };
    });
    const requests = await during(() => deliverLarge('lost.mp4', fileOf(LARGE)));
    expect(isLost).toBe(true);
    expect(sentParts(requests).sort()).toEqual([1, 2, 3, 4]);
  });

  it('fails when the stored bytes differ from those sent', async () => {
    s3.fault(({ method }) => (method === 'PUT' ? { kind: 'corrupt' } : null));
    const failure = await failureOf(deliver('s3://videos/corrupt.mp4', fileOf(randomBytes(100))));
    expect(failure).toMatchObject({ isRetryable: true, message: expect.stringContaining('BadDigest') });
    expect(await s3.read('videos', 'corrupt.mp4')).toBeNull();
  });

  it('rejects a file whose digest has changed', async () => {
    const other = { ...fileOf(LARGE), sha256: sha256('what was rendered') };
    for (const failure of [
      await failureOf(deliver('s3://videos/other.mp4', { ...fileOf(randomBytes(10)), sha256: other.sha256 })),
      await failureOf(deliverLarge('other.mp4', other)),
    ]) {
      expect(failure).toMatchObject({ isRetryable: false, message: expect.stringContaining('has changed') });
    }
    expect(await s3.read('videos', 'other.mp4')).toBeNull();
  });

  it('retries by itself when the store is busy for a moment', async () => {
    let busy = 2;
    s3.fault(({ method }) => (method === 'PUT' && busy-- > 0 ? BUSY : null));
    await deliver('s3://videos/busy.mp4', fileOf(randomBytes(100)));
    expect(busy).toBe(-1);
  });

  it('fails as retryable when the store stays busy or is unreachable', async () => {
    s3.fault(() => BUSY);
    const busy = await failureOf(deliver('s3://videos/later.mp4', fileOf(randomBytes(100))));
    const credential = credentialOf({ endpoint: 'http://127.0.0.1:9' });
    const unreachable = await failureOf(deliver('s3://videos/later.mp4', fileOf(randomBytes(100)), { credential }));
    s3.fault(() => ({ kind: 'reset', afterBytes: 1 }));
    const reset = await failureOf(deliver('s3://videos/later.mp4', fileOf(randomBytes(100))));
    expect([busy.isRetryable, unreachable.isRetryable, reset.isRetryable]).toEqual([true, true, true]);
    expect(reset.message).toMatch(/^The bucket videos at \S+ closed the connection \(ECONNRESET\)$/);
    expect(unreachable.message).toBe('The bucket videos at 127.0.0.1:9 is unreachable (ECONNREFUSED)');
  });

  it('stops when the signal is aborted and resumes later', async () => {
    const stop = new AbortController();
    const states: Json[] = [];
    const reason = new Error('The service ends');
    s3.fault(({ query }) => {
      if (query.partNumber === '4') stop.abort(reason);
      return null;
    });
    const delivery = deliverLarge('ended.mp4', fileOf(LARGE), { states, signal: stop.signal });
    await expect(delivery).rejects.toBe(reason);
    s3.fault(null);
    await deliverLarge('ended.mp4', fileOf(LARGE), { states });
    expect((await s3.read('videos', 'ended.mp4'))?.equals(LARGE)).toBe(true);
  });

  it('reports failures in its own words, without secrets', async () => {
    const file = fileOf(randomBytes(100));
    const canary = 'wJalrXUtnFEMI-K7MDENG-bPxRfiCYEXAMPLEKEY';
    const deliveries = {
      bucket: () => deliver('s3://nowhere/1.mp4', file),
      allowed: () => deliver('s3://other/1.mp4', file),
      // s3rver accepts every signature.
      secret: () => {
        s3.fault(({ path }) => (path === '/videos/2.mp4' ? SIGNATURE : null));
        return deliver('s3://videos/2.mp4', file, { env: { KEY: 'S3RVER', SECRET: canary } });
      },
      key: () => deliver('s3://videos/1.mp4', file, { env: { KEY: canary, SECRET: canary } }),
      nothing: () => deliver('s3://videos/1.mp4', file, { env: { KEY: 'S3RVER' } }),
    };
    const told: Record<string, string> = {};
    for (const [name, begin] of Object.entries(deliveries)) {
      const failure = await failureOf(begin());
      expect([name, failure.isRetryable]).toEqual([name, false]);
      expect(`${failure.stack} ${JSON.stringify(failure)} ${String(failure.cause)}`).not.toMatch(
        /wJalr|X-Amz|Signature=/,
      );
      told[name] = failure.message.replace(/127\.0\.0\.1:\d+/, 'HOST');
    }
    expect(told).toEqual({
      bucket: 'The bucket nowhere at HOST does not exist (NoSuchBucket, 404)',
      allowed: 'The credential main does not allow this destination',
      secret: 'The bucket videos at HOST rejected the secret access key of the credential (SignatureDoesNotMatch, 403)',
      key: 'The bucket videos at HOST rejected the access key of the credential as unknown (InvalidAccessKeyId, 403)',
      nothing: 'The environment variable SECRET, named by the credential main, is empty or missing',
    });
  });
});
