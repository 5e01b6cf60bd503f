import { on } from 'node:events';
import process from 'node:process';
import type { Scene } from '../template/scene.ts';
import { type Failure, failureFrom } from './failure.ts';
import { type Rendering, renderScene } from './render-scene.ts';

// Entry of the child process that renders scenes, one after the other, as a parent sends them. Native code that crashes,
// hangs or leaks takes down this process alone.

/** To the parent, which sends a `Scene` and waits for `done` or `failed` before the next. */
export type RenderProcessMessage =
  | { readonly kind: 'progress'; readonly framesDone: number; readonly frameCount: number }
  | { readonly kind: 'done'; readonly rendering: Rendering }
  | { readonly kind: 'failed'; readonly failure: Failure };

// Whatever it is doing: nobody is left to render for, and native code does not hear of a polite exit.
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
// Ctrl-C reaches the whole group; the parent decides what becomes of a render.
process.on('SIGINT', () => undefined);

for await (const [scene] of on(process, 'message') as AsyncIterable<[Scene]>) {
  try {
    const rendering = await renderScene(scene, {
      onProgress: (framesDone, frameCount) => send({ kind: 'progress', framesDone, frameCount }),
    });
    send({ kind: 'done', rendering });
  } catch (error) {
    send({ kind: 'failed', failure: failureFrom(error) });
  }
}

function send(message: RenderProcessMessage): void {
  process.send?.(message);
}
