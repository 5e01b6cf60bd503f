import { setTimeout as sleep } from 'node:timers/promises';
import { isOutage } from '../../../contract/service-error.ts';
import { TEST_TYPE, type WebhookAttempt } from '../../../contract/wire/webhook.ts';
import { webhookBodyAt } from '../public-urls.ts';
import { recordStart } from '../queue/fair-priority.ts';
import { Lane } from '../queue/lane.ts';
import type { JobHandler, TakenJob } from '../queue/queues.ts';
import type { ServiceContext } from '../service-context.ts';
import type { Queryable } from '../store/database.ts';
import type { WebhookOutcome } from '../telemetry/metrics.ts';
import { deliveryTable, endpointHealth, type RecordedAttempt, type StartedAttempt } from './delivery-table.ts';
import { endpointTable } from './endpoint-table.ts';
import { nextDelayMs, type WebhookOutbox } from './webhook-outbox.ts';
import { type PostWebhook, signBody, signWebhook, type WebhookAnswer } from './webhook-request.ts';

/**
 * Limits of concurrent attempts, for a process and for one endpoint, so that a slow receiver does not block other
 * endpoints of its tenant.
 */
const PLACES = 8;
const PLACES_OF_ENDPOINT = 2;
/** Time without a success after which an endpoint is disabled. */
const GIVE_UP_MS = 5 * 86_400_000;
/** A process may be suspended between starting an attempt and sending, until another process holds the job. */
const STALE_MS = 5000;

/** Interval of retries while the database is unavailable. */
const OUTAGE_MS = 500;

interface SenderOptions extends Pick<ServiceContext, 'database' | 'log' | 'now'> {
  readonly outbox: Pick<WebhookOutbox, 'plan'>;
  readonly post: PostWebhook;
  /** Returns the present URL of the service, without a trailing slash. */
  publicUrl(): Promise<string>;
  /** 0..1. */
  random(): number;
  onTried?(outcome: WebhookOutcome): void;
}

interface EndedAttempt {
  readonly begun: StartedAttempt;
  readonly attempt: WebhookAttempt;
  readonly answer: WebhookAnswer;
  readonly endedMs: number;
}

/** Runs the jobs of the queue `webhook`, each a scheduled attempt. */
export type WebhookSender = ReturnType<typeof createWebhookSender>;

/**
 * Sends the messages of the outbox, each scheduled attempt normally once. If a process dies after sending and before
 * recording the result, the message is sent again under the same id.
 */
