import pLimit from 'p-limit';
import { byCodeUnit } from '../digest.ts';
import type { Lock, LockEntry } from '../lock/lock.ts';
import { type SessionSnapshot, sessionEnd } from '../service/render-service.ts';
import { lacksSession } from '../service/service-error.ts';
import type { ProbeUrl, UrlProbe } from '../service/urls.ts';

/** A recorded video that has to be rendered again. */
export interface Finding {
  /** In the lockfile. */
  readonly id: string;
  readonly reason: 'url_lost' | 'asset_changed';
  readonly what: 'video_gone' | 'asset_changed';
  /** The video's, or the first file's that changed. */
  readonly url: string;
  /** Of the files that changed, by URL: what their servers say of them now. */
  readonly changed: Readonly<Record<string, string>>;
}

/** What a service says about the session of a video that can be fetched. Never a reason to render. */
export interface Note {
  readonly id: string;
  readonly what: 'session_gone' | 'session_failed';
  /** The video's. */
  readonly url: string;
}

/** A video that can be fetched and does not have the recorded size. Never a reason to render: that is for a person to say. */
export interface Resized {
  readonly id: string;
  readonly url: string;
}

/** What could not be verified. Never a reason to render. */
export interface Unclear {
  readonly id: string;
  readonly url: string;
  readonly why: string;
}

export interface Refreshed {
  /** Videos that were checked. */
  readonly checked: number;
  /** By id, at most one for each video. */
  readonly findings: readonly Finding[];
  /** By id, at most one for each video. */
  readonly notes: readonly Note[];
  /** By id, at most one for each video. */
  readonly resized: readonly Resized[];
  readonly unclear: readonly Unclear[];
  /**
   * What the service answered for the sessions: `none` when it has none of several, so that the token may be another account's;
   * `nothing` when their videos cannot be fetched either, which is not believed.
   */
  readonly sessions: 'some' | 'none' | 'nothing';
}

export interface RefreshInput {
  /** By id; those alone that the present service rendered. */
  readonly entries: ReadonlyMap<string, LockEntry>;
  /** Null where sessions cannot be requested: the embedded service forgets them. */
  readonly getSession: ((id: string) => Promise<SessionSnapshot>) | null;
  readonly lookAtUrl: ProbeUrl;
  readonly wait: (milliseconds: number) => Promise<unknown>;
  /** Videos at once, ≥ 1. */
  readonly concurrency: number;
  readonly signal: AbortSignal;
}

/**
 * Pauses before what is answered with 404 is requested again, in milliseconds. It is gone when no request finds it: a
 * deployment, a cache or a storage that lags behind answers again within this time. All videos share the pauses.
 */
export const PAUSES_MS = [2_000, 8_000] as const;

/** A single video may well be gone together with its session. */
const MIN_SUSPICIOUS = 2;

/**
 * Checks whether recorded videos can still be fetched, and whether the remote files that they were made from are the
 * same versions. A session that the service forgot is a note, as long as the video is there. Each URL is requested once,
 * and again only while it is answered with 404.
 *
 * @throws ReelformError `service_unauthorized`, because every other request would be refused as well
 */
export async function refreshVideos(input: RefreshInput): Promise<Refreshed> {
  const { entries } = input;
  const seen = await checkAll(entries, input);
  for (const pauseMs of PAUSES_MS) {
    const again = new Map([...entries].filter(([id]) => seen.get(id)!.mayPass));
    if (again.size === 0) break;
    await input.wait(pauseMs);
    for (const [id, one] of await checkAll(again, input)) seen.set(id, one);
  }
  const all = [...seen.values()].sort((a, b) => byCodeUnit(a.id, b.id));
  const sessions = answeredSessions(all);
  return {
    checked: entries.size,
    findings: sessions === 'nothing' ? [] : all.flatMap(({ finding }) => finding ?? []),
    notes: sessions === 'nothing' ? [] : all.flatMap(({ note }) => note ?? []),
    resized: all.flatMap(({ resized }) => resized ?? []),
    unclear: all.flatMap((one) => (sessions === 'nothing' ? unverified(one) : one.unclear)),
    sessions,
  };
}

/** What was found out about one video. */
interface Seen {
  readonly id: string;
  readonly url: string;
  readonly isForgotten: boolean;
  readonly finding: Finding | null;
  readonly note: Note | null;
  readonly resized: Resized | null;
  readonly unclear: readonly Unclear[];
  /** Whether the next request may find the video. */
  readonly mayPass: boolean;
}

function answeredSessions(all: readonly Seen[]): Refreshed['sessions'] {
  const areGone = all.length >= MIN_SUSPICIOUS && all.every(({ isForgotten }) => isForgotten);
  if (!areGone) return 'some';
  return all.every(({ finding }) => finding?.what === 'video_gone') ? 'nothing' : 'none';
}

function unverified({ id, url }: Seen): Unclear {
  return { id, url, why: 'neither its session nor its video was found, like those of every other video' };
}

