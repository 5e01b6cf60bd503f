import { changedSincePlan, type SourceUpload } from '../../contract/render-service.ts';
import { ReelformError } from '../../kernel/diagnostic.ts';
import type { Sha256 } from '../../kernel/digest.ts';
import type { StreamedBody } from '../../kernel/http/send-request.ts';
import { streamVerified } from '../../kernel/read-source.ts';
import { isMissing, type ServiceConnection } from './connection.ts';
import { readUpload } from './read-answer.ts';

interface UploadedSource {
  readonly remote_url: string;
}

/** Publishes a file at a URL. */
export type PublishSource = (source: SourceUpload) => Promise<UploadedSource>;

/** Uploads each source once. A service that rejects one file receives no more of them. */
export class SourceUploader {
  readonly #connection: ServiceConnection;
  readonly #publish: PublishSource | undefined;
  // Videos often share sources such as a logo.
  readonly #uploads = new Map<Sha256, Promise<UploadedSource>>();
  #acceptsFiles = true;

  /** @param publish replaces uploads if the service does not accept files */
  constructor(connection: ServiceConnection, publish: PublishSource | undefined) {
    this.#connection = connection;
    this.#publish = publish;
  }

  /** @throws ReelformError `service_lacks_uploads`; `changed_since_plan` */
  upload(source: SourceUpload): Promise<UploadedSource> {
    const known = this.#uploads.get(source.sha256);
    if (known !== undefined) return known;
    const uploading = this.#upload(source);
    this.#uploads.set(source.sha256, uploading);
    uploading.catch(() => this.#uploads.delete(source.sha256));
    return uploading;
  }

  async #upload(source: SourceUpload): Promise<UploadedSource> {
    if (this.#acceptsFiles) {
      try {
        const { name, answer } = await this.#connection.upload(
          '/v2/source_uploads',
          uploadBody(source),
          'application/octet-stream',
        );
        return readUpload(name, answer.text);
      } catch (error) {
        if (isMissing(error)) this.#acceptsFiles = false;
        // Another upload may have been rejected in the meantime.
        else if (this.#acceptsFiles || this.#publish === undefined) throw error;
      }
    }
    if (this.#publish === undefined) throw lacksUploads(this.#connection.options.url, source.name);
    return this.#publish(source);
  }
}

/** Returns the body of an upload. A file that changes before all of it is sent fails with `changed_since_plan`. */
function uploadBody({ bytes, name }: SourceUpload): Uint8Array | StreamedBody {
  if (bytes instanceof Uint8Array) return bytes;
  return { sizeBytes: bytes.length, open: () => streamVerified(bytes, () => changedSincePlan(name)) };
}

function lacksUploads(url: string, file: string): ReelformError {
  const message = `The service at ${url} does not accept files, but ${file} is one`;
  const hint = 'Use a URL instead, or publish files with "assets" in reelform.yaml';
  return new ReelformError('service_lacks_uploads', message, { hint });
}
