import { defined } from '../kernel/defined.ts';
import { type Code, ReelformError } from '../kernel/diagnostic.ts';

/** Reason why an input cannot be rendered, as reported by its render session. */
export type RenderErrorCode =
  | 'asset_type_unsupported'
  | 'asset_decode_failed'
  | 'asset_too_large'
  | 'template_invalid'
  | 'encode_failed'
  | 'render_crashed'
  | 'render_timeout';

/**
 * Reports that an input cannot be rendered: an input (an image, an animation) is invalid, or rendering failed on it. An aborted
 * render rejects with the signal's reason instead.
 */
export class RenderError extends Error {
  readonly code: RenderErrorCode;
  /** The `name` of the image, clip or sound that caused the error. */
  readonly imageName: string | undefined;

  constructor(
    code: RenderErrorCode,
    message: string,
    options: { imageName?: string | undefined; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'RenderError';
    this.code = code;
    this.imageName = options.imageName;
  }
}

/** An error as plain data, to pass between threads or processes: a structured clone would lose its class and code. */
export type Failure =
  | {
      readonly kind: 'renderInput';
      readonly code: RenderErrorCode;
      readonly message: string;
      readonly imageName?: string | undefined;
    }
  | { readonly kind: 'reelform'; readonly code: Code; readonly message: string; readonly hint?: string | undefined }
  | {
      readonly kind: 'unexpected';
      readonly message: string;
      readonly stack?: string | undefined;
      readonly code?: string | undefined;
    };

export function failureFrom(error: unknown): Failure {
  if (error instanceof RenderError) {
    return { kind: 'renderInput', code: error.code, message: error.message, imageName: error.imageName };
  }
  if (error instanceof ReelformError) {
    return { kind: 'reelform', code: error.code, message: error.message, hint: error.hint };
  }
  if (error instanceof Error) {
    const { code } = error as NodeJS.ErrnoException;
    return {
      kind: 'unexpected',
      message: error.message,
      stack: error.stack,
      ...defined({ code: typeof code === 'string' ? code : undefined }),
    };
  }
  return { kind: 'unexpected', message: String(error) };
}

/** Restores the error passed to `failureFrom`: its class, code and message. */
export function errorFrom(failure: Failure): Error {
  switch (failure.kind) {
    case 'renderInput':
      return new RenderError(failure.code, failure.message, { imageName: failure.imageName });
    case 'reelform':
      return new ReelformError(failure.code, failure.message, failure.hint === undefined ? {} : { hint: failure.hint });
    case 'unexpected': {
      const error: NodeJS.ErrnoException = new Error(failure.message);
      if (failure.code !== undefined) error.code = failure.code;
      if (failure.stack !== undefined) error.stack = failure.stack;
      return error;
    }
  }
}
