import type { ProbeUrl } from '../../contract/urls.ts';
import { byCodeUnit } from '../../kernel/digest.ts';
import { remoteUrls } from '../definition/video.ts';
import type { Lock, LockEntry } from '../lock/lock.ts';
import type { Plan } from '../plan/plan.ts';
import type { ApplyEvent } from './events.ts';

/** Remote files of a video that the run renders. */
interface RemoteSources {
  readonly urls: readonly string[];
  /** Session of the rendering that is replaced. */
  readonly formerSession: string | null;
}

/** A source whose server could not be asked for its version. */
export interface UnversionedSource {
  readonly url: string;
  readonly why: string;
}

/**
 * Records the versions of remote files that a run renders from, so that a later refresh detects changes. Requests each
 * URL once, when the first video that uses it is posted. Leaves out versions that a server does not report. Sources that
 * could not be asked are in `failed`.
 */
export class SourceVersions {
  readonly #probeUrl: ProbeUrl;
  readonly #planned: ReadonlyMap<string, RemoteSources>;
  readonly #asked = new Map<string, Promise<void>>();
  /** Keyed by URL, for the answers received so far. */
  readonly #validators = new Map<string, string>();
  readonly #failed = new Map<string, string>();
  readonly #pending = new Set<string>();
  readonly #posted = new Map<string, RemoteSources>();
  readonly #end = new AbortController();

  constructor(plan: Plan, probeUrl: ProbeUrl) {
    this.#probeUrl = probeUrl;
    const planned = plan.changes.flatMap(({ id, action, desired, before }): [string, RemoteSources][] => {
      if (desired === null || (action !== 'create' && action !== 'update')) return [];
      const urls = remoteUrls(desired);
      return urls.length === 0 ? [] : [[id, { urls, formerSession: before?.session ?? null }]];
    });
    this.#planned = new Map(planned);
  }

  take(event: ApplyEvent): void {
    // A session of an earlier run was made from the version at that time.
    if (event.kind !== 'video-started' || event.begin !== 'posted') return;
    const sources = this.#planned.get(event.id);
    if (sources === undefined) return;
    this.#posted.set(event.id, sources);
    for (const url of sources.urls) if (!this.#asked.has(url)) this.#asked.set(url, this.#ask(url));
  }

  /** Adds the versions known so far to the lock entries of this run's videos. */
  addTo(lock: Lock): Lock {
    const added: [string, LockEntry][] = [];
    for (const [id, { urls, formerSession }] of this.#posted) {
      const entry = lock.videos.get(id);
      if (entry === undefined || entry.session === formerSession) continue;
      const known = urls.flatMap((url) => this.#validators.get(url) ?? []);
      if (known.length === Object.keys(entry.sources ?? {}).length) continue;
      added.push([id, { ...entry, sources: this.#sourcesOf(urls) }]);
    }
    return added.length === 0 ? lock : { ...lock, videos: new Map([...lock.videos, ...added]) };
  }

  /** Resolves when all requests have ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#asked.values());
  }

  /** Sources whose version is not known so far, sorted by URL: a server failed, or has not answered. */
  get failed(): readonly UnversionedSource[] {
    const late = [...this.#pending].map((url) => ({ url, why: 'the server did not answer before the run ended' }));
    const failed = [...[...this.#failed].map(([url, why]) => ({ url, why })), ...late];
    return failed.sort((a, b) => byCodeUnit(a.url, b.url));
  }

  /** Aborts all requests. */
  close(): void {
    this.#end.abort();
  }

  #sourcesOf(urls: readonly string[]): Record<string, string> {
    const pairs = urls.flatMap((url): [string, string][] => {
      const validator = this.#validators.get(url);
      return validator === undefined ? [] : [[url, validator]];
    });
    return Object.fromEntries(pairs.sort(([a], [b]) => byCodeUnit(a, b)));
  }

  async #ask(url: string): Promise<void> {
    this.#pending.add(url);
    const probe = await this.#probeUrl(url, this.#end.signal).catch(() => null);
    // The end of the run aborted the request.
    if (probe === null) return;
    this.#pending.delete(url);
    if (probe.kind !== 'there')
      this.#failed.set(url, probe.kind === 'gone' ? `the server returned ${probe.status}` : probe.why);
    else if (probe.validator !== null) this.#validators.set(url, probe.validator);
  }
}
