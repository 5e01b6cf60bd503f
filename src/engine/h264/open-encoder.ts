import { arch } from 'node:process';
import { ReelformError } from '../../diagnostic.ts';
import type { OutputQuality } from '../../wire/output.ts';
import { VideoStream } from '../codec/video-stream.ts';
import type { EncoderFactory, FrameFormat } from './encoder.ts';
import { toLengths } from './nal-units.ts';

/** Encoders of H.264. All but x264 are hardware, whose bytes vary from machine to machine. */
export const H264_ENCODERS = ['x264', 'videotoolbox', 'nvenc'] as const;

/** The encoders that were chosen, by codec. Plain data. */
export interface EncoderChoice {
  readonly h264: (typeof H264_ENCODERS)[number];
}

export const SOFTWARE: EncoderChoice = { h264: 'x264' };

interface EncoderSettings {
  /** FFmpeg's name. */
  readonly name: string;
  options(quality: OutputQuality): Readonly<Record<string, string>>;
}

/** Constant rate factor, lower is better. The hardware of NVIDIA has a scale that is meant to be the same. */
const RATE_FACTOR: Record<OutputQuality, number> = { low: 28, medium: 24, high: 20 };
/** 1..100, higher is better, times FFmpeg's FF_QP2LAMBDA. */
const VIDEOTOOLBOX_QUALITY: Record<OutputQuality, number> = { low: 45, medium: 55, high: 65 };

/**
 * On x64, x264 core 165 uses uninitialised memory in its AVX-512 code for macroblock trees: at widths such as 1080 or 854 its
 * bytes vary from run to run. Older instructions give the bytes of its C code, as fast.
 */
const INSTRUCTIONS = arch === 'x64' ? ['asm=sse4.2'] : [];

/** @see https://ffmpeg.org/ffmpeg-codecs.html */
const H264: Record<EncoderChoice['h264'], EncoderSettings> = {
  x264: {
    name: 'libx264',
    options: (quality) => ({
      ...{ preset: 'veryfast', crf: String(RATE_FACTOR[quality]) },
      // Five B-frames win back what the key frame of each segment costs.
      bf: '5',
      // Parameter sets that do not follow the pictures, and a fixed frame rate.
      'x264-params': ['stitchable=1', 'force-cfr=1', ...INSTRUCTIONS].join(':'),
    }),
  },
  videotoolbox: {
    name: 'h264_videotoolbox',
    options: (quality) => ({
      global_quality: String(VIDEOTOOLBOX_QUALITY[quality] * 118),
      ...{ bf: '2', allow_sw: '0', flags: '+global_header+bitexact+qscale' },
    }),
  },
  nvenc: {
    name: 'h264_nvenc',
    options: (quality) => ({
      ...{ preset: 'p5', rc: 'vbr', cq: String(RATE_FACTOR[quality]), b: '0', bf: '3', strict_gop: '1' },
    }),
  },
};

/**
 * Returns the factory of the chosen H.264 encoder. x264 runs `veryfast` on one thread: the same build gives the same bytes on
 * any machine of one architecture. Groups of pictures are closed, with key frames only at the start and at cuts.
 */
export function encoderOf({ h264 }: EncoderChoice): EncoderFactory {
  const { name, options } = H264[h264];
  return async (format: FrameFormat, quality) => {
    const fixed = { profile: 'high', g: '1000', flags: '+global_header+bitexact' };
    const settings = { format, encoder: name, options: { ...fixed, ...options(quality) } };
    const stream = await VideoStream.open(settings).catch((cause: unknown) => {
      throw h264 === 'x264' ? cause : missing(h264, cause);
    });
    return {
      encode: (i420, frame) => stream.encode(i420, frame),
      async finish() {
        await stream.finish();
        const packets = stream.packets.map((packet) => ({ ...packet, bytes: toLengths(packet.bytes, 'h264') }));
        return { format, configuration: stream.configuration(), packets };
      },
      close: () => stream.close(),
    };
  };
}

function missing(name: string, cause: unknown): ReelformError {
  const hint = 'Choose "x264", or render on a machine with the hardware and its driver';
  return new ReelformError('encoder_missing', `The encoder ${name} cannot be used on this machine`, { hint, cause });
}
