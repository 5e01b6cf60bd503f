import {
  EncodedAudioPacketSource,
  EncodedPacket,
  EncodedVideoPacketSource,
  MovOutputFormat,
  Mp4OutputFormat,
  NullTarget,
  Output,
  StreamTarget,
  type StreamTargetChunk,
  type Target,
  TextSubtitleSource,
  WebMOutputFormat,
} from 'mediabunny';
import { writeVtt } from '../../contract/captions/write-captions.ts';
import type { OutputCodec } from '../../contract/wire/output.ts';
import { defined } from '../../kernel/defined.ts';
import { TemporaryFile } from '../../kernel/temporary-file.ts';
import type { InputCaptionTrack } from '../../template/render-input.ts';
import type {
  AudioPacket,
  AudioTrack,
  EncodedTrack,
  FrameFormat,
  VideoPacket,
  VideoTrack,
} from '../codec/encoded-track.ts';
import { readSound } from '../codec/packet-file.ts';
import { frameTimeSeconds } from '../frame-rate.ts';
import { threeLetterCode } from './language-codes.ts';
import { type FirstSamples, writeMovie } from './movie-file.ts';
import type { Sample } from './sample-table.ts';

/** Bytes of uncompressed sound in both channels at a time. */
const PCM_UNIT_BYTES = 6;
/** Bytes that are written to a file at once. */
const WRITTEN_BYTES = 2 ** 18;

interface MuxOptions {
  /** Null for a silent file. */
  readonly sound: AudioTrack | null;
  /** Stored as the file's comment; null for no comment. */
  readonly fingerprint: string | null;
  /** Absent for none. */
  readonly captions?: InputCaptionTrack | undefined;
  /** Language of the sound (BCP 47); not known when absent. */
  readonly lang?: string | undefined;
}

interface Mp4Options extends MuxOptions {
  /** Codec of the video track; H.264 by default. */
  readonly codec?: OutputCodec | undefined;
}

/** A sound's packets, in memory. */
export interface HeldSound {
  readonly track: SoundFormat;
  readonly packets: readonly AudioPacket[];
}

interface FragmentTracks {
  /** H.264. Frames are counted from the start of the fragment. */
  readonly video: EncodedTrack;
  /** Index of the first frame in the video. */
  readonly first: number;
  /** Packets of this fragment, with their times in the video; null for a silent video. */
  readonly sound: HeldSound | null;
  /** Frames by which all times are later, because a file has no times before 0 for the encoder's delay of the sound. */
  readonly leadFrames: number;
}

interface WebmTracks extends MuxOptions {
  readonly format: FrameFormat;
  /** VP9. */
  readonly color: AsyncIterable<VideoPacket>;
  /** A packet for each packet of `color`; null for an opaque video. */
  readonly alpha: AsyncIterable<VideoPacket> | null;
}

/**
 * Writes a track as an MP4 file, or as a MOV file if it is ProRes: index first (faststart), BT.709 in the `colr` box, every frame
 * with its exact duration. The same track gives the same bytes, because no creation time is written. Only tables are kept in memory.
 *
 * @see ISO/IEC 14496-12, 8.2.2, 8.3.2 and 8.4.2 for the times left zero, 12.1.5 for `colr`
 */
export async function muxMp4(track: VideoTrack, { codec = 'h264', ...options }: Mp4Options): Promise<TemporaryFile> {
  const { format, configuration } = track;
  const { sound } = options;
  const isProres = codec === 'prores422' || codec === 'prores4444';
  const decoderConfig = {
    codec: codecString(codec, configuration),
    // The configuration of AV1 and ProRes follows from the codec string.
    ...defined({ description: codec === 'h264' || codec === 'hevc' ? configuration : undefined }),
  };
  const Container = isProres ? MovOutputFormat : Mp4OutputFormat;
  const tracks = [
    { samples: pictureSamples(track), unitBytes: null },
    ...(sound === null
      ? []
      : [{ samples: soundSamples(sound), unitBytes: sound.codec === 'pcm' ? PCM_UNIT_BYTES : null }]),
  ];
  const describe = ([picture, packet]: readonly Sample[]): Promise<FirstSamples> =>
    boxesOf(Container, (container) =>
      writeTracks(container, new NullTarget(), {
        ...options,
        captions: undefined,
        format,
        canBeTransparent: false,
        codec: isProres ? 'prores' : codec === 'h264' ? 'avc' : codec,
        decoderConfig,
        async addPackets(video, audio) {
          await video(encodedPacket(picture!));
          if (packet !== undefined) await audio(encodedPacket(packet));
        },
      }),
    );
  return writeMovie(tracks, describe, options.captions ?? null);
}

