import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sessionEnd } from '../../src/contract/render-service.ts';
import { serviceError } from '../../src/contract/service-error.ts';
import type { Resource } from '../../src/contract/wire/mapping.ts';
import type { CreateRenderSession, RenderSession } from '../../src/contract/wire/render-session.ts';
import { sha256 } from '../../src/kernel/digest.ts';
import { writeFileAtomic } from '../../src/reconciler/project/write-file.ts';
import { type BindTemplate, bindHere } from '../../src/service/sessions/bind-template.ts';
import { createDirectoryOutputs } from '../../src/service/sessions/directory-outputs.ts';
import {
  type Claimed,
  type IdempotencyClaim,
  type OutputStore,
  type Renderer,
  type SessionEnvironment,
  SessionFailure,
  type SessionStore,
  type SourceReader,
  type TemplateRegistry,
  type TenantId,
} from '../../src/service/sessions/ports.ts';
import { RenderTimeEstimate } from '../../src/service/sessions/render-time.ts';
import type { Destinations } from '../../src/service/sessions/session-deliveries.ts';
import { SessionRunner } from '../../src/service/sessions/session-runner.ts';
import { Sessions } from '../../src/service/sessions/sessions.ts';
import { testDestinations } from './destinations.ts';
import { renderedFile } from './in-memory.ts';
import { createMemoryStore } from './memory-sessions.ts';
import { smallPackage } from './small-package.ts';

export const ACME = 'acme' as TenantId;
export const SMALL = smallPackage();

/** Serves a source for every URL of example.com except those that contain `gone`. */
export const exampleSources: SourceReader = {
  async read(_tenant, { remoteUrl }) {
    if (remoteUrl.includes('gone')) {
      const title = 'The asset could not be fetched';
      throw new SessionFailure({ code: 'asset_unreachable', title, detail: remoteUrl });
    }
    const bytes = Buffer.from(remoteUrl);
    return { bytes, sha256: sha256(bytes), contentType: 'image/png', width: 16, height: 16 };
  },
};

/** Gives both tenants of a test the small package and nothing else. */
export const smallTemplates: TemplateRegistry = {
  async find(_tenant, id) {
    return id === SMALL.spec.id ? SMALL : null;
  },
};

export const boundHere: BindTemplate = async (input) => bindHere(input);

export function instantRenderer(): Renderer & { renders: number } {
  const renderer = {
    renders: 0,
    async render(_renderInput: unknown, options: Parameters<Renderer['render']>[1] = {}) {
      renderer.renders += 1;
      options.onProgress?.(5, 10);
      return [
        await renderedFile({ stills: [{ name: 'stillcut_01', bytes: Buffer.from('still'), width: 64, height: 36 }] }),
      ];
    },
  };
  return renderer;
}

/** A renderer whose renders end when the test finishes or aborts them. */
export function heldRenderer(): Renderer & { readonly held: { finish(): void; readonly signal: AbortSignal }[] } {
  const held: { finish(): void; readonly signal: AbortSignal }[] = [];
  return {
    held,
    render: (_renderInput, { signal, onProgress } = {}) =>
      new Promise((resolve, reject) => {
        onProgress?.(5, 10);
        signal?.addEventListener('abort', () => reject(signal.reason as Error));
        const finish = async (): Promise<void> => resolve([await renderedFile()]);
        held.push({ finish, signal: signal! });
      }),
  };
}

export interface SmallSessions {
  readonly sessions: Sessions;
  readonly runner: SessionRunner;
  readonly store: SessionStore;
  readonly directory: string;
  /** Ends the worker as a process does that is asked to stop. */
  stopWorker(): void;
  ended(id: string, tenant?: TenantId): Promise<RenderSession>;
}

/** Opens sessions over the small package, in memory and a temporary folder. */
export function openSmallSessions(
  renderer: Renderer = instantRenderer(),
  options: {
    readonly outputs?: Pick<OutputStore, 'find' | 'save'>;
    readonly retentionMs?: number;
    readonly sources?: SourceReader;
    readonly templates?: TemplateRegistry;
    readonly destinations?: Destinations;
    readonly clocks?: Pick<SessionEnvironment, 'now' | 'monotonicNow'>;
  } = {},
): SmallSessions {
  const directory = mkdtempSync(join(tmpdir(), 'reelform-sessions-'));
  const outputs = options.outputs ?? createDirectoryOutputs(join(directory, 'renders'), 'renders', writeFileAtomic);
  let ids = 0;
  let now = 1000;
  const environment = { now: () => now++, monotonicNow: () => now++, randomId: () => String(++ids), ...options.clocks };
  const stopped = new AbortController();
  const store = createClaimingStore((id) => void runner.run(id, stopped.signal).catch(() => undefined));
  const shared = {
    templates: options.templates ?? smallTemplates,
    sources: options.sources ?? exampleSources,
    bindTemplate: boundHere,
    renderer,
    outputs,
    store,
    environment,
    pace: new RenderTimeEstimate(),
    retentionMs: options.retentionMs ?? null,
    destinations: options.destinations ?? testDestinations(),
  };
  const runner = new SessionRunner({ ...shared, progressIntervalMs: 0 });
  const sessions = new Sessions({ ...shared, stop: (id) => runner.stop(id) });
  return {
    sessions,
    runner,
    store,
    directory,
    stopWorker: () => stopped.abort(new Error('stopped')),
    async ended(id, tenant = ACME) {
      for (;;) {
        const session = await sessions.get(tenant, id);
        if (sessionEnd(session.status) !== null) return session;
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}

/** A store in memory that keeps Idempotency-Keys, as the database does. */
export function createClaimingStore(enqueue: (id: string) => void): SessionStore {
  const store = createMemoryStore(enqueue);
  const answers = new Map<string, { readonly request: string; readonly value: RenderSession }>();
  const claimed = async <T extends Claimed<RenderSession> | null>(
    tenant: TenantId,
    claim: IdempotencyClaim | null,
    work: () => Promise<T>,
  ): Promise<T | Claimed<RenderSession>> => {
    if (claim === null) return work();
    const key = JSON.stringify([tenant, claim.key]);
    const before = answers.get(key);
    if (before !== undefined && before.request !== claim.request) throw serviceError('idempotency_key_reused');
    if (before !== undefined) return { value: before.value, isReplay: true };
    const done = await work();
    if (done !== null) answers.set(key, { request: claim.request, value: done.value });
    return done;
  };
  return {
    ...store,
    create: (stored, claim) => claimed(stored.tenant, claim, () => store.create(stored, claim)),
    change: (tenant, id, claim, change) => claimed(tenant, claim, () => store.change(tenant, id, claim, change)),
  };
}

export function smallRequest(resources: Record<string, Resource> = {}, title = 'Berlin'): CreateRenderSession {
  return {
    title,
    render: 'preview',
    mapping: {
      template_style_version_id: SMALL.spec.id,
      resources: { t_01: { source: { text: 'Hi' } }, c_01: { source: { text: '#FF0000' } }, ...resources },
    },
  };
}
