import { Gauge, type Registry } from 'prom-client';
import type { FarmFigures } from '../workers/farm-figures.ts';

/**
 * What autoscaling and dashboards ask of the farm. Every process tells the same, of all of them: the highest is to be
 * taken, never the sum.
 *
 * @param farm null while the database is away; asked once for each gauge
 */
export function addFarmMetrics(registry: Registry, farm: () => Promise<FarmFigures | null>): void {
  const gauge = (name: string, help: string, read: (figures: FarmFigures) => number): void => {
    new Gauge({
      ...{ name, help, registers: [registry] },
      async collect() {
        const figures = await farm();
        if (figures === null) this.reset();
        else this.set(read(figures));
      },
    });
  };
  const byQueue = (name: string, help: string, read: (queue: FarmFigures['queues'][number]) => number): void => {
    new Gauge({
      ...{ name, help, labelNames: ['queue'], registers: [registry] },
      async collect() {
        this.reset();
        for (const queue of (await farm())?.queues ?? []) this.set({ queue: queue.queue }, read(queue));
      },
    });
  };
  gauge('reelform_workers', 'Processes that render, of this database', ({ workers }) => workers);
  gauge('reelform_places', 'Videos that they can render at once', ({ places }) => places);
  gauge(
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