/** Returns the boxes around the samples of a file. @param write writes it, and keeps nothing */
async function boxesOf(
  Container: typeof Mp4OutputFormat | typeof MovOutputFormat,
  write: (container: Mp4OutputFormat | MovOutputFormat) => Promise<void>,
): Promise<FirstSamples> {
  const boxes = { type: Buffer.alloc(0), index: Buffer.alloc(0) };
  const container = new Container({
    fastStart: false,
    onFtyp: (bytes) => {
      boxes.type = Buffer.from(bytes);
    },
    onMoov: (bytes) => {
      boxes.index = Buffer.from(bytes);
    },
  });
  await write(container);
  return boxes;
}

async function* pictureSamples({ format: { rate }, packets }: VideoTrack): AsyncGenerator<Sample> {
  const duration = frameTimeSeconds(rate, 1);
  for await (const { bytes, frame, isKey } of packets)
    yield { bytes, time: frameTimeSeconds(rate, frame), duration, isKey };
}

async function* soundSamples({ codec, packets }: AudioTrack): AsyncGenerator<Sample> {
  let end: number | null = null;
  for await (const { bytes, time: start, duration } of readSound(packets)) {
    // Uncompressed packets have no times of their own in a file.
    const time: number = codec === 'pcm' && end !== null ? end : start;
    end = time + duration;
    yield { bytes, time, duration, isKey: true };
  }
}

function encodedPacket({ bytes, time, duration, isKey }: Sample): EncodedPacket {
  return new EncodedPacket(bytes, isKey ? 'key' : 'delta', time, duration);
}

/**
 * Writes a part of a video as a fragmented MP4 that begins with its initialization, so that a page can append it to a source buffer
 * at its time.
 *
 * @returns the bytes, and the content type with the codecs
 * @see ISO/IEC 14496-12, 8.8; ISO BMFF Byte Stream Format, W3C
 */
export async function muxFragment({ video: track, first, sound, leadFrames }: FragmentTracks) {
  const { format, configuration } = track;
  const codec = codecString('h264', configuration);
  const leadSeconds = frameTimeSeconds(format.rate, leadFrames);
  const file = await writeFile(new Mp4OutputFormat({ fastStart: 'fragmented' }), {
    format,
    sound: sound?.track ?? null,
    fingerprint: null,
    canBeTransparent: false,
    codec: 'avc',
    decoderConfig: { codec, description: configuration },
    async addPackets(video, audio) {
      for (const { bytes, frame, isKey } of track.packets)
        await video(packetOf(format, leadFrames + first + frame, bytes, isKey));
      for (const { bytes, time, duration } of sound?.packets ?? [])
        await audio(new EncodedPacket(bytes, 'key', time + leadSeconds, duration));
    },
  });
  const bytes = await file.bytes();
  file.close();
  const codecs = sound === null ? codec : `${codec}, ${SOUND_CODECS[sound.track.codec]}`;
  return { bytes, type: `video/mp4; codecs="${codecs}"` };
}

/**
 * Writes VP9 and Opus as a WebM file; the same packets give the same bytes. Alpha is stored beside each frame
 * (BlockAdditional 1).
 *
 * @see RFC 9559; WebM Container Guidelines, "Alpha Channel"
 */
export async function muxWebm({ format, color, alpha, ...options }: WebmTracks): Promise<TemporaryFile> {
  return writeFile(new WebMOutputFormat(), {
    ...options,
    format,
    codec: 'vp9',
    canBeTransparent: alpha !== null,
    decoderConfig: { codec: vp9Codec(format) },
    async addPackets(video, audio) {
      const transparencies = alpha?.[Symbol.asyncIterator]();
      const sounds = soundPackets(options.sound, await preSkipSeconds(options.sound));
      let sound = await sounds.next();
      let frame = 0;
      for await (const { bytes, isKey } of color) {
        const transparency = (await transparencies?.next())?.value as VideoPacket | undefined;
        // Players can start only at frames that are key frames in both streams.
        const packet = packetOf(format, frame++, bytes, isKey && transparency?.isKey !== false, transparency?.bytes);
        // The muxer keeps packets of one track until it has later ones of the other.
        for (; sound.done !== true && sound.value.timestamp < packet.timestamp; sound = await sounds.next()) {
          await audio(sound.value);
        }
        await video(packet);
      }
      for (; sound.done !== true; sound = await sounds.next()) await audio(sound.value);
    },
  });
}

