import { type RemoteRenderService, SessionUnknown } from '../../contract/render-service.ts';
import type { RenderSession } from '../../contract/wire/render-session.ts';
import { FRESH_AGENTS } from '../../kernel/http/agents.ts';
import type { Repeatability } from '../../kernel/http/send-request.ts';
import type { ServiceConnection } from './connection.ts';
import type { Exchange } from './exchange.ts';
import { keyLifetimeMs, type PostOutcome, postOutcome } from './post-outcome.ts';
import { Retries } from './retry.ts';
import { SESSIONS_PATH } from './session-reader.ts';

type CreateOptions = Parameters<RemoteRenderService['createRenderSession']>[1];

interface KeyLifetimes {
  /** Configured lifetime of idempotency keys in milliseconds, 0 for none; overrides observations. */
  readonly configuredMs: number | undefined;
  /** Lifetime observed in earlier runs. */
  readonly observedMs: number | null;
}

/** Outcome of all requests for one session. */
interface Posted {
  readonly outcome: PostOutcome;
  /** Whether a request before the last request may have created the session. */
  readonly mayHaveArrived: boolean;
}

/**
 * Creates sessions without paying twice. A request that may have arrived is repeated only while the service keeps its
 * idempotency key.
 */
export class SessionCreator {
  readonly #connection: ServiceConnection;
  readonly #configuredMs: number | undefined;
  #observedMs: number | null;

  constructor(connection: ServiceConnection, { configuredMs, observedMs }: KeyLifetimes) {
    this.#connection = connection;
    this.#configuredMs = configuredMs;
    this.#observedMs = observedMs;
  }

  /** Returns the milliseconds that the service keeps a key; null if it is not known to keep any. */
  keyLifetimeMs(): number | null {
    if (this.#configuredMs === undefined) return this.#observedMs;
    return this.#configuredMs === 0 ? null : this.#configuredMs;
  }

  /** @see RemoteRenderService.createRenderSession */
  async create(body: string, options: CreateOptions): Promise<RenderSession> {
    const { idempotencyKey, wasSentBefore = false, signal } = options;
    const { outcome, mayHaveArrived } = await this.#post(body, idempotencyKey, signal);
    if (outcome.kind === 'created') return outcome.session;
    // Rejecting the last request proves nothing about earlier requests.
    if (outcome.kind === 'unknown' || mayHaveArrived || wasSentBefore) throw unknownSession(outcome.error);
    throw outcome.error;
  }

  async #post(body: string, key: string, signal?: AbortSignal): Promise<Posted> {
    const { clock, options } = this.#connection;
    const headers = { 'content-type': 'application/json', 'idempotency-key': key };
    const call = { method: 'POST', path: SESSIONS_PATH, headers, body } as const;
    const beganAt = clock.moment();
    const retries = new Retries(options);
    let mayHaveArrived = false;
    for (;;) {
      const result = await this.#connection.sendOnce(call, FRESH_AGENTS);
      const outcome = postOutcome(this.#connection.nameOf(call), result, options.now());
      if (outcome.kind === 'created') {
        this.#noteKeyLifetime(result, key);
        return { outcome, mayHaveArrived };
      }
      mayHaveArrived ||= outcome.kind === 'unknown';
      const isKeyKept = this.#keepsKeyFor(Math.max(...clock.elapsedSince(beganAt)));
      // Once a request may have arrived, repeating it is only safe under a kept key.
      const repeatability: Repeatability = isKeyKept ? 'keyed' : 'once';
      const delayMs = mayHaveArrived && !isKeyKept ? null : retries.delayMs(result, repeatability, outcome.error);
      if (delayMs === null) return { outcome, mayHaveArrived };
      // Only a request that certainly created nothing is given up early.
      const isStopped = await options.wait(delayMs, mayHaveArrived ? undefined : signal).then(
        () => false,
        () => true,
      );
      if (isStopped) return { outcome, mayHaveArrived };
    }
  }

  #keepsKeyFor(milliseconds: number): boolean {
    const keptMs = this.keyLifetimeMs();
    return keptMs !== null && milliseconds < keptMs;
  }

  /** Remembers for how long the service keeps a key. A replay reports the remaining time of the first answer. */
  #noteKeyLifetime(result: Exchange, key: string): void {
    const head = result.kind === 'answer' ? result.answer : result.kind === 'broken' ? result.head : null;
    if (head === null) return;
    const reportedMs = keyLifetimeMs(key, head.header, this.#connection.options.now());
    const isReplay = head.header('idempotent-replayed') === 'true';
    this.#observedMs = isReplay && reportedMs !== null ? Math.max(reportedMs, this.#observedMs ?? 0) : reportedMs;
  }
}

function unknownSession({ message }: Error): SessionUnknown {
  return new SessionUnknown(
    `${message}; it is unknown whether the service created a session`,
    'Look for a session with this title on the service, then run "reelform resolve"',
  );
}
