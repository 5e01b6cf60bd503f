import type { VideoId } from '../definition/video.ts';
import type { Rendering } from '../lock/lock.ts';
import type { Adoption, Change } from '../plan/plan.ts';
import { settle } from '../plan/settle.ts';
import { isSignedUrl } from '../service/is-signed-url.ts';
import type { ApplyEvent, ApplyOutcome, Failure, SkipReason } from './events.ts';
import type { LockSaver } from './lock-saver.ts';
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
  #recorded = 0;

  constructor(saver: LockSaver, tell: (event: ApplyEvent) => void, clock: Clock) {
    this.#saver = saver;
    this.#tell = tell;
    this.#clock = clock;
  }

  /** What needs no rendering, all at once. */
  async settled(changes: readonly Change[]): Promise<void> {
    const told = changes.filter(({ action }) => action !== 'noop');
    if (told.length === 0) return;
    await this.#saver.record(told.map((change) => settle(change, foundRendering(change))));
    for (const change of told) this.#recordedOne(change, foundRendering(change));
  }

  /** Videos that share the rendering of another one of this run. */
  async settledTwins(twins: readonly Adoption[], reason: SkipReason | null): Promise<void> {
    for (const twin of twins) {
      const shared = this.#renderings.get(twin.source.id as VideoId);
      if (shared === undefined) {
        this.skipped(twin.id, reason ?? 'failure');
        continue;
      }
      await this.#saver.record([settle(twin, shared)]);
      this.#recordedOne(twin, shared);
    }
  }

  skipped(id: VideoId, reason: SkipReason): void {
    this.#skipped.push(id);
    this.#tell({ kind: 'video-skipped', id, reason });
  }

  /** @param givenUp why, where the work was given up before anything was asked for */
  async ended(change: Change, ending: Ending, startedAt: number, givenUp: SkipReason): Promise<void> {
    const { id } = change;
    const elapsedMs = this.#clock.now() - startedAt;
    switch (ending.kind) {
      case 'rendered': {
        const { rendering } = ending;
        this.#renderings.set(id, rendering);
        await this.#saver.record([settle(change, rendering)]);
        if (isSignedUrl(rendering.video_url)) this.#tell({ kind: 'video-warned', id, warning: SIGNED });
        this.#tell({ kind: 'video-rendered', id, videoUrl: rendering.video_url, elapsedMs });
        return;
      }
      case 'failed':
        this.#failed.push({ id, failures: ending.failures });
        this.#tell({ kind: 'video-failed', id, failures: ending.failures, elapsedMs });
        return;
      case 'unknown':
        this.#unknown.push({ id, askedAt: ending.askedAt });
        this.#tell({ kind: 'video-unknown', id, failure: ending.failure, askedAt: ending.askedAt });
        return;
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
      recorded: this.#recorded,
      failed: this.#failed,
      unknown: this.#unknown,
      inProgress: this.#inProgress,
      skipped: this.#skipped,
      // Asked to stop when all was at work already: nothing was left out.
      endedBy: leftOut ? endedBy : null,
      elapsedMs,
    };
  }

  #recordedOne({ id, action, previousId }: Change, rendering: Rendering | null): void {
    this.#recorded += 1;
    const videoUrl = rendering?.video_url ?? null;
    this.#tell({ kind: 'video-recorded', id, action, previousId, videoUrl });
  }
}

function foundRendering(change: Change): Rendering | null {
  return change.action === 'adopt' && change.source.kind !== 'planned' ? change.source.rendering : null;
}
