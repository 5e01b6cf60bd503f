import { serviceError } from '../service/service-error.ts';
import type { ExternalUpload, RenderSession } from '../wire/render-session.ts';
import type { DeliveryJob, DeliveryStore, StartedDelivery } from './delivery-runner.ts';
import type { Claimed, IdempotencyClaim, SessionStore, StoredSession, TenantId } from './ports.ts';
import { withDelivery, withoutVideo } from './session-deliveries.ts';

export interface MemoryStoreOptions {
  /** Called for each delivery that is due after `delayMs`. */
  onUpload?(job: DeliveryJob, delayMs: number): void;
  /** Called when progress or the end of a session is recorded. */
  onRecord?(session: RenderSession): void;
  /** Milliseconds since the epoch. */
  now?(): number;
}

/** Internal state of a delivery, see `StartedDelivery`. */
interface UploadWork {
  readonly round: number;
  readonly attempt: number;
  readonly tries: number;
  readonly state: StartedDelivery['state'];
}

/**
 * Keeps sessions in memory for the lifetime of the process.
 *
 * @param enqueue called for each session to render
 */
export function createMemoryStore(
  enqueue: (id: string) => void,
  { onUpload, onRecord, now = () => 0 }: MemoryStoreOptions = {},
): SessionStore & DeliveryStore {
  const kept = new Map<string, StoredSession>();
  const works = new Map<string, UploadWork>();
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

  const plan = (session: string, position: number, work: Partial<UploadWork>, delayMs: number): void => {
    const key = keyOf(session, position);
    const before = works.get(key) ?? { round: -1, attempt: 0, tries: 0, state: null };
    const planned = { ...before, ...work, round: before.round + 1 };
    works.set(key, planned);
    onUpload?.({ session, position, round: planned.round }, delayMs);
  };
  /** Stores a session and plans its new pending deliveries. */
  const keep = (stored: StoredSession, before: readonly ExternalUpload[]): void => {
    kept.set(stored.session.id, stored);
    if (stored.session.status !== 'preview_rendered') return;
    for (const [position, upload] of (stored.session.external_uploads ?? []).entries()) {
      if (upload.status === 'pending' && upload !== before[position])
        plan(stored.session.id, position, { tries: 0, state: null }, 0);
    }
  };
  /** Returns the session of a delivery if the attempt is the latest. */
  const ours = ({ stored, position, attempt }: StartedDelivery): StoredSession | null => {
    const found = kept.get(stored.session.id);
    return found !== undefined && works.get(keyOf(stored.session.id, position))?.attempt === attempt ? found : null;
  };
  const write = (stored: StoredSession, position: number, change: Partial<ExternalUpload>): StoredSession => {
    const changed = { ...stored, session: withDelivery(stored.session, position, change, now()) };
    kept.set(stored.session.id, changed);
    return changed;
  };

  return {
    async create(stored, claim) {
      return claimed(stored.tenant, claim, () => {
        keep(stored, []);
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
      if (cursor !== null && from === 0) throw serviceError('bad_request', 'The cursor is not valid');
      const page = sessions.slice(from, from + limit);
      return { sessions: page, nextCursor: from + limit < sessions.length ? page.at(-1)!.session.id : null };
    },
    async change(tenant, id, claim, change) {
      const stored = own(tenant, id);
      if (stored === null) return null;
      return claimed(tenant, claim, () => {
        const session = change(stored.session);
        keep({ ...stored, session }, stored.session.external_uploads ?? []);
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
      // Deliveries may have been added during rendering.
      const { external_uploads } = stored.session;
      const uploads = external_uploads === undefined ? {} : { external_uploads };
      const recorded = { ...session, render_progress, ...uploads };
      const hasVideo = session.status === 'preview_rendering' || session.status === 'preview_rendered';
      keep({ ...stored, session: hasVideo ? recorded : withoutVideo(recorded), scene: scene ?? stored.scene }, []);
      onRecord?.(recorded);
      return true;
    },
    async beginUpload({ session: id, position, round }) {
      const stored = kept.get(id);
      const work = works.get(keyOf(id, position));
      const upload = stored?.session.external_uploads?.[position];
      if (stored === undefined || upload === undefined || work?.round !== round || isEnded(upload)) return null;
      const begun = { ...work, attempt: work.attempt + 1 };
      works.set(keyOf(id, position), begun);
      const written = write(stored, position, { status: 'uploading' });
      return { ...begun, stored: written, position, upload };
    },
    async keepUploadState(begun, state) {
      if (ours(begun) === null) return false;
      const key = keyOf(begun.stored.session.id, begun.position);
      works.set(key, { ...works.get(key)!, state });
      return true;
    },
    async retryUpload(begun, delayMs) {
      const stored = ours(begun);
      if (stored === null) return false;
      write(stored, begun.position, { status: 'pending' });
      plan(stored.session.id, begun.position, { tries: begun.tries + 1 }, delayMs);
      return true;
    },
    async endUpload(begun, end) {
      const stored = ours(begun);
      if (stored === null) return false;
      write(stored, begun.position, end);
      return true;
    },
  };
}

function keyOf(session: string, position: number): string {
  return `${session}/${position}`;
}

function isEnded({ status }: ExternalUpload): boolean {
  return status === 'complete' || status === 'failed';
}