/**
 * Writes a sound alone as an M4A file (MP4 without a video track), as `muxMp4` writes tracks.
 *
 * @param track AAC
 */
export function muxSound(track: AudioTrack): Promise<TemporaryFile> {
  const describe = ([packet]: readonly Sample[]): Promise<FirstSamples> =>
    boxesOf(Mp4OutputFormat, async (format) => {
      const output = new Output({ format, target: new NullTarget() });
      const audio = new EncodedAudioPacketSource('aac');
      output.addAudioTrack(audio);
      await output.start();
      await audio.add(encodedPacket(packet!), { decoderConfig: soundDecoderConfig(track) });
      await output.finalize();
    });
  return writeMovie([{ samples: soundSamples(track), unitBytes: null }], describe, null);
}

/** Times in WebM start at 0 and include the encoder's pre-skip, whose length OpusHead declares. */
async function preSkipSeconds(sound: AudioTrack | null): Promise<number> {
  if (sound === null) return 0;
  for await (const { time } of readSound(sound.packets)) return Math.max(0, -time);
  return 0;
}

async function* soundPackets(sound: AudioTrack | null, delaySeconds: number): AsyncGenerator<EncodedPacket> {
  if (sound === null) return;
  for await (const { bytes, time, duration } of readSound(sound.packets)) {
    yield new EncodedPacket(bytes, 'key', time + delaySeconds, duration);
  }
}

const COLOUR = { primaries: 'bt709', transfer: 'bt709', matrix: 'bt709', fullRange: false } as const;

type AddPacket = (packet: EncodedPacket) => Promise<void>;

type SoundFormat = Omit<AudioTrack, 'packets'>;

interface TrackOptions extends Omit<MuxOptions, 'sound'> {
  readonly sound: SoundFormat | null;
  readonly format: FrameFormat;
  readonly codec: 'avc' | 'hevc' | 'av1' | 'vp9' | 'prores';
  readonly decoderConfig: { readonly codec: string; readonly description?: Uint8Array };
  readonly canBeTransparent: boolean;
  addPackets(video: AddPacket, audio: AddPacket): Promise<void>;
}

async function writeFile(container: Mp4OutputFormat | WebMOutputFormat, options: TrackOptions): Promise<TemporaryFile> {
  const { file, target } = openTarget();
  try {
    await writeTracks(container, target, options);
    return file;
  } catch (error) {
    file.close();
    throw error;
  }
}

async function writeTracks(
  container: Mp4OutputFormat | MovOutputFormat | WebMOutputFormat,
  target: Target,
  options: TrackOptions,
): Promise<void> {
  const {
    format,
    codec,
    decoderConfig: config,
    canBeTransparent,
    sound,
    fingerprint,
    captions,
    lang,
    addPackets,
  } = options;
  const { rate, width, height } = format;
  const output = new Output({ format: container, target });
  const video = new EncodedVideoPacketSource(codec);
  output.addVideoTrack(video, { frameRate: rate.numerator / rate.denominator, canBeTransparent });
  const audio = sound === null ? null : new EncodedAudioPacketSource(sound.codec === 'pcm' ? 'pcm-s24' : sound.codec);
  if (audio !== null) output.addAudioTrack(audio, defined({ languageCode: lang && threeLetterCode(lang) }));
  if (fingerprint !== null) output.setMetadataTags({ comment: fingerprint });
  const addCaptions = captions && subtitleTrack(output, captions);
  await output.start();
  await addCaptions?.();
  const decoderConfig = { ...config, codedWidth: width, codedHeight: height, colorSpace: COLOUR };
  const soundConfig = sound === null ? null : soundDecoderConfig(sound);
  await addPackets(
    (packet) => video.add(packet, { decoderConfig }),
    (packet) => audio!.add(packet, { decoderConfig: soundConfig! }),
  );
  await output.finalize();
}

