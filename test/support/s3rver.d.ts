declare module 's3rver' {
  import type { IncomingMessage, ServerResponse } from 'node:http';
  import type { Readable } from 'node:stream';

  export interface S3rverContext {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string | undefined>>;
    readonly query: Readonly<Record<string, string | undefined>>;
    status: number;
    type: string;
    body: unknown;
  }
  export interface S3rverObject {
    readonly bucket: string;
    readonly key: string;
    readonly content: Buffer | Readable;
    readonly metadata: Readonly<Record<string, string>>;
    readonly lastModifiedDate: Date;
    readonly size: number;
  }
  export interface S3rverStore {
    getResourcePath(bucket: string, key: string | undefined, resource: string): string;
    putMetadata(bucket: string, key: string, metadata: object, md5: string): Promise<void>;
    listObjects(
      bucket: string,
      options: { prefix?: string | undefined; delimiter?: string | undefined },
    ): Promise<{ objects: readonly S3rverObject[]; commonPrefixes: readonly string[] }>;
    getBucket(bucket: string): Promise<object | null>;
    putBucket(bucket: string): Promise<unknown>;
    putObject(object: S3rverObject): Promise<{ md5: string; size: number }>;
    putPart(bucket: string, upload: string, number: number, content: Readable): Promise<{ md5: string; size: number }>;
    putObjectMultipart(
      bucket: string,
      upload: string,
      parts: readonly { number: number; etag: string }[],
    ): Promise<{ md5: string; size: number }>;
  }
  class S3rver {
    constructor(options: Readonly<Record<string, unknown>>);
    readonly store: S3rverStore;
    readonly middleware: ((context: S3rverContext, next: () => Promise<void>) => unknown)[];
    readonly logger: { close(): void; exceptions: { unhandle(): void } };
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
    on(event: 'error', listener: () => void): void;
  }

  // biome-ignore lint/style/noDefaultExport: matches the package
  export { S3rver as default };
}

declare module 's3rver/lib/models/error.js' {
  class S3Error extends Error {
    constructor(code: string, message: string);
  }

  // biome-ignore lint/style/noDefaultExport: matches the package
  export { S3Error as default };
}
