import type { CaptionsRequest } from './captions.ts';
import type { LoudnessRequest, SoundMeasures } from './loudness.ts';
import type { AudioResource, FontResource, Mapping, Resource } from './mapping.ts';
import type { NamedOutput, OutputRequest } from './output.ts';
import type { RequestProblem } from './problem.ts';
import type { ScenesRequest } from './scene-request.ts';

/** Order among the waiting sessions of a tenant. It does not affect other tenants. */
export const SESSION_PRIORITIES = ['low', 'normal', 'high'] as const;
export type SessionPriority = (typeof SESSION_PRIORITIES)[number];

/** Fields of a session that do not affect its video. */
export interface SessionOptions {
  /** References of the client, up to 20, which lists can be filtered by. */
  metadata?: Record<string, string>;
  /** `normal` when absent. */
  priority?: SessionPriority;
  /** Receives the events of this session in place of the webhook endpoint that has the same origin. */
  webhook_url?: string;
  /** Days after its end at which the session is removed, at most the retention of the service. */
  retention_days?: number;
}

/** A video of a single template. */
export interface CreateRenderSession extends NewSessionFields {
  mapping: Mapping;
}

/** A video of scenes. */
export interface CreateScenesSession extends NewSessionFields, ScenesRequest {}

/** The body of `POST /v2/render_sessions`. */
export type SessionRequest = CreateRenderSession | CreateScenesSession;

interface NewSessionFields extends SessionOptions {
  title: string;
  /** A draft when absent. */
  render?: 'preview';
  output?: OutputRequest;
  /** Several files instead of `output`. The first is the main file: `video_url` is its URL. */
  outputs?: NamedOutput[];
  /** Loudness of the finished sound; that of the mix if absent. */
  loudness?: LoudnessRequest;
  /** Captions of the whole video. */
  captions?: CaptionsRequest;
  /** The tenant's default destinations are added, unless the list is empty. */
  external_uploads?: ExternalUploadRequest[];
}

/** Changes to the mapping of a draft, key by key: null removes an entry. */
export interface ChangeRenderSession {
  mapping: {
    /** Must equal that of the draft if present. */
    template_style_version_id?: string;
    resources?: Record<string, Resource | null>;
    audio_tracks?: Record<string, AudioResource | null>;
    font_changes?: Record<string, FontResource | null>;
  };
}

/** Statuses of Reelform. Other services may have more, see `sessionEnd`. */
export type SessionStatus = 'draft' | 'preview_rendering' | 'preview_rendered' | 'preview_failed' | 'preview_canceled';

export type SessionPhase = 'queued' | 'fetching' | 'rendering' | 'encoding' | 'uploading' | 'done';

export interface SessionError {
  code: string;
  title: string;
  detail?: string | undefined;
  /** JSON pointer into the request. */
  pointer?: string | undefined;
  editable?: string | undefined;
  /** Id of the scene that it is about, in a session with `scenes`. */
  scene?: string | undefined;
  severity: 'error' | 'warning';
  retryable: boolean;
  occurred_at: string;
}

/** A source that a session was rendered from. */
export interface SessionSource {
  /** The editable that it fills, `audio_tracks.` and the track name, or `captions`. */
  key: string;
  /** Id of the scene that it belongs to, in a session with `scenes`. */
  scene?: string;
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
  /** Duration of that attempt, in seconds. */
  render_seconds: number;
  frames: number;
  /** Size of the video file, in bytes. */
  bytes: number;
}

/** Segments of a video, which are rendered and cached separately. */
export interface RenderedSegments {
  /** Finished segments, rendered or reused. */
  done: number;
  total: number;
  /** Finished segments that were not rendered again, because an earlier or concurrent render made them. */
  reused: number;
}

