/**
 * The codes of a render session's `errors` that this program gives, with their meaning. A service may have others: a
 * reader takes any.
 */
export const SESSION_CODES = {
  asset_unreachable: 'A URL could not be fetched',
  asset_forbidden_host: 'A URL leads to an address that is not public',
  asset_too_large: 'A file has more than 50 MB or 40 megapixels',
  asset_type_unsupported: 'A file is no PNG, JPEG, WebP, GIF or AVIF',
  asset_decode_failed: 'An image is damaged or cut off',
  template_invalid: 'The rasteriser cannot use the animation',
  encode_failed: 'The encoder gave up',
  render_crashed: 'The process that rendered it ended',
  render_timeout: 'No frame for 60 seconds, or no end after 15 minutes',
  storage_failed: 'The finished video could not be stored',
  canceled: 'Somebody canceled it, or the service was closed',
  internal: 'A mistake in reelform',
} as const;

export type SessionCode = keyof typeof SESSION_CODES;
