import { ReelformError } from '../../diagnostic.ts';
import { type EncoderChoice, H264_ENCODERS } from '../../engine/h264/open-encoder.ts';

/** What REELFORM_ENCODER and `encoder` could be before, and what to do instead. */
const RETIRED: Readonly<Record<string, string>> = {
  embedded: 'leave it out: x264 is the default',
  ffmpeg: 'leave it out: the default makes files as small as ffmpeg did, without ffmpeg',
};

/**
 * Chooses the encoder of H.264: REELFORM_ENCODER, or else the configured one.
 *
 * @throws ReelformError settings_invalid when the environment names no encoder
 */
export function chooseEncoder(
  configured: EncoderChoice,
  { REELFORM_ENCODER: written = '' }: { readonly REELFORM_ENCODER?: string | undefined },
): EncoderChoice {
  if (written === '') return configured;
  const h264 = H264_ENCODERS.find((name) => name === written);
  if (h264 !== undefined) return { h264 };
  throw new ReelformError('settings_invalid', `REELFORM_ENCODER is ${JSON.stringify(written)}`, {
    hint: RETIRED[written] ?? `write one of ${H264_ENCODERS.join(', ')}`,
  });
}
