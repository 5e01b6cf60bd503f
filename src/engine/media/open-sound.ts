import type { SoundLength } from '../../contract/video-measures.ts';
import { type ByteView, viewed } from '../../kernel/byte-view.ts';
import type { SourceBytes } from '../../kernel/source-file.ts';
import { MIX_RATE, Resampler, type Stereo, silence, toStereo } from '../codec/resampler.ts';
import { RenderError } from '../render-error.ts';
import { type DecodedSound, decodePackets } from './decode-sound.ts';
import { mediaTypeOf } from './media-type.ts';
import { toDamageError } from './open-media.ts';
import { openSoundTrack } from './open-sound-track.ts';
import type { SoundTrack } from './sound-track.ts';

/** Decoding starts this much before the first sample needed, because codecs depend on preceding packets. */
const PREROLL_SECONDS = 0.3;

export type OnCounted = (secondsDone: number, seconds: number) => void;

/** A sound opened for decoding. The caller must close it. */
export interface OpenSound {
  /** Duration from time 0 according to the file; may be slightly inexact. */
  readonly durationSeconds: number;
  /**
   * Decodes the sound from a time on, at 48 kHz. Time 0 is the first sample after the encoder's delay, or the first picture if
   * the file is a video. A block may be overwritten when the next is requested.
   *
   * @param onDecoded called with the channels of the source before they are resampled
   * @throws RenderError asset_decode_failed, asset_type_unsupported
   */
  samples(fromSeconds: number, onDecoded?: OnDecoded): AsyncGenerator<Stereo>;
  /**
   * Decodes the whole sound and counts what is heard of it from time 0 on, at the rate of its source.
   *
   * @param onProgress called after every ten seconds of the sound, with whole seconds
   * @throws as `samples`
   */
  length(onProgress?: OnCounted): Promise<SoundLength>;
  close(): void;
}

type OnDecoded = (channels: readonly Float32Array[]) => void;

/** Position of the sound in its file, in seconds of the file. */
interface Extent {
  readonly origin: number;
  readonly start: number;
  /** Infinity if it is known only after decoding. */
  readonly end: number;
  /** Seconds by which the timestamps of packets are later than their samples. */
  readonly delay: number;
  /** The timestamp of the first packet excludes the samples to drop. */
  readonly isShortened: boolean;
}

/**
 * Opens a sound that has passed `checkSound`; undefined if the file has no sound.
 *
 * @throws RenderError asset_decode_failed
 */
export async function openSound(bytes: SourceBytes, name: string): Promise<OpenSound | undefined> {
  const open = await openSoundTrack(bytes, name);
  if (open === undefined) return undefined;
  const { track, pictureSeconds, close } = open;
  try {
    const extent = await extentOf(bytes, track);
    const origin = pictureSeconds ?? extent.origin;
    const last = Number.isFinite(extent.end) ? extent.end : track.endSeconds;
    return {
      durationSeconds: last - origin,
      samples: (fromSeconds, onDecoded) => read(track, { ...extent, origin }, fromSeconds, { name, onDecoded }),
      length: (onProgress) => count(track, { ...extent, origin }, { durationSeconds: last - origin, name, onProgress }),
      close,
    };
  } catch (cause) {
    close();
    throw toDamageError(cause, name);
  }
}

async function extentOf(bytes: SourceBytes, track: SoundTrack): Promise<Extent> {
  const type = mediaTypeOf(bytes);
  const { firstSeconds: first, endSeconds: last } = track;
  const isOpus = track.codec === 'opus';
  const isShortened = isOpus && type === 'ogg';
  switch (type) {
    case 'mp3': {
      const { before, after } = viewed(bytes, mp3Padding);
      const rate = track.sampleRate;
      const start = first + before / rate;
      return { origin: start, start, end: last - after / rate, delay: 0, isShortened };
    }
    case 'webm': {
      // Timestamps of Opus include the encoder's delay, whose samples are dropped. @see RFC 9559, 5.1.4.1.25
      const delay = isOpus ? preSkip(track) / MIX_RATE : 0;
      const start = isOpus ? first : first + (await silentPacketSeconds(track));
      return { origin: start, start, end: Infinity, delay, isShortened };
    }
    case 'aac':
    case 'wma':
      return { origin: first, start: first, end: Infinity, delay: 0, isShortened };
    default: {
      const start = Math.max(0, first);
      return { origin: start, start, end: last, delay: 0, isShortened };
    }
  }
}

/** Returns the duration in seconds of the first packet, which Vorbis decodes to no samples; 0 for other codecs. */
async function silentPacketSeconds(track: SoundTrack): Promise<number> {
  if (track.codec !== 'vorbis') return 0;
  for await (const { duration } of track.packets(track.firstSeconds)) return duration;
  return 0;
}

/** Returns the encoder's delay in samples at 48 kHz. @see RFC 7845, section 5.1 */
function preSkip({ description }: SoundTrack): number {
  if (description === undefined || description.length < 12) return 0;
  return Buffer.from(description.buffer, description.byteOffset, description.length).readUInt16LE(10);
}

