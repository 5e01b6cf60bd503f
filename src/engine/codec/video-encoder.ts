import { arch } from 'node:process';
import type { OutputCodec, OutputQuality } from '../../contract/wire/output.ts';
import { ReelformError } from '../../kernel/diagnostic.ts';
import { epochNames } from '../render-epoch.ts';
import type { EncoderFactory, FrameFormat } from './encoded-track.ts';
import { type StreamSettings, VideoStream } from './video-stream.ts';

/** Encoders of H.264. All but x264 are hardware encoders, whose bytes vary between machines. */
export const H264_ENCODERS = ['x264', 'videotoolbox', 'nvenc'] as const;

/** The chosen encoders by codec. Plain data. */
export interface EncoderChoice {
  readonly h264: (typeof H264_ENCODERS)[number];
}

export const SOFTWARE: EncoderChoice = { h264: 'x264' };

interface EncoderSettings {
  /** FFmpeg's name. */
  readonly name: string;
  readonly convertTo?: StreamSettings['convertTo'];
  options(quality: OutputQuality): Readonly<Record<string, string>>;
}

/** Constant rate factor; lower is better. NVIDIA's scale is meant to be the same. */
const RATE_FACTOR: Record<OutputQuality, number> = { low: 28, medium: 24, high: 20 };
/** Quality in 1..100; higher is better. FFmpeg expects it multiplied by FF_QP2LAMBDA. */
const VIDEOTOOLBOX_QUALITY: Record<OutputQuality, number> = { low: 45, medium: 55, high: 65 };

/**
 * Disables x264's AVX-512 code, which reads uninitialised memory (core 165, macroblock trees): at widths such as 1080 or 854, the
 * bytes vary from run to run. Older instructions are as fast and give the bytes of the C code.
 */
const INSTRUCTIONS = arch === 'x64' ? ['asm=sse4.2'] : [];

/** @see https://ffmpeg.org/ffmpeg-codecs.html */
const H264: Record<EncoderChoice['h264'], EncoderSettings> = {
  x264: {
    name: 'libx264',
    options: (quality) => ({
      preset: 'veryfast',
      crf: String(RATE_FACTOR[quality]),
      // Five B-frames compensate for the size of the key frame in each segment.
      bf: '5',
      // Parameter sets that do not depend on the pictures, and a fixed frame rate.
      'x264-params': ['stitchable=1', 'force-cfr=1', ...INSTRUCTIONS].join(':'),
    }),
  },
  videotoolbox: {
    name: 'h264_videotoolbox',
    options: (quality) => ({
      global_quality: String(VIDEOTOOLBOX_QUALITY[quality] * 118),
      bf: '2',
      allow_sw: '0',
      flags: '+global_header+bitexact+qscale',
    }),
  },
  nvenc: {
    name: 'h264_nvenc',
    options: (quality) => ({
      preset: 'p5',
      rc: 'vbr',
      cq: String(RATE_FACTOR[quality]),
      b: '0',
      bf: '3',
      strict_gop: '1',
    }),
  },
};

/** x265 with a single thread. Its rate factors are four higher than those of x264 for the same quality. */
const HEVC: EncoderSettings = {
  name: 'libx265',
  options: (quality) => ({
    preset: 'veryfast',
    crf: String(RATE_FACTOR[quality] + 4),
    'x265-params': 'pools=none:frame-threads=1:wpp=0:open-gop=0:info=0:repeat-headers=0:log-level=none',
  }),
};

const AV1_RATE_FACTOR: Record<OutputQuality, number> = { low: 45, medium: 37, high: 30 };
const AV1: EncoderSettings = {
  name: 'libsvtav1',
  options: (quality) => ({ preset: '8', crf: String(AV1_RATE_FACTOR[quality]), 'svtav1-params': 'lp=1' }),
};

/** FFmpeg's profiles of ProRes 422 and their four-character codes: LT, standard, HQ. */
const PRORES_422: Record<OutputQuality, readonly [profile: string, code: string]> = {
  low: ['lt', 'apcs'],
  medium: ['standard', 'apcn'],
  high: ['hq', 'apch'],
};
const PRORES_4444 = ['4444', 'ap4h'] as const;

/** ProRes for editors: ten bits, every frame a key frame. The vendor is Apple's, because some players reject others. */
const PRORES: Record<'prores422' | 'prores4444', EncoderSettings> = {
  prores422: {
    name: 'prores_ks',
    convertTo: 'yuv422p10le',
    options: (quality) => ({ profile: PRORES_422[quality][0], vendor: 'apl0' }),
  },
  prores4444: {
    name: 'prores_ks',
    convertTo: 'yuva444p10le',
    options: () => ({ profile: PRORES_4444[0], vendor: 'apl0', alpha_bits: '16' }),
  },
};

function settingsOf(codec: OutputCodec, h264: EncoderChoice['h264']): EncoderSettings {
  if (codec === 'h264') return H264[h264];
  if (codec === 'hevc') return HEVC;
  return codec === 'av1' ? AV1 : PRORES[codec];
}

