/** Why one scene cannot be rendered; the codes that a render session shows for it. */
export type SceneErrorCode =
  | 'asset_type_unsupported'
  | 'asset_decode_failed'
  | 'asset_too_large'
  | 'template_invalid'
  | 'encode_failed'
  | 'render_crashed'
  | 'render_timeout';

/**
 * This scene cannot be rendered; others may. What the user gave is wrong (an image, an animation), or the machinery broke
 * on it. Never thrown for an aborted render: that rejects with the signal's reason.
 */
export class SceneError extends Error {
  readonly code: SceneErrorCode;
  /** The `name` of the scene's image at fault. */
  readonly imageName: string | undefined;

  constructor(
    code: SceneErrorCode,
    message: string,
    options: { imageName?: string | undefined; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'SceneError';
    this.code = code;
    this.imageName = options.imageName;
  }
}
