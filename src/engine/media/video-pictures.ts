import { type EncodedPacket, EncodedPacketSink, type Input, type InputVideoTrack } from 'mediabunny';
import { bytesOf } from '../codec/bytes-of.ts';
import { freeBuffers } from '../raster/free-buffers.ts';
import { SceneError } from '../scene-error.ts';
import { MAX_CLIP_SIDE_PIXELS } from './check-clip.ts';
import { BEYOND, FrameLane, type LaneFrame } from './frame-lane.ts';
import { damageOf, openMedia } from './open-media.ts';
import type { ClipPictures, Picture } from './picture.ts';
import { type PictureEntry, readPictureTable } from './picture-table.ts';
import { turnUpright, type Upright } from './turn-upright.ts';
import { writeAlpha, type YuvColour, yuvToBgra } from './yuv-to-bgra.ts';

/** Pictures whose height or width is larger are taken for BT.709 where a file does not say, others for BT.601. */
const STANDARD_DEFINITION = { width: 1024, height: 576 };

/** The part of a clip that is wanted, in seconds from its first picture. */
export interface ClipPart {
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
    const start = await track.getFirstTimestamp();
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
    const openLane = () => FrameLane.open(codec, configuration, name);
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
  /** Of the first picture, in seconds of the file. */
  readonly start: number;
  readonly table: readonly PictureEntry[];
  readonly upright: Upright;
  /** Seconds by which a picture counts as started too early. */
  readonly tolerance: number;
  readonly openLane: () => Promise<FrameLane>;
  readonly colorSpace: VideoColorSpaceInit | undefined;
}

/** Decoding from one key picture on. */
interface Run {
  readonly packets: AsyncIterator<EncodedPacket>;
  readonly startTime: number;
  readonly colour: FrameLane;
  alpha: FrameLane | null;
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
      // What could not be decoded shows what was there before.
      if (frame === undefined && this.#latest !== undefined) return this.#latest.picture;
      if (frame === undefined) throw new Error('no picture comes of it');
      const picture = this.#convert(frame, run.alpha?.take(index));
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
    // Beyond the table: nobody asks for it, but what comes before may need it. A hidden picture of VP8 does not come out.
    const place = this.#places.get(packet.timestamp) ?? BEYOND;
    await run.colour.feed(packet.data, place, wanted);
    if (packet.sideData.alpha !== undefined) {
      run.alpha ??= await this.#video.openLane();
      await run.alpha.feed(packet.sideData.alpha, place, wanted);
    }
    freeBuffers(this.#fed++);
  }

  #fed = 0;

  #convert(frame: LaneFrame, alpha: LaneFrame | undefined): Picture {
    const { width, height, format } = frame;
    if (Math.max(width, height) > MAX_CLIP_SIDE_PIXELS) {
      throw new Error(`pictures of ${width} × ${height} are not taken`);
    }
    const bgra = yuvToBgra(frame, this.#colourOf(frame));
    if (bgra === undefined) throw new Error(`the pixel format ${format} is not known`);
    if (alpha !== undefined && alpha.width === width && alpha.height === height) {
      const { offset, stride } = alpha.layout[0]!;
      writeAlpha(bgra, alpha.bytes, { at: offset, stride, width, height, shift: 0 });
    }
    const isOpaque = alpha === undefined && !format.includes('A');
    return turnUpright({ width, height, bgra, isOpaque }, this.#video.upright);
  }

  #colourOf({ matrix, isFullRange, width, height }: LaneFrame): YuvColour {
    const said = this.#video.colorSpace;
    const isLarge = height > STANDARD_DEFINITION.height || width > STANDARD_DEFINITION.width;
    return {
      matrix: matrix ?? MATRICES[said?.matrix ?? ''] ?? (isLarge ? 'bt709' : 'bt601'),
      isFullRange: isFullRange ?? said?.fullRange ?? false,
    };
  }
}

/** By the names of WebCodecs. */
const MATRICES: Readonly<Record<string, YuvColour['matrix']>> = {
  ...{ bt709: 'bt709', 'bt2020-ncl': 'bt2020', bt470bg: 'bt601', smpte170m: 'bt601' },
};
