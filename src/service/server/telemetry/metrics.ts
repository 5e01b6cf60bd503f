import { setTimeout as sleep } from 'node:timers/promises';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { QueueName } from '../queue/queues.ts';

/** Result of an attempt. `retried`: another attempt is scheduled. */
export type WebhookOutcome = 'delivered' | 'retried' | 'failed' | 'gone';

export interface QueueFigures {
  readonly queue: QueueName;
  /** Number of due jobs. */
  readonly waiting: number;
  /** Number of running jobs. */
  readonly active: number;
  /** Waiting time of the oldest due job. */
  readonly oldestSeconds: number;
}

/** Figures of all workers and queues of a database. */
export interface FarmFigures {
  readonly workers: number;
  /** Total concurrent renders of live workers. */
  readonly places: number;
  /** All queues in their fixed order. */
  readonly queues: readonly QueueFigures[];
}

/** Metrics of the service. */
export type ServiceMetrics = ReturnType<typeof createMetrics>;

interface MetricsOptions {
  /** Whether to include memory, CPU and event loop of this process. */
  readonly ofProcess?: boolean;
  /** Workers and queues; null or a rejection when the database is unavailable. */
  farm?(): Promise<FarmFigures | null>;
  /** Number of webhooks that wait for an attempt; rejects when the database is unavailable. */
  webhooksPending?(): Promise<number>;
}

/** Creates metrics that the components record as they do the work. */
export function createMetrics(options: MetricsOptions = {}) {
  const registry = new Registry();
  const registers = [registry];
  if (options.ofProcess === true) collectDefaultMetrics({ register: registry });
  const counter = <Label extends string>(name: string, help: string, label: Label): Counter<Label> =>
    new Counter({ name, help, labelNames: [label], registers });
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last byte of its response',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const sessions = counter(
    'reelform_sessions_total',
    'Render sessions that were rendered or failed, by status',
    'status',
  );
  const renders = new Histogram({
    name: 'reelform_render_duration_seconds',
    help: 'Duration of one attempt to render a session',
    labelNames: ['outcome'],
    buckets: [0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 900],
    registers,
  });
  const segments = counter('reelform_segments_total', 'Segments of finished videos, reused or rendered', 'outcome');
  const fetches = counter('reelform_source_fetches_total', 'Sources requested by renders, by result', 'outcome');
  const deliveries = counter('reelform_deliveries_total', 'Delivery attempts, by result', 'outcome');
  const webhooks = counter('reelform_webhook_deliveries_total', 'Webhook attempts, by result', 'outcome');
  addDatabaseMetrics(registry, options);
  return {
    /** @param request.route pattern of the route, never a path with ids */
    requestAnswered(request: { method: string; route: string; status: number; seconds: number }): void {
      const { seconds, ...labels } = request;
      requests.observe(labels, seconds);
    },
    sessionEntered: (status: string): void => sessions.inc({ status }),
    /** @param outcome `rendered`, `failed`, `canceled` or `stopped` */
    renderEnded: (outcome: string, seconds: number): void => renders.observe({ outcome }, seconds),
    segmentFinished: (outcome: 'reused' | 'rendered'): void => segments.inc({ outcome }),
    /** @param outcome `read`, or the code of the error */
    sourceFetched: (outcome: string): void => fetches.inc({ outcome }),
    deliveryEnded: (outcome: 'complete' | 'failed' | 'retried'): void => deliveries.inc({ outcome }),
    webhookTried: (outcome: WebhookOutcome): void => webhooks.inc({ outcome }),
    /** Returns all metrics in Prometheus' text format. */
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

/** Shorter than the default scrape timeout of Prometheus, 10 s. */
const PATIENCE_MS = 2_000;

/**
 * Adds the metrics from the database, which are the same in every process: workers and queues, for autoscaling and
 * dashboards. They are omitted when the database does not respond within 2 s, and `reelform_database_up` is 0.
 */
function addDatabaseMetrics(registry: Registry, { farm, webhooksPending }: MetricsOptions): void {
  const registers = [registry];
  const figures = farm === undefined ? null : bounded(farm);
  const pending = webhooksPending === undefined ? null : bounded(webhooksPending);
  const gauge = (name: string, help: string, read: () => Promise<number | null>): void => {
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        const value = await read();
        // Without labels, `reset` would report 0.
        if (value === null) this.remove();
        else this.set(value);
      },
    });
  };
  if (figures !== null || pending !== null) {
    gauge('reelform_database_up', 'Whether this response contains the metrics from the database', async () => {
      const answers = await Promise.all([figures, pending].map((ask) => (ask === null ? true : ask())));
      return answers.includes(null) ? 0 : 1;
    });
  }
  if (pending !== null)
    gauge('reelform_webhook_pending', 'Webhook events that wait for their first or next attempt', pending);
  if (figures === null) return;
  const ofFarm = (name: string, help: string, read: (found: FarmFigures) => number): void =>
    gauge(name, help, async () => {
      const found = await figures();
      return found === null ? null : read(found);
    });
  const byQueue = (name: string, help: string, read: (queue: FarmFigures['queues'][number]) => number): void => {
    new Gauge({
      name,
      help,
      labelNames: ['queue'],
      registers,
      async collect() {
        this.reset();
        for (const queue of (await figures())?.queues ?? []) this.set({ queue: queue.queue }, read(queue));
      },
    });
  };
  ofFarm('reelform_workers', 'Rendering processes connected to this database', ({ workers }) => workers);
  ofFarm('reelform_places', 'Videos that these processes can render concurrently', ({ places }) => places);
  ofFarm(
    'reelform_places_busy',
    'Videos and segments that are being rendered',
    ({ queues }) => queues.find(({ queue }) => queue === 'render')?.active ?? 0,
  );
  byQueue('reelform_queue_depth', 'Waiting jobs, by queue', ({ waiting }) => waiting);
  byQueue('reelform_queue_oldest_seconds', 'Age of the oldest waiting job, by queue', (queue) => queue.oldestSeconds);
}

/** Shares one query among concurrent callers. Returns null on failure or after a timeout. */
function bounded<T>(ask: () => Promise<T>): () => Promise<T | null> {
  let asked: Promise<T | null> | null = null;
  return () => {
    asked ??= ask()
      .catch(() => null)
      .finally(() => {
        asked = null;
      });
    return Promise.race([asked, sleep(PATIENCE_MS, null, { ref: false })]);
  };
}
