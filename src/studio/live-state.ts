import { basename, join } from 'node:path';
import { lockHolder } from '../kernel/process-lock.ts';
import { type Cards, cardsOf, planSummary, type RunNotes } from './cards.ts';
import type { EventStream } from './event-stream.ts';
import type { LoadedRepository, PreviewPorts } from './ports.ts';
import type { PreviewState, RunState, StateChange, VideoCard } from './protocol.ts';
import { previewError, RequestError } from './request-error.ts';
import { type DrawSubject, Subjects, subjectsOf } from './subjects.ts';
import { RUN_LOCK_FILE } from './watch-repository.ts';

/** Milliseconds without a change before the plan is made again. */
const PLAN_MS = 350;
/** Maximum milliseconds for which a plan waits for further changes. */
const MAX_PLAN_MS = 1_500;

/** The state of the page, kept up to date with the files of the repository. */
export class LiveState {
  readonly #ports: PreviewPorts;
  readonly #events: EventStream;
  readonly #subjects = new Subjects();
  #cards: ReadonlyMap<string, VideoCard> = new Map();
  /** JSON of each card, to find the changed ones. */
  #sent: ReadonlyMap<string, string> = new Map();
  #state: PreviewState;
  #loaded: LoadedRepository | null = null;
  #notes: RunNotes = { running: new Map(), failed: new Map() };
  #reading: Promise<void> | null = null;
  /** Reading that begins when the present reading has ended. */
  #nextReading: Promise<void> | null = null;
  #later: NodeJS.Timeout | null = null;
  #aheadSince = 0;