/** Fields from `phase` on are extensions: services that implement only the interface document lack them. */
export interface RenderSession extends SessionOptions, Partial<Omit<ScenesRequest, 'audio_tracks'>> {
  id: string;
  title: string;
  status: SessionStatus | (string & {});
  /** Percentage, 0..100; never decreases. */
  render_progress: number;
  thumbnails: string[];
  video_url: string | null;
  errors: SessionError[];
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  updated_at: string;
  /** That of the first scene if there are `scenes`. */
  mapping: Mapping & { id: string };
  /** Sounds of the whole video. */
  audio_tracks: Record<string, AudioResource>;
  font_changes: Record<string, FontResource>;
  source_uploads: SessionSource[];
  /** Names of the fonts in use. */
  fonts: string[];
  phase?: SessionPhase;
  terminal?: boolean;
  /** Signed URL that expires; null until the video exists. */
  download_url?: string | null;
  /** End of retention; null if kept indefinitely. */
  expires_at?: string | null;
  /** SHA-256 of the video file, 64 hexadecimal digits; absent until the video exists. */
  video_sha256?: string;
  /** Loudness of the finished sound of a session with `loudness`; absent until the video exists, and for a silent video. */
  measured_loudness?: SoundMeasures;
  /** Present while a video is rendered in segments. */
  render_segments?: RenderedSegments | undefined;
  usage?: SessionUsage;
  /** Length of a video of `scenes`, in frames at `rate`. */
  frames?: number;
  /** Output of the main file. */
  output?: OutputRequest;
  /** All files of a request with `outputs`, the main file first; `bytes` is the size of the file. */
  outputs?: (NamedOutput &
    Pick<RenderSession, 'video_url' | 'video_sha256' | 'measured_loudness'> & { bytes?: number })[];
  /** Required editables that a draft leaves unfilled. */
  missing_editables?: string[] | undefined;
  /** Start when the video is rendered, and may continue after `status` becomes `preview_rendered`. */
  external_uploads?: ExternalUpload[];
}

/** `POST /v2/render_sessions?dry_run=true` */
export interface DryRun {
  valid: boolean;
  errors: RequestProblem[];
  warnings: RequestProblem[];
  /** Null if the template is unknown. */
  estimate: { frames: number; render_seconds: number } | null;
}

/** A requested delivery of the finished file. */
export interface ExternalUploadRequest {
  /** `s3://bucket/key`, `gs://bucket/key`, `azblob://account/container/key`, or `file:` if the operator allows it. */
  to: string;
  /** Name of a credential of the service; the tenant's default if absent. */
  credential?: string;
  /** Name of the output to deliver; the main output if absent. */
  output?: string;
}

export const EXTERNAL_UPLOAD_STATUSES = ['pending', 'uploading', 'complete', 'failed'] as const;
export type ExternalUploadStatus = (typeof EXTERNAL_UPLOAD_STATUSES)[number];

/** State of a delivery. */
export interface ExternalUpload extends ExternalUploadRequest {
  status: ExternalUploadStatus;
  /** ETag or version id assigned by the storage; null until complete. */
  remote_id: string | null;
  /** Public URL; null unless the credential has a public base URL. */
  url: string | null;
  /** Reason of a failure. */
  error: { code: string; title: string; detail?: string } | null;
}

/** `GET /v2/usage`: the videos that a tenant rendered on a day. */
export interface DailyUsage {
  /** UTC, `YYYY-MM-DD`. */
  date: string;
  /** Number of rendered sessions. */
  sessions: number;
  /** Total length of their videos, in seconds. */
  video_seconds: number;
  /** Total duration of their renders, in seconds. */
  render_seconds: number;
  frames: number;
  /** Total size of all files. */
  bytes: number;
}

/** The limit of a tenant for the current calendar month, UTC, in seconds of video. */
export interface UsageBudget {
  /** `YYYY-MM`. */
  month: string;
  limit: number;
  /** Length of the videos rendered this month. */
  used: number;
  /** Length of the videos of waiting and running sessions. */
  reserved: number;
}
