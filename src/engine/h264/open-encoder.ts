import type { EncoderFactory } from './encoder.ts';
import { openWebcodecsEncoder } from './webcodecs-encoder.ts';

/** Which encoder makes H.264. Plain data. */
export type EncoderChoice =
  /** The one that npm installed. */
  | { readonly kind: 'embedded' }
  /** That of a system, as a program of its own. */
  | { readonly kind: 'ffmpeg'; readonly program: string };

export const EMBEDDED: EncoderChoice = { kind: 'embedded' };

/** Opens the encoder that was chosen. */
export function encoderOf(choice: EncoderChoice): EncoderFactory {
  if (choice.kind === 'embedded') return openWebcodecsEncoder;
  return async (format, quality) => {
    const { ffmpegEncoder } = await import('./ffmpeg-encoder.ts');
    return ffmpegEncoder(choice.program)(format, quality);
  };
}
