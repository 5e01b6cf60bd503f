import { on } from 'node:events';
import process from 'node:process';
import { failureFrom } from '../../engine/failure.ts';
import type { EncoderFactory } from '../../engine/h264/encoder.ts';
import type { TaskKind, TaskMessage, TaskOutput, TaskRequest } from './tasks.ts';

// Entry of the sandboxed process that runs the tasks its parent sends, one after the other. Native code that crashes, hangs or
// leaks ends this process alone. Frames are drawn by threads, so that this thread always notices when the parent ends.

type Handler<Kind extends TaskKind> = (
  request: TaskRequest<Kind>,
  onProgress: (done: number, count: number) => void,
) => Promise<TaskOutput<Kind>>;

/** Each loads its own code, so that a task starts without the libraries of the others. */
const HANDLERS: { readonly [Kind in TaskKind]: Handler<Kind> } = {
  async video({ input, encoder }, onProgress) {
    const { renderScene } = await import('../../engine/render-scene.ts');
    return renderScene(input, { encoder: await openerOf(encoder), onProgress });
  },
  async part({ input: { scene, segments }, encoder }, onProgress) {
    const { renderPart } = await import('../../engine/render-part.ts');
    return renderPart(scene, segments, { encoder: await openerOf(encoder), onProgress });
  },
  async join({ input: { scene, parts } }) {
    const { joinParts } = await import('../../engine/render-part.ts');
    return joinParts(scene, parts);
  },
  async stills({ input }, onProgress) {
    const { renderStills } = await import('../../engine/stills/render-stills.ts');
    return renderStills(input, onProgress);
  },
  async compare({ input }, onProgress) {
    const { compareInThread } = await import('../../engine/stills/compare-in-thread.ts');
    return compareInThread(input, onProgress);
  },
  async lint({ input }) {
    const { lintInThread } = await import('../../engine/lint/lint-in-thread.ts');
    return lintInThread(input);
  },
};

// Whatever the task is doing: native code does not react to a polite exit.
process.once('disconnect', endGroup);
// The parent may have ended while this was being loaded.
if (!process.connected) endGroup();
// Where the group is the parent's, Ctrl-C reaches this process too; the parent decides what becomes of a render.
process.on('SIGINT', () => undefined);

for await (const [request] of on(process, 'message') as AsyncIterable<[TaskRequest]>) {
  try {
    send({ kind: 'done', output: await run(request) });
  } catch (error) {
    send({ kind: 'failed', failure: failureFrom(error) });
  }
  await freeMemory(request.kind);
}

function run<Kind extends TaskKind>(request: TaskRequest<Kind>): Promise<TaskOutput<Kind>> {
  return HANDLERS[request.kind](request, (done, count) => send({ kind: 'progress', done, count }));
}

async function openerOf(choice: TaskRequest['encoder']): Promise<EncoderFactory> {
  const { encoderOf } = await import('../../engine/h264/open-encoder.ts');
  return encoderOf(choice);
}

/** Frames and files are large and their objects small: V8 would keep them for many tasks. */
async function freeMemory(kind: TaskKind): Promise<void> {
  if (kind !== 'compare') return globalThis.gc?.();
  const { freeSmallScene } = await import('../../engine/raster/free-buffers.ts');
  freeSmallScene();
}

function send(message: TaskMessage): void {
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
