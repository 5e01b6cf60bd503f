import { type Change, delivers, renders } from '../../plan/plan.ts';
import type { OpenService } from './open-service.ts';

/** Whether a change asks the service for anything: a render, a delivery, or whether what is taken over is there. */
export function asksService(change: Change): boolean {
  if (delivers(change)) return true;
  if (change.action !== 'adopt') return renders(change);
  return change.source.kind === 'history' || change.source.kind === 'journal';
}

/** A service that nothing is asked of: what changes the lockfile alone needs no token. */
export function idleService(name: string): OpenService {
  const refuse = async (): Promise<never> => {
    throw new Error('Internal error: a plan that asks for nothing asked the service');
  };
  return {
    service: {
      name,
      getStyleVersion: refuse,
      createRenderSession: refuse,
      getRenderSession: refuse,
      uploadSource: refuse,
      outlivesProcess: true,
      keyLifetimeMs: () => null,
    },
    capacity: 1,
    ensureStyleVersion: refuse,
    close: async () => undefined,
  };
}
