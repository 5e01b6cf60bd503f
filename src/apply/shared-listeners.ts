interface Shared {
  readonly callbacks: Set<(reason: unknown) => void>;
  readonly listener: () => void;
}

/** Listens to signals that many listen to, with one listener for each signal: Node warns of more than ten. */
export class SharedListeners {
  readonly #signals = new Map<AbortSignal, Shared>();

  /**
   * Calls back once the signal is aborted, with its reason.
   *
   * @returns what ends it
   */
  listen(signal: AbortSignal, callback: (reason: unknown) => void): () => void {
    const shared = this.#signals.get(signal) ?? this.#share(signal);
    shared.callbacks.add(callback);
    return () => {
      shared.callbacks.delete(callback);
      if (shared.callbacks.size > 0) return;
      signal.removeEventListener('abort', shared.listener);
      this.#signals.delete(signal);
    };
  }

  #share(signal: AbortSignal): Shared {
    const callbacks: Shared['callbacks'] = new Set();
    const listener = (): void => {
      for (const callback of [...callbacks]) callback(signal.reason);
    };
    signal.addEventListener('abort', listener);
    const shared = { callbacks, listener };
    this.#signals.set(signal, shared);
    return shared;
  }
}
