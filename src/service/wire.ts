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
}

export interface TextResource {
  source: { text: string };
}

export interface MediaResource {
  source: { remote_url: string };
  transform?: Transform;
}

export type CropStrategy = 'cover' | 'contain' | 'fill' | 'manual';

/** How a source fills its area; crop in pixels of the source, focus in 0..1. */
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
}

export type Resource = TextResource | MediaResource;

export interface Mapping {
  template_style_version_id: string;
  resources: Record<string, Resource>;
}

export interface CreateRenderSession {
  title: string;
  render: 'preview';
  mapping: Mapping;
}

/** Statuses are open: see `isTerminal` for those of other services. */
export type SessionStatus = 'draft' | 'preview_rendering' | 'preview_rendered' | 'preview_failed' | 'preview_canceled';

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
  audio_tracks: Record<string, unknown>;
  font_changes: Record<string, unknown>;
  source_uploads: unknown[];
  fonts: string[];
}
