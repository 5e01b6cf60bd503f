import type { VideoId } from '../definition/video.ts';
import type { Lock, Rendering } from '../lock/lock.ts';
import { editLock, type LockEdit, settle } from '../plan/lock-edits.ts';
import type { Change } from '../plan/plan.ts';
import { isSignedUrl } from '../service/urls.ts';
import { type DeliveryEnding, NOT_DELIVERED } from './deliver-rendering.ts';
import type { ApplyEvent, ApplyOutcome, Failure, SkipReason } from './events.ts';
import type { Clock } from './ports.ts';
import type { Ending } from './run-context.ts';

const SIGNED: Failure = {
  code: 'signed_url',
  message: 'The video_url carries a signature: it is recorded as it is, and will stop working',
  hint: 'Ask the service for URLs that last, or copy the video',
  retryable: false,
};

/** What has become of the videos of a run: into the lockfile, told, and counted. */
export class RunRecord {
  readonly #saver: LockSaver;
  readonly #tell: (event: ApplyEvent) => void;
  readonly #clock: Clock;
  readonly #renderings = new Map<VideoId, Rendering>();
  readonly #failed: ApplyOutcome['failed'][number][] = [];
  readonly #unknown: ApplyOutcome['unknown'][number][] = [];
  readonly #inProgress: ApplyOutcome['inProgress'][number][] = [];
  readonly #skipped: VideoId[] = [];
  readonly #undelivered: ApplyOutcome['undelivered'][number][] = [];
  #restored: ApplyOutcome['restored'];
  #recorded = 0;
  #delivered = 0;

  constructor(saver: LockSaver, tell: (event: ApplyEvent) => void, clock: Clock) {
    this.#saver = saver;
    this.#tell = tell;
    this.#clock = clock;
  }

  /** What needs neither rendering nor delivering, all at once. */
  async settled(changes: readonly Change[]): Promise<void> {
    const told = changes.filter(({ action }) => action !== 'noop');
    if (told.length === 0) return;
    await this.#saver.record(told.map((change) => settle(change, foundRendering(change))));
    for (const change of told) this.#recordedOne(change, foundRendering(change), NOT_DELIVERED);
  }

  /** What another video of this run was rendered to; undefined when it was not. */
  renderingOf(id: string): Rendering | undefined {
    return this.#renderings.get(id as VideoId);
  }

  /** What is finished and on its way: from now on it is not rendered again, whatever becomes of the way. */
  async delivering(change: Change, rendering: Rendering): Promise<void> {
    await this.#saver.record([settle(change, rendering)]);
    const to = change.destinations.flatMap((one) => (one.kind === 'deliver' ? [one.to] : []));
    this.#tell({ kind: 'video-delivering', id: change.id, to });
  }

  /** A video with a rendering that was there, or that another video of this run was rendered to. */
  async recorded(change: Change, rendering: Rendering, ending: DeliveryEnding): Promise<void> {
    await this.#saver.record([settle(change, rendering, ending.arrived)]);
    this.#recordedOne(change, rendering, ending);
  }

  skipped(id: VideoId, reason: SkipReason): void {
    this.#skipped.push(id);
    this.#tell({ kind: 'video-skipped', id, reason });
  }

  /** @param givenUp why, where the work was given up before anything was asked for */
  async ended(
    change: Change,
    ending: Ending,
    { startedAt, givenUp, delivery }: { startedAt: number; givenUp: SkipReason; delivery: DeliveryEnding },
  ): Promise<void> {
    const { id } = change;
    const elapsedMs = this.#clock.monotonicNow() - startedAt;
    switch (ending.kind) {
      case 'rendered': {
        const { rendering } = ending;
        this.#renderings.set(id, rendering);
        await this.#saver.record([settle(change, rendering, delivery.arrived)]);
        if (isSignedUrl(rendering.video_url)) this.#tell({ kind: 'video-warned', id, warning: SIGNED });
        const { video_url: videoUrl } = rendering;
        const restored = compareRestored(change, rendering);
        this.#restored = countRestored(this.#restored, restored);
        this.#tell({
          kind: 'video-rendered',
          id,
          videoUrl,
          ...told(delivery),
          ...(restored && { restored }),
          elapsedMs,
        });
        this.#count(id, delivery);
        return;
      }
      case 'failed':
        this.#failed.push({ id, failures: ending.failures });
        this.#tell({ kind: 'video-failed', id, failures: ending.failures, elapsedMs });
        return;
      case 'unknown': {
        const { failure, askedAt, session } = ending;
        this.#unknown.push({ id, askedAt, session });
        this.#tell({ kind: 'video-unknown', id, failure, askedAt, session });
        return;
      }
      case 'left':
        this.#inProgress.push({ id, session: ending.session });
        this.#tell({ kind: 'video-left', id, session: ending.session });
        return;
      case 'given-up':
        this.skipped(id, givenUp);
    }
  }

  outcome(endedBy: SkipReason | null, elapsedMs: number): ApplyOutcome {
    const leftOut = this.#skipped.length + this.#inProgress.length > 0;
    return {
      rendered: this.#renderings.size,
      ...(this.#restored && { restored: this.#restored }),
      recorded: this.#recorded,
      failed: this.#failed,
      delivered: this.#delivered,
      undelivered: this.#undelivered,
      unknown: this.#unknown,
      inProgress: this.#inProgress,
      skipped: this.#skipped,
      // Asked to stop when all was at work already: nothing was left out.
      endedBy: leftOut ? endedBy : null,
      elapsedMs,
    };
  }

  #recordedOne(change: Change, rendering: Rendering | null, ending: DeliveryEnding): void {
    const { id, action, previousId } = change;
    if (action !== 'deliver') this.#recorded += 1;
    const videoUrl = action === 'adopt' ? (rendering?.video_url ?? null) : null;
    this.#tell({ kind: 'video-recorded', id, action, previousId, videoUrl, ...told(ending) });
    this.#count(id, ending);
  }

  #count(id: VideoId, { arrived, failures }: DeliveryEnding): void {
    if (failures.length > 0) {
      this.#undelivered.push({ id, failures });
      this.#tell({ kind: 'video-undelivered', id, failures });
    } else if (arrived.length > 0) this.#delivered += 1;
  }
}

