import type { ServiceTime } from '../../contract/render-service.ts';
import type { Exchange } from './exchange.ts';
import { answeredAtMs } from './post-outcome.ts';

/** The clocks of this machine. */
export interface Clocks {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds of a clock that is never set. */
  monotonicNow(): number;
}

/** A moment by both clocks of this machine. */
interface Moment {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

/** Derives the time by the clock of a service from the `Date` of its answers. */
export class ServiceClock {
  readonly #clocks: Clocks;
  #lastAnswer: (Moment & { readonly dateMs: number }) | null = null;

  constructor(clocks: Clocks) {
    this.#clocks = clocks;
  }

  /** Returns the present moment. */
  moment(): Moment {
    return { wallMs: this.#clocks.now(), monotonicMs: this.#clocks.monotonicNow() };
  }

  /** Returns the milliseconds by both clocks: the wall clock may be set, and the monotonic clock stops in standby. */
  elapsedSince({ wallMs, monotonicMs }: Moment): [byWall: number, byMonotonic: number] {
    const present = this.moment();
    return [Math.max(0, present.wallMs - wallMs), Math.max(0, present.monotonicMs - monotonicMs)];
  }

  /** Remembers the `Date` of an answer with any status. */
  note(result: Exchange): void {
    const dateMs = answeredAtMs(result);
    if (dateMs !== null) this.#lastAnswer = { dateMs, ...this.moment() };
  }

  /** Returns the present time of the service; null if no answer had a `Date`. */
  time(): ServiceTime | null {
    if (this.#lastAnswer === null) return null;
    const { dateMs } = this.#lastAnswer;
    const elapsedMs = this.elapsedSince(this.#lastAnswer);
    return { earliestMs: dateMs + Math.min(...elapsedMs), latestMs: dateMs + Math.max(...elapsedMs) };
  }
}
