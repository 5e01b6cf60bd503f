import type { Scheduler } from 'fast-check';
import { type RenderService, SessionUnknown } from '../../src/contract/render-service.ts';
import { ServiceError } from '../../src/contract/service-error.ts';
import type { CreateRenderSession, RenderSession } from '../../src/contract/wire/render-session.ts';
import { sha256 } from '../../src/kernel/digest.ts';
import { applyPlan } from '../../src/reconciler/apply/apply-plan.ts';
import type { ApplyOutcome } from '../../src/reconciler/apply/events.ts';
import type { RunClock } from '../../src/reconciler/apply/session-watcher.ts';
import { foldJournal } from '../../src/reconciler/lock/fold-journal.ts';
import { parseJournal } from '../../src/reconciler/lock/journal.ts';
import { emptyLock, type Lock } from '../../src/reconciler/lock/lock.ts';
import {
  SharedJournal,
  type SharedText,
  type Version,
  type WriteOutcome,
} from '../../src/reconciler/lock/shared-journal.ts';
import { desiredVideo } from '../../src/reconciler/plan/desired-video.ts';
import { planVideos } from '../../src/reconciler/plan/plan-videos.ts';
import { createdSession } from '../../src/service/sessions/render-session.ts';
import { textVideo } from './text-video.ts';

/** Fate of one request or one push. */
export type Fate = 'well' | 'request lost' | 'answer lost';

export interface SimulatedWorld {
  readonly scheduler: Scheduler;
  readonly videos: readonly string[];
  /** Whether the service keeps idempotency keys. */
  readonly keepsKeys: boolean;
  /** Fates of successive requests and pushes; after the last one, all succeed. */
  readonly fates: readonly Fate[];
  /** Number of consecutive requests for a session that answer 404 before the service shows it, over all sessions. */
  readonly missingLooks: number;
  /** False: a writer of the journal overwrites the remote branch. */
  readonly comparesAndSwaps: boolean;
}

export interface SimulatedRun {
  /** Number of steps after which the run is dead; null if it lives. */
  readonly diesAfter: number | null;
}

const SERVICE = 'https://api.example.com';
const START = Date.parse('2026-01-01T00:00:00.000Z');

/**
 * The real apply code and the real shared journal between a simulated service and a simulated remote. The scheduler
 * releases each of their steps in any order.
 */
export class Simulation {
  readonly #world: SimulatedWorld;
  readonly #fates: Fate[];
  readonly #sessions = new Map<string, RenderSession>();
  readonly #byKey = new Map<string, string>();
  readonly #claims = new Map<string, string[]>();
  #text: Version | null = null;
  #versions = 0;
  #keys = 0;
  #nowMs = START;
  #missingLooks: number;

  constructor(world: SimulatedWorld) {
    this.#world = world;
    this.#fates = [...world.fates];
    this.#missingLooks = world.missingLooks;
  }

  /** How often each video was rendered. */
  get renders(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { title } of this.#sessions.values()) counts.set(title, (counts.get(title) ?? 0) + 1);
    return counts;
  }

  /** Runs that reported a video as rendered by themselves, by video. */
  get claims(): ReadonlyMap<string, readonly string[]> {
    return this.#claims;
  }

  /** Whether the journal records that the service keeps keys. */
  get isKnownToKeepKeys(): boolean {
    return this.#text?.text.includes('"type":"keys"') === true;
  }

