import type { RequestProblem } from './wire/problem.ts';

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
  asset_forbidden_host: 'A URL resolves to an address that is not public',
  asset_too_large: 'An image is larger than 50 MB or 40 megapixels, or another file is larger than 200 MB',
  asset_type_unsupported: 'The type of a file is not supported for its editable',
  asset_decode_failed: 'A file is damaged or truncated, or its trim starts after its end',
  glyph_missing: 'A text has characters that no font of the template contains; the video is rendered without them',
  text_overflow: 'A text is larger than its box; the video is rendered with the part that fits',
  clip_ends_early: 'A clip ends before the layer that shows it; its last frame is shown for the rest',
  clip_cut: 'A clip is longer than the time for which its layer shows it; its end is not shown',
  sound_cut: 'A sound is longer than the time for which it plays; its end is not heard',
  sound_unused: 'A sound adds nothing to the video',
  level_missed: 'A sound is too quiet for its level',
  words_unheard: 'A sound ends before its words',
  loudness_missed: 'The finished sound could not be brought to the requested loudness',
  media_truncated: 'The file of a clip or sound is truncated; the video is rendered with the available part',
  template_invalid: 'The rasterizer cannot load the animation',
  encode_failed: 'The encoder failed',
  render_crashed: 'The render process ended unexpectedly',
  render_timeout: 'The render produced no frame for 60 seconds, or took longer than 15 minutes',
  disk_full: 'The disk of the rendering machine is full',
  storage_failed: 'The finished video could not be stored',
  delivery_failed: 'The finished video could not be delivered to a destination',
  canceled: 'The session was canceled, or the service was closed',
  draft_expired: 'A draft was unused for longer than the service keeps drafts',
  internal: 'Internal error of reelform',
} as const;

export type SessionCode = keyof typeof SESSION_CODES;

/** The `code` of each problem response, with its HTTP status and meaning. */
export const SERVICE_CODES = {
  bad_request: [400, 'The request does not match the schema of the operation'],
  unauthorized: [401, 'The token is missing, unknown, expired or revoked'],
  missing_scope: [403, 'The token does not allow this'],
  budget_exceeded: [403, 'The tenant has used up its seconds of video of this month'],
  not_found: [404, 'The resource does not exist or belongs to another tenant'],
  method_not_allowed: [405, 'The path exists but does not support the method'],
  request_timeout: [408, 'The request took too long to arrive'],
  wrong_state: [409, 'The state of the session does not allow this operation'],
  idempotency_in_progress: [409, 'The first request with this Idempotency-Key is still running'],
  endpoint_disabled: [409, 'The webhook endpoint is disabled'],
  too_many_endpoints: [409, 'The tenant has the maximum number of webhook endpoints'],
  style_version_processing: [409, 'The style version is still being processed'],
  body_too_large: [413, 'The body is larger than the limit'],
  unsupported_media_type: [415, 'The content type or content encoding of the body is not supported'],
  range_not_satisfiable: [416, 'The range starts after the end of the file'],
  mapping_invalid: [422, 'The mapping does not match the style version'],
  upload_invalid: [422, 'A destination of the finished video is invalid'],
  idempotency_key_reused: [422, 'The Idempotency-Key was used with a different request'],
  style_version_failed: [422, 'The style version cannot be used'],
  template_invalid: [422, 'The template package is incomplete or inconsistent'],
  source_invalid: [422, 'The uploaded bytes are not a supported image, video or sound'],
  webhook_url_refused: [422, 'Webhooks cannot be sent to this URL'],
  rate_limited: [429, 'The tenant has exceeded its rate limit or has the maximum number of waiting requests'],
  queue_full: [429, 'The tenant has the maximum number of waiting sessions'],
  headers_too_large: [431, 'The headers are larger than the limit'],
  internal: [500, 'Internal error of reelform'],
  service_full: [503, 'The service has the maximum number of waiting renders'],
  unavailable: [503, 'The service is starting or stopping, its disk is full, or a component is unreachable'],
} as const satisfies Record<string, readonly [status: number, meaning: string]>;

export type ServiceCode = keyof typeof SERVICE_CODES;
