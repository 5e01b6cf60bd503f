import { setTimeout as sleep } from 'node:timers/promises';
import { isOutage } from '../../service/service-error.ts';
import { TEST_TYPE, type WebhookAttempt } from '../../wire/webhook.ts';
import { recordStart } from '../queue/fair-priority.ts';
import { Lane } from '../queue/lane.ts';
import type { JobHandler, TakenJob } from '../queue/queues.ts';
import type { Database, Queryable } from '../store/database.ts';
import type { Log } from '../telemetry/log.ts';
import { deliveryTable, endpointHealth, type StartedAttempt } from './delivery-table.ts';
import { endpointTable } from './endpoint-table.ts';
import { nextDelayMs, type WebhookOutbox } from './webhook-outbox.ts';
import { type PostWebhook, signBody, signWebhook, type WebhookAnswer } from './webhook-request.ts';

/** Tries at once in a process, and of those to one endpoint: a slow receiver leaves room for the other ones of its tenant. */
const PLACES = 8;
const PLACES_OF_ENDPOINT = 2;
/** An endpoint to which nothing got through for so long is told nothing any more. */
const GIVE_UP_MS = 5 * 86_400_000;
/** A process may be stopped between taking a message up and sending it, until somebody else has it. */
const STALE_MS = 5000;

/** Between looks whether the database is there again. */
const OUTAGE_MS = 500;

/** What became of a try. `retried`: there will be another. */
export type WebhookOutcome = 'delivered' | 'retried' | 'failed' | 'gone';

export interface SenderOptions {
  readonly database: Database;
  readonly outbox: Pick<WebhookOutbox, 'plan'>;
  readonly post: PostWebhook;
  readonly log: Log;
  /** Milliseconds since the epoch. */
  now(): number;
  /** 0..1. */
  random(): number;
  onTried?(outcome: WebhookOutcome): void;
}

/** Does the jobs of the queue `webhook`, each a planned try. */
export interface WebhookSender extends JobHandler {
  run(job: string, signal: AbortSignal, taken?: Pick<TakenJob, 'priority'>): Promise<void>;
}

/**
 * Sends what the outbox has: each planned try once, as far as can be known. Who dies after sending and before writing that
 * down lets the same message, under the same id, be sent once more.
 */
export function createWebhookSender(options: SenderOptions): WebhookSender {
  const { database, outbox, post, log, now, random, onTried } = options;
  const iso = (ms: number): string => new Date(ms).toISOString();

  const send = async (begun: StartedAttempt, signal: AbortSignal): Promise<void> => {
    const atMs = now();
    const begunAt = performance.now();
    const { messageId, body, url, secrets, clientId } = begun;
    const standard = signWebhook({ id: messageId, atMs, body }, secrets);
    const headers = clientId === null ? standard : { ...standard, ...signBody(body, clientId) };
    const answer = await post({ url, headers, body }, signal);
    const attempt = { at: iso(atMs), duration_ms: Math.round(performance.now() - begunAt), ...told(answer) };
    // What was sent is sent: while the database is away, what came of it waits for as long as the job is ours.
    for (;;) {
      try {
        return await record(begun, attempt, answer);
      } catch (error) {
        if (!isOutage(error)) throw error;
        await sleep(OUTAGE_MS, undefined, { signal });
      }
    }
  };

  const record = async (begun: StartedAttempt, attempt: WebhookAttempt, answer: WebhookAnswer): Promise<void> => {
    const endedMs = now();
    const outcome = await database.transaction(async (tx): Promise<WebhookOutcome | null> => {
      const { tenant, endpointId, deliveryId, step } = begun;
      const endpoint = await endpointTable.lock(tx, tenant, endpointId);
      if (endpoint === null) return null;
      const isDelivered = attempt.error === null;
      const isGone = attempt.status_code === 410;
      const retryAfterMs = answer.kind === 'answered' ? answer.retryAfterMs : null;
      const delayMs = isDelivered || isGone ? null : nextDelayMs({ step, retryAfterMs }, random());
      const written = await deliveryTable.record(tx, begun, attempt, {
        status: isDelivered ? 'delivered' : delayMs === null ? 'failed' : 'pending',
        nextAt: delayMs === null ? null : iso(endedMs + delayMs),
        endedAt: iso(endedMs),
      });
      if (written === null) return null;
      if (isDelivered) {
        await endpointHealth.succeeded(tx, endpointId, iso(endedMs));
        return 'delivered';
      }
      if (isGone) {
        if (endpoint.disabled_because === null) await endpointTable.disable(tx, endpointId, 'gone', iso(endedMs));
        return 'gone';
      }
      if (begun.type !== TEST_TYPE && (delayMs === null || endpoint.failing_since !== null)) {
        await sayFailing(tx, endpointId, endedMs);
      }
      if (written.nextTurn === null) return written.before === 'pending' ? 'retried' : 'failed';
      if (delayMs === null) return 'failed';
      // An endpoint that has just been given up cancels it: the job finds nothing to do.
      await outbox.plan(tx, { tenant, deliveryId, endpointId, turn: written.nextTurn, delayMs });
      return 'retried';
    });
    if (outcome === null) return;
    onTried?.(outcome);
    const { deliveryId, endpointId, tenant, messageId, attempt: number } = begun;
    const { status_code: status, error, duration_ms: ms } = attempt;
    log.info(
      { event: 'webhook-tried', delivery: deliveryId, endpoint: endpointId, tenant, message: messageId },
      `a webhook was tried (${[number, outcome, status ?? error, `${Math.round(ms)} ms`].join(', ')})`,
    );
  };

  const sayFailing = async (tx: Queryable, endpointId: string, nowMs: number): Promise<void> => {
    const isOver = await endpointHealth.failed(tx, endpointId, iso(nowMs), iso(nowMs - GIVE_UP_MS));
    if (isOver) await endpointTable.disable(tx, endpointId, 'failing', iso(nowMs));
  };

  return {
    lane: new Lane({ places: PLACES, isFair: true }),
    groupConcurrency: PLACES_OF_ENDPOINT,

    async run(job, signal, { priority } = { priority: 0 }) {
      await recordStart(database, 'webhook', priority);
      const [id, turn] = readJob(job);
      const takenMs = now();
      const begun = await deliveryTable.begin(database, id, turn, iso(takenMs));
      if (begun === null) return deliveryTable.cancel(database, id, iso(takenMs));
      if (now() - takenMs > STALE_MS) throw new Error('This process was stopped for too long');
      await send(begun, signal);
    },

    /** Every process that took it has died over it, or none could write down what came of it: that was one try of the schedule. */
    async onDead(job) {
      const [id, turn] = readJob(job);
      const begun = await deliveryTable.begin(database, id, turn, iso(now()));
      if (begun === null) return;
      const attempt = { at: iso(now()), status_code: null, error: 'interrupted', duration_ms: 0 };
      await record(begun, attempt, { kind: 'failed', error: attempt.error });
    },
  };
}

function told(answer: WebhookAnswer): Pick<WebhookAttempt, 'status_code' | 'error'> {
  if (answer.kind === 'failed') return { status_code: null, error: answer.error };
  const { status } = answer;
  const isSuccess = status >= 200 && status < 300;
  const error = status >= 300 && status < 400 ? 'redirect' : 'status';
  return { status_code: status, error: isSuccess ? null : error };
}

function readJob(job: string): [id: string, turn: number] {
  const [id = '', turn] = job.split('/');
  return [id, Number(turn)];
}
