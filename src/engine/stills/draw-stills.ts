import type { Still, VideoInput } from '../../template/render-input.ts';
import { checkInput } from '../check-input.ts';
import { freeBuffers } from '../free-buffers.ts';
import { mediaFindings } from '../input-media.ts';
import { openRasterizer, type Rasterizer } from '../raster/rasterizer.ts';
import type { DrawnInput } from '../scenes/drawn-input.ts';
import { withSceneNames } from '../scenes/name-scenes.ts';
import { drawnSpans, isDrawnWhole } from '../segments/drawings.ts';
import type { DrawnSpan } from '../segments/scene-cutters.ts';

/** A still of an input, rendered without its video. */
export interface StillImage {
  readonly name: string;
  /** Lossless PNG. */
  readonly bytes: Uint8Array;
}

/**
 * Rejects an input whose stills cannot be drawn.
 *
 * @throws RenderError as `renderFile`
 */
export async function checkStills(renderInput: VideoInput): Promise<void> {
  checkInput(renderInput);
  await mediaFindings(renderInput);
}

/**
 * Draws the stills of a checked input on the calling thread.
 *
 * @param onStill called after each still
 * @returns in the input's order
 * @throws RenderError as `openRasterizer`
 */
export async function drawStills(renderInput: VideoInput, onStill: () => void): Promise<StillImage[]> {
  const stills: StillImage[] = [];
  await forEachStill(renderInput, async ({ name }, frame, rasterizer) => {
    rasterizer.show(frame);
    stills.push({ name, bytes: await rasterizer.encodePng() });
    onStill();
  });
  return stills;
}

/**
 * Prepares each still of a checked input, for drawing on the calling thread. Calls may overlap.
 *
 * @param take draws the frame, and may encode the picture before it returns
 * @throws RenderError as `openRasterizer`
 */
export async function forEachStill(
  renderInput: VideoInput,
  take: (still: Still, frame: number, rasterizer: Rasterizer) => Promise<void>,
): Promise<void> {
  for (const { input, offset, stills, names } of stillDrawings(renderInput)) {
    const rasterizer = await openRasterizer(input).catch((error: unknown) => {
      throw withSceneNames(error, names);
    });
    try {
      for (const still of stills) {
        await rasterizer.prepare(still.frame - offset);
        await takeTurn(() => take(still, still.frame - offset, rasterizer));
        // The memory of the last few stills is released with their input.
        freeBuffers();
      }
    } finally {
      rasterizer.close();
    }
  }
}

let lastTurn: Promise<unknown> = Promise.resolve();

/** Runs after the previous call: rasterisers of a thread share their surfaces. Other stills are prepared meanwhile. */
function takeTurn(take: () => Promise<void>): Promise<void> {
  const turn = lastTurn.then(take);
  lastTurn = turn.catch(() => undefined);
  return turn;
}

/** Stills that are drawn from the same input. */
interface StillDrawing {
  readonly input: DrawnInput;
  /** Frame of the video that is frame 0 of the input. */
  readonly offset: number;
  readonly stills: readonly Still[];
  /** As of `DrawnSpan`. */
  readonly names: readonly string[];
}

/** Groups the stills of a video in their order. */
function stillDrawings(video: VideoInput): StillDrawing[] {
  if (isDrawnWhole(video)) return [{ input: video, offset: 0, stills: video.stills, names: [] }];
  const spans = drawnSpans(video);
  const groups: { readonly span: DrawnSpan; readonly stills: Still[] }[] = [];
  for (const still of video.stills) {
    const span = spans.find(({ first, end }) => still.frame >= first && still.frame < end)!;
    const last = groups.at(-1);
    if (last?.span === span) last.stills.push(still);
    else groups.push({ span, stills: [still] });
  }
  return groups.map(({ span, stills }) => {
    const frames = [...new Set(stills.map(({ frame }) => frame))].sort((a, b) => a - b);
    const input = span.cut(frames.map((frame) => ({ first: frame, end: frame + 1 })));
    return { input, offset: span.offset, stills, names: span.names };
  });
}
