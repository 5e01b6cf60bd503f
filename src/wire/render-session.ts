import type { AudioResource, FontResource, Mapping, Resource } from './mapping.ts';
import type { OutputRequest } from './output.ts';
import type { RequestProblem } from './problem.ts';

export interface CreateRenderSession {
  title: string;
  /** A draft when absent. */
  render?: 'preview';
  mapping: Mapping;
  output?: OutputRequest;
  /** None when absent; the tenant's own destinations are added. */
  external_uploads?: ExternalUploadRequest[];
}

/** What changes in the mapping of a draft, key by key: null removes an entry. */
export interface ChangeRenderSession {
  mapping: {
    /** The draft's own, or absent. */
    template_style_version_id?: string;
    resources?: Record<string, Resource | null>;
    audio_tracks?: Record<string, AudioResource | null>;
    font_changes?: Record<string, FontResource | null>;
  };
}

/** Statuses are open: see `sessionEnd` for those of other services. */
export type SessionStatus = 'draft' | 'preview_rendering' | 'preview_rendered' | 'preview_failed' | 'preview_canceled';

export type SessionPhase = 'queued' | 'fetching' | 'rendering' | 'encoding' | 'uploading' | 'done';

export interface SessionError {
  code: string;
  title: string;
  detail?: string | undefined;
  /** JSON pointer into the request. */
  pointer?: string | undefined;
  editable?: string | undefined;
  severity: 'error' | 'warning';
  retryable: boolean;
  occurred_at: string;
}

/** A source that a session was rendered from. */
export interface SessionSource {
  /** The editable that it fills, or `audio_tracks.` and the track's name. */
  key: string;
  remote_url: string;
  status: 'fetched' | 'failed';
  sha256?: string;
  content_type?: string;
  bytes?: number;
  /** Pixels, of images and videos. */
  width?: number;
  height?: number;
}

export interface SessionUsage {
  /** Seconds between creation (or the call that started a draft) and the attempt that finished it. */
  queue_seconds: number;
  /** Seconds of that attempt. */
  render_seconds: number;
  frames: number;
  /** Of the video. */
  bytes: number;
}

/** Fields from `phase` on are additions: a service of the interface document alone lacks them. */
export interface RenderSession {
  id: string;
  title: string;
  status: SessionStatus | (string & {});
  /** Per cent, 0..100; never falls. */
  render_progress: number;
  thumbnails: string[];
  video_url: string | null;
  errors: SessionError[];
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  updated_at: string;
  mapping: Mapping & { id: string };
  audio_tracks: Record<string, AudioResource>;
  font_changes: Record<string, FontResource>;
  source_uploads: SessionSource[];
  /** Names of the fonts that were used. */
  fonts: string[];
  phase?: SessionPhase;
  terminal?: boolean;
  /** Signed, expiring. Null until there is a video. */
  download_url?: string | null;
  /** When retention ends; null where nothing ends it. */
  expires_at?: string | null;
  /** SHA-256 of the video file, 64 hexadecimal digits; absent until there is a video. */
  video_sha256?: string;
  usage?: SessionUsage;
  output?: OutputRequest;
  /** Of a draft: keys of the editables that still have to be filled before it can be rendered. */
  missing_editables?: string[] | undefined;
  /** They begin when the video is rendered, and go on while `status` is `preview_rendered` already. */
  external_uploads?: ExternalUpload[];
}

/** `GET /v2/render_sessions` */
export interface RenderSessionPage {
  render_sessions: RenderSession[];
  next_cursor: string | null;
}

/** `POST /v2/render_sessions?dry_run=true` */
export interface DryRun {
  valid: boolean;
  errors: RequestProblem[];
  warnings: RequestProblem[];
  /** Null when the template is not known. */
  estimate: { frames: number; render_seconds: number } | null;
}

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
