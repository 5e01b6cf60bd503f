import { isSignedUrl } from '../../contract/urls.ts';
import type { VideoId } from '../definition/video.ts';
import type { Lock, LockRendering } from '../lock/lock.ts';
import { captionFiles } from '../plan/caption-files.ts';
import { editLock, type LockEdits, lockEdits } from '../plan/lock-edits.ts';
import type { Change } from '../plan/plan.ts';
import { type DeliveryEnding, NOT_DELIVERED } from './deliver-rendering.ts';
import { type ApplyEvent, type ApplyOutcome, NOTHING_DONE, type SkipReason, type VideoFailure } from './events.ts';
import type { ApplyPorts, Ending } from './run-context.ts';
import type { RunClock } from './session-watcher.ts';

const SIGNED: VideoFailure = {
  code: 'signed_url',
  message: 'The video_url is signed and will expire; it is recorded unchanged',
  hint: 'Configure the service to return permanent URLs, or copy the video',
  retryable: false,
};

/** A finished change. */
interface Result {
  readonly change: Change;
  readonly rendering: LockRendering | null;
  readonly arrived?: DeliveryEnding['arrived'];
}

/** The outcome of a run while it goes on. */
type Counts = {
  -readonly [Field in keyof ApplyOutcome]: ApplyOutcome[Field] extends readonly (infer Item)[]
    ? Item[]
    : ApplyOutcome[Field];
};

/** Records the results of a run: writes them to the lockfile, emits their events and counts them. */
export class RunRecord {
  readonly #saver: LockSaver;
  readonly #emit: (event: ApplyEvent) => void;
  readonly #clock: RunClock;
  readonly #writeCaptions: ApplyPorts['writeCaptions'];
  readonly #renderings = new Map<VideoId, LockRendering>();
  readonly #outcome = structuredClone(NOTHING_DONE) as Counts;

  constructor(
    saver: LockSaver,
    emit: (event: ApplyEvent) => void,
    { clock, writeCaptions }: Pick<ApplyPorts, 'clock' | 'writeCaptions'>,
  ) {
    this.#saver = saver;
    this.#writeCaptions = writeCaptions;
    this.#emit = emit;
    this.#clock = clock;
  }

  /** Records all changes that need neither rendering nor delivery. */
  async settled(changes: readonly Change[]): Promise<void> {
    const edited = changes.filter(({ action }) => action !== 'noop');
    if (edited.length === 0) return;
    await this.#save(edited.map((change) => ({ change, rendering: foundRendering(change) })));
    for (const change of edited) this.#countRecorded(change, foundRendering(change), NOT_DELIVERED);
  }

  /** Returns the rendering of another video of this run; undefined when it was not rendered. */
  renderingOf(id: string): LockRendering | undefined {
    return this.#renderings.get(id as VideoId);
  }

  /** Records a finished video before its delivery, so that it is not rendered again if the delivery fails. */
  async delivering(change: Change, rendering: LockRendering): Promise<void> {
    await this.#save([{ change, rendering }]);
    const to = change.destinations.flatMap((destination) => (destination.kind === 'deliver' ? [destination.to] : []));
    this.#emit({ kind: 'video-delivering', id: change.id, to });
  }

  /** Records a video whose rendering existed before, or belongs to another video of this run. */
  async recorded(change: Change, rendering: LockRendering, ending: DeliveryEnding): Promise<void> {
    await this.#save([{ change, rendering, arrived: ending.arrived }]);
    this.#countRecorded(change, rendering, ending);
  }

  skipped(id: VideoId, reason: SkipReason): void {
    this.#outcome.skipped.push(id);
    this.#emit({ kind: 'video-skipped', id, reason });
  }

  /** @param givenUp reason, when the work stopped before anything was requested */
  async ended(
    change: Change,
    ending: Ending,
    { startedAt, givenUp, delivery }: { startedAt: number; givenUp: SkipReason; delivery: DeliveryEnding },
  ): Promise<void> {
    const { id } = change;
    const elapsedMs = this.#clock.monotonicNow() - startedAt;
    switch (ending.kind) {
      case 'rendered': {
        const { rendering, isOtherRuns } = ending;
        this.#renderings.set(id, rendering);
        await this.#save([{ change, rendering, arrived: delivery.arrived }]);
        if (isSignedUrl(rendering.video_url)) this.#emit({ kind: 'video-warned', id, warning: SIGNED });
        const { video_url: videoUrl } = rendering;
        const restored = compareRestored(change, rendering);
        const event: ApplyEvent = {
          kind: 'video-rendered',
          id,
          videoUrl,
          ...deliveriesOf(delivery),
          ...(restored && { restored }),
          ...(isOtherRuns && { byOtherRun: true }),
          elapsedMs,
        };
        Object.assign(this.#outcome, countRendered(this.#outcome, event));
        this.#emit(event);
        this.#count(id, delivery);
        return;
      }
      case 'failed':
        this.#outcome.failed.push({ id, failures: ending.failures });
        this.#emit({ kind: 'video-failed', id, failures: ending.failures, elapsedMs });
        return;
      case 'unknown': {
        const { failure, askedAt, session } = ending;
        const video = { id, failure, askedAt, session };
        this.#outcome.unknown.push(unknownVideo(video));
        this.#emit({ kind: 'video-unknown', ...video });
        return;
      }
      case 'left':
        this.#outcome.inProgress.push({ id, session: ending.session });
        this.#emit({ kind: 'video-left', id, session: ending.session });
        return;
      case 'given-up':
        this.skipped(id, givenUp);
    }
  }

  outcome(endedBy: SkipReason | null, elapsedMs: number): ApplyOutcome {
    const { skipped, inProgress } = this.#outcome;
    // A run that was stopped when everything was already running left nothing out.
    const isIncomplete = skipped.length + inProgress.length > 0;
    return { ...sortedById(this.#outcome), endedBy: isIncomplete ? endedBy : null, elapsedMs };
  }

  /** Writes the files with captions before the lockfile names them. */
  async #save(results: readonly Result[]): Promise<void> {
    for (const { change } of results) {
      if (change.desired !== null) await this.#writeCaptions(captionFiles(change.desired) ?? []);
    }
    await this.#saver.record(results.map(({ change, rendering, arrived }) => lockEdits(change, rendering, arrived)));
  }

  #countRecorded(change: Change, rendering: LockRendering | null, ending: DeliveryEnding): void {
    const { id, action, previousId } = change;
    if (action !== 'deliver') this.#outcome.recorded += 1;
    const videoUrl = action === 'adopt' ? (rendering?.video_url ?? null) : null;
    this.#emit({ kind: 'video-recorded', id, action, previousId, videoUrl, ...deliveriesOf(ending) });
    this.#count(id, ending);
  }

  #count(id: VideoId, { arrived, failures }: DeliveryEnding): void {
    if (failures.length > 0) {
      this.#outcome.undelivered.push({ id, failures });
      this.#emit({ kind: 'video-undelivered', id, failures });
    } else if (arrived.length > 0) this.#outcome.delivered += 1;
  }
}

