import { on } from 'node:events';
import { type MessagePort, Worker } from 'node:worker_threads';
import type { VideoInput } from '../../template/render-input.ts';
import { builtFile } from '../built-file.ts';
import type { LintPartInput, LintPartResult } from '../lint/lint-part.ts';
import type { PixelFormat } from '../pixel-format.ts';
import { errorFrom, type Failure, RenderError } from '../render-error.ts';
import type { RenderedStill } from '../rendered-file.ts';
import type { DrawnInput } from '../scenes/drawn-input.ts';
import type { ComparedStill, StillComparison } from '../stills/compare-stills.ts';
import type { StillImage } from '../stills/draw-stills.ts';
import type { TextFinding } from '../text/text-findings.ts';

/**
 * Idle threads, kept for later inputs because code, native libraries, fonts and fitted images stay loaded, and because an
 * ending thread does not release all of its memory.
 */
const idleThreads: Worker[] = [];
/** Number of threads that a render process uses at a time. */
const MAX_IDLE = 2;

/** Starts idle threads, so that they load their libraries before there is an input. @param lints whether the input will be linted */
export function startThreads(count: number, lints: boolean): void {
  for (const worker of Array.from({ length: count }, openThread)) {
    worker.postMessage({ kind: 'prepare', lints } satisfies RasterRequest);
    releaseThread(worker);
  }
}

/** Returns an idle drawing thread, or a new thread if all are in use. */
export function takeThread(): Worker {
  const idle = idleThreads.pop();
  idle?.ref();
  return idle ?? openThread();
}

function openThread(): Worker {
  const worker = new Worker(builtFile(import.meta.url, 'engine/threads/raster-worker.cjs'));
  // An iterator over messages rejects with the error. While there is no iterator, this prevents an uncaught exception.
  worker.on('error', () => undefined);
  worker.once('exit', () => {
    if (idleThreads.includes(worker)) idleThreads.splice(idleThreads.indexOf(worker), 1);
  });
  return worker;
}

/** Returns a drawing thread for reuse. @param worker without pending requests */
export function releaseThread(worker: Worker): void {
  if (idleThreads.length === MAX_IDLE) {
    void worker.terminate();
    return;
  }
  worker.unref();
  idleThreads.push(worker);
}

/** Input and result of each task that a drawing thread runs as a whole. */
interface ThreadTasks {
  /** Draws the stills of an input, and checks it first unless its caller has. */
  readonly stills: {
    readonly input: { readonly renderInput: VideoInput; readonly isChecked: boolean };
    readonly result: readonly StillImage[];
  };
  /** Draws and compares the stills of two inputs. */
  readonly compare: { readonly input: StillComparison; readonly result: readonly ComparedStill[] };
  /** Finds visible defects of an input's video. */
  readonly lint: {
    /** A peer has to be transferred. */
    readonly input: Omit<LintPartInput, 'peer'> & { readonly peer: MessagePort | null };
    readonly result: LintPartResult;
  };
}

type ThreadTask = keyof ThreadTasks;

/**
 * Runs a task in a drawing thread, so that native code does not block this thread's events.
 *
 * @param onStill called after each still
 * @param transferred ports of the input
 * @throws the thread's error; RenderError render_crashed if the thread ends without a result
 */
export async function runInThread<Task extends ThreadTask>(
  kind: Task,
  input: ThreadTasks[Task]['input'],
  onStill: () => void = () => undefined,
  transferred: readonly MessagePort[] = [],
): Promise<ThreadTasks[Task]['result']> {
  const worker = takeThread();
  const messages = on(worker, 'message', { close: ['exit'] } as object) as AsyncIterable<[RasterMessage]>;
  let isDone = false;
  try {
    worker.postMessage({ kind, input }, transferred);
    for await (const [message] of messages) {
      if (message.kind === 'failed') throw errorFrom(message.failure);
      if (message.kind === 'still-drawn') onStill();
      if (message.kind !== 'done') continue;
      isDone = true;
      // The cast is safe: the thread responds with the result of the requested task.
      return message.result as ThreadTasks[Task]['result'];
    }
  } finally {
    if (isDone) releaseThread(worker);
    else await worker.terminate();
  }
  throw new RenderError('render_crashed', 'The drawing thread ended before its task did');
}

/** A frame, and where a consumer receives it. */
export interface DrawnFrame {
  readonly frame: number;
  /** Index of the consumer. */
  readonly consumer: number;
  readonly slot: number;
}

/** Message to the raster worker. Responses are in the order of requests. */
export type RasterRequest =
  /** Load the library that most inputs need besides those of the thread, and the code of lint; without a response. */
  | { readonly kind: 'prepare'; readonly lints: boolean }
  /** Open an input to draw it in these pixel formats, for as many consumers; the response is `open`. */
  | {
      readonly kind: 'open';
      readonly renderInput: DrawnInput;
      readonly pixelFormats: readonly PixelFormat[];
      readonly consumers: number;
    }
  /** Draw a frame into a slot of a consumer's rings; the response is `frame`. */
  | ({ readonly kind: 'draw' } & DrawnFrame)
  /** Run a task; the response is `still-drawn` for each still of either input, then `done`. */
  | { readonly [Task in ThreadTask]: { readonly kind: Task; readonly input: ThreadTasks[Task]['input'] } }[ThreadTask]
  /** Close the input; without a response. */
  | { readonly kind: 'close' };

/** Message from the raster worker. */
export type RasterMessage =
  /** The input is open. For each consumer, each pixel format has the buffer of its ring, in the order of the request. */
  | {
      readonly kind: 'open';
      readonly buffers: readonly (readonly SharedArrayBuffer[])[];
      readonly findings: readonly TextFinding[];
    }
  | ({ readonly kind: 'frame' } & DrawnFrame)
  /** Precedes the `frame` that it belongs to. */
  | { readonly kind: 'still'; readonly still: RenderedStill }
  | { readonly kind: 'still-drawn' }
  | { readonly kind: 'done'; readonly result: ThreadTasks[ThreadTask]['result'] }
  | { readonly kind: 'failed'; readonly failure: Failure };
