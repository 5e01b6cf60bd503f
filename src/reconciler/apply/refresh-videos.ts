import pLimit from 'p-limit';
import { type SessionSnapshot, sessionEnd } from '../../contract/render-service.ts';
import { lacksSession } from '../../contract/service-error.ts';
import { isHttpUrl, type ProbeUrl, type UrlProbe } from '../../contract/urls.ts';
import { byCodeUnit } from '../../kernel/digest.ts';
import type { Lock, LockEntry, LockRendering } from '../lock/lock.ts';
import { renderingOf } from './watch-session.ts';

/** A recorded video that has to be rendered again, or whose session has a new URL for it. */
export interface Finding {
  /** Id in the lockfile. */
  readonly id: string;
  /** Null if nothing has to be rendered. */
  readonly reason: 'url_lost' | 'asset_changed' | null;
  readonly what: 'video_gone' | 'asset_changed' | 'link_expired';
  /** URL of the video, or of the first changed file. */
  readonly url: string;
  /** Changed files by URL, with the ETag or Last-Modified that their server sends now. */
  readonly changed: Readonly<Record<string, string>>;
  /** The rendering with the present URLs of the session, for an expired link. */
  readonly renewed?: LockRendering;
}

/**
 * Information about a video that can still be fetched: about its session, or a source without a version that could be
 * compared. Never a reason to render.
 */
interface VideoNote {
  readonly id: string;
  readonly what: 'session_gone' | 'session_failed' | 'source_unversioned';
  readonly url: string;
}

/**
 * A video that can be fetched but does not have the recorded size. Never a reason to render automatically: a person
 * decides.
 */
interface Resized {
  readonly id: string;
  readonly url: string;
}

/** A check that failed. Never a reason to render. */
export interface Unclear {
  readonly id: string;
  readonly url: string;
  readonly why: string;
}

export interface Refreshed {
  /** Number of videos that were checked, including those with a check that failed. */
  readonly checked: number;
  /** Sorted by id, at most one per video. */
  readonly findings: readonly Finding[];
  /** Sorted by id. */
  readonly notes: readonly VideoNote[];
  /** Sorted by id, at most one per video. */
  readonly resized: readonly Resized[];
  readonly unclear: readonly Unclear[];
  /**
   * Which sessions the service found: `none` when it found none of several, so the token may belong to another account;
   * `nothing` when their videos cannot be fetched either, which is treated as a fault of the check.
   */
  readonly sessions: 'some' | 'none' | 'nothing';
}

export interface RefreshInput {
  /** Videos that the present service rendered, keyed by id. */
  readonly entries: ReadonlyMap<string, LockEntry>;
  /** Remote files that each of them was made from, by id, as far as the definitions know them. */
  readonly sources: ReadonlyMap<string, readonly string[]>;
  /** Null when sessions cannot be requested: the embedded service does not keep them. */
  readonly getSession: ((id: string) => Promise<SessionSnapshot>) | null;
  readonly probeUrl: ProbeUrl;
  readonly wait: (milliseconds: number) => Promise<unknown>;
  /** Maximum number of videos checked concurrently, ≥ 1. */
  readonly concurrency: number;
  readonly signal: AbortSignal;
}

/**
 * Pauses before requests that were answered with 404 are repeated, in milliseconds. A deployment, a cache or a lagging
 * store recovers within this time, so only a URL that no request finds counts as gone. All videos share the pauses.
 */
export const PAUSES_MS = [2_000, 8_000] as const;

/** A single video may plausibly be gone together with its session. */
const MIN_SUSPICIOUS = 2;

/**
 * Checks whether recorded videos can still be fetched, and whether the remote files they were made from are unchanged.
 * A missing session is only a note while the video can be fetched. Requests each URL once, and repeats only requests
 * answered with 404.
 *
 * @throws ReelformError `service_unauthorized`, because every other request would be refused as well
 */
export async function refreshVideos(input: RefreshInput): Promise<Refreshed> {
  const { entries } = input;
  const checked = await checkAll(entries, input);
  for (const pauseMs of PAUSES_MS) {
    const again = new Map([...entries].filter(([id]) => checked.get(id)!.mayPass));
    if (again.size === 0) break;
    await input.wait(pauseMs);
    for (const [id, check] of await checkAll(again, input)) checked.set(id, check);
  }
  const all = [...checked.values()].sort((a, b) => byCodeUnit(a.id, b.id));
  const sessions = answeredSessions(all);
  return {
    checked: entries.size,
    findings: sessions === 'nothing' ? [] : all.flatMap(({ finding }) => finding ?? []),
    notes: sessions === 'nothing' ? [] : all.flatMap(({ notes }) => notes),
    resized: all.flatMap(({ resized }) => resized ?? []),
    unclear: all.flatMap((check) => (sessions === 'nothing' ? unverified(check) : check.unclear)),
    sessions,
  };
}

