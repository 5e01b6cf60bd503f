import { runBenchWorker, WORKER } from './scaling/bench-worker.ts';
import { measureDeliveries } from './scaling/deliveries.ts';
import { measureParts, measureSlots } from './scaling/parts.ts';
import { measureRenders } from './scaling/renders.ts';
import { measureStills } from './scaling/stills.ts';

/**
 * Measures the farm against ideal values or a peer, in one run: a minute with more workers, a long video in segments,
 * segments through queue and storage, deliveries, and pictures behind a long queue. Uses real PostgreSQL, a real
 * S3-compatible server, and separate processes.
 * `npm run bench:farm [renders|slots|parts|deliveries|stills …]`
 */
const SECTIONS: Readonly<Record<string, () => Promise<void>>> = {
  renders: () => measureRenders(24),
  slots: () => measureSlots(5),
  parts: measureParts,
  deliveries: measureDeliveries,
  stills: () => measureStills(10_000, 50),
};

const [first, ...others] = process.argv.slice(2);
if (first === WORKER) {
  await runBenchWorker(JSON.parse(others[0]!));
} else {
  const wanted = first === undefined ? Object.keys(SECTIONS) : [first, ...others];
  for (const [name, measure] of Object.entries(SECTIONS)) if (wanted.includes(name)) await measure();
}
