import type { SceneError } from '../scene-error.ts';

/**
 * What those wait for who feed a codec of @napi-rs/webcodecs: room in its queue, or its first failure. Keeps the process
 * alive, which the codec's callbacks do not. To be closed.
 */
export class CodecWatch {
  readonly #describe: (reason: string, cause: unknown) => SceneError;
  readonly #keepAlive = setInterval(() => undefined, 2 ** 30);
  #failure: unknown;
  #wake: () => void = () => undefined;

  /** @param describe what is thrown for a failure */
  constructor(describe: (reason: string, cause: unknown) => SceneError) {
    this.#describe = describe;
  }

  /** The first failure, as the codec told it; undefined while there is none. */
  get failure(): unknown {
    return this.#failure;
  }

  /** The codec's callback `error`. */
  readonly fail = (cause: unknown): void => {
    this.#failure ??= cause;
    this.#wake();
  };

  /** The codec's callback `ondequeue`. */
  readonly wake = (): void => this.#wake();

  /** Calls the codec; what it throws is its failure, and thrown by who waits next. */
  call(work: () => void): void {
    try {
      work();
    } catch (cause) {
      this.fail(cause);
    }
  }

  /** Waits for what the codec promises, such as its flush. @throws SceneError for its failure */
  async finish(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (cause) {
      this.fail(cause);
    }
    this.#throwFailure();
  }

  /** Waits, looking again each time that the codec has taken something. @throws SceneError for its failure */
  async until(isDone: () => boolean): Promise<void> {
    while (this.#failure === undefined && !isDone()) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#throwFailure();
  }

  close(): void {
    clearInterval(this.#keepAlive);
  }

  #throwFailure(): void {
    if (this.#failure === undefined) return;
    const reason = this.#failure instanceof Error ? this.#failure.message : String(this.#failure);
    throw this.#describe(reason, this.#failure);
  }
}
