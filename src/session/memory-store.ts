import { serviceError } from '../service/service-error.ts';
import type { RenderSession } from '../wire/render-session.ts';
import type { Claimed, IdempotencyClaim, SessionStore, StoredSession, TenantId } from './ports.ts';

/**
 * Sessions for as long as the process lives: what a service needs that nobody else can reach.
 *
 * @param enqueue is told of each session that is to be rendered
 */
export function createMemoryStore(enqueue: (id: string) => void): SessionStore {
  const kept = new Map<string, StoredSession>();
  const answers = new Map<string, { readonly request: string; readonly session: RenderSession }>();

  const own = (tenant: TenantId, id: string): StoredSession | null => {
    const stored = kept.get(id);
    return stored?.tenant === tenant ? stored : null;
  };
  const claimed = (
    tenant: TenantId,
    claim: IdempotencyClaim | null,
    work: () => RenderSession,
  ): Claimed<RenderSession> => {
    const key = claim === null ? null : JSON.stringify([tenant, claim.key]);
    const before = key === null ? undefined : answers.get(key);
    if (before !== undefined) {
      return before.request === claim?.request ? { kind: 'replayed', value: before.session } : { kind: 'reused' };
    }
    const value = work();
    if (key !== null && claim !== null) answers.set(key, { request: claim.request, session: value });
    return { kind: 'done', value };
  };

  return {
    async create(stored, claim) {
      return claimed(stored.tenant, claim, () => {
        kept.set(stored.session.id, stored);
        if (stored.session.status === 'preview_rendering') enqueue(stored.session.id);
        return stored.session;
      });
    },
    async get(tenant, id) {
      return own(tenant, id);
    },
    async list(tenant, { limit, cursor, status, styleVersionId }) {
      const sessions = [...kept.values()].reverse().filter(({ tenant: owner, session }) => {
        if (owner !== tenant || (status !== null && session.status !== status)) return false;
        return styleVersionId === null || session.mapping.template_style_version_id === styleVersionId;
      });
      const from = cursor === null ? 0 : sessions.findIndex(({ session }) => session.id === cursor) + 1;
      if (cursor !== null && from === 0) throw serviceError('bad_request', 'The cursor is none of this service');
      const page = sessions.slice(from, from + limit);
      return { sessions: page, nextCursor: from + limit < sessions.length ? page.at(-1)!.session.id : null };
    },
    async change(tenant, id, claim, change) {
      const stored = own(tenant, id);
      if (stored === null) return null;
      return claimed(tenant, claim, () => {
        const session = change(stored.session);
        kept.set(id, { ...stored, session });
        if (stored.session.status === 'draft' && session.status === 'preview_rendering') enqueue(id);
        return session;
      });
    },
    async remove(tenant, id) {
      return own(tenant, id) !== null && kept.delete(id);
    },
    async begin(id) {
      const stored = kept.get(id);
      if (stored === undefined || stored.session.status !== 'preview_rendering') return null;
      const begun = { ...stored, attempt: stored.attempt + 1 };
      kept.set(id, begun);
      return begun;
    },
    async record(id, attempt, session, scene) {
      const stored = kept.get(id);
      if (stored?.attempt !== attempt || stored.session.status !== 'preview_rendering') return false;
      const render_progress = Math.max(stored.session.render_progress, session.render_progress);
      kept.set(id, { ...stored, session: { ...session, render_progress }, scene: scene ?? stored.scene });
      return true;
    },
  };
}
