import { type EncodedPacket, EncodedPacketSink, type Input, type InputVideoTrack } from 'mediabunny';
import { ColourConverter, hasWideColours } from '../codec/colour-converter.ts';
import { writeAlpha, type YuvColour, yuvToBgra } from '../color/yuv-to-bgra.ts';
import { freeBuffers } from '../raster/free-buffers.ts';
import { SceneError } from '../scene-error.ts';
import { MAX_CLIP_SIDE_PIXELS } from './check-media.ts';
import { bytesOf, damageOf, openMedia } from './open-media.ts';
import { BEYOND, type DecodedFrame, OrderedDecoder } from './ordered-decoder.ts';
import { applyRotation, type ClipPictures, type Picture, type Upright } from './picture.ts';

/** Pictures whose height or width is larger are taken for BT.709 where a file does not say, others for BT.601. */
const STANDARD_DEFINITION = { width: 1024, height: 576 };

/** The part of a clip that is wanted, in seconds from the first picture that its file shows. */
interface ClipPart {
  readonly from: number;
  readonly to: number;
}

/**
 * The pictures of an MP4, MOV or WebM, decoded as they are asked for: forward from the key picture before the first one,
 * and again from one only where that is quicker or where time goes back.
 *
 * @throws SceneError asset_decode_failed, asset_type_unsupported
 * @throws ReelformError encoder_missing
 */
export async function videoPictures(bytes: Uint8Array, name: string, part: ClipPart): Promise<ClipPictures> {
  const input = openMedia(bytes, name);
  try {
    const track = (await input.getPrimaryVideoTrack())!;
    // An edit list that starts late gives the pictures before it negative times.
    const start = Math.max(0, await track.getFirstTimestamp());
    const table = await readPictureTable(track, start + part.from, start + part.to);
    if (table.length === 0)
      throw new SceneError('asset_decode_failed', 'The video has no picture', { imageName: name });
    const { description, colorSpace } = (await track.getDecoderConfig())!;
    const configuration = description === undefined ? undefined : bytesOf(description);
    const codec = (await track.getCodec()) ?? '';
    const upright: Upright = {
      width: await track.getDisplayWidth(),
      height: await track.getDisplayHeight(),
      rotation: await track.getRotation(),
      isFlipped: await track.getFlip(),
    };
    const tolerance = toleranceOf(bytes, await track.getTimeResolution());
    const openLane = () => OrderedDecoder.open(codec, configuration, name);
    return new VideoPictures({ input, track, name, start, table, upright, tolerance, openLane, colorSpace });
  } catch (cause) {
    input.dispose();
    throw damageOf(cause, name);
  }
}

/** WebM rounds times, mostly to whole milliseconds: a picture may be said to start later than it was meant to. */
function toleranceOf(bytes: Uint8Array, resolution: number): number {
  const isWebm = bytes[0] === 0x1a;
  return isWebm ? Math.min(0.5 / resolution, 0.0005) + 1e-6 : 1e-6;
}

interface OpenVideo {
  readonly input: Input;
  readonly track: InputVideoTrack;
  readonly name: string;
  /** Time of the first picture that is shown, in seconds of the file. */
  readonly start: number;
  readonly table: readonly PictureEntry[];
  readonly upright: Upright;
  /** Seconds by which a picture counts as started too early. */
  readonly tolerance: number;
  readonly openLane: () => Promise<OrderedDecoder>;
  readonly colorSpace: VideoColorSpaceInit | undefined;
}