  constructor(ports: PreviewPorts, events: EventStream) {
    this.#ports = ports;
    this.#events = events;
    this.#state = {
      revision: 0,
      name: basename(ports.root),
      version: ports.version,
      service: 'embedded',
      videos: [],
      templates: [],
      problems: [],
      plan: null,
      run: null,
      otherRun: null,
      isLive: true,
    };
  }

  get state(): PreviewState {
    return this.#state;
  }

  /** The repository as it was last read. @throws if it could never be read */
  get loaded(): LoadedRepository {
    if (this.#loaded === null) throw new RequestError('conflict', 'The repository could not be read');
    return this.#loaded;
  }

  /** @throws RequestError `not_found` */
  card(id: string): VideoCard {
    const card = this.#cards.get(id);
    if (card === undefined) throw new RequestError('not_found', `There is no video ${JSON.stringify(id)}`);
    return card;
  }

  /** @throws RequestError `gone` */
  subject(fingerprint: string): DrawSubject {
    const subject = this.#subjects.get(fingerprint);
    if (subject === null) throw new RequestError('gone', 'This content is not current any more');
    return subject;
  }

  /** Keeps content that is not the present content of a video, such as that of a video that waits for translation. */
  keepSubject(subject: DrawSubject): void {
    this.#subjects.keep(subject);
  }

  /**
   * Takes over changed files. Changed definitions are read first, so that their pictures need not wait for the plan, which follows.
   *
   * @param changed repository-relative
   * @returns when the cards have the new content
   */
  async take(changed: Iterable<string>): Promise<void> {
    const paths = new Set(changed);
    const ahead = this.#reading === null && this.#loaded !== null ? this.#ahead(this.#loaded, paths) : null;
    if (ahead === null) return this.refresh();
    this.#loaded = ahead;
    await this.#update();
    this.refreshLater();
  }

  #ahead(loaded: LoadedRepository, changed: ReadonlySet<string>): LoadedRepository | null {
    try {
      return this.#ports.reload(loaded, changed);
    } catch {
      // A whole reading reports the error.
      return null;
    }
  }

  /** Plans once no file has changed for a while. Planning would delay the pictures of the change. */
  refreshLater(): void {
    const now = performance.now();
    if (this.#later === null) this.#aheadSince = now;
    else clearTimeout(this.#later);
    this.#later = setTimeout(
      () => this.refresh().catch(this.#ports.report),
      Math.min(PLAN_MS, this.#aheadSince + MAX_PLAN_MS - now),
    );
  }

  /** Plans no more. */
  close(): void {
    if (this.#later !== null) clearTimeout(this.#later);
  }

  /**
   * Reads the repository again and reports what has changed. Calls during a reading cause a second reading.
   *
   * @returns when a reading that began after the call has ended
   */
  async refresh(): Promise<void> {
    if (this.#later !== null) clearTimeout(this.#later);
    this.#later = null;
    if (this.#reading === null && this.#nextReading === null) return this.#begin();
    this.#nextReading ??= this.#reading!.catch(() => undefined).then(() => this.#begin());
    await this.#nextReading;
  }

  #begin(): Promise<void> {
    this.#nextReading = null;
    this.#reading = this.#read().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async #read(): Promise<void> {
    try {
      this.#loaded = await this.#ports.load();
    } catch (error) {
      const { code, message, hint } = previewError(error);
      const nowhere = { file: null, line: null, column: null, end_line: null, end_column: null };
      this.#publish({ problems: [{ code, severity: 'error', message, hint, ...nowhere }], plan: null });
      return;
    }
    await this.#update();
  }

  /** Sets the state and the results of a run of this server. */
  setRun(run: RunState | null, notes: RunNotes): void {
    this.#notes = notes;
    if (this.#loaded !== null) this.#update(run).catch(this.#ports.report);
  }

  /** Reads the holder of the run lock. */
  async refreshRunLock(): Promise<void> {
    const { run } = this.#state;
    const isRunHere = run !== null && run.status !== 'done' && run.status !== 'failed';
    const otherRun = isRunHere ? null : await lockHolder(join(this.#ports.root, RUN_LOCK_FILE));
    if (otherRun !== this.#state.otherRun) this.#publish({ otherRun });
  }

  async #update(run: RunState | null = this.#state.run): Promise<void> {
    const loaded = this.loaded;
    const subjects = subjectsOf(loaded);
    // Without its change, the earlier content of a video is known from the last plan.
    for (const { fingerprint } of loaded.lock?.videos.values() ?? []) {
      const known = subjects.has(fingerprint) ? null : this.#subjects.get(fingerprint);
      if (known !== null) subjects.set(fingerprint, known);
    }
    const cards = cardsOf(loaded, subjects, this.#notes, this.#cards);
    this.#keepSubjects(subjects, cards);
    const { service } = loaded.project.config;
    this.#publish({
      ...cards,
      service: service === 'embedded' ? service : new URL(service.url).origin,
      plan: planSummary(loaded),
      run,
    });
    await this.refreshRunLock();
  }

  /** A card with errors still shows its last valid content. */
  #keepSubjects(subjects: Map<string, DrawSubject>, { videos }: Cards): void {
    for (const { state, fingerprint } of videos) {
      const former = state === 'invalid' || state === 'waiting' ? this.#subjects.get(fingerprint) : null;
      if (former !== null) subjects.set(fingerprint, former);
    }
    this.#subjects.replace(subjects);
  }

  /** Replaces fields of the state, and sends those that differ. */
  #publish(fields: Partial<Omit<PreviewState, 'revision'>>): void {
    const { videos, ...rest } = fields;
    const change: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(rest)) {
      const before = this.#state[name as keyof PreviewState];
      if (JSON.stringify(value) !== JSON.stringify(before)) change[name] = value;
    }
    if (videos !== undefined) {
      const sent = new Map(videos.map((card) => [card.id, JSON.stringify(card)]));
      const changed = videos.filter(({ id }) => sent.get(id) !== this.#sent.get(id));
      const removed = [...this.#sent.keys()].filter((id) => !sent.has(id));
      if (changed.length > 0) change.videos = changed;
      if (removed.length > 0) change.removedVideos = removed;
      this.#sent = sent;
      this.#cards = new Map(videos.map((card) => [card.id, card]));
    }
    if (Object.keys(change).length === 0) return;
    const revision = this.#state.revision + 1;
    this.#state = { ...this.#state, ...fields, revision };
    this.#events.send('state', { revision, ...change } as StateChange);
  }
}
