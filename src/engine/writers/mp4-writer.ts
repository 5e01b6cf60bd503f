import type { EncoderFactory } from '../encoder.ts';
import type { OpenWriter } from '../frame-writer.ts';
import { muxMp4 } from '../mux-mp4.ts';

/** H.264 and AAC in MP4. */
export function mp4Writer(openEncoder: EncoderFactory): OpenWriter {
  return async ({ format, sound }) => {
    const encoder = await openEncoder(format);
    return {
      write: (pixels, frame) => encoder.encode(pixels, frame),
      finish: async () => muxMp4(await encoder.finish(), sound),
      close: () => encoder.close(),
    };
  };
}
