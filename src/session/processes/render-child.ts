import { utimesSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { builtFile } from '../../engine/built-file.ts';
import { errorFrom } from '../../engine/failure.ts';
import type { EncoderChoice } from '../../engine/h264/open-encoder.ts';
import type { LintFinding } from '../../engine/lint/lint-finding.ts';
import type { RenderedPart, SegmentRange } from '../../engine/render-part.ts';
import type { RenderProcessMessage, RenderRequest, RenderTask } from '../../engine/render-process.ts';
import type { Rendering } from '../../engine/render-scene.ts';
import { SceneError } from '../../engine/scene-error.ts';
import type { ComparedStill, Comparison, StillImage } from '../../engine/stills/still-protocol.ts';
import { HAS_GROUPS, killGroup } from '../../process-group.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { Scene } from '../../template/scene.ts';
import { temporaryFolder, tryToRemove } from '../../temporary-folder.ts';
import type { RenderOptions } from '../ports.ts';
import { holdToLimits, type RenderLimits, type UsageWatch } from './process-limits.ts';

export interface RenderChildOptions {
  /** Everything that the process sees of an environment. */
  readonly environment: Readonly<Record<string, string>>;
  readonly limits: RenderLimits;
  readonly watch: UsageWatch;
  readonly encoder: EncoderChoice;
  readonly sandbox: Sandbox;
  /** Renders for this owner alone: a scene that takes the process over finds nothing of another owner. */
  readonly owner: string;
}

const STDERR_KEPT_CHARACTERS = 2_000;
/** One heap for all threads of a process: glibc's default of several keeps a quarter more memory, and is no faster here. */
const MEMORY_SETTINGS = { MALLOC_ARENA_MAX: '1' };

/**
 * A process that renders one scene at a time, in a sandbox. Dead after a crash, an abort, a passed limit or `stop`. EDGE.
 */
export class RenderChild {
  readonly owner: string;
  readonly #subprocess;
  /** The only folder that the process may write to. */
  readonly #folder = temporaryFolder('reelform-render-');
  readonly #limits: RenderLimits;
  readonly #watch: UsageWatch;
  readonly #encoder: EncoderChoice;
  #receive: (message: RenderProcessMessage) => void = () => undefined;
  #onEnd: (error: Error) => void = () => undefined;
  #stderr = '';
  /** Settles when the process is gone, and what it has started with it. */
  readonly #ended: Promise<void>;
  #isAlive = true;
  #isGone = false;
  #renderCount = 0;
  #memoryBytes = 0;

  constructor({ environment, limits, watch, encoder, sandbox, owner }: RenderChildOptions) {
    this.owner = owner;
    this.#limits = limits;
    this.#watch = watch;
    this.#encoder = encoder;
    const heapMegabytes = Math.max(128, Math.round(limits.memoryBytes / 2 / 2 ** 20));
    // The young generation is bounded as well: newer versions of Node take several times as much for it.
    const nodeOptions = ['--expose-gc', `--max-old-space-size=${heapMegabytes}`, '--max-semi-space-size=16'];
    const { file, args, env } = sandbox.command({
      args: [...nodeOptions, fileURLToPath(builtFile(import.meta.url, 'engine/render-process.js'))],
      folder: this.#folder,
      programs: encoder.kind === 'ffmpeg' ? [encoder.program] : [],
    });
    this.#subprocess = execa(file, args, {
      ipc: true,
      serialization: 'advanced',
      // Nothing of the parent's environment, where tokens may lie, nor of its Node options.
      env: { ...MEMORY_SETTINGS, ...environment, ...env, TMPDIR: this.#folder },
      extendEnv: false,
      // At the head of a group of its own, so that what it starts can be killed with it.
      detached: HAS_GROUPS,
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'pipe',
      buffer: false,
      reject: false,
    });
    this.#subprocess.on('message', (message) => this.#receive(message as unknown as RenderProcessMessage));
    this.#subprocess.once('exit', () => {
      // What it started may have outlived it.
      this.#kill();
      this.#isGone = true;
    });
    this.#subprocess.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_KEPT_CHARACTERS);
    });
    this.#ended = this.#awaitEnd();
  }

  /** Whether it can take another scene: healthy, and what scenes before have left in memory is not in the way of the next. */
  get isFit(): boolean {
    return this.#isAlive && this.#memoryBytes <= this.#limits.memoryBytes / 2 && this.#keepFolder();
  }

  /** Renders that were begun. */
  get renderCount(): number {
    return this.#renderCount;
  }

  /**
   * @throws SceneError, ReelformError as `renderScene`; `render_crashed` when the process ends or takes too much memory,
   * `render_timeout` when it takes too long
   * @throws the signal's reason when it is aborted; the process is killed
   */
  render(scene: Scene, options: RenderOptions): Promise<Rendering> {
    return this.#render(scene, { kind: 'video' }, options, (message) =>
      message.kind === 'done' ? message.rendering : null,
    );
  }

  /** Some segments of the scene's video. @throws as `render` */
  renderPart(scene: Scene, segments: SegmentRange, options: RenderOptions): Promise<RenderedPart> {
    return this.#render(scene, { kind: 'part', segments }, options, (message) =>
      message.kind === 'part' ? message.part : null,
    );
  }

  /** The video of its parts. @throws as `render` */
  joinParts(scene: Scene, parts: readonly RenderedPart[], options: RenderOptions): Promise<Rendering> {
    return this.#render(scene, { kind: 'join', parts }, options, (message) =>
      message.kind === 'done' ? message.rendering : null,
    );
  }

  /** The scene's stills alone, as PNG. @throws as `render` */
  renderStills(scene: Scene, options: RenderOptions): Promise<readonly StillImage[]> {
    return this.#render(scene, { kind: 'stills' }, options, (message) =>
      message.kind === 'drawn' ? message.stills : null,
    );
  }

  /** Stills of two scenes, drawn and compared. @throws as `render` */
  compareStills(comparison: Comparison, options: RenderOptions): Promise<readonly ComparedStill[]> {
    return this.#run({ kind: 'compare', comparison }, options, (message) =>
      message.kind === 'compared' ? message.stills : null,
    );
  }

  /** What a viewer would notice of the scene. @throws as `render` */
  lint(scene: Scene, options: RenderOptions): Promise<readonly LintFinding[]> {
    return this.#render(scene, { kind: 'lint' }, options, (message) =>
      message.kind === 'linted' ? message.findings : null,
    );
  }

  /** Kills the process; resolves when it is gone. */
  async stop(): Promise<void> {
    this.#end(new SceneError('render_crashed', 'The render process was stopped'));
    await this.#ended;
  }

  #render<T>(
    scene: Scene,
    task: RenderTask,
    options: RenderOptions,
    resultOf: (message: RenderProcessMessage) => T | null,
  ): Promise<T> {
    return this.#run({ ...task, scene, encoder: this.#encoder }, options, resultOf);
  }

  async #run<T>(
    request: RenderRequest,
    { onProgress, signal }: RenderOptions,
    resultOf: (message: RenderProcessMessage) => T | null,
  ): Promise<T> {
    signal?.throwIfAborted();
    this.#renderCount += 1;
    const clock = this.#startClock();
    const unwatch = this.#startWatch();
    const onAbort = (): void => this.#end(signal!.reason as Error);
    signal?.addEventListener('abort', onAbort, { once: true });
    let framesDone = 0;
    try {
      return await new Promise<T>((resolve, reject) => {
        this.#onEnd = reject;
        this.#receive = (message) => {
          if (message.kind === 'failed') return reject(errorFrom(message.failure));
          if (message.kind === 'progress') {
            if (message.framesDone <= framesDone) return;
            framesDone = message.framesDone;
            clock.progressed();
            onProgress?.(framesDone, message.frameCount);
            return;
          }
          const result = resultOf(message);
          if (result !== null) resolve(result);
        };
        this.#subprocess.send(request, (error) => {
          if (error) this.#end(this.#crash(error.message));
        });
      });
    } finally {
      clock.stop();
      unwatch();
      signal?.removeEventListener('abort', onAbort);
      this.#receive = () => undefined;
      this.#onEnd = () => undefined;
    }
  }

  async #awaitEnd(): Promise<void> {
    const { exitCode, signal, originalMessage } = await this.#subprocess;
    tryToRemove(this.#folder);
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
    this.#kill();
  }

  /** Marks the folder as in use, so that no other process sweeps it as a leftover. @returns whether it is still there */
  #keepFolder(): boolean {
    const now = new Date();
    try {
      utimesSync(this.#folder, now, now);
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
    const hold = holdToLimits(this.#limits, (code, what) => this.#end(new SceneError(code, what)));
    return this.#watch.watch(pid, (usage) => {
      this.#memoryBytes = usage.memoryBytes;
      hold(usage);
    });
  }

  #startClock(): { progressed(): void; stop(): void } {
    const { stallMs, totalMs } = this.#limits;
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
