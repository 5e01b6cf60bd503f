import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { SafeAreaName } from '../../template/safe-areas.ts';
import type { Scene } from '../../template/scene.ts';
import { builtFile } from '../built-file.ts';
import type { LintFinding } from '../lint/lint-finding.ts';
import type { RenderedStill } from '../render-result.ts';
import { errorFrom, type Failure, SceneError } from '../scene-error.ts';
import type { ComparedStill, StillComparison } from '../stills/compare-stills.ts';
import type { StillImage } from '../stills/draw-stills.ts';
import type { TextFinding } from '../text/text-findings.ts';
import type { PixelFormat } from '../writers/frame-writer.ts';

/**
 * Idle threads, kept for the next scenes: code, native libraries, fonts and fitted pictures stay loaded, and a thread that
 * ends does not return all of its memory.
 */
const spares: Worker[] = [];
/** As many as a render process draws with at once. */
const MAX_SPARES = 2;

/** Returns a drawing thread: an idle one, or a new one. */
export function takeThread(): Worker {
  const spare = spares.pop();
  if (spare !== undefined) {
    spare.ref();
    return spare;
  }
  const worker = new Worker(builtFile(import.meta.url, 'engine/raster/raster-worker.js'));
  // An iterator over messages rejects with the error; without one, the listener prevents an uncaught exception.
  worker.on('error', () => undefined);
  worker.once('exit', () => {
    if (spares.includes(worker)) spares.splice(spares.indexOf(worker), 1);
  });
  return worker;
}

/** @param worker that has answered everything it was asked */
export function leaveThread(worker: Worker): void {
  if (spares.length === MAX_SPARES) {
    void worker.terminate();
    return;
  }
  worker.unref();
  spares.push(worker);
}

/** Input and result of each task that a drawing thread runs as a whole. */
interface ThreadTasks {
  /** Draws the stills of a scene. */
  readonly stills: { readonly input: Scene; readonly result: readonly StillImage[] };
  /** Draws and compares the stills of two scenes. */
  readonly compare: { readonly input: StillComparison; readonly result: readonly ComparedStill[] };
  /** Finds what viewers of a scene's video would notice. */
  readonly lint: {
    readonly input: { readonly scene: Scene; readonly safeArea: SafeAreaName | null };
    readonly result: readonly LintFinding[];
  };
}

type ThreadTask = keyof ThreadTasks;

/**
 * Runs a task in a drawing thread, so that native code does not block this thread's events.
 *
 * @param onStill called after each still
 * @throws the thread's error; SceneError render_crashed when it ends without a result
 */
export async function runInThread<Task extends ThreadTask>(
  kind: Task,
  input: ThreadTasks[Task]['input'],
  onStill: () => void = () => undefined,
): Promise<ThreadTasks[Task]['result']> {
  const worker = takeThread();
  const messages = on(worker, 'message', { close: ['exit'] } as object) as AsyncIterable<[RasterMessage]>;
  let isDone = false;
  try {
    worker.postMessage({ kind, input });
    for await (const [message] of messages) {
      if (message.kind === 'failed') throw errorFrom(message.failure);
      if (message.kind === 'still-drawn') onStill();
      if (message.kind !== 'done') continue;
      isDone = true;
      // The thread answers with the result of the task that it was asked for.
      return message.result as ThreadTasks[Task]['result'];
    }
  } finally {
    if (isDone) leaveThread(worker);
    else await worker.terminate();
  }
  throw new SceneError('render_crashed', 'The drawing thread ended before its task did');
}

/** To the raster worker. Answered in the order asked. */
export type RasterRequest =
  /** Make ready to draw this scene in some forms of pixels; answered with `open`. */
  | { readonly kind: 'open'; readonly scene: Scene; readonly forms: readonly PixelFormat[] }
  /** Draw this frame into this slot; answered with `frame`. */
  | { readonly kind: 'draw'; readonly frame: number; readonly slot: number }
  /** Run a task; answered with `still-drawn` for each still of either scene, then `done`. */
  | { readonly [Task in ThreadTask]: { readonly kind: Task; readonly input: ThreadTasks[Task]['input'] } }[ThreadTask]
  /** Forget the scene. Not answered. */
  | { readonly kind: 'close' };

/** From the raster worker. */
export type RasterMessage =
  /** Ready to draw into these rings, one for each form. */
  | {
      readonly kind: 'open';
      readonly buffers: readonly SharedArrayBuffer[];
      readonly findings: readonly TextFinding[];
    }
  | { readonly kind: 'frame'; readonly frame: number; readonly slot: number }
  /** Comes before its frame. */
  | { readonly kind: 'still'; readonly still: RenderedStill }
  | { readonly kind: 'still-drawn' }
  | { readonly kind: 'done'; readonly result: ThreadTasks[ThreadTask]['result'] }
  | { readonly kind: 'failed'; readonly failure: Failure };