export function createWebhookSender(options: SenderOptions) {
  const { database, outbox, post, publicUrl, log, now, random, onTried } = options;
  const iso = (ms: number): string => new Date(ms).toISOString();

  const send = async (begun: StartedAttempt, signal: AbortSignal): Promise<void> => {
    const atMs = now();
    const begunAt = performance.now();
    const { messageId, url, secrets, clientId } = begun;
    const body = webhookBodyAt(await publicUrl(), begun.body);
    const standard = signWebhook({ id: messageId, atMs, body }, secrets);
    const headers = clientId === null ? standard : { ...standard, ...signBody(body, clientId) };
    const answer = await post({ url, headers, body }, signal);
    const attempt = { at: iso(atMs), duration_ms: Math.round(performance.now() - begunAt), ...resultOf(answer) };
    // The message has been sent, so recording its result is retried while the database is unavailable and the job is
    // ours.
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
    const outcome = await database.transaction((tx) => settle(tx, { begun, attempt, answer, endedMs }));
    if (outcome === null) return;
    onTried?.(outcome);
    const { deliveryId, endpointId, tenant, messageId, attempt: number } = begun;
    const { status_code: status, error, duration_ms: ms } = attempt;
    log.info(
      { event: 'webhook-tried', delivery: deliveryId, endpoint: endpointId, tenant, message: messageId },
      `webhook attempt (${[number, outcome, status ?? error, `${Math.round(ms)} ms`].join(', ')})`,
    );
  };

  /** Writes the result of an attempt and its consequences. Returns null if the endpoint or the delivery has gone. */
  const settle = async (tx: Queryable, ended: EndedAttempt): Promise<WebhookOutcome | null> => {
    const { begun, attempt, answer, endedMs } = ended;
    const { tenant, endpointId, step, hasSessionUrl } = begun;
    const endpoint = await endpointTable.lock(tx, tenant, endpointId);
    if (endpoint === null) return null;
    const isGone = attempt.status_code === 410;
    const result = attempt.error === null ? 'delivered' : isGone && !hasSessionUrl ? 'gone' : 'failed';
    const retryAfterMs = answer.kind === 'answered' ? answer.retryAfterMs : null;
    const delayMs = result === 'failed' && !isGone ? nextDelayMs({ step, retryAfterMs }, random()) : null;
    const written = await deliveryTable.record(tx, begun, attempt, {
      status: result === 'delivered' ? 'delivered' : delayMs === null ? 'failed' : 'pending',
      nextAt: delayMs === null ? null : iso(endedMs + delayMs),
      endedAt: iso(endedMs),
    });
    if (written === null) return null;
    if (result === 'delivered') await endpointHealth.succeeded(tx, endpointId, iso(endedMs));
    if (result === 'gone' && endpoint.disabled_because === null) {
      await endpointTable.disable(tx, endpointId, 'gone', iso(endedMs));
    }
    if (result !== 'failed') return result;
    if (begun.type !== TEST_TYPE && !hasSessionUrl && (delayMs === null || endpoint.failing_since !== null)) {
      await noteFailure(tx, endpointId, endedMs);
    }
    return scheduleNext(tx, begun, written, delayMs);
  };

  const noteFailure = async (tx: Queryable, endpointId: string, nowMs: number): Promise<void> => {
    const isOver = await endpointHealth.failed(tx, endpointId, iso(nowMs), iso(nowMs - GIVE_UP_MS));
    if (isOver) await endpointTable.disable(tx, endpointId, 'failing', iso(nowMs));
  };

  /** @param delayMs time until the next attempt; null after the last */
  const scheduleNext = async (
    tx: Queryable,
    { tenant, endpointId, deliveryId }: StartedAttempt,
    written: RecordedAttempt,
    delayMs: number | null,
  ): Promise<WebhookOutcome> => {
    if (written.nextTurn === null) return written.before === 'pending' ? 'retried' : 'failed';
    if (delayMs === null) return 'failed';
    // If the endpoint has just been disabled, the delivery is canceled and the job finds nothing to do.
    await outbox.plan(tx, { tenant, deliveryId, endpointId, turn: written.nextTurn, delayMs });
    return 'retried';
  };

  return {
    lane: new Lane({ places: PLACES, isFair: true }),
    groupConcurrency: PLACES_OF_ENDPOINT,

    async run(job: string, signal: AbortSignal, { priority }: Pick<TakenJob, 'priority'> = { priority: 0 }) {
      await recordStart(database, 'webhook', priority);
      const [id, turn] = readJob(job);
      const takenMs = now();
      const begun = await deliveryTable.begin(database, id, turn, iso(takenMs));
      if (begun === null) return deliveryTable.cancel(database, id, iso(takenMs));
      if (now() - takenMs > STALE_MS) throw new Error('This process was paused for too long');
      await send(begun, signal);
    },

    /**
     * Every process that claimed the job died, or could not record the result. That counts as one attempt of the
     * schedule.
     */
    async onDead(job: string): Promise<void> {
      const [id, turn] = readJob(job);
      const begun = await deliveryTable.begin(database, id, turn, iso(now()));
      if (begun === null) return;
      const attempt = { at: iso(now()), status_code: null, error: 'interrupted', duration_ms: 0 };
      await record(begun, attempt, { kind: 'failed', error: attempt.error });
    },
  } satisfies JobHandler;
}

function resultOf(answer: WebhookAnswer): Pick<WebhookAttempt, 'status_code' | 'error'> {
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
