import type { RenderInput } from '../../template/render-input.ts';
import type { FrameRange } from '../frame-rate.ts';
import { openRasterizer, type Rasterizer } from '../raster/rasterizer.ts';
import { segmentKey } from '../segments/segment.ts';
import { inputCutter } from '../segments/segment-input.ts';
import { RecentValues } from './recent-values.ts';

/** Maximum number of consecutive frames that are drawn and kept together. */
const GROUP_FRAMES = 16;

/** Pictures of groups of frames by the content that they show: those of about three videos in a thread. */
const recent = new RecentValues<readonly Uint8Array[]>(64 << 20);

/**
 * Draws frames at a small size. Content that inputs share, such as the frames of a template that do not show a changed text, is
 * drawn once in a thread.
 *
 * @param renderInput opaque, at most a few hundred pixels wide
 * @param frames in ascending order
 * @param visit receives the RGBA pixels of each frame in order; the same object again for a frame that equals its predecessor
 * @throws RenderError for an input that cannot be drawn
 */
export async function drawSharedFrames(
  renderInput: RenderInput,
  frames: readonly number[],
  visit: (frame: number, picture: Uint8Array) => void,
): Promise<void> {
  const cut = inputCutter(renderInput);
  const groups = groupsOf(frames).map((group) => {
    const range = { first: group[0]!, end: group.at(-1)! + 1 };
    const key = segmentKey(cut([range]), range, `lint ${group.join(' ')}`);
    return { group, range, key, known: key === null ? undefined : recent.get(key) };
  });
  const missing = groups.flatMap(({ range, known }): FrameRange[] => (known === undefined ? [range] : []));
  const rasterizer = missing.length === 0 ? null : await openRasterizer(cut(missing));
  try {
    for (const { group, key, known } of groups) {
      const pictures = known ?? (await drawGroup(rasterizer!, group, renderInput));
      if (key !== null && known === undefined) recent.set(key, pictures, bytesOf(pictures));
      for (const [index, frame] of group.entries()) visit(frame, pictures[index]!);
    }
  } finally {
    rasterizer?.close();
  }
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
  { width, height }: RenderInput,
): Promise<Uint8Array[]> {
  const pictures: Buffer[] = [];
  for (const frame of group) {
    const last = pictures.at(-1);
    if (last !== undefined && group[pictures.length - 1] === frame - 1 && rasterizer.repeats(frame)) {
      pictures.push(last);
      continue;
    }
    await rasterizer.prepare(frame);
    const picture = rasterizer.draw(frame);
    // Copied, because the memory of a drawn picture is freed only in the next turn of the event loop.
    pictures.push(last?.equals(picture) === true ? last : copyOf(picture, 4 * width * height));
    await new Promise((resolve) => setImmediate(resolve));
  }
  return pictures;
}

function copyOf(picture: Uint8Array, length: number): Buffer {
  const copy = Buffer.allocUnsafeSlow(length);
  copy.set(picture);
  return copy;
}

function bytesOf(pictures: readonly Uint8Array[]): number {
  return [...new Set(pictures)].reduce((sum, { length }) => sum + length, 0);
}
