import { type ChildProcessByStdio, type SpawnOptions, spawn } from 'node:child_process';
import { statfsSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { builtFile } from '../../../engine/built-file.ts';
import type { EncoderChoice } from '../../../engine/codec/video-encoder.ts';
import { errorFrom, type Failure, RenderError } from '../../../engine/render-error.ts';
import { groupEnded, HAS_GROUPS, killGroup, yieldToParent } from '../../../kernel/os-process.ts';
import { TemporaryFile } from '../../../kernel/temporary-file.ts';
import { temporaryFolder, tryToRemove } from '../../../kernel/temporary-folder.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { messageCheck } from './check-answer.ts';
import { encodeMessage, MalformedMessage, type MessageLimits, MessageReader } from './message-channel.ts';
import { messageLimits, PROGRESS_BYTES } from './message-limits.ts';
import { packInput } from './pack-input.ts';
import { enforceLimits, type RenderLimits, type UsageMonitor } from './process-limits.ts';
import { LIBRARY_SETTINGS, V8_OPTIONS } from './process-settings.ts';
import { SharedSources } from './shared-sources.ts';
import {
  ANSWERS_DESCRIPTOR,
  FOLDER_PREFIX,
  type Preparation,
  type TaskInput,
  TaskKilled,
  type TaskKind,
  type TaskOptions,
  type TaskOutput,
  type TaskRequest,
  type TaskRunner,
} from './tasks.ts';

interface RenderChildOptions {
  /** The entire environment of the process. */
  readonly environment: Readonly<Record<string, string>>;
  readonly limits: RenderLimits;
  readonly watch: UsageMonitor;
  readonly encoder: EncoderChoice;
  readonly sandbox: Sandbox;
  /** See `owner` of `RenderChild`. */
  readonly owner: string | null;
  readonly preparation: Preparation;
  /** As of `RenderPoolOptions`. */
  readonly sourcesIn: string | undefined;
}

const STDERR_KEPT_CHARACTERS = 2_000;
/** A process that writes more than its errors would only keep its parent busy. */
const MAX_STDERR_CHARACTERS = 1_000_000;
/** A process that sends without end takes at most this share of the parent's thread: it waits after this many milliseconds of reading. */
const [READING_SHARE, READING_MS] = [1 / 4, 5];
/** A disk with less space is full for a render. */
const FULL_DISK_BYTES = 64 * 2 ** 20;
const NO_BYTES = new Uint8Array();
/** How V8 or the kernel ends a process that is out of memory: a signal, or the exit code of a launcher. */
const OUT_OF_MEMORY = new Set<string | number>(['SIGABRT', 'SIGTRAP', 'SIGKILL', 134, 133, 137]);
/** A task whose answer is awaited. */
interface RunningTask {
  readonly limits: MessageLimits;
  /** Takes a message as the process sent it, and its size. @throws UncheckedValue, MalformedMessage */
  receive(message: unknown, bytes: number): void;
  /** Rejects the task. */
  fail(error: Error): void;
}

type StartedProcess = ChildProcessByStdio<Writable, null, Readable>;

/** How a process ended, or why it could not be started. */
interface ProcessEnd {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly message: string | null;
}

/** A process waits for its encoder on threads of its own, of which Node has four: for two encoders, sound and files. */
export const MAX_TASKS_AT_ONCE = 2;

/**
 * A sandboxed process that runs one task at a time, or two of one video. Dead after a crash, an abort, a passed limit or `stop`. EDGE.
 */
export class RenderChild implements TaskRunner {
  /**
   * Owner of all its tasks, so that a malicious file cannot reach data of another owner. Null until the first task of a process that was
   * started before any.
   */
  owner: string | null;
  readonly #subprocess: StartedProcess;
  /** The only folder that the process may write to. */
  readonly #folder = temporaryFolder(FOLDER_PREFIX);
  readonly #sources: SharedSources;
  readonly #options: RenderChildOptions;
  /** By number. */
  readonly #running = new Map<number, RunningTask>();
  #video: symbol | undefined;
  /** Maximum concurrent tasks since the process was idle. */
  #share = 1;
  #stderr = '';
  /** Settles when the process and its descendants are gone. */
  readonly #ended: Promise<void>;
  #isAlive = true;
  #isGone = false;
  #taskCount = 0;
  #memoryBytes = 0;

  constructor(options: RenderChildOptions) {
    const { environment, limits, sandbox, preparation, sourcesIn } = options;
    this.#sources = new SharedSources(sourcesIn);
    this.owner = options.owner;
    this.#options = options;
    const heapMegabytes = Math.max(128, Math.round(limits.memoryBytes / 2 / 2 ** 20));
    const nodeOptions = [...V8_OPTIONS, `--max-old-space-size=${heapMegabytes}`];
    const { file, args, env } = sandbox.command({
      args: [
        ...nodeOptions,
        fileURLToPath(builtFile(import.meta.url, 'service/sessions/processes/render-process.cjs')),
        JSON.stringify(preparation),
      ],
      folder: this.#folder,
      readable: [this.#sources.folder],
      programs: [],
    });
    this.#subprocess = this.#start(file, args, {
      // Nothing of the parent's environment, where tokens may lie, nor of its Node options.
      env: { ...LIBRARY_SETTINGS, ...environment, ...env, TMPDIR: this.#folder },
      // A folder that it may read: Node 24 looks for a package.json there, and ends where it may not.
      cwd: this.#folder,
      // At the head of a group of its own, so that what it starts can be killed with it.
      detached: HAS_GROUPS,
      // Requests, and the answers at ANSWERS_DESCRIPTOR. Node's own channel would end this process on malformed messages.
      stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
    yieldToParent(this.#subprocess.pid);
    this.#readAnswers(this.#subprocess.stdio[ANSWERS_DESCRIPTOR] as Readable);
    this.#subprocess.once('exit', () => {
      // Its descendants may outlive it.
      this.#kill();
      this.#isGone = true;
    });
    // A process that ends early closes the pipe; its exit reports the error.
    this.#subprocess.stdin.on('error', () => undefined);
    this.#readErrors(this.#subprocess.stderr);
    this.#ended = this.#awaitEnd();
  }

  /** @throws RenderError `render_crashed` for what Node does not report as an event, such as a lack of memory */
  #start(file: string, args: readonly string[], options: SpawnOptions): StartedProcess {
    try {
      return spawn(file, args, options) as StartedProcess;
    } catch (error) {
      this.#removeFolders();
      throw this.#crash((error as Error).message);
    }
  }

  /** Whether it can run another task: it is healthy and uses less than half of its memory limit. */
  get isFit(): boolean {
    return this.#isAlive && this.#memoryBytes <= this.#options.limits.memoryBytes / 2 && this.#keepFolder();
  }

  get taskCount(): number {
    return this.#taskCount;
  }

  get isIdle(): boolean {
    return this.#running.size === 0;
  }

  /** Whether a task of a video can run beside those that run. */
  hasRoomFor(video: symbol): boolean {
    return this.#video === video && this.#running.size < MAX_TASKS_AT_ONCE;
  }

  async run<Kind extends TaskKind>(
    kind: Kind,
    input: TaskInput<Kind>,
    { onProgress, signal, bytes, video, processors = 1, encoder = this.#options.encoder }: TaskOptions = {},
  ): Promise<TaskOutput<Kind>> {
    signal?.throwIfAborted();
    const task = this.#taskCount++;
    this.#video = video;
    this.#share = this.isIdle ? 1 : Math.max(this.#share, this.#running.size + 1);
    const clock = this.#startClock();
    const unwatch = this.#startWatch();
    const onAbort = (): void => this.#end(signal!.reason as Error);
    signal?.addEventListener('abort', onAbort, { once: true });
    const request: TaskRequest = {
      kind,
      input: packInput(input),
      encoder,
      processors,
      bytes: bytes ?? NO_BYTES,
    };
    let progress = 0;
    const sources = this.#sources.lease();
    try {
      return await new Promise<TaskOutput<Kind>>((resolve, reject) => {
        const advance = (done: number, count: number): void => {
          if (done <= progress) return;
          progress = done;
          clock.progressed();
          onProgress?.(done, count);
        };
        const check = messageCheck(kind, input);
        this.#running.set(task, {
          limits: messageLimits(kind, input, this.#options.limits.memoryBytes),
          fail: reject,
          receive: (received, messageBytes) => {
            const message = check(received);
            if (message.kind === 'progress' && messageBytes > PROGRESS_BYTES) {
              throw new MalformedMessage(`its progress has ${messageBytes} bytes`);
            }
            if (message.kind === 'progress') advance(message.done, message.count);
            else if (message.kind === 'failed') reject(errorFrom(this.#verified(message.failure)));
            else resolve(message.output);
          },
        });
        const chunks = encodeMessage(task, request, {
          nameOf: (file) => file.shareIn(this.#folder),
          pathOf: (source) => sources.pathOf(source),
        });
        void sources.ready().then(() => {
          clock.progressed();
          this.#send(chunks);
        }, reject);
      });
    } finally {
      clock.stop();
      unwatch();
      signal?.removeEventListener('abort', onAbort);
      this.#running.delete(task);
      sources.end();
    }
  }

  #send(chunks: readonly Uint8Array[]): void {
    const { stdin } = this.#subprocess;
    stdin.cork();
    for (const chunk of chunks) stdin.write(chunk);
    stdin.uncork();
  }

  /** Kills the process; resolves when it is gone. */
  async stop(): Promise<void> {
    this.#end(new RenderError('render_crashed', 'The render process was stopped'));
    await this.#ended;
  }

  /** Reads what the process sends. Anything but a well-formed answer ends the process, and nothing else. */
  #readAnswers(stream: Readable): void {
    const reader = new MessageReader({
      limitsOf: (task) => this.#running.get(task)?.limits ?? null,
      onMessage: (task, message, bytes) => this.#running.get(task)?.receive(message, bytes),
      takeFile: (name) => TemporaryFile.take(join(this.#folder, name)),
    });
    let [readingMs, since] = [0, performance.now()];
    stream
      .on('data', (chunk: Buffer) => {
        if (!this.#isAlive) return;
        const startedAt = performance.now();
        try {
          reader.push(chunk);
        } catch (error) {
          this.#end(new TaskKilled('crash', 'The render process sent a malformed message', { cause: error }));
        }
        const now = performance.now();
        readingMs += now - startedAt;
        if (readingMs < READING_MS) return;
        const pauseMs = since + readingMs / READING_SHARE - now;
        [readingMs, since] = [0, now + Math.max(0, pauseMs)];
        if (pauseMs <= 0) return;
        stream.pause();
        setTimeout(() => stream.resume(), pauseMs);
      })
      // Its exit reports the error.
      .on('error', () => undefined);
  }

  #readErrors(stream: Readable): void {
    let characters = 0;
    stream
      .setEncoding('utf8')
      .on('data', (text: string) => {
        this.#stderr = (this.#stderr + text).slice(-STDERR_KEPT_CHARACTERS);
        characters += text.length;
        if (characters > MAX_STDERR_CHARACTERS) stream.destroy();
      })
      .on('error', () => undefined);
  }

  /**
   * Removes the code of a failure unless this process can verify it: a full disk stops the work of all owners, so a
   * process must not be able to fake that failure.
   */
  #verified(failure: Failure): Failure {
    if (failure.kind !== 'unexpected') return failure;
    const { code, ...rest } = failure;
    return code === 'ENOSPC' && this.#isDiskFull() ? failure : rest;
  }

  #isDiskFull(): boolean {
    try {
      const { bavail, bsize } = statfsSync(this.#folder);
      return bavail * bsize < FULL_DISK_BYTES;
    } catch {
      return false;
    }
  }

  async #awaitEnd(): Promise<void> {
    const { exitCode, signal, message } = await new Promise<ProcessEnd>((resolve) => {
      this.#subprocess
        .on('error', (error) => resolve({ exitCode: null, signal: null, message: error.message }))
        // After the last of what it wrote.
        .once('close', (code, endedBy) => resolve({ exitCode: code, signal: endedBy, message: null }));
    });
    if (this.#subprocess.pid !== undefined) await groupEnded(this.#subprocess.pid);
    this.#removeFolders();
    const how = signal !== null ? `by ${signal}` : exitCode !== null ? `with ${exitCode}` : message;
    // A launcher reports a signal as an exit code above 128.
    const isKilled = signal !== null || (exitCode ?? 0) > 128;
    const reason = OUT_OF_MEMORY.has(signal ?? exitCode ?? '') ? 'memory' : 'crash';
    this.#end(this.#crash(`ended ${how ?? 'early'}`, isKilled ? reason : null));
  }

  #removeFolders(): void {
    tryToRemove(this.#folder);
    this.#sources.remove();
  }

  #crash(how: string, reason: TaskKilled['reason'] | null = null): RenderError {
    const cause = this.#stderr === '' ? undefined : new Error(this.#stderr);
    const message = `The render process failed: ${how}`;
    return reason === null
      ? new RenderError('render_crashed', message, { cause })
      : new TaskKilled(reason, message, { cause });
  }

  #end(error: Error): void {
    this.#isAlive = false;
    for (const { fail } of this.#running.values()) fail(error);
    this.#kill();
  }

  /** Marks the folders as in use, so that no other process sweeps them as leftovers. @returns whether they are still there */
  #keepFolder(): boolean {
    const now = new Date();
    try {
      utimesSync(this.#folder, now, now);
      utimesSync(this.#sources.folder, now, now);
      return true;
    } catch {
      return false;
    }
  }

  #kill(): void {
    const { pid } = this.#subprocess;
    if (pid !== undefined && !this.#isGone) killGroup(pid);
  }

  #startWatch(): () => void {
    const { pid } = this.#subprocess;
    if (pid === undefined) return () => undefined;
    const onExceeded = (reason: 'memory' | 'time', what: string): void => this.#end(new TaskKilled(reason, what));
    const hold = enforceLimits(this.#options.limits, onExceeded, () => this.#share);
    return this.#options.watch.watch(pid, (usage) => {
      this.#memoryBytes = usage.memoryBytes;
      hold(usage);
    });
  }

  #startClock(): { progressed(): void; stop(): void } {
    const { stallMs, totalMs } = this.#options.limits;
    const expire = (what: string): void => this.#end(new TaskKilled('time', what));
    const total = setTimeout(() => expire(`The render took longer than ${totalMs / 1000} s`), totalMs);
    const stall = setTimeout(() => expire(`No frame was finished within ${stallMs / 1000} s`), stallMs);
    return {
      progressed: () => void stall.refresh(),
      stop() {
        clearTimeout(total);
        clearTimeout(stall);
      },
    };
  }
}
