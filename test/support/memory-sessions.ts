import { serviceError } from '../../src/contract/service-error.ts';
import type { SessionStore, StoredSession, TenantId } from '../../src/service/sessions/ports.ts';
import { withoutVideo } from '../../src/service/sessions/session-deliveries.ts';

/**
 * Stores sessions in memory, without Idempotency-Keys and deliveries.
 *
 * @param enqueue called for each session to render
 */
export function createMemoryStore(enqueue: (id: string) => void): SessionStore {
  const kept = new Map<string, StoredSession>();
  const find = (tenant: TenantId, id: string): StoredSession | null => {
    const stored = kept.get(id);
    return stored?.tenant === tenant ? stored : null;
  };
  const keep = (stored: StoredSession): void => void kept.set(stored.session.id, stored);

  return {
    async create(stored) {
      keep(stored);
      if (stored.session.status === 'preview_rendering') enqueue(stored.session.id);
      return { value: stored.session, isReplay: false };
    },
    async get(tenant, id) {
      return find(tenant, id);
    },
    async list(tenant, { limit, cursor, status, styleVersionId, createdSince, createdBefore, metadata }) {
      const sessions = [...kept.values()].reverse().filter(({ tenant: owner, session }) => {
        if (owner !== tenant || (status !== null && session.status !== status)) return false;
        if (createdSince !== null && session.created_at < createdSince) return false;
        if (createdBefore !== null && session.created_at >= createdBefore) return false;
        if (Object.entries(metadata).some(([key, value]) => session.metadata?.[key] !== value)) return false;
        return styleVersionId === null || session.mapping.template_style_version_id === styleVersionId;
      });
      const from = cursor === null ? 0 : sessions.findIndex(({ session }) => session.id === cursor) + 1;
      if (cursor !== null && from === 0) throw serviceError('bad_request', 'The cursor is not valid');
      const page = sessions.slice(from, from + limit);
      return { sessions: page, nextCursor: from + limit < sessions.length ? page.at(-1)!.session.id : null };
    },
    async change(tenant, id, _claim, change) {
      const stored = find(tenant, id);
      if (stored === null) return null;
      const session = change(stored.session);
      keep({ ...stored, session });
      if (stored.session.status === 'draft' && session.status === 'preview_rendering') enqueue(id);
      return { value: session, isReplay: false };
    },
    async remove(tenant, id) {
      return find(tenant, id) !== null && kept.delete(id);
    },
    async begin(id) {
      const stored = kept.get(id);
      if (stored === undefined || stored.session.status !== 'preview_rendering') return null;
      const begun = { ...stored, attempt: stored.attempt + 1 };
      kept.set(id, begun);
      return begun;
    },
    async record(id, attempt, session, inputDigest) {
      const stored = kept.get(id);
      if (stored?.attempt !== attempt || stored.session.status !== 'preview_rendering') return false;
      const render_progress = Math.max(stored.session.render_progress, session.render_progress);
      // Deliveries may have been added during rendering.
      const { external_uploads } = stored.session;
      const uploads = external_uploads === undefined ? {} : { external_uploads };
      const recorded = { ...session, render_progress, ...uploads };
      const hasVideo = session.status === 'preview_rendering' || session.status === 'preview_rendered';
      keep({
        ...stored,
        session: hasVideo ? recorded : withoutVideo(recorded),
        inputDigest: inputDigest ?? stored.inputDigest,
      });
      return true;
    },
  };
}
