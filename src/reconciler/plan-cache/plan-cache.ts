import { dirname, join } from 'node:path';
import type { DesiredVideo } from '../plan/desired-video.ts';
import type { LazyTemplates } from '../project/load-definitions.ts';
import { writeCacheFile } from './cache-file.ts';
import type { CachedDefinition, CachedState } from './cached-state.ts';
import { decodeVideos } from './cached-videos.ts';
import { type FsTimestamp, fsTimestamp } from './file-times.ts';
import { type CacheProbe, isUnchanged, PLAN_CACHE_FILE } from './probe.ts';
import { type DesireAll, refreshState } from './refresh-state.ts';

/** Up to this number of changes, reading again is cheaper than storing them before they are applied. */
const FEW = 16;

/** The plan cache of a repository during one command. */
export class PlanCache {
  /** Time before the first read. */
  readonly timestamp: FsTimestamp;
  /** Valid content; null when everything has to be read. */
  state: CachedState | null;
  /** Templates and files that `refresh` has read; null if it read none. */
  templates: LazyTemplates | null = null;
  readonly #root: string;
  readonly #key: string;
  readonly #probe: CacheProbe | null;
  #stored: CachedState | null;

  private constructor(root: string, key: string, timestamp: FsTimestamp, probe: CacheProbe | null) {
    this.#root = root;
    this.#key = key;
    this.timestamp = timestamp;
    this.#probe = probe;
    this.#stored = probe?.file.readState() ?? null;
    this.state = this.#stored;
  }

  /** @returns null when nothing can be written, so nothing can be cached */
  static open(root: string, key: string, probe: CacheProbe | null): PlanCache | null {
    const timestamp = fsTimestamp(dirname(join(root, PLAN_CACHE_FILE)));
    return timestamp && new PlanCache(root, key, timestamp, probe);
  }

  /** Brings the state up to date. */
  async refresh(desireAll: DesireAll): Promise<void> {
    if (this.state === null || this.#probe === null || isUnchanged(this.#probe)) return;
    const onRead = (templates: LazyTemplates): void => {
      this.templates = templates;
    };
    const { timestamp } = this;
    this.state = await refreshState(this.#root, this.state, this.#probe, { timestamp, desireAll, onRead });
  }

  /**
   * Returns the videos of a definition.
   *
   * @throws CacheDamaged
   */
  videos({ videos }: CachedDefinition): DesiredVideo[] {
    const text = typeof videos === 'string' ? videos : (this.#probe?.file.record(videos) ?? null);
    if (text === null) throw new CacheDamaged();
    return decodeVideos(text);
  }

  /**
   * Returns the videos of all definitions.
   *
   * @throws CacheDamaged
   */
  allVideos({ definitions }: CachedState): DesiredVideo[] {
    this.#probe?.file.readRecords();
    return [...definitions.values()].flatMap((definition) => this.videos(definition));
  }

  /** Writes the state if it changed. Leaves a few unapplied changes for the plan after the apply. */
  store(): void {
    const { state } = this;
    if (state === null || state === this.#stored || this.#isTemporary(state)) return;
    writeCacheFile(join(this.#root, PLAN_CACHE_FILE), this.#key, state, this.#probe?.file ?? null);
    this.#stored = state;
  }

  /** Returns true if only a few files changed since the stored state, and an apply will change the state again. */
  #isTemporary({ lastPlan, definitions }: CachedState): boolean {
    if (lastPlan === null || lastPlan.isEmpty || this.#stored?.lastPlan == null || this.#probe === null) return false;
    const { files, folders } = this.#probe.maybeChanged;
    const added = [...definitions.values()].filter(({ videos }) => typeof videos === 'string').length;
    return lastPlan.lock?.sha256 === this.#stored.lastPlan.lock?.sha256 && added + files.length + folders.length <= FEW;
  }
}

/** A record of the plan cache does not match its digest. */
export class CacheDamaged extends Error {}