/** Sorts the videos of an outcome, which end in any order. */
export function sortedById(outcome: ApplyOutcome): ApplyOutcome {
  const sorted = <Video extends { readonly id: VideoId }>(videos: readonly Video[]): Video[] => {
    return videos.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  };
  return {
    ...outcome,
    failed: sorted(outcome.failed),
    undelivered: sorted(outcome.undelivered),
    unknown: sorted(outcome.unknown),
    inProgress: sorted(outcome.inProgress),
    skipped: outcome.skipped.toSorted(),
  };
}

/** Returns the rendering that existed before the run; null when it has to be made, or is another video's. */
export function foundRendering(change: Change): LockRendering | null {
  if (change.action !== 'adopt') return change.before;
  return change.source.kind === 'planned' ? null : change.source.rendering;
}

/** Compares a restored file with the recorded digest. MP4 bytes depend on the number of CPU cores. */
function compareRestored({ action, before }: Change, { sha256 }: LockRendering): RestoredFile | undefined {
  if (action !== 'restore') return undefined;
  const isKnown = before?.sha256 !== undefined && sha256 !== undefined;
  return { isIdentical: isKnown ? before.sha256 === sha256 : null };
}

type RestoredFile = NonNullable<Extract<ApplyEvent, { kind: 'video-rendered' }>['restored']>;

type RenderedCounts = Pick<ApplyOutcome, 'rendered' | 'renderedByOtherRuns' | 'restored'>;

/** Returns the counts of rendered videos, increased by the video of an event. */
export function countRendered(
  { rendered, renderedByOtherRuns = 0, restored }: RenderedCounts,
  event: ApplyEvent & { readonly kind: 'video-rendered' },
): RenderedCounts {
  const { videos = 0, differing = 0 } = restored ?? {};
  const isDiffering = event.restored?.isIdentical === false;
  return {
    ...(event.byOtherRun ? { rendered, renderedByOtherRuns: renderedByOtherRuns + 1 } : { rendered: rendered + 1 }),
    ...(event.restored && { restored: { videos: videos + 1, differing: differing + (isDiffering ? 1 : 0) } }),
  };
}

function deliveriesOf({ arrived }: DeliveryEnding): { readonly deliveries?: DeliveryEnding['arrived'] } {
  return arrived.length === 0 ? {} : { deliveries: arrived };
}

/** Summarises an unknown result. */
export function unknownVideo(event: {
  readonly id: VideoId;
  readonly failure: VideoFailure;
  readonly askedAt: string;
  readonly session: string | null;
}): ApplyOutcome['unknown'][number] {
  const { id, failure, askedAt, session } = event;
  return { id, askedAt, session, code: failure.code };
}

type UpdateLock = (change: (lock: Lock) => Lock) => Promise<unknown>;

/** Minimum time between two saves. */
const MIN_INTERVAL_MS = 1_000;
/**
 * Time between two saves as a multiple of a save's duration, so that a run spends at most a twentieth of its time on
 * saving.
 */
const INTERVAL_COSTS = 20;

/**
 * Writes results to the lockfile at checkpoints. The journal already has each of them, so the next run
 * adopts results that a crash between two checkpoints has lost. Never saves concurrently.
 */
export class LockSaver {
  readonly #update: UpdateLock;
  readonly #clock: RunClock;
  #pending: LockEdits[] = [];
  #saving: Promise<void> = Promise.resolve();
  #isSaving = false;
  #dueAt = 0;

  constructor(update: UpdateLock, clock: RunClock) {
    this.#update = update;
    this.#clock = clock;
  }

  /**
   * Queues edits, and saves them if the interval since the last save has passed.
   *
   * @throws the error of an earlier save
   */
  async record(edits: readonly LockEdits[]): Promise<void> {
    this.#pending.push(...edits);
    if (this.#isSaving || this.#clock.monotonicNow() < this.#dueAt) return;
    await this.flush();
  }

  /** Resolves when all queued edits are in the file. @throws the error of the save */
  async flush(): Promise<void> {
    const saving = this.#saving.then(() => this.#save());
    // A failed save also rejects all later saves.
    this.#saving = saving;
    await saving;
  }

  async #save(): Promise<void> {
    const edits = this.#pending;
    this.#pending = [];
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
