import { on } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';
import { freeBuffers, freeSmallInput } from '../free-buffers.ts';
import { createFrameRing, type FrameRing, type RingFormat } from '../raster/frame-ring.ts';
import { openRasterizer, type Rasterizer } from '../raster/rasterizer.ts';
import { failureFrom } from '../render-error.ts';
import { loadShaper } from '../text/open-font.ts';
import type { DrawnFrame, RasterMessage, RasterRequest } from './drawing-thread.ts';

// Entry point of the worker thread that draws frames and stills and lints, a single input at a time. Runs until terminated.

type OpenRequest = Extract<RasterRequest, { readonly kind: 'open' }>;

interface Drawing {
  draw(frame: DrawnFrame): Promise<void>;
  close(): void;
}

const port = parentPort!;
let drawing: Drawing | undefined;
let lastRings: ReadonlyMap<string, FrameRing> = new Map();
void serveAll();

async function serveAll(): Promise<void> {
  for await (const [request] of on(port, 'message') as AsyncIterable<[RasterRequest]>) {
    try {
      await serve(request);
    } catch (error) {
      post({ kind: 'failed', failure: failureFrom(error) });
    }
  }
}

async function serve(request: RasterRequest): Promise<void> {
  switch (request.kind) {
    case 'prepare':
      // Other threads read and compile it, while this one goes on.
      loadShaper().catch(() => undefined);
      if (request.lints) await import('../lint/lint-part.ts');
      break;
    case 'open':
      drawing = await openDrawing(request);
      break;
    case 'draw':
      await drawing?.draw(request);
      break;
    case 'stills': {
      const { checkStills, drawStills } = await import('../stills/draw-stills.ts');
      const { renderInput, isChecked } = request.input;
      if (!isChecked) await checkStills(renderInput);
      post({ kind: 'done', result: await drawStills(renderInput, postStill) });
      await freeInput();
      break;
    }
    case 'compare': {
      const { compareStills } = await import('../stills/compare-stills.ts');
      post({ kind: 'done', result: await compareStills(request.input, postStill) });
      freeSmallInput();
      await setImmediate();
      break;
    }
    case 'lint': {
      const { lintPart } = await import('../lint/lint-part.ts');
      post({ kind: 'done', result: await lintPart(request.input) });
      freeSmallInput();
      await setImmediate();
      break;
    }
    case 'close':
      drawing?.close();
      drawing = undefined;
      await freeInput();
  }
}

/** Frees the native memory of an input, whose small JavaScript objects V8 would collect late. */
async function freeInput(): Promise<void> {
  globalThis.gc?.();
  // Native memory is freed in the next turn of the event loop.
  await setImmediate();
}

async function openDrawing({ renderInput, pixelFormats, consumers }: OpenRequest): Promise<Drawing> {
  const { width, height } = renderInput;
  const rasterizer = await openRasterizer(renderInput);
  const formats = pixelFormats.map((pixels) => ({ width, height, pixels }));
  const ringsOfAll = ringsOf(formats, consumers);
  const lastOfAll: DrawnFrame[] = [];
  /** Consumer of the frame that the rasterizer has drawn last. */
  let drawnFor = 0;
  const buffers = ringsOfAll.map((rings) => rings.map(({ buffer }) => buffer));
  post({ kind: 'open', buffers, findings: rasterizer.findings });
  return {
    async draw({ frame, consumer, slot }) {
      const rings = ringsOfAll[consumer]!;
      const last = lastOfAll[consumer];
      const names = renderInput.stills.filter((still) => still.frame === frame).map((still) => still.name);
      // A still is encoded from the frame that was drawn last.
      const mayCopy = names.length === 0 || drawnFor === consumer;
      // The slot of the previous frame is not overwritten before the other slots.
      if (last?.frame === frame - 1 && mayCopy && rasterizer.repeats(frame)) {
        for (const ring of rings) ring.copy(last.slot, slot);
      } else {
        await rasterizer.prepare(frame);
        drawInto(rings, rasterizer, frame, slot);
        drawnFor = consumer;
      }
      lastOfAll[consumer] = { frame, consumer, slot };
      if (names.length > 0) {
        const bytes = await rasterizer.encodeJpeg();
        for (const name of names) post({ kind: 'still', still: { name, bytes, width, height } });
      }
      post({ kind: 'frame', frame, consumer, slot });
      freeBuffers();
      // While messages are pending, only an explicit yield lets the event loop turn.
      await setImmediate();
    },
    close: () => rasterizer.close(),
  };
}

/** A separate function, so that the pixels are released when it returns and not with the next frame. */
function drawInto(rings: readonly FrameRing[], rasterizer: Rasterizer, frame: number, slot: number): void {
  const pixels = rasterizer.draw(frame);
  for (const ring of rings) ring.put(pixels, slot);
}

/**
 * Returns a ring for each format of each consumer. Reuses those of the previous input, because memory shared by two threads is freed
 * late.
 */
function ringsOf(formats: readonly RingFormat[], consumers: number): FrameRing[][] {
  const rings = new Map<string, FrameRing>();
  const ringOf = (format: RingFormat, consumer: number): FrameRing => {
    const key = JSON.stringify([format, consumer]);
    const ring = lastRings.get(key) ?? createFrameRing(format);
    rings.set(key, ring);
    return ring;
  };
  const ofAll = Array.from({ length: consumers }, (_, consumer) => formats.map((format) => ringOf(format, consumer)));
  lastRings = rings;
  return ofAll;
}

function postStill(): void {
  post({ kind: 'still-drawn' });
}

function post(message: RasterMessage): void {
  port.postMessage(message);
}
