import pLimit from 'p-limit';
import { uploadEnded } from '../../contract/render-service.ts';
import type { ExternalUpload, RenderSession } from '../../contract/wire/render-session.ts';
import type { Json } from '../../kernel/digest.ts';
import { attemptDelivery, type DeliveryEnd, type DeliveryPorts, failedDelivery } from './attempt-delivery.ts';
import type { TenantId } from './ports.ts';
import type { Destinations } from './session-deliveries.ts';

/** Milliseconds between attempts of a delivery: short, because a user waits and the next apply tries again. */
const RETRY_DELAYS_MS = [2_000, 10_000, 30_000];
/** Concurrent attempts. */
const MAX_ATTEMPTS = 4;

interface EmbeddedDeliveriesOptions {
  readonly outputs: DeliveryPorts['outputs'];
  readonly destinations: Destinations;
  readonly environment: {
    /** Rejects when the signal is aborted. */
    wait(milliseconds: number, signal: AbortSignal): Promise<void>;
    /** 0..1 */
    random(): number;
  };
  readonly tenant: TenantId;
}

/** Delivers videos in this process, without the queue of `reelform serve`. */
export function createEmbeddedDeliveries({ outputs, destinations, environment, tenant }: EmbeddedDeliveriesOptions) {
  const closing = new AbortController();
  /** A running attempt is never stopped, because it may be about to complete. */
  const { signal } = new AbortController();
  const running = new Set<Promise<RenderSession>>();
  const limit = pLimit(MAX_ATTEMPTS);
  const ports = { outputs, destinations, random: () => environment.random(), retryDelaysMs: RETRY_DELAYS_MS };

  /** Attempts a delivery until it ends. */
  const deliverFile = async (session: RenderSession, upload: ExternalUpload): Promise<DeliveryEnd> => {
    const stored = { tenant, session, inputDigest: null };
    let state: Json | null = null;
    const onState = async (changed: Json): Promise<void> => {
      state = changed;
    };
    try {
      for (let tries = 0; ; tries += 1) {
        const outcome = await limit(async () => {
          closing.signal.throwIfAborted();
          return attemptDelivery({ stored, upload, tries, state }, ports, { signal, onState });
        });
        if (outcome.kind === 'ended') return outcome.end;
        await environment.wait(outcome.delayMs, closing.signal);
      }
    } catch (error) {
      if (closing.signal.aborted) return failedDelivery('The service was closed before the delivery');
      return failedDelivery(`Internal error: ${error instanceof Error ? error.name : 'unknown'}`);
    }
  };

  const deliverAll = async (session: RenderSession): Promise<RenderSession> => {
    const uploads = (session.external_uploads ?? []).map(async (upload) =>
      uploadEnded(upload) ? upload : { ...upload, ...(await deliverFile(session, upload)) },
    );
    return { ...session, external_uploads: await Promise.all(uploads) };
  };

  return {
    /** Returns the session of a rendered video when all of its deliveries have ended, complete or failed. */
    deliver(session: RenderSession): Promise<RenderSession> {
      const delivering = deliverAll(session).finally(() => running.delete(delivering));
      running.add(delivering);
      return delivering;
    },
    /** Waits for running attempts and fails deliveries that wait for theirs. */
    async close(): Promise<void> {
      closing.abort();
      await Promise.all(running);
    },
  };
}
