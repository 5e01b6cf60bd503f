import { setMaxListeners } from 'node:events';
import type { SkipReason } from './events.ts';
import type { Clock } from './ports.ts';

interface Signals {
  readonly signal: AbortSignal;
  readonly detach: AbortSignal;
  readonly deadlineMs: number | null;
}

/** What ends a run before it is through, and how soon: the first reason counts. */
export class RunEnd {
  readonly #leave = new AbortController();
  readonly #timer = new AbortController();
  readonly #signals: Signals;
  #reason: SkipReason | null = null;

  constructor(signals: Signals, clock: Clock) {
    this.#signals = signals;
    // Every session at work listens.
    setMaxListeners(0, this.#leave.signal);
    const { detach, deadlineMs } = signals;
    const leave = (): void => this.#leaveBecause('interrupted');
    if (detach.aborted) leave();
    detach.addEventListener('abort', leave, { once: true, signal: this.#timer.signal });
    if (deadlineMs === null) return;
    clock.wait(deadlineMs, this.#timer.signal).then(
      () => this.#leaveBecause('deadline'),
      () => undefined,
    );
  }

  /** Why nothing new may begin; null: it may. */
  get reason(): SkipReason | null {
    return this.#reason ?? (this.#signals.signal.aborted ? 'interrupted' : null);
  }

  /** Aborted when what is at work is left to the service. */
  get leave(): AbortSignal {
    return this.#leave.signal;
  }

  because(reason: SkipReason): void {
    this.#reason ??= reason;
  }

  /** Nothing is timed any more. */
  close(): void {
    this.#timer.abort();
  }

  #leaveBecause(reason: SkipReason): void {
    this.because(reason);
    this.#leave.abort();
  }
}
