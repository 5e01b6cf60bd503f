import { type EncodedPacket, EncodedPacketSink, type Input, type InputVideoTrack } from 'mediabunny';
import { headOf, type SourceBytes } from '../../kernel/source-file.ts';
import { ColourConverter, hasWideColours } from '../codec/colour-converter.ts';
import { writeAlpha, type YuvColour, yuvToBgra } from '../color/yuv-to-bgra.ts';
import { freeBuffers } from '../free-buffers.ts';
import type { Picture } from '../images/bitmap-file.ts';
import { hasExcessiveMetadata } from '../images/png-metadata.ts';
import { RenderError } from '../render-error.ts';
import { MAX_CLIP_SIDE_PIXELS } from './check-media.ts';
import { openMedia, toDamageError } from './open-media.ts';
import { type DecodedFrame, OrderedDecoder, UNREQUESTED } from './ordered-decoder.ts';
import { applyRotation, type ClipPictures, type Orientation } from './picture.ts';
import { videoDecoding } from './video-codec.ts';

/** Without a declared matrix, pictures that exceed this size are decoded as BT.709, smaller pictures as BT.601. */
const STANDARD_DEFINITION = { width: 1024, height: 576 };

/** The part of a clip that the video shows, in seconds from the first displayed picture of the file. */
interface ClipPart {
  readonly from: number;
  readonly to: number;
}

/**
 * Opens an MP4, MOV or WebM whose pictures are decoded on request. Decoding runs forward from a key picture, and restarts only to
 * go back or to skip to a later key picture.
 *
 * @throws RenderError asset_decode_failed, asset_type_unsupported
 * @throws ReelformError encoder_missing
 */
export async function videoPictures(bytes: SourceBytes, name: string, part: ClipPart): Promise<ClipPictures> {
  const input = openMedia(bytes, name);
  try {
    const track = (await input.getPrimaryVideoTrack())!;
    // Pictures before the start of an edit list have negative times.
    const start = Math.max(0, await track.getFirstTimestamp());
    const table = await readPictureTable(track, start + part.from, start + part.to);
    if (table.length === 0)
      throw new RenderError('asset_decode_failed', 'The video has no picture', { imageName: name });
    const decoding = (await videoDecoding(track, bytes))!;
    const colorSpace = (await track.getDecoderConfig())?.colorSpace;
    const orientation: Orientation = {
      width: await track.getDisplayWidth(),
      height: await track.getDisplayHeight(),
      rotation: await track.getRotation(),
      isFlipped: await track.getFlip(),
    };
    const tolerance = toleranceOf(bytes, await track.getTimeResolution());
    const openDecoder = () => OrderedDecoder.open(decoding, name);
    const isPng = decoding.codec === 'png';
    return new VideoPictures({
      input,
      track,
      name,
      start,
      table,
      orientation,
      tolerance,
      openDecoder,
      isPng,
      colorSpace,
    });
  } catch (cause) {
    input.dispose();
    throw toDamageError(cause, name);
  }
}

/** Returns the tolerance for start times in seconds: WebM rounds them, usually to milliseconds. */
function toleranceOf(bytes: SourceBytes, resolution: number): number {
  const isWebm = headOf(bytes)[0] === 0x1a;
  return isWebm ? Math.min(0.5 / resolution, 0.0005) + 1e-6 : 1e-6;
}

interface OpenVideo {
  readonly input: Input;
  readonly track: InputVideoTrack;
  readonly name: string;
  /** Time of the first displayed picture, in seconds of the file. */
  readonly start: number;
  readonly table: readonly PictureEntry[];
  readonly orientation: Orientation;
  /** A picture counts as started this many seconds before its time. */
  readonly tolerance: number;
  readonly openDecoder: () => Promise<OrderedDecoder>;
  /** Each packet is a PNG file. */
  readonly isPng: boolean;
  readonly colorSpace: VideoColorSpaceInit | undefined;
}

/** A sequential decoding that started at a key picture. */
interface Run {
  readonly packets: AsyncIterator<EncodedPacket>;
  readonly startTime: number;
  readonly colour: OrderedDecoder;
  alpha: OrderedDecoder | null;
  isAtEnd: boolean;
}

class VideoPictures implements ClipPictures {
  readonly #video: OpenVideo;
  readonly #sink: EncodedPacketSink;
  /** Indices of the table by time. */
  readonly #indices: ReadonlyMap<number, number>;
  #run: Run | undefined;
  /** Index of the picture returned last; after a start, the index before the first of the run. */
  #lastIndex = -1;
  #latest: { readonly index: number; readonly picture: Picture } | undefined;

