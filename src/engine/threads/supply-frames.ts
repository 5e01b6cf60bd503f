import { on } from 'node:events';
import type { FrameRange } from '../frame-rate.ts';
import { type PixelFormat, pixelsOf } from '../pixel-format.ts';
import { RING_SLOTS, ringFrame } from '../raster/frame-ring.ts';
import { errorFrom, RenderError } from '../render-error.ts';
import type { RenderedStill } from '../rendered-file.ts';
import type { DrawnInput } from '../scenes/drawn-input.ts';
import type { SegmentDrawing } from '../segments/drawings.ts';
import type { TextFinding } from '../text/text-findings.ts';
import { type RasterMessage, type RasterRequest, releaseThread, takeThread } from './drawing-thread.ts';

export interface SuppliedFrames {
  readonly stills: readonly RenderedStill[];
  readonly findings: readonly TextFinding[];
}

/** A drawn frame in each requested pixel format. */
export type FramePixels = Readonly<Record<PixelFormat, Uint8Array>>;

/** Draws frames of an input in a worker thread, ahead of the consumer. The caller must close it, even after an error. */
export interface FrameSupply {
  /**
   * Passes the frames of the ranges to `take` in order. Without ranges, returns only the findings.
   *
   * @param take receives a frame in each requested pixel format; the pixels are valid until it resolves, and the next frame
   *   follows after that
   * @returns the stills of these frames, and the defects of the input's texts
   * @throws RenderError if a frame cannot be drawn; errors of `take`; the signal's reason, promptly
   */
  deliver(take: (pixels: FramePixels, frame: number) => Promise<void>): Promise<SuppliedFrames>;
  close(): Promise<void>;
}

/**
 * Starts drawing: the thread opens the input while the caller opens its encoder. A fixed number of frames is buffered between
 * them, so that memory use does not depend on the length.
 *
 * @param renderInput checked
 * @param ranges not empty, in ascending order
 * @param pixelFormats each frame is drawn once for all of them; `rgba` needs a transparent canvas, so it must be the only format
 */
export function supplyFrames(
  renderInput: DrawnInput,
  ranges: readonly FrameRange[],
  signal?: AbortSignal,
  pixelFormats: readonly PixelFormat[] = [pixelsOf(renderInput.output)],
): FrameSupply {
  return new ThreadSupply(renderInput, ranges, signal, pixelFormats);
}

/**
 * Starts drawing frames of a video as `supplyFrames`. Frames are those of the video; findings name the scene by its distance from that
 * of the drawing.
 */
export function supplyDrawing(
  { renderInput, ranges, span: { offset, scene } }: SegmentDrawing,
  signal?: AbortSignal,
  pixelFormats?: readonly PixelFormat[],
): FrameSupply {
  const shifted = ranges.map(({ first, end }) => ({ first: first - offset, end: end - offset }));
  const supply = supplyFrames(renderInput, shifted, signal, pixelFormats);
  return {
    async deliver(take) {
      const { stills, findings } = await supply.deliver((pixels, frame) => take(pixels, frame + offset));
      return { stills, findings: scene === null ? findings : findings.map((finding) => ({ scene: 0, ...finding })) };
    },
    close: () => supply.close(),
  };
}

class ThreadSupply implements FrameSupply {
  readonly #worker = takeThread();
  readonly #messages: AsyncIterable<[RasterMessage]>;
  readonly #renderInput: DrawnInput;
  readonly #signal: AbortSignal | undefined;
  readonly #pixelFormats: readonly PixelFormat[];
  /** Frames that are not requested yet. */
  readonly #frames: Iterator<number, undefined>;
  /** Undefined without ranges. */
  readonly #lastFrame: number | undefined;
  /** The buffer of each pixel format's ring. */
  #buffers: readonly SharedArrayBuffer[] = [];
  #isDone = false;

  constructor(
    renderInput: DrawnInput,
    ranges: readonly FrameRange[],
    signal: AbortSignal | undefined,
    pixelFormats: readonly PixelFormat[],
  ) {
    const options = { signal, close: ['exit'] } as object;
    this.#messages = on(this.#worker, 'message', options) as AsyncIterable<[RasterMessage]>;
    this.#renderInput = renderInput;
    this.#signal = signal;
    this.#pixelFormats = pixelFormats;
    this.#frames = framesOf(ranges);
    const end = ranges.at(-1)?.end;
    this.#lastFrame = end === undefined ? undefined : end - 1;
    this.#send({ kind: 'open', renderInput, pixelFormats });
  }

  async deliver(take: (pixels: FramePixels, frame: number) => Promise<void>): Promise<SuppliedFrames> {
    const stills: RenderedStill[] = [];
    let findings: readonly TextFinding[] = [];
    for await (const [message] of this.#messages) {
      switch (message.kind) {
        case 'open':
          this.#buffers = message.buffers;
          findings = message.findings;
          this.#isDone = this.#lastFrame === undefined;
          for (let slot = 0; slot < RING_SLOTS; slot++) this.#requestNext(slot);
          break;
        case 'still':
          stills.push(message.still);
          break;
        case 'frame':
          await take(this.#pixelsIn(message.slot), message.frame);
          this.#signal?.throwIfAborted();
          this.#requestNext(message.slot);
          this.#isDone = message.frame === this.#lastFrame;
          break;
        case 'failed':
          throw errorFrom(message.failure);
      }
      if (this.#isDone) return { stills, findings };
    }
    throw new RenderError('render_crashed', 'The drawing thread ended before the last frame');
  }

  async close(): Promise<void> {
    if (!this.#isDone) await this.#worker.terminate();
    else {
      this.#send({ kind: 'close' });
      releaseThread(this.#worker);
    }
    this.#isDone = false;
  }

  #requestNext(slot: number): void {
    const { value: frame } = this.#frames.next();
    if (frame !== undefined) this.#send({ kind: 'draw', frame, slot });
  }

  #pixelsIn(slot: number): FramePixels {
    const { width, height } = this.#renderInput;
    const views = this.#pixelFormats.map((pixels, at) => {
      return [pixels, ringFrame(this.#buffers[at]!, { width, height, pixels }, slot)];
    });
    return Object.fromEntries(views) as FramePixels;
  }

  #send(request: RasterRequest): void {
    this.#worker.postMessage(request);
  }
}

function* framesOf(ranges: readonly FrameRange[]): Generator<number, undefined> {
  for (const { first, end } of ranges) {
    for (let frame = first; frame < end; frame++) yield frame;
  }
}