async function* read(
  track: SoundTrack,
  extent: Extent,
  fromSeconds: number,
  { name, onDecoded }: { readonly name: string; readonly onDecoded: OnDecoded | undefined },
): AsyncGenerator<Stereo> {
  const { from, leadSeconds } = beginning(extent, fromSeconds);
  const lead = Math.round(leadSeconds * MIX_RATE);
  if (lead > 0) yield silence(lead);
  let resampler: Resampler | undefined;
  for await (const { channels, rate, speakers, offset } of heardSound(track, extent, from, name)) {
    resampler ??= new Resampler(rate, offset);
    onDecoded?.(channels);
    yield resampler.push(toStereo(channels, speakers));
  }
  if (resampler !== undefined) yield resampler.end();
}

/** Seconds of a sound between two reports of progress. */
const PROGRESS_SECONDS = 10;

interface CountOptions {
  /** According to the file; nothing is heard afterwards. */
  readonly durationSeconds: number;
  readonly name: string;
  readonly onProgress: OnCounted | undefined;
}

async function count(
  track: SoundTrack,
  extent: Extent,
  { durationSeconds, name, onProgress }: CountOptions,
): Promise<SoundLength> {
  const { from, leadSeconds } = beginning(extent, 0);
  let rate = track.sampleRate;
  let samples = 0;
  let first = 0;
  let reported = 0;
  for await (const { channels, rate: decodedRate, offset } of heardSound(track, extent, from, name)) {
    [rate, first] = [decodedRate, offset];
    samples += channels[0]!.length;
    const seconds = Math.floor(samples / rate);
    if (seconds < reported + PROGRESS_SECONDS) continue;
    reported = seconds;
    onProgress?.(seconds, Math.max(seconds, Math.ceil(durationSeconds)));
  }
  const heard = Math.round(leadSeconds * rate) + Math.max(0, Math.ceil(samples - first));
  return { samples: Math.min(heard, Math.round(durationSeconds * rate)), rate };
}

/** Returns where a sound is read from, in seconds of the file, and the silence before it. */
function beginning({ origin, start }: Extent, fromSeconds: number): { from: number; leadSeconds: number } {
  const from = Math.max(start, origin + fromSeconds);
  return { from, leadSeconds: from - origin - fromSeconds };
}

/** Decoded sound up to the end of a sound, at the rate of its source. */
interface HeardSound extends DecodedSound {
  /** Position of the first sample that is heard, in samples from the first one here: not whole between two samples. */
  readonly offset: number;
}

/** Yields the decoded sound from a time of the file on. All pieces have the `offset` of the first. */
async function* heardSound(
  track: SoundTrack,
  { end, delay, isShortened }: Extent,
  from: number,
  name: string,
): AsyncGenerator<HeardSound> {
  try {
    const packets = track.packets(from + delay - PREROLL_SECONDS);
    const { value: packet, done } = await packets.next();
    if (done === true) throw new Error('it has no sound');
    let offset: number | undefined;
    /** Source samples until the end. */
    let left = Infinity;
    for await (const { channels, rate, speakers } of decodePackets(track, startingWith(packet, packets), name)) {
      const count = channels[0]?.length ?? 0;
      if (count === 0) continue;
      if (offset === undefined) {
        const isFirst = packet.timestamp <= 0 && isShortened;
        const position = isFirst
          ? (packet.timestamp + packet.duration) * rate - count
          : (packet.timestamp - delay) * rate;
        offset = Math.max(0, snap(from * rate - position));
        left = Math.round(end * rate - position);
      }
      const present = channels.map((samples) => samples.subarray(0, Math.max(0, left)));
      left -= count;
      yield { channels: present, rate, speakers, offset };
      if (left <= 0) break;
    }
  } catch (cause) {
    if (cause instanceof RenderError) throw cause;
    throw toDamageError(cause, name);
  }
}

async function* startingWith<Item>(first: Item, rest: AsyncIterable<Item>): AsyncGenerator<Item> {
  yield first;
  yield* rest;
}

/** Rounds nearly whole samples, which are inexact because times are floating-point numbers. */
function snap(samples: number): number {
  const whole = Math.round(samples);
  return Math.abs(samples - whole) < 0.01 ? whole : samples;
}

/** Delay of every layer III decoder, in samples. */
const DECODER_DELAY = 529;
const MAX_TAG_SEARCH_BYTES = 4096;

/**
 * Returns the encoder delay and padding of an MP3 in samples, from the tag in its first frame; zeros without a tag.
 *
 * @see http://gabriel.mp3-tech.org/mp3infotag.html
 */
function mp3Padding(file: ByteView): { readonly before: number; readonly after: number } {
  const start = file.toString('latin1', 0, 3) === 'ID3' ? 10 + synchsafe(file) : 0;
  const head = file.bytes(start, start + MAX_TAG_SEARCH_BYTES);
  const tag = Math.max(head.indexOf('Xing'), head.indexOf('Info'));
  const at = tag + 0x78 + 21;
  if (tag === -1 || tag > 200 || at + 3 > head.length) return { before: 0, after: 0 };
  const packed = head.readUIntBE(at, 3);
  const [delay, padding] = [packed >> 12, packed & 0xfff];
  if (delay === 0 && padding === 0) return { before: 0, after: 0 };
  return { before: delay + DECODER_DELAY, after: Math.max(0, padding - DECODER_DELAY) };
}

/** Reads the size from an ID3v2 header: seven bits per byte. @see https://id3.org/id3v2.4.0-structure section 3.1 */
function synchsafe(file: ByteView): number {
  return [6, 7, 8, 9].reduce((size, at) => size * 128 + (file.at(at)! & 0x7f), 0);
}