interface VideoCheck {
  readonly id: string;
  readonly url: string;
  readonly isForgotten: boolean;
  readonly finding: Finding | null;
  readonly notes: readonly VideoNote[];
  readonly resized: Resized | null;
  readonly unclear: readonly Unclear[];
  /** True if a repeated request may find the video. */
  readonly mayPass: boolean;
}

function answeredSessions(all: readonly VideoCheck[]): Refreshed['sessions'] {
  const areGone = all.length >= MIN_SUSPICIOUS && all.every(({ isForgotten }) => isForgotten);
  if (!areGone) return 'some';
  return all.every(({ finding }) => finding?.what === 'video_gone') ? 'nothing' : 'none';
}

function unverified({ id, url }: VideoCheck): Unclear {
  return { id, url, why: 'neither its session nor its video was found, as for all other videos' };
}

async function checkAll(entries: RefreshInput['entries'], input: RefreshInput): Promise<Map<string, VideoCheck>> {
  const probes = new Map<string, Promise<UrlProbe>>();
  const probe = (url: string): Promise<UrlProbe> => {
    const known = probes.get(url) ?? input.probeUrl(url, input.signal);
    probes.set(url, known);
    return known;
  };
  const limit = pLimit(input.concurrency);
  const all = await Promise.all(
    [...entries].map(([id, entry]) =>
      limit(() => {
        const sources = input.sources.get(id) ?? [];
        return checkVideo(id, entry, { sources, getSession: input.getSession, probe });
      }),
    ),
  );
  return new Map(all.map((check) => [check.id, check]));
}

interface Requests {
  /** Remote files of the definition. */
  readonly sources: readonly string[];
  readonly getSession: RefreshInput['getSession'];
  probe(url: string): Promise<UrlProbe>;
}

async function checkVideo(id: string, entry: LockEntry, requests: Requests): Promise<VideoCheck> {
  const { getSession, probe } = requests;
  const { video_url: url } = entry;
  const unclear: Unclear[] = [];
  const session = getSession === null ? null : await checkSession(entry.session, getSession);
  if (session?.what === 'unclear') unclear.push({ id, url, why: session.why });
  const isForgotten = session?.what === 'session_gone';
  const files = [entry, ...(entry.outputs ?? [])].filter((file) => isHttpUrl(file.video_url));
  const probes = await Promise.all(
    files.map(async ({ video_url, bytes }) => ({ url: video_url, bytes, found: await probe(video_url) })),
  );
  const video = probes.find((file) => file.url === url)?.found ?? null;
  const isNoted = session?.what === 'session_gone' || session?.what === 'session_failed';
  const notes: VideoNote[] = isNoted && video?.kind === 'there' ? [{ id, what: session.what, url }] : [];
  const resizedFile = probes.find(({ bytes, found }) => found.kind === 'there' && isOtherSize(bytes, found.bytes));
  const resized = resizedFile === undefined ? null : { id, url: resizedFile.url };
  const check = { id, url, isForgotten, unclear, finding: null, notes, resized, mayPass: false };
  const isMissing = probes.some(({ found }) => found.kind !== 'there');
  const renewed = isMissing && session?.what === 'there' ? await renewedUrls(session.rendering, entry, probe) : null;
  for (const file of renewed === null ? probes : []) {
    if (file.found.kind === 'gone') {
      const finding = { id, reason: 'url_lost', what: 'video_gone', url: file.url, changed: {} } as const;
      return { ...check, finding, mayPass: file.found.status !== 410 };
    }
    if (file.found.kind === 'unclear') unclear.push({ id, url: file.url, why: file.found.why });
  }
  const changed = await changedSources(id, entry, requests, { unclear, notes });
  const [first] = Object.keys(changed);
  if (first !== undefined)
    return { ...check, finding: { id, reason: 'asset_changed', what: 'asset_changed', url: first, changed } };
  if (renewed === null) return check;
  return { ...check, finding: { id, reason: null, what: 'link_expired', url, changed, renewed } };
}

/** Returns the present URLs of a session if they differ from its entry and all can be fetched with the recorded sizes. */
async function renewedUrls(
  rendering: LockRendering | null,
  entry: LockEntry,
  probe: Requests['probe'],
): Promise<LockRendering | null> {
  if (rendering === null) return null;
  const recorded = [entry, ...(entry.outputs ?? [])];
  const files = [rendering, ...(rendering.outputs ?? [])];
  if (files.length !== recorded.length) return null;
  if (files.every(({ video_url: url }, at) => url === recorded[at]!.video_url)) return null;
  const probes = await Promise.all(files.map(({ video_url: url }) => probe(url)));
  const isAvailable = probes.every(
    (found, at) => found.kind === 'there' && !isOtherSize(recorded[at]!.bytes, found.bytes),
  );
  return isAvailable ? rendering : null;
}

