import { on } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import type { Scene } from '../template/scene.ts';
import { failureFrom } from './failure.ts';
import { createFrameRing } from './frame-ring.ts';
import { pixelsOf } from './frame-writer.ts';
import { freeBuffers } from './free-buffers.ts';
import type { DrawRequest, RasterMessage } from './raster-protocol.ts';
import { openRasterizer } from './rasterizer.ts';

// Entry of the worker thread that draws one scene's frames; see raster-protocol.ts. Ends when it is terminated.

const port = parentPort!;
try {
  await serve(workerData as Scene);
} catch (error) {
  post({ kind: 'failed', failure: failureFrom(error) });
}

async function serve(scene: Scene): Promise<void> {
  const { width, height } = scene;
  const rasterizer = await openRasterizer(scene);
  const ring = createFrameRing({ width, height, pixels: pixelsOf(scene.output.format) });
  const requests = on(port, 'message') as AsyncIterable<[DrawRequest]>;
  post({ kind: 'open', buffer: ring.buffer });
  let last: { readonly frame: number; readonly slot: number; readonly picture: Buffer } | undefined;
  for await (const [{ frame, slot }] of requests) {
    // The slot of the frame before is written again only after three others.
    if (last?.frame === frame - 1 && rasterizer.repeats(frame)) {
      ring.copy(last.slot, slot);
      last = { ...last, frame, slot };
    } else {
      await rasterizer.prepare(frame);
      const pixels = rasterizer.draw(frame);
      const picture = Buffer.from(pixels.buffer, pixels.byteOffset, pixels.length);
      if (last?.picture.equals(picture)) ring.copy(last.slot, slot);
      else ring.put(pixels, slot);
      last = { frame, slot, picture };
    }
    const names = scene.stills.filter((still) => still.frame === frame).map((still) => still.name);
    if (names.length > 0) {
      const bytes = await rasterizer.encodeJpeg();
      for (const name of names) post({ kind: 'still', still: { name, bytes, width, height } });
    }
    post({ kind: 'frame', frame, slot });
    freeBuffers(frame);
    // What was collected is freed in a turn of the event loop; messages alone do not make one while more of them wait.
    await setImmediate();
  }
}

function post(message: RasterMessage): void {
  port.postMessage(message);
}