/** Options of all encoders: key frames only at the start and at cuts, and parameter sets outside the pictures. */
const FIXED = { g: '1000', flags: '+global_header+bitexact' };

/**
 * Returns a factory that uses the chosen encoder for H.264. Groups of pictures are closed. x264 runs with a single thread, so
 * that the same build gives the same bytes on all machines of an architecture.
 */
export function encoderOf({ h264 }: EncoderChoice): EncoderFactory {
  return async (format: FrameFormat, quality, codec = 'h264') => {
    const { name, options, convertTo } = settingsOf(codec, h264);
    const profile = codec === 'h264' ? { profile: 'high' } : {};
    const settings = { format, encoder: name, options: { ...FIXED, ...profile, ...options(quality) }, convertTo };
    const stream = await VideoStream.open(settings).catch((cause: unknown) => {
      throw codec === 'h264' && h264 !== 'x264' ? missing(h264, cause) : cause;
    });
    const proresCode = codec === 'prores422' ? PRORES_422[quality][1] : PRORES_4444[1];
    const isProres = codec === 'prores422' || codec === 'prores4444';
    const toContainerForm = (bytes: Uint8Array): Uint8Array => {
      if (isProres) return bytes;
      return codec === 'av1' ? withoutDelimiter(bytes) : toLengths(bytes, codec);
    };
    return {
      encode: (pixels, frame) => stream.encode(pixels, frame),
      async finish() {
        await stream.finish();
        const packets = stream.packets.map((packet) => ({ ...packet, bytes: toContainerForm(packet.bytes) }));
        const configuration = isProres ? Buffer.from(proresCode, 'latin1') : stream.configuration();
        return { format, configuration, packets };
      },
      close: () => stream.close(),
    };
  };
}

/** Removes the temporal delimiter. @see AV1 Codec ISO Media File Format Binding, 2.4 */
function withoutDelimiter(unit: Uint8Array): Uint8Array {
  return unit[0] === 0x12 && unit[1] === 0 ? unit.subarray(2) : unit;
}

function missing(name: string, cause: unknown): ReelformError {
  const hint = 'Choose "x264", or render on a machine with the hardware and its driver';
  return new ReelformError('encoder_missing', `The encoder ${name} cannot be used on this machine`, { hint, cause });
}

/** Types of NAL units: supplemental information, and parameter sets, which the configuration also contains. */
const TYPES = {
  /** @see ITU-T H.264, table 7-1 */
  h264: { typeOf: (byte: number) => byte & 0x1f, payloadAt: 1, supplemental: 6, sets: new Set([7, 8]) },
  /** @see ITU-T H.265, table 7-1 */
  hevc: { typeOf: (byte: number) => (byte >> 1) & 0x3f, payloadAt: 2, supplemental: 39, sets: new Set([32, 33, 34]) },
};
/** @see ITU-T H.264, D.1.7 */
const UNREGISTERED_DATA = 5;
const START_CODE = Buffer.of(0, 0, 1);

/**
 * Converts a coded picture from Annex B to MP4: replaces the start code of each NAL unit by its length in four bytes. Drops
 * parameter sets and the encoder's notes, which decoders do not need: x264 writes its build and settings into the first picture of
 * every segment.
 *
 * @see ITU-T H.264, annex B; ISO/IEC 14496-15, 5.3
 */
function toLengths(annexB: Uint8Array, codec: keyof typeof TYPES): Uint8Array {
  const { typeOf, payloadAt, supplemental, sets } = TYPES[codec];
  const kept: Uint8Array[] = [];
  for (const unit of splitUnits(annexB)) {
    const type = typeOf(unit[0]!);
    const isNote = type === supplemental && unit[payloadAt] === UNREGISTERED_DATA;
    if (isNote || sets.has(type)) continue;
    const length = Buffer.alloc(4);
    length.writeUInt32BE(unit.length);
    kept.push(length, unit);
  }
  return Buffer.concat(kept);
}

function splitUnits(annexB: Uint8Array): Uint8Array[] {
  const bytes = Buffer.from(annexB.buffer, annexB.byteOffset, annexB.byteLength);
  const units: Uint8Array[] = [];
  for (let at = bytes.indexOf(START_CODE); at !== -1; ) {
    const start = at + START_CODE.length;
    at = bytes.indexOf(START_CODE, start);
    // Zeros before a start code belong to the start code, because a unit ends with a stop bit.
    let end = at === -1 ? bytes.length : at;
    while (end > start && bytes[end - 1] === 0) end -= 1;
    if (end > start) units.push(bytes.subarray(start, end));
  }
  return units;
}

/**
 * Identifies everything besides the input that determines the bytes of a video, its sound included: workers with the same build produce
 * identical files, regardless of their number of cores.
 *
 * @param version version of Reelform
 */
export function renderBuild(version: string, { h264 }: EncoderChoice, epochs = epochNames()): string {
  return [version, epochs, h264, arch].join(', ');
}
