import { createRequire } from 'node:module';
import { arch, platform } from 'node:process';
import { ReelformError } from '../../kernel/diagnostic.ts';

/** Version of the package on every platform. Pinned, because only this file describes the exports of the binary. */
const VERSION = '6.1.1';
/** Log level without messages. Damaged media would fill standard error, and every failure has a code. */
const QUIET = -8;

/** A fraction in FFmpeg, such as a time base or frame rate. */
interface Fraction {
  readonly num: number;
  readonly den: number;
}

/**
 * The classes of FFmpeg used here, as exported by the native binary of node-av: a method for each C function. Methods that
 * return a number return a negative number for a failure. Only asynchronous methods run on another thread.
 *
 * @see https://ffmpeg.org/doxygen/8.0/group__lavc__encdec.html
 */
export interface Libav {
  readonly Codec: {
    findEncoderByName(name: string): NativeCodec | null;
    findDecoderByName(name: string): NativeCodec | null;
  };
  readonly CodecContext: new () => NativeCodecContext;
  readonly CodecParameters: new () => NativeCodecParameters;
  readonly FormatContext: new () => NativeFormatContext;
  readonly Dictionary: new () => NativeDictionary;
  readonly Frame: new () => NativeFrame;
  readonly Packet: new () => NativePacket;
  readonly SoftwareScaleContext: new () => NativeScaler;
  readonly Option: { set(target: NativeScaler, name: string, value: string, flags: number): number };
  readonly FFmpegError: { strerror(code: number): string };
  readonly Log: { setLevel(level: number): void };
  avGetPixFmtName(format: number): string | null;
  avGetPixFmtFromName(name: string): number;
  avGetSampleFmtName(format: number): string | null;
}

export interface NativeCodec {
  readonly name: string;
}

interface NativeDictionary {
  alloc(): void;
  set(key: string, value: string, flags: number): number;
  free(): void;
}

/** Channels in FFmpeg's own order, as a mask of speakers. */
interface ChannelLayout {
  readonly nbChannels: number;
  /** 0 for channels of unknown position, 1 for a mask. */
  readonly order: number;
  readonly mask: bigint;
}

export interface NativeCodecContext {
  /** Configuration of the codec, or null if it has none. */
  extraData: Buffer | null;
  /** Four characters, the first in the lowest byte. */
  codecTag: number;
  bitsPerCodedSample: number;
  sampleRate: number;
  sampleFormat: number;
  channelLayout: ChannelLayout;
  width: number;
  height: number;
  pixelFormat: number;
  timeBase: Fraction;
  /** Samples of each frame for the encoder of a sound; the last frame may have fewer. Known once it is open. */
  readonly frameSize: number;
  framerate: Fraction;
  allocContext3(codec: NativeCodec): void;
  freeContext(): void;
  parametersToContext(parameters: object): number;
  /** Ignores unknown options. `open2Sync` is not used, because it frees the caller's dictionary. */
  open2(codec: NativeCodec, options: NativeDictionary): Promise<number>;
  sendFrame(frame: NativeFrame | null): Promise<number>;
  sendPacket(packet: NativePacket | null): Promise<number>;
  receiveFrame(frame: NativeFrame): Promise<number>;
  receiveFrameSync(frame: NativeFrame): number;
  receivePacket(packet: NativePacket): Promise<number>;
  receivePacketSync(packet: NativePacket): number;
}

/** Reads a container. */
export interface NativeFormatContext {
  readonly streams: readonly { readonly codecpar: object }[];
  allocContext(): void;
  openInput(url: string, format: null, options: null): Promise<number>;
  closeInputSync(): void;
}

interface NativeCodecParameters {
  alloc(): void;
  fromContext(context: NativeCodecContext): number;
  getDecoderConfigurationRecord(): Buffer | null;
  free(): void;
}

/** Converts a frame to the pixel format and colours of a target frame. */
export interface NativeScaler {
  allocContext(): void;
  scaleFrame(target: NativeFrame, source: NativeFrame): Promise<number>;
  freeContext(): void;
}

export interface NativePacket {
  pts: bigint;
  readonly isKeyframe: boolean;
  /** Copied when read and when written. */
  data: Buffer | null;
  alloc(): void;
  unref(): void;
  free(): void;
}

export interface NativeFrame {
  width: number;
  height: number;
  /** AVPixelFormat. */
  format: number;
  pts: bigint;
  colorRange: number;
  colorSpace: number;
  colorPrimaries: number;
  colorTrc: number;
  nbSamples: number;
  sampleRate: number;
  channelLayout: ChannelLayout;
  readonly channels: number;
  alloc(): void;
  getBuffer(align: number): number;
  makeWritable(): number;
  /** Copies planes without padding. @throws Error for too few bytes */
  fromBuffer(planes: Uint8Array): number;
  /** Returns a copy of the planes, consecutive and without padding. */
  toBuffer(): Buffer;
  unref(): void;
  free(): void;
}

let loaded: Libav | undefined;

/**
 * Loads FFmpeg's libraries from the optional package of this platform. The package node-av itself is not installed.
 *
 * @throws ReelformError encoder_missing
 */
export function loadLibav(): Libav {
  if (loaded !== undefined) return loaded;
  const name = `@seydx/node-av-${platform}-${arch}${platform === 'win32' ? '-msvc' : ''}`;
  try {
    const binary = createRequire(import.meta.url)(`#engine/${name}/node-av.node`) as Libav;
    binary.Log.setLevel(QUIET);
    loaded = binary;
    return binary;
  } catch (cause) {
    throw new ReelformError('encoder_missing', `The video encoder ${name} cannot be loaded`, {
      hint: `install it with: npm install ${name}@${VERSION} (it needs glibc 2.28 or later on Linux)`,
      cause,
    });
  }
}
