import { isRecord } from '../../kernel/json.ts';

/**
 * `GET /v2/features`: what a service offers beyond the interface document. A service that does not have this request offers nothing
 * of it.
 */
export interface ServiceFeatures {
  /** Requests with `scenes`; absent if the service has none. */
  readonly scenes?: SceneLimits;
  /** Requests with `loudness`, and tracks with a start, a level, ducking or `speech`; absent if the service has none. */
  readonly sound?: true;
  /** Requests with `captions`; absent if the service has none. */
  readonly captions?: true;
  /** Outputs with `lang`; absent if the service has none. */
  readonly languages?: true;
}

/** Limits of a video of several scenes. */
export interface SceneLimits {
  /** Number of scenes. */
  readonly max_scenes: number;
  /** Length of the video. */
  readonly max_seconds: number;
}

/** Returns the features of an answer: unknown features as they are, those of this version only in their form. */
export function parseFeatures({ scenes, ...others }: Readonly<Record<string, unknown>>): ServiceFeatures {
  return isSceneLimits(scenes) ? { ...others, scenes } : others;
}

function isSceneLimits(value: unknown): value is SceneLimits {
  return isRecord(value) && typeof value.max_scenes === 'number' && typeof value.max_seconds === 'number';
}
