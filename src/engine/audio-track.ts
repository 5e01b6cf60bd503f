/** Compressed sound for a file's second track. */
export interface AudioTrack {
  readonly codec: 'aac' | 'opus';
  readonly sampleRate: number;
  readonly channels: number;
  /** AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1), or OpusHead (RFC 7845, 5.1). */
  readonly configuration: Uint8Array;
  /** In order; times in seconds from the start of the video. What the encoder puts before the first sample is below 0. */
  readonly packets: readonly { readonly bytes: Uint8Array; readonly time: number; readonly duration: number }[];
}

/** A codec for each container that has sound; the other formats are silent. */
export type AudioCodec = AudioTrack['codec'];
