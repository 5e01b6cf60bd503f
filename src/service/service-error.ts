import type { RequestProblem } from '../wire/problem.ts';

/**
 * A rejection by the service. `status` is the HTTP status that it has, or would have over HTTP.
 *
 * @see RFC 9457
 */
export class ServiceError extends Error {
  readonly status: number;
  readonly code: string;
  readonly problems: readonly RequestProblem[];

  constructor(status: number, code: string, message: string, problems: readonly RequestProblem[] = []) {
    super(message);
    this.name = 'ServiceError';
    this.status = status;
    this.code = code;
    this.problems = problems;
  }
}

/** Reports a temporary outage of a component: the request is valid and can be repeated later. */
export function isOutage(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isOutage);
  return error instanceof ServiceError && error.status === 503;
}

/** Reports that the service does not have the session: 404 or 410. */
export function lacksSession(error: unknown): error is ServiceError {
  return error instanceof ServiceError && (error.status === 404 || error.status === 410);
}

const FULL_QUEUES: ReadonlySet<string> = new Set(['queue_full', 'service_full'] satisfies ServiceCode[]);

/** Reports whether a code means that the queue is full: nothing was created, and a later request may succeed. */
export function isFullQueue(code: string | null): boolean {
  return code !== null && FULL_QUEUES.has(code);
}

export function isFullQueueError(error: unknown): error is ServiceError {
  return error instanceof ServiceError && isFullQueue(error.code);
}

/** Creates an error of our own service, with the status of its code. */
export function serviceError(
  code: ServiceCode,
  message: string = SERVICE_CODES[code][1],
  problems: readonly RequestProblem[] = [],
): ServiceError {
  return new ServiceError(SERVICE_CODES[code][0], code, message, problems);
}

/** Codes in the `errors` of a render session, with their meaning. Other services may use more. */
export const SESSION_CODES = {
  asset_unreachable: 'A URL could not be fetched',
  asset_forbidden_host: 'A URL leads to an address that is not public',
  asset_too_large: 'An image has more than 50 MB or 40 megapixels, or another file more than 200 MB',
  asset_type_unsupported: 'A file is not of a kind that can be shown or heard there',
  asset_decode_failed: 'A file is damaged or cut off, or trimmed to beyond its end',
  glyph_missing: 'A text has characters that no font of the template draws; the video is rendered without them',
  text_overflow: 'A text is larger than its box; the video is rendered with what fits',
  clip_ends_early:
    'A clip is over before the layer that shows it; the video is rendered with its last picture standing',
  media_truncated: 'The file of a clip or a sound breaks off; the video is rendered with what is there',
  template_invalid: 'The rasteriser cannot use the animation',
  encode_failed: 'The encoder gave up',
  render_crashed: 'The process that rendered it ended',
  render_timeout: 'No frame for 60 seconds, or no end after 15 minutes',
  disk_full: 'The disk of the machine that renders is full',
  storage_failed: 'The finished video could not be stored',
  delivery_failed: 'The finished video could not be delivered to a destination',
  canceled: 'Somebody canceled it, or the service was closed',
  draft_expired: 'A draft was not changed or rendered for as long as the service keeps drafts',
  internal: 'A mistake in reelform',
} as const;

export type SessionCode = keyof typeof SESSION_CODES;

/** The `code` of each problem response, with its HTTP status and meaning. */
export const SERVICE_CODES = {
  bad_request: [400, 'The request is not in the form of the interface'],
  unauthorized: [401, 'There is no token, or it is unknown, expired or revoked'],
  missing_scope: [403, 'The token does not allow this'],
  not_found: [404, 'There is nothing with this id, or not for this tenant'],
  method_not_allowed: [405, 'The path exists, and has another method'],
  request_timeout: [408, 'The request took too long to arrive'],
  wrong_state: [409, 'The session is not in a state that allows this'],
  idempotency_in_progress: [409, 'The first request with this Idempotency-Key is still at work'],
  endpoint_disabled: [409, 'The webhook endpoint is disabled'],
  too_many_endpoints: [409, 'The tenant has as many webhook endpoints as it may have'],
  style_version_processing: [409, 'The style version is still being looked at'],
  body_too_large: [413, 'The body is larger than the limit'],
  unsupported_media_type: [415, 'The body has another content type, or a content encoding'],
  range_not_satisfiable: [416, 'The file is shorter than the range'],
  mapping_invalid: [422, 'The mapping does not fit the style version'],
  upload_invalid: [422, 'The finished video cannot be delivered like this'],
  idempotency_key_reused: [422, 'The Idempotency-Key came with another request before'],
  style_version_failed: [422, 'The style version cannot be used'],
  template_invalid: [422, 'The template package is not complete or not consistent'],
  source_invalid: [422, 'The uploaded bytes are no image, video or sound that can be used'],
  webhook_url_refused: [422, 'The URL is none that webhooks are sent to'],
  rate_limited: [429, 'The tenant has no requests left in this window, or as many waiting as it may have'],
  queue_full: [429, 'The tenant has as many sessions waiting as it may have'],
  headers_too_large: [431, 'The headers are larger than the limit'],
  internal: [500, 'A mistake in reelform'],
  service_full: [503, 'The service has as many renders waiting as it takes'],
  unavailable: [503, 'The service is starting or stopping, has no disk left, or cannot reach a part of itself'],
} as const satisfies Record<string, readonly [status: number, meaning: string]>;

export type ServiceCode = keyof typeof SERVICE_CODES;
