import { serviceError } from '../../service/service-error.ts';
import { SessionFailure, type Source, type TenantId } from '../../session/ports.ts';
import { checkSource, type InspectSource } from '../../session/sources/check-source.ts';
import { uploadUrl } from '../../session/sources/source-reader.ts';
import type { UploadStore } from '../../session/sources/source-store.ts';
import type { SourceUploadAnswer } from '../../wire/source-upload.ts';
import type { SourceUploads as SourceUploadsPort } from '../http/app-ports.ts';
import type { UploadTable } from '../ports.ts';

/** Files that clients sent. The bytes are kept once, and each tenant sees only what it has sent itself. */
export class SourceUploads implements SourceUploadsPort {
  readonly #store: UploadStore;
  readonly #table: UploadTable;

  readonly #inspect: InspectSource;

  constructor(store: UploadStore, table: UploadTable, inspect: InspectSource) {
    this.#store = store;
    this.#table = table;
    this.#inspect = inspect;
  }

  async put(tenant: TenantId, bytes: Uint8Array): Promise<{ upload: SourceUploadAnswer; isNew: boolean }> {
    const { sha256, contentType, width, height } = await this.#checked(tenant, bytes);
    const isNew = !(await this.#table.has(tenant, sha256));
    // Also what the tenant has sent before: the file may be gone or damaged. What is new to the tenant is written although
    // another tenant has sent it: the time of the answer would tell.
    await this.#store.put(bytes, sha256, isNew);
    if (isNew) await this.#table.add(tenant, sha256);
    const size = width === undefined || height === undefined ? {} : { width, height };
    const upload = { remote_url: uploadUrl(sha256), sha256, content_type: contentType, bytes: bytes.length, ...size };
    return { upload, isNew };
  }

  async #checked(tenant: TenantId, bytes: Uint8Array): Promise<Source> {
    try {
      return await checkSource(bytes, 'any', { inspect: this.#inspect, owner: tenant });
    } catch (error) {
      if (!(error instanceof SessionFailure)) throw error;
      const { code, title } = error.error;
      const detail = error.error.detail ?? title;
      throw serviceError('source_invalid', detail, [{ code, pointer: '#', detail }]);
    }
  }
}
