import { type Backoff, backoffMs } from '../backoff.ts';
import { ReelformError } from '../diagnostic.ts';
import type { ExternalUpload, ExternalUploadRequest, RenderSession } from '../wire/render-session.ts';
import { type FinishedVideo, type SessionSnapshot, uploadsEnded } from './render-service.ts';
import { ServiceError } from './service-error.ts';

/** The calls of the service client that a delivery needs. */
export interface DeliveryCalls {
  /** `POST …/external_uploads` with exactly this body and a key of its own. */
  post(session: string, body: string): Promise<RenderSession>;
  get(session: string): Promise<SessionSnapshot>;
  wait(milliseconds: number): Promise<void>;
}

/** Wait between polls, unless the service sends Retry-After. */
const BACKOFF: Backoff = { firstMs: 250, maxMs: 5_000, factor: 1.5 };

/**
 * Requests deliveries of a finished video and waits until they end.
 *
 * @param url of the service, for messages
 * @throws as `RenderService.deliverVideo`
 */
export async function deliverByHttp(
  { session: id }: FinishedVideo,
  asked: readonly ExternalUploadRequest[],
  url: string,
  { post, get, wait }: DeliveryCalls,
): Promise<readonly ExternalUpload[]> {
  let session: RenderSession;
  try {
    session = await post(id, JSON.stringify({ external_uploads: asked }));
  } catch (error) {
    if (!(error instanceof ServiceError) || (error.status !== 404 && error.status !== 405)) throw error;
    // Throws 404 if the session itself is missing.
    await get(id);
    throw lacksDeliveries(url);
  }
  if (session.external_uploads === undefined) throw lacksDeliveries(url);
  const ofAsked = ({ external_uploads = [] }: RenderSession): ExternalUpload[] =>
    asked.flatMap(({ to }) => external_uploads.findLast((one) => one.to === to) ?? []);
  for (let looks = 0; !uploadsEnded({ external_uploads: ofAsked(session) }); looks += 1) {
    const look = await get(id);
    session = look.session;
    if (uploadsEnded({ external_uploads: ofAsked(session) })) break;
    await wait(look.retryAfterMs ?? backoffMs(looks, BACKOFF));
  }
  return ofAsked(session);
}

/** The error for a service without `external_uploads`, thrown before rendering if known by then. */
export function lacksDeliveries(service: string): ReelformError {
  return new ReelformError('service_lacks_deliveries', `The service ${service} delivers no finished videos`, {
    hint: 'Take "deliver" out of reelform.yaml and the definitions, or name a service that has external_uploads',
  });
}
