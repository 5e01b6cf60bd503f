import { execaNode } from 'execa';
import { builtFile } from '../engine/built-file.ts';
import { errorFrom } from '../engine/failure.ts';
import type { RenderProcessMessage } from '../engine/render-process.ts';
import type { Rendering } from '../engine/render-scene.ts';
import { SceneError } from '../engine/scene-error.ts';
import type { Scene } from '../template/scene.ts';
import type { RenderOptions } from './ports.ts';

/** How long a render may take before its process is killed; milliseconds. */
export interface RenderTimeouts {
  /** Without a finished frame. */
  readonly stallMs: number;
  /** In all. */
  readonly totalMs: number;
}

const STDERR_KEPT_CHARACTERS = 2_000;
/** One heap for all threads of a process: glibc's default of several keeps a quarter more memory, and is no faster here. */
const MEMORY_SETTINGS = { MALLOC_ARENA_MAX: '1' };

/** A process that renders one scene at a time. Dead after a crash, an abort, a time-out or `stop`. */
export class RenderChild {
  readonly #subprocess;
  readonly #timeouts: RenderTimeouts;
  #receive: (message: RenderProcessMessage) => void = () => undefined;
  #onEnd: (error: Error) => void = () => undefined;
  #stderr = '';
  /** Settles when the process is gone. */
  readonly #ended: Promise<void>;
  #isAlive = true;
  #renderCount = 0;

  constructor(environment: Readonly<Record<string, string>>, timeouts: RenderTimeouts) {
    this.#timeouts = timeouts;
    this.#subprocess = execaNode(builtFile(import.meta.url, 'engine/render-process.js'), [], {
      ipc: true,
      serialization: 'advanced',
      // Nothing of the parent's environment, where tokens may lie, nor of its Node options.
      env: { ...MEMORY_SETTINGS, ...environment },
      extendEnv: false,
      nodeOptions: ['--expose-gc'],
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'pipe',
      buffer: false,
      reject: false,
    });
    this.#subprocess.on('message', (message) => this.#receive(message as unknown as RenderProcessMessage));
    this.#subprocess.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_KEPT_CHARACTERS);
    });
    this.#ended = this.#watch();
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Renders that were begun. */
  get renderCount(): number {
    return this.#renderCount;
  }

  /**
   * @throws SceneError, ReelformError as `renderScene`; `render_crashed` when the process ends, `render_timeout`
   * @throws the signal's reason when it is aborted; the process is killed
   */
  async render(scene: Scene, { onProgress, signal }: RenderOptions): Promise<Rendering> {
    this.#renderCount += 1;
    const clock = this.#startClock();
    const onAbort = (): void => this.#end(signal!.reason as Error);
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      return await new Promise<Rendering>((resolve, reject) => {
        this.#onEnd = reject;
        this.#receive = (message) => {
          switch (message.kind) {
            case 'progress':
              clock.progressed();
              onProgress?.(message.framesDone, message.frameCount);
              break;
            case 'done':
              resolve(message.rendering);
              break;
            case 'failed':
              reject(errorFrom(message.failure));
          }
        };
        this.#subprocess.send(scene, (error) => {
          if (error) this.#end(this.#crash(error.message));
        });
      });
    } finally {
      clock.stop();
      signal?.removeEventListener('abort', onAbort);
      this.#receive = () => undefined;
      this.#onEnd = () => undefined;
    }
  }

  /** Kills the process; resolves when it is gone. */
  async stop(): Promise<void> {
    this.#end(new SceneError('render_crashed', 'The render process was stopped'));
    await this.#ended;
  }

  async #watch(): Promise<void> {
    const { exitCode, signal, originalMessage } = await this.#subprocess;
    const how = signal !== undefined ? `by ${signal}` : exitCode !== undefined ? `with ${exitCode}` : originalMessage;
    this.#end(this.#crash(`it ended ${how ?? 'early'}`));
  }

  #crash(how: string): SceneError {
    const cause = this.#stderr === '' ? undefined : new Error(this.#stderr);
    return new SceneError('render_crashed', `The process that renders the video failed: ${how}`, { cause });
  }

  #end(error: Error): void {
    this.#isAlive = false;
    this.#onEnd(error);
    this.#subprocess.kill('SIGKILL');
  }

  #startClock(): { progressed(): void; stop(): void } {
    const { stallMs, totalMs } = this.#timeouts;
    const expire = (what: string): void => this.#end(new SceneError('render_timeout', what));
    const onStall = (): void => expire(`No frame was finished within ${stallMs / 1000} s`);
    const total = setTimeout(() => expire(`The render took longer than ${totalMs / 1000} s`), totalMs);
    let stall = setTimeout(onStall, stallMs);
    return {
      progressed() {
        clearTimeout(stall);
        stall = setTimeout(onStall, stallMs);
      },
      stop() {
        clearTimeout(total);
        clearTimeout(stall);
      },
    };
  }
}
