import { on } from 'node:events';
import process from 'node:process';
import type { Scene } from '../template/scene.ts';
import { type Failure, failureFrom } from './failure.ts';
import { type EncoderChoice, encoderOf } from './h264/open-encoder.ts';
import type { LintFinding } from './lint/lint-finding.ts';
import { lintInThread } from './lint/lint-in-thread.ts';
import { freeSmallScene } from './raster/free-buffers.ts';
import { joinParts, type RenderedPart, renderPart, type SegmentRange } from './render-part.ts';
import { type Rendering, renderScene } from './render-scene.ts';
import { compareInThread } from './stills/compare-in-thread.ts';
import { renderStills } from './stills/render-stills.ts';
import type { ComparedStill, Comparison, StillImage } from './stills/still-protocol.ts';

// Entry of the child process that renders scenes, one after the other, as a parent sends them. Native code that crashes,
// hangs or leaks takes down this process alone. Frames are drawn by threads, so that this one always hears the parent end.

/** What is wanted of a scene. */
export type RenderTask =
  /** Its video. */
  | { readonly kind: 'video' }
  /** Some segments of its video. */
  | { readonly kind: 'part'; readonly segments: SegmentRange }
  /** The video that its parts are joined to. */
  | { readonly kind: 'join'; readonly parts: readonly RenderedPart[] }
  /** Its stills alone. */
  | { readonly kind: 'stills' }
  /** What a viewer would notice of it. */
  | { readonly kind: 'lint' };

/** To the child; the next after `done`, `part`, `drawn`, `compared`, `linted` or `failed`. */
export type RenderRequest =
  | (RenderTask & { readonly scene: Scene; readonly encoder: EncoderChoice })
  /** Stills of two scenes, drawn and compared. */
  | { readonly kind: 'compare'; readonly comparison: Comparison };

/** To the parent. */
export type RenderProcessMessage =
  | { readonly kind: 'progress'; readonly framesDone: number; readonly frameCount: number }
  | { readonly kind: 'done'; readonly rendering: Rendering }
  | { readonly kind: 'part'; readonly part: RenderedPart }
  | { readonly kind: 'drawn'; readonly stills: readonly StillImage[] }
  | { readonly kind: 'compared'; readonly stills: readonly ComparedStill[] }
  | { readonly kind: 'linted'; readonly findings: readonly LintFinding[] }
  | { readonly kind: 'failed'; readonly failure: Failure };

// Whatever it is doing: nobody is left to render for, and native code does not hear of a polite exit.
process.once('disconnect', endGroup);
// The parent may have ended while this was being loaded.
if (!process.connected) endGroup();
// Where the group is the parent's, Ctrl-C reaches it too; the parent decides what becomes of a render.
process.on('SIGINT', () => undefined);

for await (const [request] of on(process, 'message') as AsyncIterable<[RenderRequest]>) {
  try {
    await serve(request);
  } catch (error) {
    send({ kind: 'failed', failure: failureFrom(error) });
  }
  // Frames and files are large and their objects small: V8 would let them lie for many renders.
  if (request.kind === 'compare') freeSmallScene();
  else globalThis.gc?.();
}

async function serve(request: RenderRequest): Promise<void> {
  const onProgress = (framesDone: number, frameCount: number): void =>
    send({ kind: 'progress', framesDone, frameCount });
  if (request.kind === 'compare') {
    send({ kind: 'compared', stills: await compareInThread(request.comparison, onProgress) });
    return;
  }
  const { scene, encoder } = request;
  const options = { encoder: encoderOf(encoder), onProgress };
  switch (request.kind) {
    case 'video':
      send({ kind: 'done', rendering: await renderScene(scene, options) });
      break;
    case 'part':
      send({ kind: 'part', part: await renderPart(scene, request.segments, options) });
      break;
    case 'join':
      send({ kind: 'done', rendering: await joinParts(scene, request.parts) });
      break;
    case 'stills':
      send({ kind: 'drawn', stills: await renderStills(scene, onProgress) });
      break;
    case 'lint':
      send({ kind: 'linted', findings: await lintInThread(scene) });
  }
}

function send(message: RenderProcessMessage): void {
  process.send?.(message);
}

/** Kills what this process has started with it, where it leads a group. */
function endGroup(): void {
  try {
    process.kill(-process.pid, 'SIGKILL');
  } catch {
    process.kill(process.pid, 'SIGKILL');
  }
}
