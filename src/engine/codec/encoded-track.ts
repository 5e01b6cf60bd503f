import type { FrameRate } from '../../contract/timeline/frame-rate.ts';
import type { OutputCodec, OutputQuality } from '../../contract/wire/output.ts';
import type { TemporaryFile } from '../../kernel/temporary-file.ts';

/** Size and rate of the frames passed to an encoder. */
export interface FrameFormat {
  /** Even number of pixels, as is `height`. */
  readonly width: number;
  readonly height: number;
  readonly rate: FrameRate;
}

/** A coded picture. */
export interface VideoPacket {
  /**
   * H.264, HEVC: NAL units, each preceded by its length in four bytes (ISO/IEC 14496-15, 5.3). AV1: a temporal unit without its
   * delimiter. ProRes: a frame.
   */
  readonly bytes: Uint8Array;
  /** Index of the frame that it shows. */
  readonly frame: number;
  /** Decoding can start here. */
  readonly isKey: boolean;
}

/** A video track to write to a file. */
export interface VideoTrack {
  readonly format: FrameFormat;
  /** Decoder configuration record (ISO/IEC 14496-15, 5.3.3 and 8.3.3; av1C for AV1), or the four-character code of ProRes. */
  readonly configuration: Uint8Array;
  /** A packet for each frame, in decoding order, starting with a key frame. */
  readonly packets: Iterable<VideoPacket> | AsyncIterable<VideoPacket>;
}

/** The track of a segment, in memory. */
export interface EncodedTrack extends VideoTrack {
  readonly packets: readonly VideoPacket[];
}

/** Encodes consecutive frames. Opened by an `EncoderFactory`. The caller must close it, even after an error. */
export interface Encoder {
  /**
   * Encodes the next frame. Resolves when the encoder can accept another frame, so that memory does not grow. After that, `pixels`
   * may be overwritten.
   *
   * @param pixels in the format that `pixelsOf` returns for the output: I420, or RGBA for ProRes
   * @param frame 0, 1, 2 …
   * @throws RenderError encode_failed
   */
  encode(pixels: Uint8Array, frame: number): Promise<void>;
  /**
   * Returns the track with all frames.
   *
   * @throws RenderError encode_failed
   */
  finish(): Promise<EncodedTrack>;
  /** Discards pending frames and frees all memory; may be called again. */
  close(): void;
}

/**
 * Opens a new encoder, for H.264 by default. With a software encoder, the same frames in the same format and quality give the same
 * bytes.
 *
 * @throws ReelformError encoder_missing if the encoder's package or program is missing
 */
export type EncoderFactory = (format: FrameFormat, quality: OutputQuality, codec?: OutputCodec) => Promise<Encoder>;

/** Sound for a file's second track; `pcm` is 24 bits, little-endian. */
export interface AudioTrack {
  readonly codec: 'aac' | 'opus' | 'pcm';
  readonly sampleRate: number;
  readonly channels: number;
  /** AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1), or OpusHead (RFC 7845, 5.1); empty for PCM. */
  readonly configuration: Uint8Array;
  /** A file of `AudioPacket`s, in order. Its owner closes it. */
  readonly packets: TemporaryFile;
  /** What players decode; absent if the video has no target. */
  readonly loudness?: MeasuredLoudness;
  /** Sounds of the input that are too quiet for their level; absent if there are none. */
  readonly tooQuiet?: readonly QuietSound[];
}

/** A sound that its level would raise by more than the mixer does. */
export interface QuietSound {
  /** Index in the input. */
  readonly sound: number;
  /** Of the part that is heard, in LUFS. */
  readonly loudness: number;
}

/** The loudness of a sound. A value is -Infinity for a sound that is silent or too short for it. */
export interface MeasuredLoudness {
  /** Loudness of the whole sound, in LUFS. */
  readonly integrated: number;
  /** Largest loudness of 400 ms, in LUFS. */
  readonly momentary: number;
  /** Largest loudness of 3 s, in LUFS. */
  readonly shortTerm: number;
  /** Difference between quiet and loud parts, in LU; 0 for a sound of less than 3 s. */
  readonly range: number;
  /** Largest peak between samples, in dBTP. */
  readonly truePeak: number;
}

/** Times are in seconds from the start of the video. Encoder delay has negative times. */
export interface AudioPacket {
  readonly bytes: Uint8Array;
  readonly time: number;
  readonly duration: number;
}

/** Each container with sound has a fixed codec; the other formats are silent. */
export type AudioCodec = AudioTrack['codec'];

/** How a sound is rendered. */
export interface SoundOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called after each second of sound, so that the process of a long sound is not taken for stalled. */
  readonly onProgress?: ((secondsDone: number, seconds: number) => void) | undefined;
}