/**
 * Returns the new validators of changed sources, by URL.
 *
 * @param unverified receives the sources that could not be checked, and those without a version to compare. A missing source
 *   does not change the video; the next change of the definition reports it.
 */
async function changedSources(
  id: string,
  { sources = {} }: LockEntry,
  { sources: wanted, probe }: Requests,
  unverified: { readonly unclear: Unclear[]; readonly notes: VideoNote[] },
): Promise<Record<string, string>> {
  const { unclear, notes } = unverified;
  for (const url of wanted) {
    if (Object.hasOwn(sources, url)) continue;
    const now = await probe(url);
    if (now.kind === 'there') notes.push({ id, what: 'source_unversioned', url });
    else unclear.push({ id, url, why: whyOf(now) });
  }
  const changed: Record<string, string> = {};
  for (const [url, validator] of Object.entries(sources)) {
    const now = await probe(url);
    if (now.kind !== 'there') unclear.push({ id, url, why: whyOf(now) });
    else if (now.validator !== null && isOtherVersion(validator, now.validator)) changed[url] = now.validator;
  }
  return changed;
}

function whyOf(probe: Exclude<UrlProbe, { kind: 'there' }>): string {
  return probe.kind === 'gone' ? `the server returned ${probe.status}` : probe.why;
}

type SessionCheck =
  /** `rendering` is null without a video. */
  | { readonly what: 'there'; readonly rendering: LockRendering | null }
  | { readonly what: 'session_gone' | 'session_failed' }
  | { readonly what: 'unclear'; readonly why: string };

async function checkSession(id: string, getSession: (id: string) => Promise<SessionSnapshot>): Promise<SessionCheck> {
  try {
    const { session } = await getSession(id);
    if (sessionEnd(session.status) === 'failed') return { what: 'session_failed' };
    return { what: 'there', rendering: session.id === id ? renderingOf(session) : null };
  } catch (error) {
    if (lacksSession(error)) return { what: 'session_gone' };
    const { code, message } = error as { readonly code?: unknown; readonly message: string };
    if (code === 'service_unauthorized' || code === 'token_missing') throw error;
    return { what: 'unclear', why: message };
  }
}

function isOtherSize(recorded: number | undefined, present: number | undefined): boolean {
  return recorded !== undefined && present !== undefined && recorded !== present;
}

/** An ETag and a Last-Modified time cannot be compared. */
function isOtherVersion(before: string, now: string): boolean {
  return isEtag(before) === isEtag(now) && plainEtag(before) !== plainEtag(now);
}

function isEtag(validator: string): boolean {
  return /^(?:W\/)?"/.test(validator);
}

/** A cache on the way may weaken the ETag of an unchanged version. @see RFC 9110, 8.8.3.2 */
function plainEtag(validator: string): string {
  return validator.replace(/^W\//, '');
}

/**
 * Records the findings of a refresh in the lock. Marks the entry of a lost video, so that the next plan renders it and
 * no other video adopts it. Stores the new version of a changed remote file, so that the change is reported once, and
 * the new URLs of a video whose link expired.
 */
export function recordFindings(lock: Lock, findings: readonly Finding[]): Lock {
  const videos = new Map(lock.videos);
  for (const { id, what, changed, renewed } of findings) {
    const entry = videos.get(id);
    if (entry === undefined) continue;
    if (what === 'video_gone') videos.set(id, { ...entry, lost: true });
    else if (what === 'asset_changed') videos.set(id, withVersions(entry, changed));
    else if (renewed?.session === entry.session) videos.set(id, withUrls(entry, renewed));
  }
  return { ...lock, videos };
}

/** Keeps the recorded sizes and digests, which the service may not report. */
function withUrls(entry: LockEntry, { video_url, thumbnails, outputs = [] }: LockRendering): LockEntry {
  const files = entry.outputs?.map((output, at) => ({
    ...output,
    video_url: outputs[at]?.video_url ?? output.video_url,
  }));
  return { ...entry, video_url, thumbnails, ...(files && { outputs: files }) };
}

function withVersions(entry: LockEntry, changed: Readonly<Record<string, string>>): LockEntry {
  const sources = Object.entries({ ...entry.sources, ...changed }).sort(([a], [b]) => byCodeUnit(a, b));
  return { ...entry, sources: Object.fromEntries(sources) };
}
