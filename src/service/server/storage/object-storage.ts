import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { env } from 'node:process';
import { Readable } from 'node:stream';
import { permissionProblem, type S3Credential } from '../../../contract/destinations/credential.ts';
import { DeliveryFailure } from '../../../contract/destinations/destination.ts';
import { parseDestination } from '../../../contract/destinations/destination-address.ts';
import { serviceError } from '../../../contract/service-error.ts';
import { ReelformError } from '../../../kernel/diagnostic.ts';
import { nullIfMissing } from '../../../kernel/file-system-error.ts';
import { type FileData, replaceFile } from '../../../kernel/replace-file.ts';
import type { SourceBytes } from '../../../kernel/source-file.ts';
import { TemporaryFile } from '../../../kernel/temporary-file.ts';
import { putObject } from '../../delivery/s3/multipart-upload.ts';
import { OWN_ACCESS, openBucket, type S3Access } from '../../delivery/s3/open-bucket.ts';
import type { S3Bucket } from '../../delivery/s3/s3-bucket.ts';
import { streamFile } from '../../sessions/directory-outputs.ts';
import { type DiskSpace, watchDiskSpace } from '../data-folder.ts';
import { errorMessage, type Log } from '../log.ts';
import type { ObjectStorage } from '../ports.ts';
import type { Settings } from '../settings/settings-table.ts';

const OBJECTS = 'objects';

/**
 * Opens the object storage: the data folder, or the bucket of the settings, which is probed once.
 *
 * @throws ReelformError `settings_invalid`, `storage_unavailable`
 */
export async function openStorage(settings: Settings, log: Log, room: DiskSpace): Promise<ObjectStorage> {
  if (settings.storage === null) return createDiskStorage(join(settings.dataDirectory, OBJECTS), room);
  const { bucket: name, prefix, access } = accessOf(settings, settings.storage);
  try {
    const bucket = await openBucket({ bucket: name, access, env });
    await firstPage(bucket, prefix);
    return createS3Storage({ bucket, prefix, log });
  } catch (error) {
    if (!(error instanceof DeliveryFailure)) throw error;
    throw new ReelformError('storage_unavailable', error.message, {
      hint: 'Check storage, storage_endpoint and storage_region, and that the access keys may list, read and write objects',
    });
  }
}

/** Probes by listing, because other requests do not reveal whether the bucket exists. */
async function firstPage(bucket: S3Bucket, prefix: string): Promise<void> {
  for await (const _ of bucket.list(`${prefix}installation/`)) return;
}

function accessOf(settings: Settings, storage: string): { bucket: string; prefix: string; access: S3Access } {
  const parsed = parseDestination(`${storage.replace(/\/$/, '')}/-`);
  // The settings reader has already validated the URL.
  if (!parsed.ok || (parsed.target.kind !== 's3' && parsed.target.kind !== 'gs')) {
    throw new Error('Internal error: the storage is not a bucket');
  }
  const { kind, bucket, key } = parsed.target;
  const credential = settings.storageCredential === null ? null : credentialOf(settings, settings.storageCredential);
  const problem = credential === null ? null : permissionProblem(parsed.target, credential);
  if (problem !== null) {
    throw new ReelformError('settings_invalid', problem.message, { hint: problem.hint });
  }
  const { endpoint, region, pathStyle, keys, name } = credential ?? OWN_ACCESS;
  return {
    bucket,
    prefix: key.slice(0, -1),
    access: {
      kind,
      name,
      keys,
      endpoint: settings.storageEndpoint ?? endpoint,
      region: settings.storageRegion ?? region,
      pathStyle: settings.storagePathStyle || pathStyle,
    },
  };
}

function credentialOf({ credentials }: Settings, name: string): S3Credential {
  const credential = credentials.get(name);
  if (credential?.kind === 's3' || credential?.kind === 'gs') return credential;
  const message = `storage_credential names ${JSON.stringify(name)}, which is not a credential for a bucket`;
  throw new ReelformError('settings_invalid', message, {
    hint: 'Define it under "credentials" of the settings file, with the kind s3 or gs',
  });
}

interface S3StorageOptions {
  readonly bucket: S3Bucket;
  /** Prefix of every key; empty, or with a trailing slash. */
  readonly prefix: string;
  /** Receives the reasons of failures, which clients do not see. */
  readonly log: Log;
}

/**
 * Stores objects below a prefix of a bucket, which any number of machines may share. Writes are atomic; objects of a
 * prefix are removed in sequence.
 *
 * Every operation: @throws ServiceError 503 `unavailable` when the bucket request fails
 */
