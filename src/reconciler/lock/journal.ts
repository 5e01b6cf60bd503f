import { ReelformError } from '../../kernel/diagnostic.ts';
import { sha256 } from '../../kernel/digest.ts';
import { isRecord, parseRecord } from '../../kernel/json.ts';
import type { Delivery, Fingerprint, LockEntry, LockRendering } from './lock.ts';

/**
 * A line of the journal, written before and after each request that may cost money. Lines are only appended;
 * `foldJournal` computes the state. Times are ISO 8601, UTC, by the clock of the writing machine.
 */
export type JournalRecord =
  /** Before the POST: exactly this body will be sent under this key. */
  | ({ readonly type: 'intent' } & Intent)
  /** After the POST: the service has the session. */
  | { readonly type: 'created'; readonly key: string; readonly session: string; readonly at: string }
  /**
   * A run reported that it is unknown whether the service has a session for the key. From then on only a person decides:
   * whether a key is still kept cannot be found out later.
   */
  | { readonly type: 'unknown'; readonly key: string; readonly at: string }
  /** The service certainly created no session for the key. */
  | { readonly type: 'not_created'; readonly key: string; readonly at: string }
  /** The session ended with a video. */
  | { readonly type: 'rendered'; readonly key: string; readonly rendering: LockRendering; readonly at: string }
  /** The video arrived at these destinations, no matter who delivered it. Earlier files there are replaced. */
  | {
      readonly type: 'delivered';
      readonly session: string;
      readonly deliveries: readonly Delivery[];
      readonly at: string;
    }
  /**
   * The service had no video of the session for longer than a fault lasts. A later `created` means that it was found
   * again. `code`: why; `session_gone` when absent.
   */
  | { readonly type: 'missing'; readonly key: string; readonly at: string; readonly code?: MissingCode }
  /** The session ended without a video. A later `created` means that the service has mended it. */
  | { readonly type: 'failed'; readonly key: string; readonly at: string }
  /** A person decided to ignore the attempt. */
  | { readonly type: 'abandoned'; readonly key: string; readonly at: string }
  /** A person allowed to send the same key and body again, at the risk of a second session. */
  | { readonly type: 'retry'; readonly key: string; readonly at: string }
  /** How long a service keeps idempotency keys. */
  | { readonly type: 'keys'; readonly service: string; readonly lifetime_ms: number | null }
  /** Durations of the last renders of a style version, in milliseconds, oldest first. */
  | {
      readonly type: 'durations';
      readonly service: string;
      readonly style_version: string;
      readonly durations_ms: readonly number[];
    };

/**
 * Why a session that the service created has no usable video: the service answers 404; it reports the session as
 * rendered, without a URL; or it answers with another session or content.
 */
export type MissingCode = 'session_gone' | 'session_without_video' | 'session_differs';

/** Written before a POST. */
export interface Intent {
  /** Idempotency-Key; identifies the attempt. */
  readonly key: string;
  /** Id of the video that requested it. */
  readonly id: string;
  readonly fingerprint: Fingerprint;
  readonly service: string;
  readonly style_version: string;
  /** Below the service's output directory, without extension. */
  readonly output_name: string;
  /** Exact body of the request. */
  readonly body: string;
  /** Name of the run that sends it. */
  readonly run: string;
  readonly at: string;
  /**
   * Digest of the access token that the request was last sent with: see `accountDigest` of the rendering service.
   * Absent from journals of earlier versions and for the embedded service.
   */
  readonly account?: string;
  /**
   * Time by the clock of the service, at most the time of the first request. Absent if no answer had shown it, from
   * journals of earlier versions and for the embedded service.
   */
  readonly service_at?: string;
}

/**
 * State of an attempt.
 * - sending: the request may have been sent; its result is unknown
 * - unknown: like sending, and a run has reported it as unknown; it is not sent again
 * - retry: like unknown, and a person allowed to send it again
 * - created: the service has the session, which may have ended meanwhile
 * - missing: the service created the session, and had no video of it until an apply stopped asking
 * - rendered: the session ended with a video, which the lockfile may not have yet
 * - failed: the session ended without a video; a new session may be requested unless the service has mended it
 * - closed: never created, or abandoned; it has no effect any more
 */
export type AttemptState = 'sending' | 'unknown' | 'retry' | 'created' | 'missing' | 'rendered' | 'failed' | 'closed';

/** A request for a session, and its known state. */
export interface Attempt {
  readonly intent: Intent;
  readonly state: AttemptState;
  /** Known since `created`; null again when a person allows another request. */
  readonly session: string | null;
  /** Known in state `rendered`. */
  readonly rendering: LockRendering | null;
  /** Present in state `missing`. */
  readonly missing?: MissingCode;
}

/** Observed behaviour of a service. */
export interface ServiceFacts {
  readonly keyLifetimeMs: number | null;
  /** Durations by style version, in milliseconds, oldest first. */
  readonly durationsMs: ReadonlyMap<string, readonly number[]>;
}

/** Present file at a destination, according to the journal. */
export interface Arrival {
  /** Session of the video that arrived last. */
  readonly session: string;
  readonly delivery: Delivery;
}

