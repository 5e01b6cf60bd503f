import type { UploadEvent } from '../../session/upload-runner.ts';
import type { Log } from './log.ts';
import type { ServiceMetrics } from './metrics.ts';

/** Tells the log and the metrics what happens to deliveries at work: never where to, which may hold a title. */
export function reportDeliveries(
  log: Log,
  metrics: Pick<ServiceMetrics, 'deliveryEnded'>,
): (event: UploadEvent) => void {
  return (event) => {
    const { kind, session, position, tenant, scheme, attempt } = event;
    const fields = { event: kind, session, upload: position, tenant, to: scheme, attempt };
    switch (event.kind) {
      case 'upload-begun':
        log.info(fields, 'a delivery is taken up');
        break;
      case 'upload-retried':
        metrics.deliveryEnded('retried');
        log.warn({ ...fields, reason: event.reason, ms: event.delayMs }, 'a delivery failed, and will be tried again');
        break;
      case 'upload-ended': {
        const { status, reason, bytes, elapsedMs } = event;
        metrics.deliveryEnded(status);
        const ended = { ...fields, bytes, ms: elapsedMs };
        if (status === 'failed') log.warn({ ...ended, reason }, 'a delivery failed');
        else log.info(ended, 'a video is delivered');
      }
    }
  };
}
