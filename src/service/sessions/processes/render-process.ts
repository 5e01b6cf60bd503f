import { readdirSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import process from 'node:process';
import type { EncoderFactory } from '../../../engine/codec/encoded-track.ts';
import type { EncoderChoice } from '../../../engine/codec/video-encoder.ts';
import { freeSmallInput } from '../../../engine/free-buffers.ts';
import { unpackRenderInput } from '../../../engine/packed-input.ts';
import { failureFrom } from '../../../engine/render-error.ts';
import type { SourceBytes } from '../../../kernel/source-file.ts';
import { TemporaryFile } from '../../../kernel/temporary-file.ts';
import { tryToRemove } from '../../../kernel/temporary-folder.ts';
import { CAN_DRAW_HERE, compareHere, drawStillsHere, lintHere, prepareToDraw, prepareToLint } from './draw-here.ts';
import { encodeMessage, MessageReader } from './message-channel.ts';
import {
  ANSWERS_DESCRIPTOR,
  FOLDER_PREFIX,
  type Preparation,
  type TaskInput,
  type TaskKind,
  type TaskMessage,
  type TaskOutput,
  type TaskRequest,
} from './tasks.ts';

// Entry of the sandboxed process that runs the tasks its parent sends, two of one video at once. Native code that crashes, hangs or
// leaks ends this process alone. Frames are drawn by threads, so that this thread always notices when the parent ends.

type Handler<Kind extends TaskKind> = (
  task: Pick<TaskRequest, 'encoder' | 'processors' | 'bytes'> & { readonly input: TaskInput<Kind> },
  onProgress: (done: number, count: number) => void,
) => Promise<TaskOutput<Kind>>;

/** Each handler loads its own code, so that a task starts without the libraries of other tasks. */
const HANDLERS: { readonly [Kind in TaskKind]: Handler<Kind> } = {
  async video({ input, encoder }, onProgress) {
    const { renderFile } = await import('../../../engine/render-file.ts');
    return renderFile(unpackRenderInput(input), { encoder: await openerOf(encoder), onProgress });
  },
  async files({ input: { renderInput, outputs }, encoder }, onProgress) {
    const { renderOutputs } = await import('../../../engine/render-file.ts');
    return renderOutputs(unpackRenderInput(renderInput), outputs, { encoder: await openerOf(encoder), onProgress });
  },
  async segments({ input: { renderInput, outputs, ranges }, encoder, processors }, onProgress) {
    const { renderSegments } = await import('../../../engine/render-segments.ts');
    return renderSegments(unpackRenderInput(renderInput), outputs, ranges, {
      encoder: await openerOf(encoder),
      onProgress,
      isAtOnce: processors > 1,
    });
  },
  async frames({ input: { renderInput, frames } }) {
    const { renderSegmentStills } = await import('../../../engine/render-segments.ts');
    return renderSegmentStills(unpackRenderInput(renderInput), frames);
  },
  async sound({ input: { renderInput, codec } }, onProgress) {
    const { renderSound } = await import('../../../engine/input-media.ts');
    return renderSound(unpackRenderInput(renderInput), codec, { onProgress });
  },
  async soundWaveforms({ input: { renderInput } }, onProgress) {
    const { soundWaveforms } = await import('../../../engine/media/waveform.ts');
    return soundWaveforms(unpackRenderInput(renderInput), { onProgress });
  },
  async mixWaveform({ input: { renderInput, codec } }, onProgress) {
    const { mixWaveform } = await import('../../../engine/media/waveform.ts');
    return mixWaveform(unpackRenderInput(renderInput), codec, { onProgress });
  },
  async keys({ input }) {
    const { cacheKeys: inputKeys } = await import('../segment-keys.ts');
    return inputKeys(input);
  },
  async join({ input: { renderInput, segments, sound } }, onProgress) {
    const { joinSegments } = await import('../../../engine/render-segments.ts');
    try {
      return await joinSegments(renderInput, segments, sound, onProgress);
    } finally {
      segments.file.close();
      sound.track?.packets.close();
    }
  },
  async lottie({ input }) {
    const { exportLottie } = await import('../../../engine/export/lottie-file.ts');
    return exportLottie(unpackRenderInput(input));
  },
  async stills({ input }, onProgress) {
    if (drawsHere) return drawStillsHere(input, onProgress);
    const { renderStills } = await import('../../../engine/render-stills.ts');
    return renderStills(unpackRenderInput(input), onProgress);
  },
  async compare({ input }, onProgress) {
    if (drawsHere) return compareHere(input, onProgress);
    const { compareInThread } = await import('../../../engine/render-stills.ts');
    return compareInThread(input, onProgress);
  },
  async source({ input, bytes }) {
    const { describeSource } = await import('../sources/describe-source.ts');
    return describeSource(bytes, input.kind);
  },
  async length({ input, bytes }, onProgress) {
    const { soundLength } = await import('../../../engine/media/sound-length.ts');
    return soundLength(bytes, input.name, onProgress);
  },
  async package({ input, bytes }) {
    const { inspectPackageZip } = await import('../sources/inspect-package.ts');
    return inspectPackageZip(inMemory(bytes), input.wants);
  },
  async bind({ input }) {
    const { bindHere } = await import('../bind-template.ts');
    return bindHere(input);
  },
  async font({ input, bytes }) {
    const { openFont } = await import('../../../engine/text/open-font.ts');
    return openFont({ ...input, bytes: inMemory(bytes) }).then(
      ({ weight, weightRange }) => ({ problem: null, weight, weightRange }),
      (error: unknown) => ({ problem: failureFrom(error).message }),
    );
  },
  async lint({ input: { measured = [], heard = [], isLast = false, ...input }, processors }) {
    const { runInThread } = await import('../../../engine/threads/drawing-thread.ts');
    const channel = processors > 1 && !('scenes' in input.renderInput) ? new MessageChannel() : null;
    const parts =
      channel === null
        ? [{ part: 'all', measured, peer: null } as const]
        : [
            { part: 'others', measured, peer: channel.port1 } as const,
            { part: 'flashes', measured: [], peer: channel.port2 } as const,
          ];
    const found = await Promise.all(
      parts.map((part) => {
        const ofPart = { ...input, ...part, heard, isLast };
        if (drawsHere && part.part !== 'flashes') return lintHere(ofPart);
        return runInThread('lint', ofPart, undefined, part.peer === null ? [] : [part.peer]);
      }),
    );
    return {
      findings: found.flatMap(({ findings }) => findings),
      measured: found.flatMap((result) => result.measured),
      heard: found.flatMap((result) => result.heard),
      loudness: found.find(({ loudness }) => loudness !== null)?.loudness ?? null,
    };
  },
};

/** Whether this process was started for pictures or lint, and draws in this thread. */
let drawsHere = false;
const NOTHING = new Uint8Array();

/** The parent's requests are trusted: they only have to be complete. */
const requests = new MessageReader({
  limitsOf: () => ({ textBytes: Infinity, attachedBytes: Infinity, files: Infinity, fileBytes: Infinity }),
  onMessage: (task, request) => void answer(task, request as TaskRequest),
  takeFile: (name) => TemporaryFile.take(join(tmpdir(), name)),
  acceptsSources: true,
});
const answers = new Socket({ fd: ANSWERS_DESCRIPTOR, readable: false, writable: true });

// Whatever the task is doing when the parent ends: native code does not react to a polite exit.
process.stdin
  .on('data', (chunk: Buffer) => requests.push(chunk))
  .once('end', endGroup)
  .once('close', endGroup)
  .on('error', endGroup);
answers.on('error', endGroup);
// Where the group is the parent's, Ctrl-C reaches this process too; the parent decides what becomes of a render.
process.on('SIGINT', () => undefined);

// After the parent's end is noticed: the libraries take a tenth of a second.
void prepare(JSON.parse(process.argv[2] ?? '{}') as Partial<Preparation>);

async function prepare({ threads = 0, purpose = 'pictures' }: Partial<Preparation>): Promise<void> {
  if (threads === 0) return;
  drawsHere = purpose !== 'videos' && CAN_DRAW_HERE;
  if (drawsHere && purpose === 'pictures') return prepareToDraw();
  const { startThreads } = await import('../../../engine/threads/drawing-thread.ts');
  startThreads(drawsHere ? threads - 1 : threads, purpose === 'lint');
  if (drawsHere) return prepareToLint();
  if (purpose !== 'videos') return;
  const { loadLibav } = await import('../../../engine/codec/libav.ts');
  await import('../../../engine/render-segments.ts');
  try {
    loadLibav();
  } catch {
    // The task that needs it reports the error.
  }
}

async function answer(task: number, request: TaskRequest): Promise<void> {
  let isAnswered = false;
  const end = (message: TaskMessage): void => {
    isAnswered = true;
    send(task, message);
  };
  // Threads of a failed task may report their last frame after it.
  const onProgress = (done: number, count: number): void => {
    if (!isAnswered) send(task, { kind: 'progress', done, count });
  };
  try {
    end({ kind: 'done', output: await run(request, onProgress) });
  } catch (error) {
    end({ kind: 'failed', failure: failureFrom(error) });
  }
  // The parent has not read it all at once.
  answers.write(NOTHING, () => freeMemory(request.kind));
}

async function run(
  { kind, input, encoder, processors, bytes }: TaskRequest,
  onProgress: (done: number, count: number) => void,
): Promise<TaskOutput<TaskKind>> {
  const handle = HANDLERS[kind] as Handler<TaskKind>;
  return handle({ input: input as TaskInput<TaskKind>, encoder, processors, bytes }, onProgress);
}

function inMemory(bytes: SourceBytes): Uint8Array {
  if (bytes instanceof Uint8Array) return bytes;
  throw new Error('Internal error: the file of a task is not in memory');
}

async function openerOf(choice: EncoderChoice): Promise<EncoderFactory> {
  const { encoderOf } = await import('../../../engine/codec/video-encoder.ts');
  return encoderOf(choice);
}

/** Frames and files are large and their objects small: V8 would keep them for many tasks. */
function freeMemory(kind: TaskKind): void {
  if (kind === 'compare' || kind === 'lint') freeSmallInput();
  else globalThis.gc?.();
}

function send(task: number, message: TaskMessage): void {
  for (const chunk of encodeMessage(task, message, { nameOf: (file) => file.release() })) answers.write(chunk);
}

/** Empties this process's folder and kills the process, with its group if it leads a group. */
function endGroup(): void {
  emptyFolder();
  try {
    process.kill(-process.pid, 'SIGKILL');
  } catch {
    process.kill(process.pid, 'SIGKILL');
  }
}

/** The parent that would remove the folder is gone. A sandbox keeps the folder itself. Best effort: errors are ignored. */
function emptyFolder(): void {
  const folder = process.env.TMPDIR ?? '';
  // Started by a pool, and not by hand with the folder of all programs.
  if (!basename(folder).startsWith(FOLDER_PREFIX)) return;
  try {
    for (const name of readdirSync(folder)) tryToRemove(join(folder, name));
  } catch {
    return;
  }
}
