/** Where a finished file is to be delivered: in a request. */
export interface ExternalUploadRequest {
  /** `s3://bucket/key`, `gs://bucket/key`, `azblob://account/container/key`, or `file:` where whoever runs the service allows it. */
  to: string;
  /** The name of a credential that the service has; its own when absent. */
  credential?: string;
}

export const EXTERNAL_UPLOAD_STATUSES = ['pending', 'uploading', 'complete', 'failed'] as const;
export type ExternalUploadStatus = (typeof EXTERNAL_UPLOAD_STATUSES)[number];

/** A delivery as it is told. */
export interface ExternalUpload extends ExternalUploadRequest {
  status: ExternalUploadStatus;
  /** What the storage calls what was written, an ETag or a version; null until it is complete. */
  remote_id: string | null;
  /** Under which everybody finds it, where the credential says how; null where it does not. */
  url: string | null;
  /** Why it failed. */
  error: { code: string; title: string; detail?: string } | null;
}
