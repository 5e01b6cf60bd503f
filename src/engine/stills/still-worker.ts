import { setImmediate } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import type { Scene } from '../../template/scene.ts';
import { failureFrom } from '../failure.ts';
import { freeBuffers } from '../raster/free-buffers.ts';
import { openRasterizer } from '../raster/rasterizer.ts';
import type { StillMessage } from './still-protocol.ts';

// Entry of the worker thread that draws the stills of one scene, its `workerData`, in their order.

try {
  const scene = workerData as Scene;
  const rasterizer = await openRasterizer(scene);
  for (const [index, { name, frame }] of scene.stills.entries()) {
    await rasterizer.prepare(frame);
    rasterizer.draw(frame);
    post({ kind: 'still', still: { name, bytes: await rasterizer.encodePng() } });
    freeBuffers(index);
    await setImmediate();
  }
} catch (error) {
  post({ kind: 'failed', failure: failureFrom(error) });
}

function post(message: StillMessage): void {
  parentPort!.postMessage(message);
}
