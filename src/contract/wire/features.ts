/**
 * `GET /v2/features`: what a service offers beyond the interface document. A service that does not have this request offers nothing
 * of it.
 */
export interface ServiceFeatures {
  /** Requests with `scenes`; absent if the service has none. */
  readonly scenes?: SceneLimits;
}

/** Limits of a video of several scenes. */
export interface SceneLimits {
  /** Number of scenes. */
  readonly max_scenes: number;
  /** Length of the video. */
  readonly max_seconds: number;
}
