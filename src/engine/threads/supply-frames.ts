import { on } from 'node:events';
import type { FrameRange } from '../frame-rate.ts';
import { type PixelFormat, pixelsOf } from '../pixel-format.ts';
import { RING_SLOTS, ringFrame } from '../raster/frame-ring.ts';
import { errorFrom, RenderError } from '../render-error.ts';
import type { RenderedStill } from '../rendered-file.ts';
import type { DrawnInput } from '../scenes/drawn-input.ts';
import { withSceneNames } from '../scenes/name-scenes.ts';
import type { SegmentDrawing } from '../segments/drawings.ts';
import type { TextFinding } from '../text/text-findings.ts';
import {
  type DrawnFrame,
  type RasterMessage,
  type RasterRequest,
  releaseThread,
  takeThread,
} from './drawing-thread.ts';

export interface SuppliedFrames {
  readonly stills: readonly RenderedStill[];
  readonly findings: readonly TextFinding[];
}

/** @param consumer index */
type TakeFrame = (pixels: FramePixels, frame: number, consumer: number) => Promise<void>;

/** A drawn frame in each requested pixel format. */
export type FramePixels = Readonly<Record<PixelFormat, Uint8Array>>;

/** Draws frames of an input in a worker thread, ahead of their consumers. The caller must close it, even after an error. */
export interface FrameSupply {
  /**
   * Passes the frames of each consumer's ranges to `take`, in order for each consumer. Without consumers, returns only the findings.
   *
   * @param take receives a frame in each requested pixel format; the pixels are valid until it resolves, and the consumer's next
   *   frame follows after that
   * @returns the stills of these frames, and the defects of the input's texts
   * @throws RenderError if a frame cannot be drawn; errors of `take`; the signal's reason, promptly
   */
  deliver(take: TakeFrame): Promise<SuppliedFrames>;
  close(): Promise<void>;
}

/**
 * Starts drawing: the thread opens the input while the caller opens its encoders. A fixed number of frames is buffered for each
 * consumer, so that memory use does not depend on the length.
 *
 * @param renderInput checked
 * @param consumers the ranges of each consumer, not empty and in ascending order. Clips are decoded slowly for more than one consumer
 * @param pixelFormats each frame is drawn once for all of them; `rgba` needs a transparent canvas, so it must be the only format
 */
export function supplyFrames(
  renderInput: DrawnInput,
  consumers: readonly (readonly FrameRange[])[],
  signal?: AbortSignal,
  pixelFormats: readonly PixelFormat[] = [pixelsOf(renderInput.output)],
): FrameSupply {
  return new ThreadSupply(renderInput, consumers, signal, pixelFormats);
}

/**
 * Starts drawing frames of a video as `supplyFrames`. Frames are those of the video; findings name the scene by its distance from that
 * of the drawing.
 *
 * @param isAtOnce true for a consumer for each range, false for a single consumer
 */
export function supplyDrawing(
  { renderInput, ranges, span: { offset, scene, names } }: SegmentDrawing,
  signal?: AbortSignal,
  pixelFormats?: readonly PixelFormat[],
  isAtOnce = false,
): FrameSupply {
  const shifted = ranges.map(({ first, end }) => ({ first: first - offset, end: end - offset }));
  const consumers = isAtOnce ? shifted.map((range) => [range]) : [shifted].filter(({ length }) => length > 0);
  const supply = supplyFrames(renderInput, consumers, signal, pixelFormats);
  return {
    async deliver(take) {
      const drawn = supply.deliver((pixels, frame, consumer) => take(pixels, frame + offset, consumer));
      const { stills, findings } = await drawn.catch((error: unknown) => {
        throw withSceneNames(error, names);
      });
      return { stills, findings: scene === null ? findings : findings.map((finding) => ({ scene: 0, ...finding })) };
    },
    close: () => supply.close(),
  };
}

interface Consumer {
  /** Frames that are not requested yet. */
  readonly frames: Iterator<number, undefined>;
  /** Resolves when all drawn frames are taken. */
  taking: Promise<void>;
  /** The buffer of each pixel format's ring. */
  buffers: readonly SharedArrayBuffer[];
}