  constructor(video: OpenVideo) {
    this.#video = video;
    this.#sink = new EncodedPacketSink(video.track);
    this.#indices = new Map(video.table.map(({ time }, index) => [time, index]));
  }

  indexAt(seconds: number): number {
    const { table, start, tolerance } = this.#video;
    const time = start + seconds + tolerance;
    let [low, high] = [0, table.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (table[middle]!.time <= time) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }

  async picture(index: number): Promise<Picture> {
    if (this.#latest?.index === index) return this.#latest.picture;
    const { name, table } = this.#video;
    try {
      const key = table.findLastIndex((entry, at) => entry.isKey && at <= index);
      if (!this.#canContinue(index, key)) await this.#start(Math.max(0, key));
      const run = this.#run!;
      while (run.colour.last < index && !run.isAtEnd) await this.#feedNext(run, index);
      if (run.alpha !== null) while (run.alpha.last < index && !run.isAtEnd) await this.#feedNext(run, index);
      this.#lastIndex = index;
      const frame = run.colour.take(index);
      // The previous picture replaces a picture that could not be decoded.
      if (frame === undefined && this.#latest !== undefined) return this.#latest.picture;
      if (frame === undefined) throw new Error('the picture cannot be decoded');
      const picture = await this.#convert(frame, run.alpha?.take(index));
      this.#latest = { index, picture };
      return picture;
    } catch (cause) {
      throw toDamageError(cause, name);
    }
  }

  close(): void {
    this.#run?.colour.close();
    this.#run?.alpha?.close();
    this.#run = undefined;
    this.#converter?.close();
    this.#video.input.dispose();
  }

  /** Returns whether the current run reaches a picture sooner than a run from the key picture before it. */
  #canContinue(index: number, keyIndex: number): boolean {
    if (this.#run === undefined || index <= this.#lastIndex) return false;
    return keyIndex <= Math.max(this.#lastIndex, this.#run.colour.last);
  }

  async #start(keyIndex: number): Promise<void> {
    this.#run?.colour.close();
    this.#run?.alpha?.close();
    const packet = await this.#sink.getKeyPacket(this.#video.table[keyIndex]!.time);
    if (packet === null) throw new Error('no picture to start from');
    this.#run = {
      packets: this.#sink.packets(packet)[Symbol.asyncIterator](),
      startTime: packet.timestamp,
      colour: await this.#video.openDecoder(),
      alpha: null,
      isAtEnd: false,
    };
    this.#lastIndex = keyIndex - 1;
  }

  async #feedNext(run: Run, lowestNeeded: number): Promise<void> {
    const { value: packet, done } = await run.packets.next();
    if (done === true) {
      await run.colour.flush();
      await run.alpha?.flush();
      run.isAtEnd = true;
      return;
    }
    // Displayed before the key picture, and dependent on pictures that this run has not decoded.
    if (packet.timestamp < run.startTime) return;
    // Pictures outside the table are never requested, but requested pictures may depend on them. Hidden pictures of VP8 are not
    // output.
    const index = this.#indices.get(packet.timestamp) ?? UNREQUESTED;
    if (this.#video.isPng && hasExcessiveMetadata(packet.data))
      throw new Error('the metadata of a picture are too large');
    await run.colour.feed(packet.data, index, lowestNeeded);
    if (packet.sideData.alpha !== undefined) {
      run.alpha ??= await this.#video.openDecoder();
      await run.alpha.feed(packet.sideData.alpha, index, lowestNeeded);
    }
    freeBuffers();
  }

  #converter: ColourConverter | undefined;

  async #convert(frame: DecodedFrame, alpha: DecodedFrame | undefined): Promise<Picture> {
    const { width, height } = frame;
    if (Math.max(width, height) > MAX_CLIP_SIDE_PIXELS) {
      throw new Error(`pictures of ${width} × ${height} are not supported`);
    }
    const bgra = await this.#bgraOf(frame);
    if (alpha !== undefined && alpha.width === width && alpha.height === height) {
      const { offset, stride } = alpha.layout[0]!;
      writeAlpha(bgra, alpha.bytes, { at: offset, stride, width, height, shift: 0 });
    }
    const isOpaque = alpha === undefined && !frame.hasAlpha;
    return applyRotation({ width, height, bgra, isOpaque }, this.#video.orientation);
  }

  async #bgraOf(frame: DecodedFrame): Promise<Uint8ClampedArray> {
    const declared = this.#video.colorSpace;
    const { isFullRange, matrix } = this.#colourOf(frame);
    const primaries =
      frame.primaries === UNSPECIFIED ? declaredNumber(PRIMARIES, declared?.primaries) : frame.primaries;
    const transfer = frame.transfer === UNSPECIFIED ? declaredNumber(TRANSFERS, declared?.transfer) : frame.transfer;
    const isWide = hasWideColours({ primaries, transfer });
    const bgra = isWide ? undefined : yuvToBgra(frame, this.#colourOf(frame));
    if (bgra !== undefined) return bgra;
    this.#converter ??= new ColourConverter(this.#video.name);
    const colours = isWide ? { primaries, transfer, matrix: 'bt2020' as const } : { ...BT709, matrix };
    return this.#converter.toBgra({ ...frame, ...colours, isFullRange });
  }

  #colourOf({ matrix, isFullRange, width, height }: DecodedFrame): YuvColour {
    const declared = this.#video.colorSpace;
    const isLarge = height > STANDARD_DEFINITION.height || width > STANDARD_DEFINITION.width;
    return {
      matrix: matrix ?? MATRICES[declared?.matrix ?? ''] ?? (isLarge ? 'bt709' : 'bt601'),
      isFullRange: isFullRange ?? declared?.fullRange ?? false,
    };
  }
}

/** Matrices by their WebCodecs names. */
const MATRICES: Readonly<Record<string, YuvColour['matrix']>> = {
  bt709: 'bt709',
  'bt2020-ncl': 'bt2020',
  bt470bg: 'bt601',
  smpte170m: 'bt601',
};

/** Codes of the colours that a container may declare; `UNSPECIFIED` if it declares none. @see ITU-T H.273, tables 2 and 3 */
const UNSPECIFIED = 2;
const BT709 = { primaries: 1, transfer: 1 };
const PRIMARIES: Readonly<Record<string, number>> = { bt709: 1, bt2020: 9 };
const TRANSFERS: Readonly<Record<string, number>> = { bt709: 1, pq: 16, hlg: 18 };

function declaredNumber(numbers: Readonly<Record<string, number>>, name: string | null | undefined): number {
  return numbers[name ?? ''] ?? UNSPECIFIED;
}

/** Limit for damaged files: more than six hours at 60 pictures a second. */
const MAX_PACKETS = 2_000_000;
/** Packets read before yielding to the event loop. */
const PACKETS_PER_TURN = 10_000;

/** A picture of a video track, read from the index without decoding. */
interface PictureEntry {
  /** Seconds in the file. */
  readonly time: number;
  /** Decoding can start here. */
  readonly isKey: boolean;
}

/**
 * Lists the pictures of a part of a track in display order, starting with the last key picture at or before the part.
 *
 * @param from seconds in the file, as is `to`
 */
async function readPictureTable(track: InputVideoTrack, from: number, to: number): Promise<PictureEntry[]> {
  const sink = new EncodedPacketSink(track);
  const hasHidden = (await track.getCodec()) === 'vp8';
  const options = { metadataOnly: !hasHidden };
  const first = (await sink.getKeyPacket(from, options)) ?? (await sink.getFirstKeyPacket(options));
  const entries: PictureEntry[] = [];
  let packets = 0;
  if (first === null) return entries;
  let stop = Infinity;
  for await (const packet of sink.packets(first, undefined, options)) {
    // Pictures shown before a key picture follow it; later pictures are outside the requested part.
    if (packet.timestamp > stop) break;
    packets += 1;
    if (packets > MAX_PACKETS) throw new Error('it has too many pictures');
    if (packets % PACKETS_PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
    if (packet.type === 'key' && packet.timestamp > to) stop = packet.timestamp;
    if (packet.timestamp < first.timestamp || (hasHidden && !isShown(packet))) continue;
    entries.push({ time: packet.timestamp, isKey: packet.type === 'key' });
  }
  return entries.sort((a, b) => a.time - b.time);
}

/** Returns whether a VP8 packet contains a displayed picture, not only a reference. @see RFC 6386, section 9.1 (show_frame) */
function isShown(packet: EncodedPacket): boolean {
  return ((packet.data[0] ?? 0) & 0x10) !== 0;
}
