import { lacksDeliveries, type SessionSnapshot, uploadsEnded } from '../../contract/render-service.ts';
import type { ExternalUpload, ExternalUploadRequest, RenderSession } from '../../contract/wire/render-session.ts';
import { type Backoff, backoffMs } from '../../kernel/backoff.ts';
import { sha256 } from '../../kernel/digest.ts';
import { isMissing, type ServiceConnection } from './connection.ts';
import { parseSession, readSession, sessionPath } from './session-reader.ts';

/** Wait between polls of deliveries, unless the service sends Retry-After. */
const DELIVERY_BACKOFF: Backoff = { firstMs: 250, maxMs: 5_000, factor: 1.5 };

/**
 * Requests deliveries of a rendered session and polls until all have ended.
 *
 * @returns the deliveries, in the order of the request
 * @throws ReelformError `service_lacks_deliveries`
 */
export async function deliverSession(
  connection: ServiceConnection,
  id: string,
  requests: readonly ExternalUploadRequest[],
): Promise<readonly ExternalUpload[]> {
  const { url, wait } = connection.options;
  const first = await requestDeliveries(connection, id, requests);
  if (first.external_uploads === undefined) throw lacksDeliveries(url);
  let snapshot: SessionSnapshot = { session: first, retryAfterMs: null };
  for (let polls = 0; ; polls += 1) {
    const uploads = requestedUploads(snapshot.session, requests);
    if (uploadsEnded({ external_uploads: uploads })) return uploads;
    // The first poll follows at once, because small files are delivered quickly.
    if (polls > 0) await wait(snapshot.retryAfterMs ?? backoffMs(polls - 1, DELIVERY_BACKOFF));
    snapshot = await readSession(connection, id);
  }
}

async function requestDeliveries(
  connection: ServiceConnection,
  id: string,
  requests: readonly ExternalUploadRequest[],
): Promise<RenderSession> {
  const { url, now, random } = connection.options;
  const body = JSON.stringify({ external_uploads: requests });
  const key = sha256(`${id} ${body} ${now()} ${random()}`).slice(0, 32);
  const headers = { 'content-type': 'application/json', 'idempotency-key': key };
  const path = `${sessionPath(id)}/external_uploads`;
  try {
    // A repetition at worst delivers the same file twice.
    const { name, answer } = await connection.request({ method: 'POST', path, headers, body });
    return parseSession(name, answer, { id, nowMs: now() });
  } catch (error) {
    if (!isMissing(error)) throw error;
    // Throws 404 if the session itself is missing.
    await readSession(connection, id);
    throw lacksDeliveries(url);
  }
}

function requestedUploads(
  { external_uploads: uploads = [] }: RenderSession,
  requests: readonly ExternalUploadRequest[],
): ExternalUpload[] {
  return requests.flatMap(({ to }) => uploads.findLast((upload) => upload.to === to) ?? []);
}
