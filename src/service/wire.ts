/**
 * The JSON of the rendering service's interface, as client and service both speak it. Types alone.
 * Fields beyond the three calls of the interface document are optional for a reader: a service may lack them.
 */

export type InputType = 'color' | 'text' | 'image' | 'video' | 'font' | 'audio';

/** One editable of a template style version. */
export interface Editable {
  input_type: InputType;
  /** Colour: 6 or 8 hexadecimal digits without `#`. */
  example_text?: string;
  stillcut: string;
  fonts?: string[];
  /** Pixels of the area that an image fills. */
  width?: number;
  height?: number;
  label?: string;
  /** True when absent. */
  required?: boolean;
  /** Unicode code points. */
  max_length?: number;
  /** Seconds. */
  duration?: number;
  allowed_fonts?: string[];
}

/** The mapping specification, `GET /v2/template_style_versions/{id}/specs`. */
export interface StyleVersion {
  id: string;
  /** In the template's own order. */
  editables: Record<string, Editable>;
  fonts: string[];
  /** What `font_changes` can choose from; the same as `fonts` when absent. */
  available_fonts?: string[];
}

export interface TextResource {
  source: { text: string };
}

export interface MediaResource {
  source: { remote_url: string };
  transform?: Transform;
}

/** A font that the template or the project carries, by name. */
export interface FontResource {
  source: { font: string };
}

export const CROP_STRATEGIES = ['cover', 'contain', 'fill', 'manual'] as const;
export type CropStrategy = (typeof CROP_STRATEGIES)[number];

/** How an image moves in the area of a video. */
export const ANIMATE_STRATEGIES = [
  'none',
  'slide-to-left',
  'slide-to-right',
  'slide-to-top',
  'slide-to-bottom',
  'zoom-in',
  'zoom-out',
] as const;
export type AnimateStrategy = (typeof ANIMATE_STRATEGIES)[number];

export const ANIMATE_SPEEDS = ['slow', 'moderate', 'fast'] as const;
export type AnimateSpeed = (typeof ANIMATE_SPEEDS)[number];

/** How a source fills its area; crop in pixels of the source, focus in 0..1. Sound and time for videos and sounds alone. */
export interface Transform {
  crop_strategy?: CropStrategy;
  crop_x?: number;
  crop_y?: number;
  crop_width?: number;
  crop_height?: number;
  focus_x?: number;
  focus_y?: number;
  /** RRGGBB behind a contained image. */
  background?: string;
  /** Where `trim_start_time` counts; `none` plays from the start. */
  trim_strategy?: 'none' | 'manual';
  /** Seconds of the source that are skipped. */
  trim_start_time?: number;
  /** Of a video's own sound, 0..1 and up to 4. A video is silent unless this is given. */
  volume?: number;
  /** An image in the area of a video; `manual` crops go with `none` alone. */
  animate_strategy?: AnimateStrategy;
  animate_speed?: AnimateSpeed;
}

/** A sound: of an editable of kind audio, or of `audio_tracks`. */
export interface AudioResource {
  source: { remote_url: string };
  transform?: AudioTransform;
}

export interface AudioTransform {
  /** Seconds of the source that are skipped. */
  trim_start_time?: number;
  /** 0..4; 1 when absent. */
  volume?: number;
  /** Seconds from silence at the start, and to silence at the end, of what is heard. */
  fade_in?: number;
  fade_out?: number;
  /** Starts again until the video ends. */
  loop?: boolean;
}

export type Resource = TextResource | MediaResource | FontResource | AudioResource;

export interface Mapping {
  template_style_version_id: string;
  resources: Record<string, Resource>;
  /** By the name of the track; mixed over the template's own sound. */
  audio_tracks?: Record<string, AudioResource>;
  /** By the name of the template's font that is replaced. */
  font_changes?: Record<string, FontResource>;
}

/** `png` is one still, `png_sequence` a zip of all frames; `webp` is animated. */
export const OUTPUT_FORMATS = ['mp4', 'webm', 'gif', 'webp', 'png', 'png_sequence'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

export const OUTPUT_QUALITIES = ['low', 'medium', 'high'] as const;
export type OutputQuality = (typeof OUTPUT_QUALITIES)[number];

/** How the finished file is made; all of it optional. */
export interface OutputRequest {
  format?: OutputFormat;
  /** Pixels; the width follows. */
  height?: number;
  /** Frames per second. */
  fps?: number;
  quality?: OutputQuality;
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

export interface CreateRenderSession {
  title: string;
  /** A draft when absent. */
  render?: 'preview';
  mapping: Mapping;
  output?: OutputRequest;
  /** None when absent; the tenant's own destinations are added. */
  external_uploads?: ExternalUploadRequest[];
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
  usage?: SessionUsage;
  output?: OutputRequest;
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

/** One mistake in a request, as the service's problem details list them. */
export interface RequestProblem {
  readonly code: string;
  /** JSON pointer into the request, as a URI fragment. */
  readonly pointer: string;
  readonly detail: string;
}

/** The body of every error. @see RFC 9457 */
export interface ProblemDetails {
  type: string;
  title: string;
  status: number;
  detail: string;
  instance: string;
  code: string;
  request_id: string;
  errors: RequestProblem[];
}

export type StyleVersionStatus = 'processing' | 'edit_ready' | 'failed';

/** `GET /v2/template_style_versions/{id}`: the specification and what the service knows of it beside. */
export interface StyleVersionDetails extends StyleVersion {
  /** The template's name. */
  name: string;
  status: StyleVersionStatus;
  /** Why it failed. */
  errors: RequestProblem[];
  /** SHA-256 over what of the package can reach a frame. */
  digest: string;
  /** Pixels. */
  width: number;
  height: number;
  fps: number;
  /** Seconds. */
  duration: number;
  /** Name → URL of a PNG; empty until `edit_ready`. */
  stillcuts: Record<string, string>;
  created_at: string;
}

/** `POST /v2/source_uploads` */
export interface SourceUploadAnswer {
  remote_url: string;
  sha256: string;
  bytes: number;
  content_type: string;
  width?: number;
  height?: number;
}
