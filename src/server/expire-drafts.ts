import type { SessionStore, TenantId } from '../session/ports.ts';
import { expiredDraft } from '../session/render-session.ts';
import type { Database } from './store/database.ts';

/** Drafts in one sweep; the next one goes on. */
const BATCH = 500;

export interface DraftExpiry {
  readonly store: Pick<SessionStore, 'change'>;
  /** How long a draft may stay unchanged. */
  readonly afterMs: number;
  /** How long an ended session is kept; null for good. */
  readonly retentionMs: number | null;
}

/** Ends drafts that nobody has changed for too long. @returns how many */
export async function expireDrafts(
  database: Database,
  { store, afterMs, retentionMs }: DraftExpiry,
  nowMs: number,
): Promise<number> {
  const before = new Date(nowMs - afterMs).toISOString();
  const drafts = await database.query<{ tenant: TenantId; id: string }>(
    `select tenant, id from reelform.sessions
      where status = 'draft' and created_at <= $1::timestamptz and session ->> 'updated_at' <= $2
      order by created_at limit ${BATCH}`,
    [before, before],
  );
  for (const { tenant, id } of drafts) {
    await store.change(tenant, id, null, (session) => {
      // It may have been changed or rendered in between.
      const isAbandoned = session.status === 'draft' && session.updated_at <= before;
      return isAbandoned ? expiredDraft(session, { nowMs, retentionMs }) : session;
    });
  }
  return drafts.length;
}
