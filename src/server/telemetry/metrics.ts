import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { addDatabaseMetrics, type DatabaseQuestions } from './database-metrics.ts';

/** What the service counts of itself. Whoever does the work feeds it; nothing here knows how it is done. */
export interface ServiceMetrics {
  /** @param route its pattern, never a path with ids */
  requestAnswered(request: { method: string; route: string; status: number; seconds: number }): void;
  /** A session came into a status: `preview_rendering`, `preview_rendered`, … */
  sessionEntered(status: string): void;
  /** One attempt at a render ended. @param outcome `rendered`, `failed`, `canceled`, `stopped` */
  renderEnded(outcome: string, seconds: number): void;
  /** @param outcome `read`, or the code of the error */
  sourceFetched(outcome: string): void;
  /** One try at a delivery ended. @param outcome `complete`, `failed`, `retried` */
  deliveryEnded(outcome: string): void;
  /** A webhook was tried. @param outcome `delivered`, `retried`, `failed` for good, or `gone`: 410 */
  webhookTried(outcome: string): void;
  /** The same in Prometheus' text format. */
  text(): Promise<string>;
  readonly contentType: string;
}

export interface MetricsOptions extends DatabaseQuestions {
  /** Whether memory, CPU and event loop of this process are told too. */
  readonly ofProcess?: boolean;
}

export function createMetrics(options: MetricsOptions = {}): ServiceMetrics {
  const registry = new Registry();
  const registers = [registry];
  if (options.ofProcess === true) collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const sessions = new Counter({
    name: 'reelform_sessions_total',
    help: 'Render sessions by the status that they came into',
    labelNames: ['status'],
    registers,
  });
  const renders = new Histogram({
    name: 'reelform_render_duration_seconds',
    help: 'Time of one attempt to render a session',
    labelNames: ['outcome'],
    buckets: [0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 900],
    registers,
  });
  const fetches = new Counter({
    name: 'reelform_source_fetches_total',
    help: 'Sources that renders asked for, by how it went',
    labelNames: ['outcome'],
    registers,
  });
  const deliveries = new Counter({
    name: 'reelform_deliveries_total',
    help: 'Tries to deliver a finished video, by how they ended',
    labelNames: ['outcome'],
    registers,
  });
  const webhooks = new Counter({
    name: 'reelform_webhook_deliveries_total',
    help: 'Webhooks that were sent, each try, by how it went',
    labelNames: ['outcome'],
    registers,
  });
  addDatabaseMetrics(registry, options);
  return {
    requestAnswered: ({ method, route, status, seconds }) => requests.observe({ method, route, status }, seconds),
    sessionEntered: (status) => sessions.inc({ status }),
    renderEnded: (outcome, seconds) => renders.observe({ outcome }, seconds),
    sourceFetched: (outcome) => fetches.inc({ outcome }),
    deliveryEnded: (outcome) => deliveries.inc({ outcome }),
    webhookTried: (outcome) => webhooks.inc({ outcome }),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
