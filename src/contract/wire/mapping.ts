/** A text, a colour, a number, a point or a gradient. */
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
type CropStrategy = (typeof CROP_STRATEGIES)[number];

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
type AnimateStrategy = (typeof ANIMATE_STRATEGIES)[number];

export const ANIMATE_SPEEDS = ['slow', 'moderate', 'fast'] as const;
type AnimateSpeed = (typeof ANIMATE_SPEEDS)[number];

/** How a source fills its area. Crop is in source pixels, focus in 0..1. Only videos and sounds have sound and time. */
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
  /** `manual` starts at `trim_start_time`; `none` plays from the start. */
  trim_strategy?: 'none' | 'manual';
  /** Seconds of the source that are skipped. */
  trim_start_time?: number;
  /** Volume of the video's own sound, 0..4. Videos are silent by default. */
  volume?: number;
  /** Movement of an image in the area of a video. Only `none` allows `manual` crops. */
  animate_strategy?: AnimateStrategy;
  animate_speed?: AnimateSpeed;
}

/** A sound of an audio editable or of `audio_tracks`. */
export interface AudioResource {
  source: { remote_url: string };
  transform?: AudioTransform;
}

export interface AudioTransform {
  /** Seconds of the source that are skipped. */
  trim_start_time?: number;
  /** 0..4; 1 when absent. */
  volume?: number;
  /** Duration of the fade at the start and at the end of the audible part, in seconds. */
  fade_in?: number;
  fade_out?: number;
  /** Repeats the sound until the video ends. */
  loop?: boolean;
}

export type Resource = TextResource | MediaResource | FontResource | AudioResource;

export interface Mapping {
  template_style_version_id: string;
  resources: Record<string, Resource>;
  /** Keyed by track name; mixed with the template's own sound. */
  audio_tracks?: Record<string, AudioResource>;
  /** Keyed by the name of the template font to replace. */
  font_changes?: Record<string, FontResource>;
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
