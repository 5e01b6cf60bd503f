import { Worker } from 'node:worker_threads';
import { TemporaryFile } from '../../kernel/temporary-file.ts';
import { builtFile } from '../built-file.ts';
import { errorFrom, RenderError } from '../render-error.ts';
import type { FrameWriter, WriterOptions } from './frame-writer.ts';
import type { GifMessage, GifRequest, GifWork } from './gif-worker.ts';

/** Maximum number of frames waiting for the thread. */
const SLOTS = 2;

/** Opens a writer of animated GIFs, which encodes in a separate thread while the next frames are drawn. EDGE. */
export async function openGifWriter({ format, frameCount, output }: WriterOptions): Promise<FrameWriter> {
  const options = { ...format, frameCount, quality: output.quality, comment: output.fingerprint };
  return new GifWriter({ options, buffer: new SharedArrayBuffer(format.width * format.height * 4 * SLOTS) });
}

class GifWriter implements FrameWriter {
  readonly #work: GifWork;
  readonly #worker: Worker;
  readonly #free: number[] = Array.from({ length: SLOTS }, (_, slot) => slot);
  readonly #file = TemporaryFile.create();
  /** The writes to the file so far. */
  #written: Promise<void> = Promise.resolve();
  #isFinished = false;
  #failure: Error | undefined;
  #wake: () => void = () => undefined;

  constructor(work: GifWork) {
    this.#work = work;
    this.#worker = new Worker(builtFile(import.meta.url, 'engine/writers/gif-worker.cjs'), { workerData: work });
    this.#worker.on('message', (message: GifMessage) => this.#receive(message));
    this.#worker.on('error', (cause) =>
      this.#fail(new RenderError('encode_failed', 'The GIF encoder failed', { cause })),
    );
    this.#worker.on('exit', () =>
      this.#fail(new RenderError('render_crashed', 'The thread that encodes the GIF ended')),
    );
  }

  async write(pixels: Uint8Array, frame: number): Promise<void> {
    await this.#waitUntil(() => this.#free.length > 0);
    const slot = this.#free.pop()!;
    new Uint8Array(this.#work.buffer, slot * pixels.length, pixels.length).set(pixels);
    this.#post({ kind: 'frame', frame, slot });
  }

  async finish(): Promise<TemporaryFile> {
    this.#post({ kind: 'finish' });
    await this.#waitUntil(() => this.#isFinished);
    return this.#file;
  }

  close(): void {
    void this.#worker.terminate();
    if (!this.#isFinished) void this.#written.finally(() => this.#file.close());
  }

  #receive(message: GifMessage): void {
    if (message.kind === 'failed') {
      this.#fail(errorFrom(message.failure));
      return;
    }
    this.#written = this.#written
      .then(() => this.#file.append(message.bytes))
      .then(
        () => {
          if (message.kind === 'slot-free') this.#free.push(message.slot);
          else this.#isFinished = true;
          this.#wake();
        },
        (error: unknown) => this.#fail(error as Error),
      );
  }

  async #waitUntil(condition: () => boolean): Promise<void> {
    while (this.#failure === undefined && !condition()) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#wake();
  }

  #post(request: GifRequest): void {
    this.#worker.postMessage(request);
  }
}