/** Result of folding all lines of a journal. */
export interface JournalState {
  /** Keyed by idempotency key, in the order of their intents. */
  readonly attempts: ReadonlyMap<string, Attempt>;
  readonly services: ReadonlyMap<string, ServiceFacts>;
  /** Keyed by destination. */
  readonly arrivals: ReadonlyMap<string, Arrival>;
}

/** State of a missing journal. */
export const EMPTY_JOURNAL: JournalState = { attempts: new Map(), services: new Map(), arrivals: new Map() };

/**
 * Record of the attempts of all runs that survives a crash. Calls may be concurrent; a call resolves when its line is
 * durable.
 */
export interface Journal {
  /** State after the last call that resolved. */
  readonly state: JournalState;

  /** True if runs on other machines write to it too. */
  readonly isShared: boolean;

  /**
   * Claims a fingerprint by writing an intent. The request may be posted only afterwards. A claim under the key of an
   * attempt in `retry` permits its request to be sent again.
   *
   * @param insteadOf lock entry of the video, which a new rendering is to replace
   * @returns null when the claim succeeded; otherwise the live attempt for the same fingerprint, and nothing was written
   */
  begin(intent: Intent, insteadOf?: LockEntry | null): Promise<Attempt | null>;

  append(record: JournalRecord): Promise<void>;

  /** Reads what other runs have written. Does nothing for a journal that is not shared. */
  refresh(): Promise<void>;
}

/** Major version of the journal format. Raised only when the meaning of lines changes, not for new types. */
const JOURNAL_VERSION = 1;

/** Hexadecimal digits of a line's SHA-256. Detects damage; not a protection against attacks. */
const SUM_LENGTH = 16;

const LINE = new RegExp(`^\\{"sum":"([0-9a-f]{${SUM_LENGTH}})","record":(.*)\\}$`);

/** Content of a journal file. */
interface ParsedJournal {
  /** In file order, with those of types that a later minor version added. */
  readonly records: readonly JournalRecord[];
  /**
   * Size of the whole lines in bytes. A torn line after them was never reported as written, so it can be removed.
   */
  readonly wholeBytes: number;
}

/** Returns the line of a record, with its newline. */
export function journalLine(record: JournalRecord): string {
  return line(JSON.stringify(record));
}

/** First line of every journal. */
export const JOURNAL_HEADER: string = line(JSON.stringify({ type: 'journal', version: JOURNAL_VERSION }));

/** Returns the text of a whole journal. */
export function journalText(records: readonly JournalRecord[]): string {
  return JOURNAL_HEADER + records.map(journalLine).join('');
}

function line(json: string): string {
  return `{"sum":"${sha256(json).slice(0, SUM_LENGTH)}","record":${json}}\n`;
}

/**
 * Parses a journal. Ignores a torn last line. Refuses other damage and newer versions instead of returning an empty
 * journal, because renders that are running would be paid for again.
 *
 * @param file its name for errors
 * @throws ReelformError `journal_unreadable`
 */
export function parseJournal(bytes: Uint8Array, file: string): ParsedJournal {
  const wholeBytes = bytes.lastIndexOf(0x0a) + 1;
  const lines = new TextDecoder().decode(bytes.subarray(0, wholeBytes)).split('\n').slice(0, -1);
  const records: JournalRecord[] = [];
  for (const [index, text] of lines.entries()) {
    const record = readLine(text);
    if (record === null) throw unreadableJournal(`line ${index + 1} is damaged`, file);
    if (index > 0) {
      if (record.type === 'delivered' && !isDelivered(record))
        throw unreadableJournal(`line ${index + 1} has no valid delivery`, file);
      records.push(record as unknown as JournalRecord);
      continue;
    }
    const { type, version } = record;
    if (type !== 'journal' || typeof version !== 'number') throw unreadableJournal(NO_HEADER, file);
    if (version > JOURNAL_VERSION) {
      const why = `it has version ${version}, but this version of reelform reads ${JOURNAL_VERSION}`;
      throw unreadableJournal(why, file, 'Install a newer version of reelform');
    }
  }
  // The first line is written together with the file.
  if (lines.length === 0) throw unreadableJournal(NO_HEADER, file);
  return { records, wholeBytes };
}

const NO_HEADER = 'it does not start with a journal header';

const MOVE_AWAY =
  'If a service renders, record its sessions that are not in the lockfile with `reelform import ID --session S`. Then move the journal away';

/** Returns the error for a journal whose content is uncertain. */
export function unreadableJournal(why: string, file: string, hint = MOVE_AWAY): ReelformError {
  return new ReelformError('journal_unreadable', `The journal ${file} cannot be read: ${why}`, { hint });
}

/** Validated, because destinations are compared and written to the lockfile. */
function isDelivered({ session, deliveries }: Record<string, unknown>): boolean {
  if (typeof session !== 'string' || !Array.isArray(deliveries)) return false;
  return deliveries.every((delivery: unknown) => {
    if (!isRecord(delivery) || typeof delivery.to !== 'string') return false;
    return delivery.url === undefined || typeof delivery.url === 'string';
  });
}

/** Parses a line; null when its digest does not match. */
function readLine(text: string): Record<string, unknown> | null {
  const [, sum, json = ''] = LINE.exec(text) ?? [];
  return sum === undefined || sha256(json).slice(0, SUM_LENGTH) !== sum ? null : parseRecord(json);
}
