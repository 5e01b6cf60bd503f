import { compare, floor, multiply, subtract, toNumber, ZERO } from '../../contract/timeline/rational.ts';
import { type TimeSegment, timeMapFrom } from '../../contract/timeline/time-map.ts';
import type { InputScene, RenderInput } from '../../template/render-input.ts';
import { changedShare, type PicturePixels } from '../stills/compare-stills.ts';
import { forEachStill } from '../stills/draw-stills.ts';
import { MAX_STILL_SHARE } from '../stills/max-still-share.ts';

/** A shorter hold is not seen. */
const MIN_HOLD_SECONDS = 0.2;

/** A hold of a scene whose picture moves, so that it looks frozen. */
export interface SceneHold {
  /** Frame of the timeline from the start of the scene at which the picture stops. */
  readonly from: number;
  readonly heldSeconds: number;
  /** Share of pixels that differ from those of the frame before or after, whichever differs more, 0..1. */
  readonly changedShare: number;
}

/**
 * Finds the holds of a scene at which its picture moves. Clips are left out of the pictures, because they go on.
 *
 * @param alone the scene as a video of its own, at the times of its template
 * @param rate frames of the timeline per second
 * @throws RenderError for an input that cannot be drawn
 */
export async function findMovingHolds(
  { map }: Pick<InputScene, 'map'>,
  alone: RenderInput,
  rate: number,
): Promise<SceneHold[]> {
  const found: SceneHold[] = [];
  for (const { from, to, at } of holdsOf(timeMapFrom(map))) {
    const heldSeconds = toNumber(subtract(to, from)) / rate;
    if (heldSeconds < MIN_HOLD_SECONDS) continue;
    const share = await movement(alone, floor(at));
    if (share > MAX_STILL_SHARE) found.push({ from: floor(from), heldSeconds, changedShare: share });
  }
  return found;
}

/** Returns the parts of a time map that hold a picture. A loop whose passes do not fill its length, `loop_held`, is not one of them. */
function holdsOf(map: readonly TimeSegment[]): TimeSegment[] {
  return map.filter(({ at, speed }, index) => {
    const before = map[index - 1];
    // The passes of a loop end after the frame that it holds.
    const reached = before === undefined ? ZERO : multiply(subtract(before.to, before.from), before.speed);
    const isReached = compare(subtract(at, before?.at ?? ZERO), reached) === 0;
    return compare(speed, ZERO) === 0 && isReached;
  });
}

/** Returns the share of pixels of a template that change before or after a frame, whichever is more. */
async function movement(alone: RenderInput, frame: number): Promise<number> {
  const { animation } = alone;
  const frameCount = Math.max(1, Math.round(animation.op - animation.ip));
  const stills = [frame - 1, frame, frame + 1].flatMap((at) =>
    at < 0 || at >= frameCount ? [] : [{ name: String(at), frame: at }],
  );
  const { width, height } = alone;
  let last: PicturePixels | null = null;
  let share = 0;
  await forEachStill({ ...alone, clips: [], fps: animation.fr, frameCount, stills }, async (_, at, rasterizer) => {
    const picture = { width, height, data: Uint8Array.from(rasterizer.draw(at)) };
    if (last !== null) share = Math.max(share, changedShare(last, picture));
    last = picture;
  });
  return share;
}
