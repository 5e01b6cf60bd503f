import type { Delivery } from '../lock/lock.ts';
import { captionFiles } from '../plan/caption-files.ts';
import { type DeliveryEnding, left } from './deliver-rendering.ts';
import { thrownFailures, type VideoFailure } from './events.ts';
import type { PendingChange, RunContext } from './run-context.ts';

/** Delivers the files with captions of a video, which no service has. Failures do not fail the video. */
export async function deliverCaptions(
  { desired, destinations }: Pick<PendingChange, 'desired' | 'destinations'>,
  { ports, leave }: RunContext,
): Promise<DeliveryEnding> {
  const wanted = destinations.filter(({ kind, captions }) => kind === 'deliver' && captions !== undefined);
  if (wanted.length === 0) return { arrived: [], failures: [] };
  const files = captionFiles(desired) ?? [];
  const arrived: Delivery[] = [];
  const failures: VideoFailure[] = [];
  for (const destination of wanted) {
    const file = files.find(({ format }) => format === destination.captions);
    if (file === undefined) throw new Error(`Internal error: ${destination.to} has no captions`);
    try {
      const ending = await ports.deliverCaptions(file, destination, leave);
      if ('to' in ending) arrived.push(ending);
      else failures.push(ending);
    } catch (error) {
      failures.push(...(leave.aborted ? [left(destination.to)] : thrownFailures(error)));
    }
  }
  return { arrived, failures };
}