/** The rendering that there was before the run; null: it has to be made, or is another video's. */
export function foundRendering(change: Change): Rendering | null {
  if (change.action !== 'adopt') return change.before;
  return change.source.kind === 'planned' ? null : change.source.rendering;
}

/** Compares a restored file with the one that the lockfile records. Another number of cores renders an MP4 to other bytes. */
function compareRestored({ action, before }: Change, { sha256 }: Rendering): RestoredFile | undefined {
  if (action !== 'restore') return undefined;
  const isKnown = before?.sha256 !== undefined && sha256 !== undefined;
  return { isIdentical: isKnown ? before.sha256 === sha256 : null };
}

type RestoredFile = NonNullable<Extract<ApplyEvent, { kind: 'video-rendered' }>['restored']>;

/** Adds a restored file to a count. @param file undefined: none */
export function countRestored(
  before: ApplyOutcome['restored'],
  file: RestoredFile | undefined,
): ApplyOutcome['restored'] {
  if (file === undefined) return before;
  const { videos = 0, differing = 0 } = before ?? {};
  return { videos: videos + 1, differing: differing + (file.isIdentical === false ? 1 : 0) };
}

function told({ arrived }: DeliveryEnding): { readonly deliveries?: DeliveryEnding['arrived'] } {
  return arrived.length === 0 ? {} : { deliveries: arrived };
}

type UpdateLock = (change: (lock: Lock) => Lock) => Promise<unknown>;

/** A save is worth its time when so long has passed since the last. */
const MIN_INTERVAL_MS = 1_000;
/** The time between two saves, in durations of a save: of a run, at most a twentieth is spent on saving. */
const INTERVAL_COSTS = 20;

/**
 * Folds results into the lockfile at checkpoints. The journal holds each of them already: what is lost when a run dies
 * between two checkpoints is adopted from there by the next one. Never saves twice at once.
 */
export class LockSaver {
  readonly #update: UpdateLock;
  readonly #clock: Clock;
  #waiting: LockEdit[] = [];
  #saving: Promise<void> = Promise.resolve();
  #isSaving = false;
  #dueAt = 0;

  constructor(update: UpdateLock, clock: Clock) {
    this.#update = update;
    this.#clock = clock;
  }

  /**
   * Takes results in, and begins a save when one is due.
   *
   * @throws what an earlier save threw
   */
  async record(edits: readonly LockEdit[]): Promise<void> {
    this.#waiting.push(...edits);
    if (this.#isSaving || this.#clock.monotonicNow() < this.#dueAt) return;
    await this.flush();
  }

  /** Resolves when all that was recorded before is in the file. @throws what the save threw */
  async flush(): Promise<void> {
    const saving = this.#saving.then(() => this.#save());
    // Who comes later is told the same.
    this.#saving = saving;
    await saving;
  }

  async #save(): Promise<void> {
    const edits = this.#waiting;
    this.#waiting = [];
    if (edits.length === 0) return;
    this.#isSaving = true;
    const startedAt = this.#clock.monotonicNow();
    try {
      await this.#update((lock) => editLock(lock, edits));
    } finally {
      this.#isSaving = false;
      const now = this.#clock.monotonicNow();
      this.#dueAt = now + Math.max(MIN_INTERVAL_MS, (now - startedAt) * INTERVAL_COSTS);
    }
  }
}
