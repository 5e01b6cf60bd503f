import type { EncoderFactory } from './encoder.ts';
import { ffmpegEncoder } from './ffmpeg-encoder.ts';
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
  return choice.kind === 'ffmpeg' ? ffmpegEncoder(choice.program) : openWebcodecsEncoder;
}
