import type { Attempt, Intent } from '../lock/journal.ts';
import type { Fingerprint, Rendering } from '../lock/lock.ts';
import type { RenderService } from '../service/render-service.ts';
import type { RenderSession } from '../wire/render-session.ts';
import type { Begin, Failure } from './events.ts';
import type { ApplyPorts } from './ports.ts';
import type { RenderTask } from './render-task.ts';
import type { SessionWatcher } from './session-watcher.ts';

/** How the work at one video ended. */
export type Ending =
  /** `session` as it was seen last; null where this run did not see it. */
  | { readonly kind: 'rendered'; readonly rendering: Rendering; readonly session: RenderSession | null }
  | { readonly kind: 'failed'; readonly failures: readonly Failure[] }
  /** A render was requested, and only a person can find out what became of it. `session`: the one that is missing, if any. */
  | {
      readonly kind: 'unknown';
      readonly failure: Failure;
      readonly askedAt: string;
      readonly session: string | null;
    }
  /** Still at work at the service, and in the journal. */
  | { readonly kind: 'left'; readonly session: string }
  /** Given up before anything was asked for. */
  | { readonly kind: 'given-up' };

/** What the videos of one run share. */
export interface RunContext {
  readonly service: RenderService;
  readonly ports: ApplyPorts;
  readonly watcher: SessionWatcher;
  /** Names this run in the journal. */
  readonly run: string;
  /** Attempts in the journal when the run began, except those that the lockfile has. */
  readonly known: ReadonlyMap<Fingerprint, Attempt>;
  /** Whether the run is ending: nothing may be asked for any more. */
  isEnding(): boolean;
  /** Aborted: what is at work is left to the service. */
  readonly leave: AbortSignal;
  /** Lets only so many requests be unanswered at once as could be sorted out by hand. */
  readonly posting: <T>(post: () => Promise<T>) => Promise<T>;
  /** Lets one video at a time ask for room in a queue that is full: others that wait need not be refused as well. */
  readonly waiting: <T>(ask: () => Promise<T>) => Promise<T>;
  /** Whether the service is known to deliver nothing. */
  lacksDeliveries(): boolean;
  /** The service was seen to deliver nothing. */
  noteLack(): void;
}

/** What is told of one video on the way. */
export interface TaskEvents {
  begun(begin: Begin): void;
  submitted(session: string): void;
  progressed(percent: number): void;
  /** Worth knowing, and no failure. */
  warned(warning: Failure): void;
}

/** What is written down before a video is asked for. */
export function newIntent(task: RenderTask, body: string, context: RunContext): Intent {
  return {
    key: context.ports.newKey(),
    id: task.video.id,
    fingerprint: task.fingerprint,
    service: context.service.name,
    style_version: task.styleVersion,
    output_name: task.outputName,
    body,
    run: context.run,
    at: timestamp(context),
  };
}

/** Now, as the journal writes it. */
export function timestamp({ ports }: RunContext): string {
  return new Date(ports.clock.now()).toISOString();
}