async function checkAll(entries: RefreshInput['entries'], input: RefreshInput): Promise<Map<string, Seen>> {
  const looks = new Map<string, Promise<UrlProbe>>();
  const look = (url: string): Promise<UrlProbe> => {
    const known = looks.get(url) ?? input.lookAtUrl(url, input.signal);
    looks.set(url, known);
    return known;
  };
  const limit = pLimit(input.concurrency);
  const all = await Promise.all(
    [...entries].map(([id, entry]) => limit(() => checkVideo(id, entry, { getSession: input.getSession, look }))),
  );
  return new Map(all.map((one) => [one.id, one]));
}

interface Requests {
  readonly getSession: RefreshInput['getSession'];
  look(url: string): Promise<UrlProbe>;
}

async function checkVideo(id: string, entry: LockEntry, { getSession, look }: Requests): Promise<Seen> {
  const { video_url: url } = entry;
  const unclear: Unclear[] = [];
  const session = getSession === null ? null : await checkSession(entry.session, getSession);
  if (session !== null && typeof session === 'object') unclear.push({ id, url, why: session.why });
  const isForgotten = session === 'session_gone';
  const video = isRemote(url) ? await look(url) : null;
  const isNoted = video?.kind === 'there' && (isForgotten || session === 'session_failed');
  const note = isNoted ? { id, what: session, url } : null;
  const isResized = video?.kind === 'there' && isOtherSize(entry.bytes, video.bytes);
  const resized = isResized ? { id, url } : null;
  const seen = { id, url, isForgotten, unclear, finding: null, note, resized, mayPass: false };
  if (video?.kind === 'gone') {
    const finding = { id, reason: 'url_lost', what: 'video_gone', url, changed: {} } as const;
    return { ...seen, finding, mayPass: video.status !== 410 };
  }
  if (video?.kind === 'unclear') unclear.push({ id, url, why: video.why });
  const changed = new Map<string, string>();
  for (const [source, validator] of Object.entries(entry.sources ?? {})) {
    const now = await look(source);
    if (now.kind !== 'there') {
      // A file that is gone leaves the video as it is; the next change of the definition reports it.
      const why = now.kind === 'gone' ? `the server answered ${now.status}` : now.why;
      unclear.push({ id, url: source, why });
    } else if (now.validator !== null && isOtherVersion(validator, now.validator)) {
      changed.set(source, now.validator);
    }
  }
  const [first] = changed.keys();
  if (first === undefined) return seen;
  const finding = { id, reason: 'asset_changed', what: 'asset_changed', url: first } as const;
  return { ...seen, finding: { ...finding, changed: Object.fromEntries(changed) } };
}

async function checkSession(
  id: string,
  getSession: (id: string) => Promise<SessionSnapshot>,
): Promise<'there' | Note['what'] | { readonly why: string }> {
  try {
    const { session } = await getSession(id);
    return sessionEnd(session.status) === 'failed' ? 'session_failed' : 'there';
  } catch (error) {
    if (lacksSession(error)) return 'session_gone';
    const { code, message } = error as { readonly code?: unknown; readonly message: string };
    if (code === 'service_unauthorized' || code === 'token_missing') throw error;
    return { why: message };
  }
}

function isOtherSize(recorded: number | undefined, present: number | undefined): boolean {
  return recorded !== undefined && present !== undefined && recorded !== present;
}

/** A server that gave an ETag and now gives a time, or the other way round, tells nothing. */
function isOtherVersion(before: string, now: string): boolean {
  return isEtag(before) === isEtag(now) && plainEtag(before) !== plainEtag(now);
}

function isEtag(validator: string): boolean {
  return /^(?:W\/)?"/.test(validator);
}

/** A cache on the way may weaken an ETag; it is the same version then. @see RFC 9110, 8.8.3.2 */
function plainEtag(validator: string): string {
  return validator.replace(/^W\//, '');
}

function isRemote(url: string): boolean {
  return /^https?:/i.test(url);
}

/**
 * The lock as a refresh found things to be. The entry of a video that is lost is marked, so that the next plan renders it and
 * no other video adopts it; of a remote file that changed the new version is noted, so that the video made from the old
 * one counts as it is.
 */
export function recordFindings(lock: Lock, findings: readonly Finding[]): Lock {
  const videos = new Map(lock.videos);
  for (const { id, reason, changed } of findings) {
    const entry = videos.get(id);
    if (entry === undefined) continue;
    videos.set(id, reason === 'url_lost' ? { ...entry, lost: true } : withVersions(entry, changed));
  }
  return { ...lock, videos };
}

function withVersions(entry: LockEntry, changed: Readonly<Record<string, string>>): LockEntry {
  const sources = Object.entries({ ...entry.sources, ...changed }).sort(([a], [b]) => byCodeUnit(a, b));
  return { ...entry, sources: Object.fromEntries(sources) };
}