class ThreadSupply implements FrameSupply {
  readonly #worker = takeThread();
  readonly #messages: AsyncIterable<[RasterMessage]>;
  readonly #renderInput: DrawnInput;
  readonly #signal: AbortSignal;
  /** Aborted with the first error of `take`. */
  readonly #failing = new AbortController();
  readonly #pixelFormats: readonly PixelFormat[];
  readonly #consumers: readonly Consumer[];
  /** Number of consumers that have begun. */
  #begun = 0;
  /** Number of frames that are requested and not drawn yet. */
  #requested = 0;
  /** Number of frames that are not drawn yet. */
  #undrawn: number;
  #isDone = false;

  constructor(
    renderInput: DrawnInput,
    consumers: readonly (readonly FrameRange[])[],
    signal: AbortSignal | undefined,
    pixelFormats: readonly PixelFormat[],
  ) {
    this.#signal = AbortSignal.any([this.#failing.signal, ...(signal === undefined ? [] : [signal])]);
    const options = { signal: this.#signal, close: ['exit'] } as object;
    this.#messages = on(this.#worker, 'message', options) as AsyncIterable<[RasterMessage]>;
    this.#renderInput = renderInput;
    this.#pixelFormats = pixelFormats;
    this.#consumers = consumers.map((ranges) => ({
      frames: framesOf(ranges),
      taking: Promise.resolve(),
      buffers: [],
    }));
    this.#undrawn = consumers.flat().reduce((sum, { first, end }) => sum + end - first, 0);
    this.#send({ kind: 'open', renderInput, pixelFormats, consumers: consumers.length });
  }

  async deliver(take: TakeFrame): Promise<SuppliedFrames> {
    const stills: RenderedStill[] = [];
    let findings: readonly TextFinding[] | null = null;
    try {
      for await (const [message] of this.#messages) {
        switch (message.kind) {
          case 'open':
            findings = message.findings;
            this.#open(message.buffers);
            break;
          case 'still':
            stills.push(message.still);
            break;
          case 'frame':
            this.#undrawn -= 1;
            this.#requested -= 1;
            this.#pass(message, take);
            if (this.#requested === 0) this.#beginNext();
            break;
          case 'failed':
            throw errorFrom(message.failure);
        }
        if (findings !== null && this.#undrawn === 0) break;
      }
    } catch (error) {
      throw this.#failing.signal.aborted ? this.#failing.signal.reason : error;
    } finally {
      // The caller frees what `take` uses.
      await Promise.all(this.#consumers.map(({ taking }) => taking));
    }
    this.#signal.throwIfAborted();
    if (findings === null || this.#undrawn > 0) {
      throw new RenderError('render_crashed', 'The drawing thread ended before the last frame');
    }
    this.#isDone = true;
    return { stills, findings };
  }

  async close(): Promise<void> {
    if (!this.#isDone) await this.#worker.terminate();
    else {
      this.#send({ kind: 'close' });
      releaseThread(this.#worker);
    }
    this.#isDone = false;
  }

  #open(buffers: readonly (readonly SharedArrayBuffer[])[]): void {
    for (const [index, consumer] of this.#consumers.entries()) consumer.buffers = buffers[index]!;
    this.#beginNext();
  }

  /**
   * Requests the first frames of the next consumer. Each begins when the thread has nothing else to draw: encoders first gather frames, and
   * those of several at once would leave all but the thread's core idle.
   */
  #beginNext(): void {
    if (this.#begun === this.#consumers.length) return;
    const index = this.#begun++;
    for (let slot = 0; slot < RING_SLOTS; slot++) this.#requestNext(index, slot);
  }

  /** Passes a frame to its consumer when that has taken the previous one. */
  #pass({ frame, consumer, slot }: DrawnFrame, take: TakeFrame): void {
    const { taking, buffers } = this.#consumers[consumer]!;
    const next = async (): Promise<void> => {
      await taking;
      if (this.#signal.aborted) return;
      await take(this.#pixelsIn(buffers, slot), frame, consumer);
      if (!this.#signal.aborted) this.#requestNext(consumer, slot);
    };
    this.#consumers[consumer]!.taking = next().catch((error: unknown) => this.#failing.abort(error));
  }

  #requestNext(consumer: number, slot: number): void {
    const { value: frame } = this.#consumers[consumer]!.frames.next();
    if (frame === undefined) return;
    this.#requested += 1;
    this.#send({ kind: 'draw', frame, consumer, slot });
  }

  #pixelsIn(buffers: readonly SharedArrayBuffer[], slot: number): FramePixels {
    const { width, height } = this.#renderInput;
    const views = this.#pixelFormats.map((pixels, at) => {
      return [pixels, ringFrame(buffers[at]!, { width, height, pixels }, slot)];
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
