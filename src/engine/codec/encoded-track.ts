import type { OutputCodec, OutputQuality } from '../../wire/output.ts';
import type { FrameRate } from '../frame-rate.ts';

/** Format of the frames that an encoder takes. */
export interface FrameFormat {
  /** Pixels, even; `height` too. */
  readonly width: number;
  readonly height: number;
  readonly rate: FrameRate;
}

/** One coded picture. */
export interface VideoPacket {
  /** NAL units, each after its length in four bytes (ISO/IEC 14496-15, 5.3); of AV1 a temporal unit without its delimiter, of ProRes a frame. */
  readonly bytes: Uint8Array;
  /** Index of the frame that it shows. */
  readonly frame: number;
  /** Decoding can start here. */
  readonly isKey: boolean;
}

/** A track of pictures: one packet per frame, in decoding order, the first of them a key frame. */
export interface EncodedTrack {
  readonly format: FrameFormat;
  /** AVCDecoderConfigurationRecord (ISO/IEC 14496-15, 5.3.3), that of HEVC (8.3.3), AV1's sequence header, or ProRes's four-character code. */
  readonly configuration: Uint8Array;
  readonly packets: readonly VideoPacket[];
}

/** Encodes frames that follow each other. Opened by an `EncoderFactory`; `close` must follow, whatever happened. */
export interface Encoder {
  /**
   * Takes the next frame; resolves when there is room for another, which keeps memory flat. `pixels` may be overwritten
   * as soon as it resolves.
   *
   * @param pixels as `pixelsOf` says for the output: I420, or for ProRes RGBA
   * @param frame 0, 1, 2 …
   * @throws SceneError encode_failed
   */
  encode(pixels: Uint8Array, frame: number): Promise<void>;
  /**
   * The track, when every frame is in it.
   *
   * @throws SceneError encode_failed
   */
  finish(): Promise<EncodedTrack>;
  /** Frees everything at once; may be called again. */
  close(): void;
}

/**
 * Opens a fresh encoder, of H.264 unless another codec is named. The same frames in the same format and quality give the same bytes, as each encoder says.
 *
 * @throws ReelformError encoder_missing when the encoder's package or program is not there
 */
export type EncoderFactory = (format: FrameFormat, quality: OutputQuality, codec?: OutputCodec) => Promise<Encoder>;

/** Sound for a file's second track; `pcm` is 24 bits, little-endian. */
export interface AudioTrack {
  readonly codec: 'aac' | 'opus' | 'pcm';
  readonly sampleRate: number;
  readonly channels: number;
  /** AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1), or OpusHead (RFC 7845, 5.1); empty for PCM. */
  readonly configuration: Uint8Array;
  /** In order; times in seconds from the start of the video. Encoder delay has negative times. */
  readonly packets: readonly { readonly bytes: Uint8Array; readonly time: number; readonly duration: number }[];
}

/** A codec for each container that has sound; the other formats are silent. */
export type AudioCodec = AudioTrack['codec'];
