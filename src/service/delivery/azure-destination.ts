import { createHash } from 'node:crypto';
import type { BlockBlobClient, ContainerClient, RequestPolicy } from '@azure/storage-blob';
import { type AzureCredential, resolveSecret } from '../../contract/destinations/credential.ts';
import {
  type Delivered,
  type DeliveredFile,
  type DeliverOptions,
  DeliveryFailure,
  type Destination,
  type FailureKind,
  OTHER_BYTES,
  publicUrlOf,
} from '../../contract/destinations/destination.ts';
import type { DestinationAddress } from '../../contract/destinations/destination-address.ts';
import { KEPT_AGENTS } from '../../kernel/http/agents.ts';
import { isRecord } from '../../kernel/json.ts';
import { sendPieces } from './read-delivered-file.ts';

/** Minimum block size, in bytes. */
const BLOCK_BYTES = 8 * 2 ** 20;
/** Limit of Azure. */
const MAX_BLOCKS = 50_000;
const ATTEMPTS = 3;
const REQUEST_MS = 600_000;
/** Metadata names must be C# identifiers. */
const DIGEST_METADATA = 'reelform_sha256';

interface AzureDestinationOptions {
  readonly target: Extract<DestinationAddress, { kind: 'azblob' }>;
  readonly credential: AzureCredential;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Writes a block blob. Block ids are derived from the file's digest and the position, so that a later attempt finds the
 * staged blocks without stored state. The blob appears when the block list is committed.
 */
export function createAzureDestination({ target, credential, env }: AzureDestinationOptions): Destination {
  const place = `azblob://${target.account}/${target.container}`;
  return {
    async deliver(file, options) {
      options.signal.throwIfAborted();
      const blob = (await openContainer(target, credential, env)).getBlockBlobClient(target.key);
      try {
        const remoteId = await send(blob, file, options, place);
        return { remoteId, url: publicUrlOf(credential.publicUrl, target.key) };
      } catch (error) {
        options.signal.throwIfAborted();
        throw azureFailure(error, place);
      }
    },
  };
}

/** @throws DeliveryFailure if the SDK package or the key is missing */
export async function openContainer(
  { account, container }: AzureDestinationOptions['target'],
  { name, endpoint, accountKey }: AzureCredential,
  env: AzureDestinationOptions['env'],
): Promise<ContainerClient> {
  const secret = await resolveSecret(accountKey, name, env);
  const sdk = await import('@azure/storage-blob').catch(() => {
    const message = 'azblob: needs a package that is not installed. Run npm install @azure/storage-blob@12';
    throw new DeliveryFailure(message, { isRetryable: false });
  });
  const shared = new sdk.StorageSharedKeyCredential(account, secret);
  const url = endpoint ?? `https://${account}.blob.core.windows.net`;
  const retryOptions = { maxTries: ATTEMPTS, tryTimeoutInMs: REQUEST_MS, retryDelayInMs: 500 };
  const pipeline = sdk.newPipeline(shared, { retryOptions });
  pipeline.factories.push({ create: withAgents });
  return new sdk.BlobServiceClient(url, pipeline).getContainerClient(container);
}

/** Replaces the proxies of the SDK, which reads NO_PROXY differently. */
function withAgents(next: RequestPolicy): RequestPolicy {
  return {
    async sendRequest(request) {
      request.agent = await KEPT_AGENTS.agentFor(new URL(request.url));
      return next.sendRequest(request);
    },
  };
}

async function send(
  blob: BlockBlobClient,
  file: DeliveredFile,
  { signal: abortSignal }: DeliverOptions,
  place: string,
): Promise<Delivered['remoteId']> {
  const blockBytes = Math.max(BLOCK_BYTES, Math.ceil(file.size / MAX_BLOCKS));
  const ids = Array.from({ length: Math.ceil(file.size / blockBytes) }, (_, index) => blockId(file, blockBytes, index));
  const there = await stagedBlocks(blob, abortSignal);
  await sendPieces(file, blockBytes, abortSignal, async ({ index, sizeBytes, read }) => {
    const id = ids[index]!;
    if (there.get(id) === sizeBytes) return;
    const bytes = await read();
    const transactionalContentMD5 = createHash('md5').update(bytes).digest();
    await blob.stageBlock(id, bytes, bytes.length, { abortSignal, transactionalContentMD5 });
  });
  await blob.commitBlockList(ids, {
    abortSignal,
    blobHTTPHeaders: { blobContentType: file.contentType },
    metadata: { [DIGEST_METADATA]: file.sha256 },
  });
  const { contentLength, metadata, etag, versionId } = await blob.getProperties({ abortSignal });
  if (contentLength !== file.size || metadata?.[DIGEST_METADATA] !== file.sha256) {
    const message = `${place} does not contain the file that was sent; another process may write to it`;
    throw new DeliveryFailure(message, { isRetryable: true });
  }
  return versionId ?? etag?.replaceAll('"', '') ?? null;
}

/** Returns a block id; all ids of a blob must have the same length. */
function blockId({ sha256 }: DeliveredFile, blockBytes: number, index: number): string {
  const digest = createHash('sha256').update(`${sha256}/${blockBytes}`).digest('hex');
  return Buffer.from(`${digest.slice(0, 32)}-${String(index).padStart(5, '0')}`).toString('base64');
}

async function stagedBlocks(blob: BlockBlobClient, abortSignal: AbortSignal): Promise<Map<string, number>> {
  try {
    const { uncommittedBlocks = [] } = await blob.getBlockList('uncommitted', { abortSignal });
    return new Map(uncommittedBlocks.map(({ name, size }) => [name, size]));
  } catch (error) {
    if (isNotFound(error)) return new Map();
    throw error;
  }
}

/** @see https://learn.microsoft.com/rest/api/storageservices/blob-service-error-codes */
const CODES: Readonly<Record<string, FailureKind>> = {
  AuthenticationFailed: {
    says: 'rejected the account key of the credential, or its clock differs from this machine',
    isRetryable: false,
  },
  ContainerNotFound: { says: 'does not exist', isRetryable: false },
  ContainerBeingDeleted: { says: 'is being deleted', isRetryable: false },
  AccountIsDisabled: { says: 'belongs to a disabled account', isRetryable: false },
  Md5Mismatch: OTHER_BYTES,
  RequestBodyTooLarge: { says: 'does not accept a file of this size', isRetryable: false },
};

/** Converts an SDK error to a plain message, because SDK messages can contain signed URLs and headers. */
export function azureFailure(error: unknown, place: string): DeliveryFailure {
  if (error instanceof DeliveryFailure) return error;
  const record: Record<string, unknown> = isRecord(error) ? error : {};
  const status = typeof record.statusCode === 'number' ? record.statusCode : null;
  const code = typeof record.code === 'string' && /^\w{1,64}$/.test(record.code) ? record.code : null;
  const details = [code, status].filter((detail) => detail !== null).join(', ');
  const suffix = details === '' ? '' : ` (${details})`;
  const kind = CODES[code ?? ''];
  if (kind !== undefined) return new DeliveryFailure(`${place} ${kind.says}${suffix}`, kind);
  if (status === 403) {
    return new DeliveryFailure(`${place} does not allow this with this credential${suffix}`, { isRetryable: false });
  }
  if (status === null) return new DeliveryFailure(`${place} is unreachable${suffix}`, { isRetryable: true });
  const isRetryable = status >= 500 || status === 429 || status === 408;
  return new DeliveryFailure(`${place} ${isRetryable ? 'is busy or unavailable' : 'returned an error'}${suffix}`, {
    isRetryable,
  });
}

/** Reports whether a blob does not exist. */
export function isNotFound(error: unknown): boolean {
  return isRecord(error) && error.statusCode === 404 && error.code !== 'ContainerNotFound';
}