/** Decoding from one key picture on. */
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
  readonly #places: ReadonlyMap<number, number>;
  #run: Run | undefined;
  /** The place of the picture that was given last, or is to come next at the earliest. */
  #last = -1;
  #latest: { readonly place: number; readonly picture: Picture } | undefined;

  constructor(video: OpenVideo) {
    this.#video = video;
    this.#sink = new EncodedPacketSink(video.track);
    this.#places = new Map(video.table.map(({ time }, place) => [time, place]));
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
    if (this.#latest?.place === index) return this.#latest.picture;
    const { name, table } = this.#video;
    try {
      const key = table.findLastIndex((entry, place) => entry.isKey && place <= index);
      if (this.#run === undefined || index <= this.#last || key > this.#furthest()) await this.#start(Math.max(0, key));
      const run = this.#run!;
      while (run.colour.last < index && !run.isAtEnd) await this.#feedNext(run, index);
      if (run.alpha !== null) while (run.alpha.last < index && !run.isAtEnd) await this.#feedNext(run, index);
      this.#last = index;
      const frame = run.colour.take(index);
      // A picture that could not be decoded shows the previous one.
      if (frame === undefined && this.#latest !== undefined) return this.#latest.picture;
      if (frame === undefined) throw new Error('no picture comes of it');
      const picture = await this.#convert(frame, run.alpha?.take(index));
      this.#latest = { place: index, picture };
      return picture;
    } catch (cause) {
      throw damageOf(cause, name);
    }
  }

  close(): void {
    this.#run?.colour.close();
    this.#run?.alpha?.close();
    this.#run = undefined;
    this.#converter?.close();
    this.#video.input.dispose();
  }

  /** How far the present run has come. */
  #furthest(): number {
    return Math.max(this.#last, this.#run?.colour.last ?? -1);
  }

  async #start(place: number): Promise<void> {
    this.#run?.colour.close();
    this.#run?.alpha?.close();
    const packet = await this.#sink.getKeyPacket(this.#video.table[place]!.time);
    if (packet === null) throw new Error('no picture to start from');
    this.#run = {
      packets: this.#sink.packets(packet)[Symbol.asyncIterator](),
      startTime: packet.timestamp,
      colour: await this.#video.openLane(),
      alpha: null,
      isAtEnd: false,
    };
    this.#last = place - 1;
  }

  async #feedNext(run: Run, wanted: number): Promise<void> {
    const { value: packet, done } = await run.packets.next();
    if (done === true) {
      await run.colour.flush();
      await run.alpha?.flush();
      run.isAtEnd = true;
      return;
    }
    // Shown before the key picture, and made from ones that this run has not seen.
    if (packet.timestamp < run.startTime) return;
    // Not in the table: never requested, but earlier pictures may depend on it. A hidden picture of VP8 is not output.
    const place = this.#places.get(packet.timestamp) ?? BEYOND;
    await run.colour.feed(packet.data, place, wanted);
    if (packet.sideData.alpha !== undefined) {
      run.alpha ??= await this.#video.openLane();
      await run.alpha.feed(packet.sideData.alpha, place, wanted);
    }
    freeBuffers();
  }

  #converter: ColourConverter | undefined;

  async #convert(frame: DecodedFrame, alpha: DecodedFrame | undefined): Promise<Picture> {
    const { width, height, format } = frame;
    if (Math.max(width, height) > MAX_CLIP_SIDE_PIXELS) {
      throw new Error(`pictures of ${width} × ${height} are not taken`);
    }
    const bgra = await this.#bgraOf(frame);
    if (bgra === undefined) throw new Error(`the pixel format ${format} is not known`);
    if (alpha !== undefined && alpha.width === width && alpha.height === height) {
      const { offset, stride } = alpha.layout[0]!;
      writeAlpha(bgra, alpha.bytes, { at: offset, stride, width, height, shift: 0 });
    }
    const isOpaque = alpha === undefined && !format.includes('A');
    return applyRotation({ width, height, bgra, isOpaque }, this.#video.upright);
  }

  async #bgraOf(frame: DecodedFrame): Promise<Uint8ClampedArray | undefined> {
    const declared = this.#video.colorSpace;
    const { isFullRange } = this.#colourOf(frame);
    const primaries =
      frame.primaries === UNSPECIFIED ? declaredNumber(PRIMARIES, declared?.primaries) : frame.primaries;
    const transfer = frame.transfer === UNSPECIFIED ? declaredNumber(TRANSFERS, declared?.transfer) : frame.transfer;
    if (!hasWideColours({ primaries, transfer })) return yuvToBgra(frame, this.#colourOf(frame));
    this.#converter ??= new ColourConverter(this.#video.name);
    return this.#converter.toBgra({ ...frame, primaries, transfer, isFullRange });
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

/** Keyed by WebCodecs names. */
const MATRICES: Readonly<Record<string, YuvColour['matrix']>> = {
  ...{ bt709: 'bt709', 'bt2020-ncl': 'bt2020', bt470bg: 'bt601', smpte170m: 'bt601' },
};

/** The value for undeclared colours, and the numbers of those that a container may declare. @see ITU-T H.273, tables 2 and 3 */
const UNSPECIFIED = 2;
const PRIMARIES: Readonly<Record<string, number>> = { bt709: 1, bt2020: 9 };
const TRANSFERS: Readonly<Record<string, number>> = { bt709: 1, pq: 16, hlg: 18 };

function declaredNumber(numbers: Readonly<Record<string, number>>, name: string | null | undefined): number {
  return numbers[name ?? ''] ?? UNSPECIFIED;
}

/** Six hours at 60 pictures a second; limits damaged files. */
const MOST_PACKETS = 2_000_000;
/** Packets between two turns of the event loop. */
const PACKETS_A_TURN = 10_000;

/** A picture of a video track, known before any of it is decoded. */
interface PictureEntry {
  /** Seconds in the file. */
  readonly time: number;
  /** Decoding can start here. */
  readonly isKey: boolean;
}

/**
 * The pictures that a part of a track shows, in the order of showing, from the last key picture at or before its start on.
 *
 * @param from seconds in the file, as `to`
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
    // Pictures shown before a key picture follow it; later ones are outside the requested part.
    if (packet.timestamp > stop) break;
    packets += 1;
    if (packets > MOST_PACKETS) throw new Error('it has too many pictures');
    if (packets % PACKETS_A_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
    if (packet.type === 'key' && packet.timestamp > to) stop = packet.timestamp;
    if (packet.timestamp < first.timestamp || (hasHidden && !isShown(packet))) continue;
    entries.push({ time: packet.timestamp, isKey: packet.type === 'key' });
  }
  return entries.sort((a, b) => a.time - b.time);
}

/** Of VP8, whose packets may hold a picture for reference alone. @see RFC 6386, section 9.1 (show_frame) */
function isShown(packet: EncodedPacket): boolean {
  return ((packet.data[0] ?? 0) & 0x10) !== 0;
}
