import type { Delivery, Fingerprint, Rendering } from './lock.ts';

/**
 * One line of the journal: what is in flight, written before and after each request that could be paid for. Lines are only
 * added; `foldJournal` makes the state of them. Times are ISO 8601, UTC, of the machine that wrote.
 */
export type JournalRecord =
  /** Before the POST: it will be sent, with exactly this body under this key. */
  | ({ readonly type: 'intent' } & Intent)
  /** After the POST: the service has the session. */
  | { readonly type: 'created'; readonly key: string; readonly session: string; readonly at: string }
  /** The service certainly made no session for the key. */
  | { readonly type: 'not_created'; readonly key: string; readonly at: string }
  /** The session ended with a video. */
  | { readonly type: 'rendered'; readonly key: string; readonly rendering: Rendering; readonly at: string }
  /** Its video arrived in these places, whoever had it sent: what was there before is not there any more. */
  | {
      readonly type: 'delivered';
      readonly session: string;
      readonly deliveries: readonly Delivery[];
      readonly at: string;
    }
  /** The service answered 404 for the session for longer than a fault lasts. A later `created` says that it is back. */
  | { readonly type: 'missing'; readonly key: string; readonly at: string }
  /** The session ended without a video. */
  | { readonly type: 'failed'; readonly key: string; readonly at: string }
  /** Somebody decided: the attempt counts for nothing any more. */
  | { readonly type: 'abandoned'; readonly key: string; readonly at: string }
  /** Somebody decided: the same key and body may be sent again, at the risk of a second session. */
  | { readonly type: 'retry'; readonly key: string; readonly at: string }
  /** What was seen of a service: for how long it keeps idempotency keys. */
  | { readonly type: 'keys'; readonly service: string; readonly lifetime_ms: number | null }
  /** What was seen of a service: how long its last renders of a style version took, in milliseconds, oldest first. */
  | {
      readonly type: 'durations';
      readonly service: string;
      readonly style_version: string;
      readonly durations_ms: readonly number[];
    };

/** What is written before a POST. */
export interface Intent {
  /** The Idempotency-Key: names the attempt. */
  readonly key: string;
  /** The video that asked for it. */
  readonly id: string;
  readonly fingerprint: Fingerprint;
  readonly service: string;
  readonly style_version: string;
  /** Below the service's output directory, without ending. */
  readonly output_name: string;
  /** The exact body. */
  readonly body: string;
  /** Names the run that sends it. */
  readonly run: string;
  readonly at: string;
}

/**
 * Where an attempt stands.
 * - sending: it may have been sent, and nothing tells what became of it
 * - retry: the same, and somebody allowed to send it again
 * - created: the service has the session; it may have ended meanwhile
 * - missing: the service made the session, and answered 404 for it when an apply gave up
 * - rendered: it ended with a video, which the lockfile may not have yet
 * - closed: failed, never made, or given up: nothing follows from it
 */
export type AttemptState = 'sending' | 'retry' | 'created' | 'missing' | 'rendered' | 'closed';

/** One request for a session, and what is known of it. */
export interface Attempt {
  readonly intent: Intent;
  readonly state: AttemptState;
  /** Known from `created` on; null again once a person allowed another request. */
  readonly session: string | null;
  /** Known when `rendered`. */
  readonly rendering: Rendering | null;
}

/** What a service was seen to do. */
export interface ServiceFacts {
  readonly keyLifetimeMs: number | null;
  /** Style version → durations in milliseconds, oldest first. */
  readonly durationsMs: ReadonlyMap<string, readonly number[]>;
}

/** What is in a place, as far as the journal knows. */
export interface Arrival {
  /** Of the video that arrived there last. */
  readonly session: string;
  readonly delivery: Delivery;
}

/** All lines of a journal, folded. */
export interface JournalState {
  /** By key, in the order of their intents. */
  readonly attempts: ReadonlyMap<string, Attempt>;
  readonly services: ReadonlyMap<string, ServiceFacts>;
  /** By place. */
  readonly arrivals: ReadonlyMap<string, Arrival>;
}

/** Of a journal that is not there. */
export const EMPTY_JOURNAL: JournalState = { attempts: new Map(), services: new Map(), arrivals: new Map() };
