/** The `code` of every problem that the service answers with, with its HTTP status and meaning. */
export const SERVICE_CODES = {
  bad_request: [400, 'The request is not in the form of the interface'],
  unauthorized: [401, 'There is no token, or it is unknown, expired or revoked'],
  missing_scope: [403, 'The token does not allow this'],
  not_found: [404, 'There is nothing with this id, or not for this tenant'],
  method_not_allowed: [405, 'The path exists, and has another method'],
  request_timeout: [408, 'The request took too long to arrive'],
  wrong_state: [409, 'The session is not in a state that allows this'],
  idempotency_in_progress: [409, 'The first request with this Idempotency-Key is still at work'],
  style_version_processing: [409, 'The style version is still being looked at'],
  body_too_large: [413, 'The body is larger than the limit'],
  unsupported_media_type: [415, 'The body has another content type, or a content encoding'],
  range_not_satisfiable: [416, 'The file is shorter than the range'],
  mapping_invalid: [422, 'The mapping does not fit the style version'],
  idempotency_key_reused: [422, 'The Idempotency-Key came with another request before'],
  style_version_failed: [422, 'The style version cannot be used'],
  template_invalid: [422, 'The template package is not complete or not consistent'],
  source_invalid: [422, 'The uploaded bytes are no image, video or sound that can be used'],
  rate_limited: [429, 'The tenant has no requests left in this window'],
  headers_too_large: [431, 'The headers are larger than the limit'],
  internal: [500, 'A mistake in reelform'],
  unavailable: [503, 'The service is starting, stopping or full'],
} as const satisfies Record<string, readonly [status: number, meaning: string]>;

export type ServiceCode = keyof typeof SERVICE_CODES;
