import type { ContainerClient } from '@azure/storage-blob';
import { type Credential, isAllowed, needsCredential } from '../../contract/destinations/credential.ts';
import { DeliveryFailure } from '../../contract/destinations/destination.ts';
import { parseDestination } from '../../contract/destinations/destination-address.ts';
import { abortable } from '../../kernel/abortable.ts';
import { azureFailure, isNotFound, openContainer } from './azure-destination.ts';
import { openBucket, s3AccessOf } from './s3/open-bucket.ts';

/**
 * Reads and writes small files below a prefix of a bucket or container, which other machines may share. All methods
 * throw only DeliveryFailure.
 */
export interface ObjectFolder {
  /** @returns null if the file is missing or has more than `maxBytes` */
  get(name: string, maxBytes: number): Promise<Uint8Array | null>;
  has(name: string): Promise<boolean>;
  /** Replaces an existing file. It appears only when complete. */
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** Closes its connections. */
  close(): Promise<void>;
}

interface ObjectFolderOptions {
  /** `s3:`, `gs:` or `azblob:`, ending with a slash. */
  readonly url: string;
  /** Null for the default chain of the AWS SDK. */
  readonly credential: Credential | null;
  /** Environment variables that the credential refers to. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Maximum milliseconds of a call, including retries. */
  readonly timeoutMs: number;
}

/** The calls of an open folder; those that send requests take a signal first. */
interface Calls {
  get(signal: AbortSignal, name: string, maxBytes: number): Promise<Uint8Array | null>;
  has(signal: AbortSignal, name: string): Promise<boolean>;
  put(signal: AbortSignal, name: string, bytes: Uint8Array): Promise<void>;
  close(): void;
}

/** Opens a folder of a bucket. Secrets are read and the SDK is loaded at the first call. */
export function openObjectFolder({ url, credential, env, timeoutMs }: ObjectFolderOptions): ObjectFolder {
  let opened: Promise<Calls> | undefined;
  const call = async <T>(use: (calls: Calls, signal: AbortSignal) => Promise<T>): Promise<T> => {
    const limit = AbortSignal.timeout(timeoutMs);
    try {
      opened ??= openCalls(url, credential, env);
      const work = opened.then((calls) => use(calls, limit));
      return await abortable(work, limit);
    } catch (error) {
      if (limit.aborted) {
        throw new DeliveryFailure(`${url} did not respond within ${timeoutMs / 1000} s`, { isRetryable: true });
      }
      if (error instanceof DeliveryFailure) throw error;
      const what = error instanceof Error ? error.name : 'an unknown error';
      throw new DeliveryFailure(`${url} could not be opened (${what})`, { isRetryable: false });
    }
  };
  return {
    get: (name, maxBytes) => call((calls, signal) => calls.get(signal, name, maxBytes)),
    has: (name) => call((calls, signal) => calls.has(signal, name)),
    put: (name, bytes) => call((calls, signal) => calls.put(signal, name, bytes)),
    close: async () => (await opened?.catch(() => undefined))?.close(),
  };
}

async function openCalls(url: string, credential: Credential | null, env: ObjectFolderOptions['env']): Promise<Calls> {
  const parsed = parseDestination(`${url}-`);
  if (!parsed.ok || parsed.target.kind === 'file') {
    throw new DeliveryFailure(`${url} is not a folder in a bucket`, { isRetryable: false });
  }
  const { target } = parsed;
  if (credential !== null && !isAllowed(target, credential)) {
    const message = `The credential ${credential.name} may not write to ${url}`;
    throw new DeliveryFailure(message, { isRetryable: false });
  }
  const prefix = target.key.slice(0, -1);
  if (target.kind === 'azblob') {
    if (credential?.kind !== 'azblob') throw needsCredential('azblob');
    return azureCalls(await openContainer(target, credential, env), prefix, url);
  }
  const bucket = await openBucket({ bucket: target.bucket, access: s3AccessOf(target.kind, credential), env });
  return {
    get: (signal, name, maxBytes) => bucket.get(prefix + name, maxBytes, signal),
    has: async (signal, name) => (await bucket.head(prefix + name, signal)) !== null,
    put: (signal, name, bytes) => bucket.put(prefix + name, bytes, {}, signal),
    close: () => bucket.close(),
  };
}

function azureCalls(container: ContainerClient, prefix: string, url: string): Calls {
  const nullIfGone = async <T>(work: Promise<T>): Promise<T | null> => {
    try {
      return await work;
    } catch (error) {
      if (isNotFound(error)) return null;
      throw azureFailure(error, url);
    }
  };
  return {
    async get(abortSignal, name, maxBytes) {
      const blob = container.getBlockBlobClient(prefix + name);
      const properties = await nullIfGone(blob.getProperties({ abortSignal }));
      if (properties === null || (properties.contentLength ?? 0) > maxBytes) return null;
      return nullIfGone(blob.downloadToBuffer(0, properties.contentLength, { abortSignal }));
    },
    async has(abortSignal, name) {
      const blob = container.getBlockBlobClient(prefix + name);
      return (await nullIfGone(blob.getProperties({ abortSignal }))) !== null;
    },
    async put(abortSignal, name, bytes) {
      const blob = container.getBlockBlobClient(prefix + name);
      const sent = await nullIfGone(blob.upload(bytes, bytes.length, { abortSignal }));
      if (sent === null) throw new DeliveryFailure(`${url} does not exist`, { isRetryable: false });
    },
    close: () => undefined,
  };
}
