interface Waiting {
  readonly isUrgent: boolean;
  begin(): void;
}

/**
 * Runs drawing tasks, as many at once as there are processes. Stills come before segments of drafts, and of the waiting ones of a kind
 * the newest comes first: it is what the user looks at.
 */
export class DrawQueue {
  readonly #size: number;
  readonly #waiting: Waiting[] = [];
  #running = 0;

  constructor(size: number) {
    this.#size = size;
  }

  /** @throws the signal's reason if it is aborted before the task begins, and errors of the task */
  async run<T>(task: () => Promise<T>, signal: AbortSignal, isUrgent: boolean): Promise<T> {
    await this.#turn(signal, isUrgent);
    try {
      return await task();
    } finally {
      this.#running -= 1;
      this.#next();
    }
  }

  #turn(signal: AbortSignal, isUrgent: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(entry), 1);
        reject(signal.reason as Error);
      };
      const entry: Waiting = {
        isUrgent,
        begin() {
          signal.removeEventListener('abort', leave);
          resolve();
        },
      };
      if (signal.aborted) return reject(signal.reason as Error);
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.push(entry);
      this.#next();
    });
  }

  #next(): void {
    while (this.#running < this.#size && this.#waiting.length > 0) {
      const urgent = this.#waiting.findLastIndex((task) => task.isUrgent);
      // Segments of a draft are waited for in their order.
      const [entry] = this.#waiting.splice(urgent === -1 ? 0 : urgent, 1);
      this.#running += 1;
      entry!.begin();
    }
  }
}
