import type { JsonDiagnostic } from '../report/json/diagnostics-json.ts';
import type { StreamEvent } from '../report/json/event-json.ts';
import type { RunNotes } from './cards.ts';
import type { EventStream } from './event-stream.ts';
import type { LiveState } from './live-state.ts';
import type { PreviewPorts } from './ports.ts';
import type { PreviewError } from './problem-protocol.ts';
import type { RunState, VideoProgress } from './protocol.ts';
import { previewError, RequestError, videoError } from './request-error.ts';

/** The applies of this server, which run in sequence. */
export class PageRun {
  readonly #ports: Pick<PreviewPorts, 'apply'>;
  readonly #live: LiveState;
  readonly #events: EventStream;
  readonly #running = new Map<string, VideoProgress>();
  readonly #failed = new Map<string, { readonly fingerprint: string; readonly failures: readonly PreviewError[] }>();
  #state: RunState | null = null;
  #stop = new AbortController();
  #ended: Promise<void> = Promise.resolve();

  constructor(ports: Pick<PreviewPorts, 'apply'>, live: LiveState, events: EventStream) {
    this.#ports = ports;
    this.#live = live;
    this.#events = events;
  }

  get isActive(): boolean {
    return this.#state !== null && this.#state.status !== 'done' && this.#state.status !== 'failed';
  }

  /** Begins an apply of the plan that the user has confirmed. It takes the run lock and plans again, as in a terminal. */
  start(plan: string): RunState {
    if (this.isActive) throw new RequestError('conflict', 'An apply of this page is running already');
    this.#stop = new AbortController();
    this.#failed.clear();
    const state: RunState = { status: 'starting', total: 0, done: 0, failed: 0, messages: [] };
    this.#set(state);
    this.#ended = this.#run(plan);
    return state;
  }

  /** Begins nothing further. Running renders end and are recorded. */
  cancel(): RunState {
    if (this.#state === null || !this.isActive) throw new RequestError('conflict', 'No apply of this page is running');
    this.#stop.abort();
    this.#set({ ...this.#state, status: 'stopping' });
    return this.#state;
  }

  /** Cancels a run and waits for its end. */
  async close(): Promise<void> {
    if (this.isActive) this.cancel();
    await this.#ended;
  }

  async #run(plan: string): Promise<void> {
    const observer = {
      take: (event: StreamEvent) => this.#take(event),
      fail: (diagnostics: readonly JsonDiagnostic[]) => this.#say(diagnostics.map(errorOf)),
    };
    let isDone = false;
    try {
      isDone = (await this.#ports.apply(plan, observer, this.#stop.signal)) === 0;
    } catch (error) {
      if (this.#state!.messages.length === 0) this.#say([previewError(error)]);
    }
    this.#running.clear();
    await this.#live.refresh();
    this.#set({ ...this.#state!, status: isDone ? 'done' : 'failed' });
  }

  #take(event: StreamEvent): void {
    const state = this.#state!;
    switch (event.kind) {
      case 'run-started':
        this.#set({ ...state, status: this.#stop.signal.aborted ? 'stopping' : 'running', total: event.ids.length });
        return;
      case 'video-started':
        this.#running.set(event.id, { percent: 0, segments: null });
        this.#set(state);
        return;
      case 'video-progressed': {
        const { done, total, reused } = event.segments ?? {};
        const segments = total === undefined ? null : { done: done!, total, reused: reused! };
        const progress = { percent: event.percent, segments };
        this.#running.set(event.id, progress);
        this.#events.send('run', { kind: 'video', id: event.id, progress });
        return;
      }
      case 'video-rendered':
      case 'video-undelivered':
      case 'video-left':
      case 'video-skipped':
        this.#end(event.id, null);
        return;
      case 'video-failed':
        this.#end(event.id, event.failures);
        return;
      case 'video-unknown':
        this.#end(event.id, [event.failure]);
        return;
      case 'outcome':
        this.#say(event.diagnostics.filter(({ severity }) => severity === 'error').map(errorOf));
        return;
      default:
    }
  }

  #end(id: string, failures: readonly Parameters<typeof videoError>[0][] | null): void {
    const state = this.#state!;
    const wasStarted = this.#running.delete(id);
    if (failures === null) {
      this.#set({ ...state, done: state.done + (wasStarted ? 1 : 0) });
      return;
    }
    // The definition may have been removed meanwhile.
    const card = this.#live.state.videos.find((video) => video.id === id);
    if (card !== undefined) {
      this.#failed.set(id, { fingerprint: card.fingerprint, failures: failures.map(videoError) });
    }
    this.#set({ ...state, failed: state.failed + 1 });
  }

  #say(messages: readonly PreviewError[]): void {
    this.#set({ ...this.#state!, messages: [...this.#state!.messages, ...messages] });
  }

  #set(run: RunState): void {
    this.#state = run;
    const notes: RunNotes = { running: new Map(this.#running), failed: new Map(this.#failed) };
    this.#live.setRun(run, notes);
    this.#events.send('run', { kind: 'run', run });
  }
}

function errorOf({ code, message, hint }: JsonDiagnostic): PreviewError {
  return { code, message, hint };
}