/** Adds a track of captions. Returns a function that writes them after the start of the output. */
function subtitleTrack(output: Output, { lang, isDefault, cues }: InputCaptionTrack): () => Promise<void> {
  const source = new TextSubtitleSource('webvtt');
  output.addSubtitleTrack(source, { languageCode: threeLetterCode(lang), disposition: { default: isDefault } });
  return async () => {
    await source.add(writeVtt(cues));
    source.close();
  };
}

/** Returns a new temporary file, and the target that writes it. */
function openTarget(): { readonly file: TemporaryFile; readonly target: StreamTarget } {
  const file = TemporaryFile.create();
  const write = ({ data, position }: StreamTargetChunk): Promise<void> => file.write(data, position);
  const target = new StreamTarget(new WritableStream({ write }), { chunked: true, chunkSize: WRITTEN_BYTES });
  return { file, target };
}

function soundDecoderConfig({ codec, sampleRate, channels: numberOfChannels, configuration }: SoundFormat) {
  const config = { codec: SOUND_CODECS[codec], sampleRate, numberOfChannels };
  return codec === 'pcm' ? config : { ...config, description: configuration };
}

const SOUND_CODECS = { aac: 'mp4a.40.2', opus: 'opus', pcm: 'pcm-s24' } as const;

function packetOf(
  { rate }: FrameFormat,
  frame: number,
  bytes: Uint8Array,
  isKey: boolean,
  alpha?: Uint8Array,
): EncodedPacket {
  const [time, duration] = [frameTimeSeconds(rate, frame), frameTimeSeconds(rate, 1)];
  const sideData = alpha === undefined ? {} : { alpha };
  return new EncodedPacket(bytes, isKey ? 'key' : 'delta', time, duration, -1, undefined, sideData);
}

/**
 * @see RFC 6381, section 3.3; ISO/IEC 14496-15, annex E; AV1 Codec ISO Media File Format Binding, section 5
 */
function codecString(codec: OutputCodec, configuration: Uint8Array): string {
  if (codec === 'prores422' || codec === 'prores4444') return Buffer.from(configuration).toString('latin1');
  if (codec === 'h264') return `avc1.${Buffer.from(configuration.subarray(1, 4)).toString('hex')}`;
  // Main profile, because samples have eight bits; the level is general_level_idc.
  if (codec === 'hevc') return `hvc1.1.6.L${configuration[12]}.90`;
  // In a sequence header with a single operating point and no timing, level and tier follow the first 24 bits.
  const [, size = 0, , , , levelByte = 0] = configuration;
  if (size < 4) throw new Error('Internal error: the sequence header is too short');
  const level = levelByte >> 3;
  const tier = level > 7 && (levelByte & 4) !== 0 ? 'H' : 'M';
  return `av01.0.${String(level).padStart(2, '0')}${tier}.08`;
}

/** Level → luma samples per second, luma samples per picture. @see VP9 Levels, WebM project */
const VP9_LEVELS: readonly (readonly [level: number, perSecond: number, perPicture: number])[] = [
  [10, 829_440, 36_864],
  [11, 2_764_800, 73_728],
  [20, 4_608_000, 122_880],
  [21, 9_216_000, 245_760],
  [30, 20_736_000, 552_960],
  [31, 36_864_000, 983_040],
  [40, 83_558_400, 2_228_224],
  [41, 160_432_128, 2_228_224],
  [50, 311_951_360, 8_912_896],
  [51, 588_251_136, 8_912_896],
  [52, 1_176_502_272, 8_912_896],
  [60, 1_176_502_272, 35_651_584],
  [61, 2_353_004_544, 35_651_584],
];

/** Profile 0, eight bits, lowest sufficient level. @see VP Codec ISO Media File Format Binding, section 5 */
function vp9Codec({ width, height, rate }: FrameFormat): string {
  const picture = width * height;
  const second = (picture * rate.numerator) / rate.denominator;
  const level = VP9_LEVELS.find(([, perSecond, perPicture]) => second <= perSecond && picture <= perPicture)?.[0] ?? 62;
  return `vp09.00.${level}.08`;
}
