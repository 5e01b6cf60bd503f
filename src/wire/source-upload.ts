/** `POST /v2/source_uploads` */
export interface SourceUploadAnswer {
  remote_url: string;
  sha256: string;
  bytes: number;
  content_type: string;
  width?: number;
  height?: number;
}
