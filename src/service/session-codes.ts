/**
 * The codes of a render session's `errors` that this program gives, with their meaning. A service may have others: a
 * reader takes any.
 */
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
