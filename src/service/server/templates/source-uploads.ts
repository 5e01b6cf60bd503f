import { serviceError } from '../../../contract/service-error.ts';
import type { SourceUploadAnswer } from '../../../contract/wire/mapping.ts';
import type { Sha256 } from '../../../kernel/digest.ts';
import { sourceSha256 } from '../../../kernel/source-file.ts';
import { SessionFailure, type TenantId } from '../../sessions/ports.ts';
import type { SourceReceiver, SourceUploadStore } from '../../sessions/sources/source-store.ts';
import { checkSource, type InspectSource, type RemoteUploads, uploadUrl } from '../../sessions/sources/sources.ts';
import type { ObjectStorage } from '../ports.ts';
import type { Database } from '../store/database.ts';

interface SourceUploadsOptions {
  readonly store: Pick<SourceUploadStore, 'receive'>;
  readonly table: UploadTable;
  readonly inspect: InspectSource;
}

export type SourceUploads = ReturnType<typeof createSourceUploads>;

/** Uploads of sources. The bytes are stored once, and each tenant can use only its own uploads. */
export function createSourceUploads({ store, table, inspect }: SourceUploadsOptions) {
  return {
    /** Begins to receive an upload, which is then passed to `put` or discarded. */
    receive: (): Promise<SourceReceiver> => store.receive(),
    /** Checks and stores an upload. Discards an unusable one. @throws ServiceError 422 `source_invalid` */
    async put(tenant: TenantId, receiver: SourceReceiver): Promise<{ upload: SourceUploadAnswer; isNew: boolean }> {
      try {
        const source = receiver.received();
        const { sha256, contentType, width, height } = await checkSource(source, 'any', {
          inspect,
          owner: tenant,
        }).catch(refuseUpload);
        const isNew = !(await table.has(tenant, sha256));
        // Known bytes are passed on too, because the file may be missing or damaged. Bytes that are new to the tenant are
        // always written, even if another tenant has uploaded them: otherwise the response time would reveal that.
        await receiver.finish(isNew);
        if (isNew) await table.add(tenant, sha256);
        const size = width === undefined || height === undefined ? {} : { width, height };
        const file = { sha256, content_type: contentType, bytes: source.length };
        return { upload: { remote_url: uploadUrl(sha256), ...file, ...size }, isNew };
      } catch (error) {
        await receiver.discard();
        throw error;
      }
    },
  };
}

function refuseUpload(error: unknown): never {
  if (!(error instanceof SessionFailure)) throw error;
  const { code, title, detail = title } = error.error;
  throw serviceError('source_invalid', detail, [{ code, pointer: '#', detail }]);
}

export type UploadTable = ReturnType<typeof createUploadTable>;

/** Records in the database which tenant has uploaded which bytes. */
export function createUploadTable(database: Database) {
  return {
    async add(tenant: TenantId, digest: Sha256): Promise<void> {
      await database.query('insert into reelform.uploads (tenant, digest) values ($1, $2) on conflict do nothing', [
        tenant,
        digest,
      ]);
    },
    async has(tenant: TenantId, digest: Sha256): Promise<boolean> {
      const found = await database.query('select 1 from reelform.uploads where tenant = $1 and digest = $2', [
        tenant,
        digest,
      ]);
      return found.length > 0;
    },
  };
}

/** Stores source uploads in the object storage, where the workers of other machines can read them. */
export function createStoredSources(storage: ObjectStorage): RemoteUploads {
  const keyOf = (digest: Sha256): string => `uploads/${digest}`;
  /** Objects whose content does not match their digest. */
  const spoiled = new Set<Sha256>();
  return {
    async put(bytes, known, isRewritten = false) {
      const digest = known ?? sourceSha256(bytes);
      // Clients send the same file with every video.
      const there = isRewritten || spoiled.has(digest) ? null : await storage.stat(keyOf(digest));
      if (there?.size !== bytes.length) await storage.put(keyOf(digest), bytes);
      spoiled.delete(digest);
      return digest;
    },
    open: async (digest) => ((await storage.stat(keyOf(digest))) === null ? null : storage.stream(keyOf(digest))),
    noteDamaged: (digest) => void spoiled.add(digest),
    has: async (digest) => (await storage.stat(keyOf(digest))) !== null,
  };
}
