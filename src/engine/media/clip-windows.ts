import { IDENTITY_TRANSFORM } from '../../template/lottie/lottie-layers.ts';
import type { InputClip } from '../../template/render-input.ts';
import type { FrameRange } from '../frame-rate.ts';
import { bitmapFile } from '../images/bitmap-file.ts';
import type { ClipTime, ClipTimes } from './clip-times.ts';
import { gifPictures } from './decode-gif.ts';
import { mediaTypeOf } from './media-type.ts';
import type { PictureFiles } from './picture.ts';
import { type ClipPictures, fitPicture } from './picture.ts';
import { videoPictures } from './video-pictures.ts';

/** Size limit for the pictures of a window: 11 of 1920 × 1080. A window is never empty. */
const MAX_WINDOW_BYTES = 96_000_000;

/** Frames [from, to) of the video, with the assets that replace the clips. */
interface ClipWindow {
  readonly from: number;
  readonly to: number;
  /** Lottie assets; their paths are the names of `files`. */
  readonly assets: readonly object[];
  /** Decodes the pictures into BMP files. @throws RenderError asset_decode_failed */
  files(): Promise<PictureFiles>;
}

/** The clips of an input, decoded window by window. The caller must close it. */
export interface Clips {
  /**
   * Returns a window that starts at a frame.
   *
   * @param maxFrames upper limit; large pictures make the window shorter
   * @throws RenderError asset_decode_failed, asset_type_unsupported
   */
  window(from: number, maxFrames: number): Promise<ClipWindow>;
  close(): void;
}

/** A clip of an input that is ready to be drawn. */
export interface TimedClip extends Pick<ClipTimes, 'timesAt' | 'isEven'> {
  readonly clip: InputClip;
}

export interface OpenClip extends TimedClip {
  readonly pictures: ClipPictures;
}

/**
 * Opens the clips of a checked input; reads only the parts that are shown.
 *
 * @param ranges frames that can be drawn
 * @throws RenderError asset_decode_failed, asset_type_unsupported; ReelformError encoder_missing
 */
export async function openClips(clips: readonly TimedClip[], ranges: readonly FrameRange[]): Promise<Clips> {
  const open: OpenClip[] = [];
  const close = (): void => {
    for (const { pictures } of open) pictures.close();
  };
  try {
    for (const clip of clips) open.push(await openClip(clip, ranges));
  } catch (error) {
    close();
    throw error;
  }
  return { window: (from, maxFrames) => makeWindow(open, ranges, from, maxFrames), close };
}

/** Opens one clip, as `openClips`. The caller must close its pictures. */
export async function openClip({ clip, timesAt, isEven }: TimedClip, ranges: readonly FrameRange[]): Promise<OpenClip> {
  let [first, last] = [Infinity, -Infinity];
  for (const range of ranges) {
    for (let frame = range.first; frame < range.end; frame++) {
      for (const { seconds } of timesAt(frame)) [first, last] = [Math.min(first, seconds), Math.max(last, seconds)];
    }
  }
  const part = first <= last ? { from: first, to: last } : { from: 0, to: 0 };
  const pictures =
    mediaTypeOf(clip.bytes) === 'gif'
      ? gifPictures(clip.bytes, clip.name)
      : await videoPictures(clip.bytes, clip.name, part);
  return { clip, pictures, timesAt, isEven };
}

/** A picture that a window shows, and the time of the clip at which it is shown. */
export interface Sample {
  readonly time: number;
  readonly index: number;
}

