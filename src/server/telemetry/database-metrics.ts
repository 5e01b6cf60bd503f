import { Gauge, type Registry } from 'prom-client';
import { within } from '../with-timeout.ts';
import type { FarmFigures } from '../workers/farm-figures.ts';

/** What the metrics ask the database for, whenever they are read. */
export interface DatabaseQuestions {
  /** Workers and queues; null, or a rejection, without the database. */
  farm?(): Promise<FarmFigures | null>;
  /** Webhooks that wait to be sent, or to be sent again; rejects without the database. */
  webhooksPending?(): Promise<number>;
}

/** Prometheus itself waits for 10 s, unless told otherwise. */
const PATIENCE_MS = 2_000;

/**
 * Adds the figures that only the database knows: what autoscaling and dashboards ask of the workers and queues, the same
 * in every process. Without an answer within 2 s they are left out, and `reelform_database_up` is 0.
 */
export function addDatabaseMetrics(registry: Registry, { farm, webhooksPending }: DatabaseQuestions): void {
  const registers = [registry];
  const figures = farm === undefined ? null : bounded(farm);
  const pending = webhooksPending === undefined ? null : bounded(webhooksPending);
  const gauge = (name: string, help: string, read: () => Promise<number | null>): void => {
    new Gauge({
      ...{ name, help, registers },
      async collect() {
        const value = await read();
        // Without labels, `reset` would leave a 0.
        if (value === null) this.remove();
        else this.set(value);
      },
    });
  };
  if (figures !== null || pending !== null) {
    gauge('reelform_database_up', 'Whether the figures of the database are in this answer', async () => {
      const answers = await Promise.all([figures, pending].map((ask) => (ask === null ? true : ask())));
      return answers.includes(null) ? 0 : 1;
    });
  }
  if (pending !== null)
    gauge('reelform_webhook_pending', 'Webhooks that wait to be sent, or to be sent again', pending);
  if (figures === null) return;
  const ofFarm = (name: string, help: string, read: (found: FarmFigures) => number): void =>
    gauge(name, help, async () => {
      const found = await figures();
      return found === null ? null : read(found);
    });
  const byQueue = (name: string, help: string, read: (queue: FarmFigures['queues'][number]) => number): void => {
    new Gauge({
      ...{ name, help, labelNames: ['queue'], registers },
      async collect() {
        this.reset();
        for (const queue of (await figures())?.queues ?? []) this.set({ queue: queue.queue }, read(queue));
      },
    });
  };
  ofFarm('reelform_workers', 'Processes that render, of this database', ({ workers }) => workers);
  ofFarm('reelform_places', 'Videos that they can render at once', ({ places }) => places);
  ofFarm(
    'reelform_places_busy',
    'Videos, or parts of videos, that they render now',
    ({ queues }) => queues.find(({ queue }) => queue === 'render')?.active ?? 0,
  );
  byQueue('reelform_queue_depth', 'Jobs that wait, by queue', ({ waiting }) => waiting);
  byQueue(
    'reelform_queue_oldest_seconds',
    'Time that the oldest job has waited, by queue',
    (queue) => queue.oldestSeconds,
  );
}

/** Asks once at a time, however many wait for the answer. Null without one, or after too long. */
function bounded<T>(ask: () => Promise<T>): () => Promise<T | null> {
  let asked: Promise<T | null> | null = null;
  return () => {
    asked ??= ask()
      .catch(() => null)
      .finally(() => {
        asked = null;
      });
    return within(PATIENCE_MS, asked);
  };
}
