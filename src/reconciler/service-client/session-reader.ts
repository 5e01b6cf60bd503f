import { type SessionSnapshot, sessionDiffers } from '../../contract/render-service.ts';
import type { RenderSession } from '../../contract/wire/render-session.ts';
import { retryAfterMs } from '../../kernel/http/send-request.ts';
import { isMissing, type ServiceConnection } from './connection.ts';
import type { ServiceAnswer } from './exchange.ts';
import { readSessionAnswer, readSessions } from './read-answer.ts';
import { MAX_RETRY_AFTER_MS } from './retry.ts';

export const SESSIONS_PATH = '/v2/render_sessions';
/** Page size of session lists. */
const PAGE = 100;

/** Returns the path of a session. */
export function sessionPath(id: string): string {
  return `${SESSIONS_PATH}/${encodeURIComponent(id)}`;
}

/** Reads a session and the poll delay that the service requests. */
export async function readSession(connection: ServiceConnection, id: string): Promise<SessionSnapshot> {
  const { name, answer } = await connection.read(sessionPath(id));
  const nowMs = connection.options.now();
  return { session: parseSession(name, answer, { id, nowMs }), retryAfterMs: requestedDelayMs(answer, nowMs) };
}

/** Returns at least the `count` newest sessions, by pages; null if the service has no list. */
export async function listSessions(
  connection: ServiceConnection,
  count: number,
): Promise<readonly RenderSession[] | null> {
  const sessions: RenderSession[] = [];
  let cursor: string | null = null;
  try {
    do {
      const query = new URLSearchParams({ limit: String(PAGE), ...(cursor === null ? {} : { cursor }) });
      const { name, answer } = await connection.read(`${SESSIONS_PATH}?${query}`);
      const page = readSessions(name, answer.text, connection.options.now());
      sessions.push(...page.sessions);
      cursor = page.nextCursor;
    } while (cursor !== null && sessions.length < count);
    return sessions;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/**
 * Parses the answer of a request about a session.
 *
 * @throws ReelformError `session_differs` for the answer of a request about another session
 */
export function parseSession(
  name: string,
  answer: ServiceAnswer,
  { id, nowMs }: { readonly id: string; readonly nowMs: number },
): RenderSession {
  const session = readSessionAnswer(name, answer.text, nowMs);
  if (session.id.toLowerCase() === id.toLowerCase()) return session;
  throw sessionDiffers(`${name} returned the session ${session.id}`);
}

/** Returns the requested wait, limited to `MAX_RETRY_AFTER_MS`. */
function requestedDelayMs(answer: ServiceAnswer, nowMs: number): number | null {
  const delayMs = retryAfterMs(answer.header('retry-after'), nowMs);
  return delayMs === null ? null : Math.min(MAX_RETRY_AFTER_MS, delayMs);
}