export function createS3Storage({ bucket, prefix, log }: S3StorageOptions): ObjectStorage {
  const failed = (error: unknown): never => {
    if (!(error instanceof DeliveryFailure)) throw error;
    log.warn({ error: errorMessage(error) }, 'the storage does not work as expected');
    throw serviceError('unavailable', 'The storage of the service cannot be reached or used');
  };
  async function* guarded<T>(pages: AsyncIterable<T>): AsyncGenerator<T> {
    try {
      yield* pages;
    } catch (error) {
      failed(error);
    }
  }
  return {
    put: (key, content) => putObject(bucket, prefix + key, content).catch(failed),
    async stat(key) {
      const facts = await bucket.head(prefix + key).catch(failed);
      return facts === null ? null : { size: facts.size };
    },
    read: (key) => bucket.get(prefix + key).catch(failed),
    stream: (key, range) => Readable.from(guarded(bucket.stream(prefix + key, range)), { objectMode: false }),
    async remove(below) {
      for await (const objects of guarded(bucket.list(prefix + below))) {
        await bucket.remove(objects.map(({ key }) => key)).catch(failed);
      }
    },
    async list(below) {
      const names = new Map<string, number>();
      // Lists without a delimiter: folders have no modification time, but their objects do.
      for await (const objects of guarded(bucket.list(prefix + below))) {
        for (const { key, modifiedAt } of objects) {
          const [name = ''] = key.slice(prefix.length + below.length).split('/');
          names.set(name, Math.max(modifiedAt, names.get(name) ?? 0));
        }
      }
      return [...names].map(([name, modifiedAt]) => ({ name, modifiedAt }));
    },
  };
}

/** Subfolder for objects that are being written or removed. Keys never start with a dot. */
const UNFINISHED = '.unfinished';
/** Maximum time for writing an object. */
const UNFINISHED_MS = 3_600_000;
const KEY = /^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/;
const PREFIX = /^([\w-][\w.-]*\/)+$/;

/**
 * Stores objects as files below a directory, which several processes may share. Writes are atomic and survive a power
 * failure; a removed prefix disappears at once. The first write of a process removes unfinished files that are older
 * than an hour.
 *
 * @param directory absolute; created when needed
 * @throws ServiceError 503 `unavailable` when the disk is full
 */
export function createDiskStorage(
  directory: string,
  room: Pick<DiskSpace, 'guard'> = watchDiskSpace(directory),
): ObjectStorage {
  const unfinished = join(directory, UNFINISHED);
  let opened: Promise<void> | undefined;
  /** Returns a unique path in the folder for unfinished files. */
  const temporaryPath = async (): Promise<string> => {
    opened ??= prepare(unfinished);
    // Creating the folder may fail on a full disk and succeed later.
    opened.catch(() => {
      opened = undefined;
    });
    await opened;
    return join(unfinished, randomUUID());
  };

  return {
    async put(key, content) {
      const path = pathOf(directory, key);
      const isTemporary = content instanceof TemporaryFile;
      const data = isTemporary ? () => content.chunks() : dataOf(content);
      const write = async (): Promise<void> =>
        replaceFile(path, data, { isDurable: true, unfinished: await temporaryPath() });
      await room.guard(write, isTemporary ? content.size : content.length);
    },
    async stat(key) {
      const found = await nullIfMissing(stat(pathOf(directory, key)));
      return found?.isFile() ? { size: found.size } : null;
    },
    read: (key) => nullIfMissing(readFile(pathOf(directory, key))),
    stream: (key, range) => streamFile(pathOf(directory, key), range),
    async remove(prefix) {
      const removed = await temporaryPath();
      // Renames first, so that readers never see a partly removed folder.
      if ((await nullIfMissing(rename(folderOf(directory, prefix), removed).then(() => true))) === null) return;
      await rm(removed, { recursive: true, force: true });
    },
    async list(prefix) {
      const folder = folderOf(directory, prefix);
      const names = ((await nullIfMissing(readdir(folder))) ?? []).sort();
      const entries = await Promise.all(
        names.map(async (name) => {
          const found = await nullIfMissing(stat(join(folder, name)));
          return found === null ? [] : [{ name, modifiedAt: found.mtimeMs }];
        }),
      );
      return entries.flat();
    },
  };
}

function dataOf(content: SourceBytes): FileData {
  return content instanceof Uint8Array ? content : () => createReadStream(content.path);
}

function pathOf(directory: string, key: string): string {
  if (!KEY.test(key)) throw new Error(`Internal error: ${JSON.stringify(key)} is not an object key`);
  return join(directory, key);
}

function folderOf(directory: string, prefix: string): string {
  if (!PREFIX.test(prefix)) throw new Error(`Internal error: ${JSON.stringify(prefix)} is not an object prefix`);
  return join(directory, prefix);
}

/** Creates the folder for unfinished files and removes abandoned ones. */
async function prepare(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder)) {
    const found = await nullIfMissing(stat(join(folder, name)));
    if (found === null || found.mtimeMs > Date.now() - UNFINISHED_MS) continue;
    await rm(join(folder, name), { recursive: true, force: true });
  }
}