async function makeWindow(
  open: readonly OpenClip[],
  ranges: readonly FrameRange[],
  from: number,
  maxFrames: number,
): Promise<ClipWindow> {
  const content: WindowContent[] = open.map((clip) => ({ ...clip, samples: [], indices: new Set() }));
  let sizeBytes = 0;
  let to = from;
  const end = ranges.find((range) => from < range.end)?.end ?? from + 1;
  for (; to < Math.min(end, from + maxFrames); to++) {
    const shown = content.map((clip) => samplesAt(clip, to));
    // A composition has one picture at each of its times.
    if (content.some((clip, at) => needsTwoPictures(clip, shown[at]!))) break;
    const addedBytes = content.reduce((sum, clip, at) => sum + addedBytesOf(clip, shown[at]!), 0);
    if (to > from && sizeBytes + addedBytes > MAX_WINDOW_BYTES) break;
    sizeBytes += addedBytes;
    for (const [at, { samples, indices }] of content.entries()) {
      samples.push(...shown[at]!);
      for (const { index } of shown[at]!) indices.add(index);
    }
  }
  const assets = content.flatMap(({ clip, samples, indices }, at) => [
    precomposition(clip, at, samples),
    ...[...indices].map((index) => pictureAsset(clip, at, index)),
  ]);
  return {
    from,
    to,
    assets,
    async files() {
      const files: [name: string, bytes: Uint8Array][] = [];
      for (const [at, { clip, pictures, indices }] of content.entries()) {
        for (const index of [...indices].sort((a, b) => a - b)) {
          files.push([fileName(at, index), bitmapFile(fitPicture(await pictures.picture(index), clip))]);
        }
      }
      return files;
    },
  };
}

/** A clip with the content that a window shows of it. */
interface WindowContent extends OpenClip {
  readonly samples: Sample[];
  /** The distinct pictures of the samples. */
  readonly indices: Set<number>;
}

/** Returns the pictures that layers show at a frame. */
export function samplesAt({ timesAt, pictures }: OpenClip, frame: number): Sample[] {
  return timesAt(frame).map(({ time, seconds }: ClipTime) => ({ time, index: pictures.indexAt(seconds) }));
}

/** Frames within which two times are the same for the rasteriser. */
const SAME_TIME = 1 / 256;

function needsTwoPictures({ samples, isEven }: WindowContent, shown: readonly Sample[]): boolean {
  if (isEven) return false;
  return shown.some(({ time, index }) => {
    return samples.some((sample) => sample.index !== index && Math.abs(sample.time - time) < SAME_TIME);
  });
}

/** Returns the size of the pictures that samples add to a window. */
function addedBytesOf({ clip, indices }: WindowContent, samples: readonly Sample[]): number {
  const added = new Set(samples.map(({ index }) => index).filter((index) => !indices.has(index)));
  return added.size * areaBytes(clip);
}

function areaBytes({ width, height }: InputClip): number {
  return width * height * 4;
}

function fileName(clip: number, index: number): string {
  return `${clip}-${index}.bmp`;
}

/** Returns the id of the asset of a picture. */
export function pictureId(clip: number | string, index: number): string {
  return `reelform/clip/${clip}/${index}`;
}

function pictureAsset({ width, height }: InputClip, at: number, index: number): object {
  return { id: pictureId(at, index), w: width, h: height, u: '', p: fileName(at, index), e: 0 };
}

interface ClipComposition {
  readonly id: string;
  readonly w: number;
  readonly h: number;
  readonly layers: readonly object[];
}

/**
 * Returns the asset as a composition with a layer for each picture. The layers change midway between the times of two
 * pictures, so that rounding in the rasteriser cannot show the wrong picture.
 */
export function precomposition(
  { assetId, width, height }: InputClip,
  at: number | string,
  samples: readonly Sample[],
): ClipComposition {
  const ascending = [...samples].sort((a, b) => a.time - b.time);
  const layers: { refId: string; ip: number; op: number }[] = [];
  for (const [position, { time, index }] of ascending.entries()) {
    const refId = pictureId(at, index);
    const before = ascending[position - 1];
    const middle = before === undefined ? time - 1 : (before.time + time) / 2;
    const last = layers.at(-1);
    if (last?.refId === refId) continue;
    if (last !== undefined) last.op = middle;
    layers.push({ refId, ip: middle, op: time + 1 });
  }
  const end = layers.at(-1);
  if (end !== undefined) end.op = ascending.at(-1)!.time + 1;
  return {
    id: assetId,
    w: width,
    h: height,
    layers: layers.map((layer, position) => ({ ty: 2, ind: position + 1, st: 0, ks: IDENTITY_TRANSFORM, ...layer })),
  };
}
