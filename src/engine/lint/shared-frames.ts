import type { VideoInput } from '../../template/render-input.ts';
import type { FrameRange } from '../frame-rate.ts';
import { openRasterizer, type Rasterizer } from '../raster/rasterizer.ts';
import { drawnSpans } from '../segments/drawings.ts';
import type { DrawnSpan } from '../segments/scene-cutters.ts';
import { segmentKey } from '../segments/segment.ts';
import { RecentValues } from './recent-values.ts';

/** Maximum number of consecutive frames that are drawn and kept together. */
const GROUP_FRAMES = 16;

/** Pictures of groups of frames by the content that they show: those of about three videos in a thread. */
const recent = new RecentValues<readonly Uint8Array[]>(64 << 20);

/** Receives the RGBA pixels of a frame. */
type Visit = (frame: number, picture: Uint8Array) => void;

/**
 * Draws frames at a small size. Content that inputs share, such as the frames of a template that do not show a changed text, is
 * drawn once in a thread.
 *
 * @param video opaque, at most a few hundred pixels wide
 * @param frames in ascending order
 * @param visit receives the frames in order; the same object again for most frames that equal their predecessor
 * @param isLast true if no other input will share the frames. A picture is then valid only until its second successor is drawn
 * @throws RenderError for an input that cannot be drawn
 */
export async function drawSharedFrames(
  video: VideoInput,
  frames: readonly number[],
  visit: Visit,
  isLast = false,
): Promise<void> {
  for (const span of drawnSpans(video)) {
    const shown: number[] = [];
    for (const frame of frames) if (frame >= span.first && frame < span.end) shown.push(frame);
    if (shown.length > 0) await drawSpan(video, span, shown, visit, isLast);
  }
}

async function drawSpan(
  { width, height }: VideoInput,
  { cut, offset }: DrawnSpan,
  frames: readonly number[],
  visit: Visit,
  isLast: boolean,
): Promise<void> {
  const groups = groupsOf(frames.map((frame) => frame - offset)).map((group) => {
    const range = { first: group[0]!, end: group.at(-1)! + 1 };
    const key = isLast ? null : segmentKey(cut([shifted(range, offset)]), range, `lint ${group.join(' ')}`);
    return { group, range, key, known: key === null ? undefined : recent.get(key) };
  });
  const missing = groups.flatMap(({ range, known }) => (known === undefined ? [shifted(range, offset)] : []));
  const rasterizer = missing.length === 0 ? null : await openRasterizer(cut(missing));
  const bytes = 4 * width * height;
  const copy = isLast ? copiesInTurn(bytes) : (picture: Uint8Array) => copyInto(Buffer.allocUnsafeSlow(bytes), picture);
  const visitOwn: Visit = (frame, picture) => visit(frame + offset, picture);
  try {
    for (const { group, key, known } of groups) {
      if (known === undefined) {
        const pictures = await drawGroup(rasterizer!, group, copy, visitOwn);
        if (key !== null) recent.set(key, pictures, bytesOf(pictures));
      } else {
        for (const [index, frame] of group.entries()) visitOwn(frame, known[index]!);
      }
    }
  } finally {
    rasterizer?.close();
  }
}

function shifted({ first, end }: FrameRange, by: number): FrameRange {
  return { first: first + by, end: end + by };
}

function groupsOf(frames: readonly number[]): number[][] {
  const groups = new Map<number, number[]>();
  for (const frame of frames) {
    const number = Math.floor(frame / GROUP_FRAMES);
    const group = groups.get(number);
    if (group === undefined) groups.set(number, [frame]);
    else group.push(frame);
  }
  return [...groups.values()];
}

async function drawGroup(
  rasterizer: Rasterizer,
  group: readonly number[],
  copy: (picture: Uint8Array) => Buffer,
  visit: Visit,
): Promise<Uint8Array[]> {
  const pictures: Buffer[] = [];
  for (const frame of group) {
    const last = pictures.at(-1);
    if (last !== undefined && group[pictures.length - 1] === frame - 1 && rasterizer.repeats(frame)) {
      pictures.push(last);
    } else {
      await rasterizer.prepare(frame);
      const picture = rasterizer.draw(frame);
      // Copied, because the memory of a drawn picture is freed only in the next turn of the event loop.
      pictures.push(last?.equals(picture) === true ? last : copy(picture));
      await new Promise((resolve) => setImmediate(resolve));
    }
    visit(frame, pictures.at(-1)!);
  }
  return pictures;
}

/** Returns a function that copies pictures into two buffers in turn. New memory for each picture would take longer than the copy. */
function copiesInTurn(bytes: number): (picture: Uint8Array) => Buffer {
  let [next, last] = [Buffer.allocUnsafeSlow(bytes), Buffer.allocUnsafeSlow(bytes)];
  return (picture) => {
    [next, last] = [last, next];
    return copyInto(last, picture);
  };
}

function copyInto(copy: Buffer, picture: Uint8Array): Buffer {
  copy.set(picture);
  return copy;
}

function bytesOf(pictures: readonly Uint8Array[]): number {
  return [...new Set(pictures)].reduce((sum, { length }) => sum + length, 0);
}