  /** Ids of the videos whose attempts were reported as unknown: only a person decides about them. */
  get reportedUnknown(): ReadonlySet<string> {
    if (this.#text === null) return new Set();
    const { attempts } = foldJournal(parseJournal(Buffer.from(this.#text.text), 'the journal').records);
    return new Set([...attempts.values()].filter(({ state }) => state === 'unknown').map(({ intent }) => intent.id));
  }

  /** Ends all faults. */
  calm(): void {
    this.#fates.length = 0;
    this.#missingLooks = 0;
  }

  /** Plans and applies; resolves to null when the run dies. */
  async run(name: string, { diesAfter }: SimulatedRun): Promise<{ outcome: ApplyOutcome; lock: Lock } | null> {
    let died = (): void => undefined;
    const death = new Promise<null>((resolve) => {
      died = () => resolve(null);
    });
    let steps = 0;
    /** Performs one step when the scheduler releases it; steps of a dead run never happen. */
    const step = async <T>(what: string, happens: () => T): Promise<T> => {
      steps += 1;
      const isLast = diesAfter !== null && steps > diesAfter;
      await this.#world.scheduler.schedule(Promise.resolve(), `${name} ${what}`);
      if (!isLast) return happens();
      died();
      return new Promise<T>(() => undefined);
    };
    return Promise.race([death, this.#apply(name, step)]);
  }

  async #apply(name: string, step: Step): Promise<{ outcome: ApplyOutcome; lock: Lock }> {
    const clock = this.#clock(step);
    const journal = new SharedJournal({
      shared: this.#shared(step),
      lastingLock: async () => emptyLock,
      wait: (milliseconds) => clock.wait(milliseconds),
      random: () => 0.5,
      newMark: () => `${name} ${this.#keys++}`,
    });
    await journal.refresh();
    const videos = this.#world.videos.map((id) => textVideo(id));
    const context = {
      service: SERVICE,
      styleVersions: { small: 'tsv_1' },
      renderEpoch: null,
      measures: null,
      assetDigest: () => sha256(''),
    };
    const plan = planVideos({
      desired: videos.map((one) => desiredVideo(one, context)),
      lock: emptyLock,
      observations: { missingOutputs: new Set(), journal: journal.state },
    });
    let lock: Lock = emptyLock;
    const outcome = await applyPlan({
      plan,
      digestOf: () => undefined,
      service: this.#service(step, journal.state.services.get(SERVICE)?.keyLifetimeMs ?? null),
      concurrency: 3,
      signal: new AbortController().signal,
      detach: new AbortController().signal,
      deadlineMs: null,
      failFast: false,
      run: name,
      onEvent: (event) => {
        if (event.kind !== 'video-rendered' || event.byOtherRun) return;
        this.#claims.set(event.id, [...(this.#claims.get(event.id) ?? []), name]);
      },
      ports: {
        updateLock: async (change) => {
          lock = change(lock);
        },
        journal,
        writeCaptions: async () => undefined,
        deliverCaptions: async (_, { to }) => ({ to }),
        timelineOf: () => null,
        ensureStyleVersion: async () => undefined,
        probeUrl: async () => ({ kind: 'there', validator: null }),
        readSource: async () => new Uint8Array(),
        clock,
        newKey: () => `key-${this.#keys++}`,
      },
    });
    return { outcome, lock };
  }

  #clock(step: Step): RunClock {
    return {
      now: () => this.#nowMs,
      monotonicNow: () => this.#nowMs,
      wait: (milliseconds) =>
        step('waits', () => {
          this.#nowMs += milliseconds;
        }),
    };
  }

  #shared(step: Step): SharedText {
    return {
      name: 'the journal',
      read: () => step('reads', () => this.#text),
      write: async (text, seen): Promise<WriteOutcome> => {
        const fate = this.#fates.shift() ?? 'well';
        const tip = await step('writes', () => {
          if (fate === 'request lost') return null;
          if (this.#world.comparesAndSwaps && seen?.commit !== this.#text?.commit) return null;
          this.#text = { commit: `commit-${this.#versions++}`, text };
          return this.#text;
        });
        await step('is answered', () => undefined);
        return tip === null || fate !== 'well'
          ? { tip: null, error: new Error('refused, or lost') }
          : { tip, error: null };
      },
    };
  }

  #service(step: Step, known: number | null): RenderService {
    let keyLifetimeMs = known;
    return {
      name: SERVICE,
      outlivesProcess: true,
      accountDigest: () => 'account',
      features: async () => ({}),
      serviceTime: async () => ({ earliestMs: this.#nowMs, latestMs: this.#nowMs }),
      keyLifetimeMs: () => keyLifetimeMs,
      getStyleVersion: () => Promise.reject(new Error('not asked here')),
      uploadSource: () => Promise.reject(new Error('not asked here')),
      createRenderSession: async (body, { idempotencyKey }) => {
        const fate = this.#fates.shift() ?? 'well';
        const session = await step('posts', () =>
          fate === 'request lost' ? null : this.#create(body, idempotencyKey),
        );
        await step('is answered', () => undefined);
        if (session === null || fate === 'answer lost') throw new SessionUnknown('No answer', 'Look');
        if (this.#world.keepsKeys) keyLifetimeMs = 86_400_000;
        return session;
      },
      getRenderSession: (id) =>
        step('looks', () => {
          this.#missingLooks -= 1;
          if (this.#missingLooks >= 0) throw new ServiceError(404, 'not_found', 'no such session');
          const session = this.#sessions.get(id)!;
          const video_url = `${SERVICE}/${id}.mp4`;
          return { session: { ...session, status: 'preview_rendered', video_url }, retryAfterMs: null };
        }),
    };
  }

  #create(body: string, key: string): RenderSession {
    const known = this.#world.keepsKeys ? this.#byKey.get(key) : undefined;
    if (known !== undefined) return this.#sessions.get(known)!;
    const id = `rs_${this.#sessions.size + 1}`;
    const session = createdSession(JSON.parse(body) as CreateRenderSession, { session: id, mapping: id }, this.#nowMs);
    this.#sessions.set(id, session);
    this.#byKey.set(key, id);
    return session;
  }
}

type Step = <T>(what: string, happens: () => T) => Promise<T>;
