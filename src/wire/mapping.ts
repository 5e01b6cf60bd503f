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

/** `POST /v2/source_uploads` */
export interface SourceUploadAnswer {
  remote_url: string;
  sha256: string;
  bytes: number;
  content_type: string;
  width?: number;
  height?: number;
}
