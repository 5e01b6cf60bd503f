import type { OpenWriter } from '../frame-writer.ts';
import type { EncoderFactory } from '../h264/encoder.ts';
import { muxMp4 } from '../h264/mux-mp4.ts';
import { SegmentedEncoder } from '../h264/segmented-encoder.ts';

/** H.264 and AAC in MP4, encoded in segments. */
export function mp4Writer(openEncoder: EncoderFactory): OpenWriter {
  return async ({ format, output, sound }) => {
    const encoder = new SegmentedEncoder({ openEncoder, format, quality: output.quality });
    return {
      write: (pixels, frame) => encoder.encode(pixels, frame),
      finish: async () => muxMp4(await encoder.finish(), { sound: await sound, fingerprint: output.fingerprint }),
      close: () => encoder.close(),
    };
  };
}
