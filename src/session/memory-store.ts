import type { RenderSession } from '../service/wire.ts';
import type { SessionStore } from './ports.ts';

/** Sessions for as long as the process lives: what a service needs that nobody else can reach. */
export function createMemoryStore(): SessionStore {
  const sessions = new Map<string, RenderSession>();
  return {
    async put(session) {
      sessions.set(session.id, session);
    },
    async get(id) {
      return sessions.get(id) ?? null;
    },
  };
}
