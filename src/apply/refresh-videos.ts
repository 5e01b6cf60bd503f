import pLimit from 'p-limit';
import { byCodeUnit } from '../digest.ts';
import type { LockEntry } from '../lock/lock.ts';
import { type SessionLook, sessionEnd } from '../service/render-service.ts';
import { ServiceError } from '../service/service-error.ts';
import type { LookAtUrl, UrlLook } from '../service/url-look.ts';

/** What no longer stands of a video that was rendered. */
export interface Finding {
  /** In the lockfile. */
  readonly id: string;
  readonly reason: 'url_lost' | 'asset_changed';
  readonly what: 'session_gone' | 'session_failed' | 'video_gone' | 'asset_changed';
  /** The video's, or the first file's that changed. */
  readonly url: string;
  /** Of the files that changed, by URL: what their servers say of them now. */
  readonly changed: Readonly<Record<string, string>>;
}

/** What could not be told. Never a reason to render. */
export interface Unclear {
  readonly id: string;
  readonly url: string;
  readonly why: string;
}

export interface Refreshed {
  /** Videos that were looked at. */
  readonly checked: number;
  /** By id, one for each that does not stand. */
  readonly findings: readonly Finding[];
  readonly unclear: readonly Unclear[];
}

export interface RefreshInput {
  /** By id; those alone that the present service rendered. */
  readonly entries: ReadonlyMap<string, LockEntry>;
  /** Null where sessions cannot be asked for: the embedded service forgets them. */
  readonly getSession: ((id: string) => Promise<SessionLook>) | null;
  readonly lookAtUrl: LookAtUrl;
  /** Videos at once, ≥ 1. */
  readonly concurrency: number;
  readonly signal: AbortSignal;
}

/**
 * Asks whether what was rendered still stands: the session is there and did not fail, the video can be fetched, and the
 * remote files that it was made from are those that they were. Each URL is looked at once.
 *
 * @throws ReelformError `service_unauthorized`, since nothing else would be told either
 */
export async function refreshVideos(input: RefreshInput): Promise<Refreshed> {
  const { entries, signal } = input;
  const looks = new Map<string, Promise<UrlLook>>();
  const look = (url: string): Promise<UrlLook> => {
    const known = looks.get(url) ?? input.lookAtUrl(url, signal);
    looks.set(url, known);
    return known;
  };
  const limit = pLimit(input.concurrency);
  const found = await Promise.all(
    [...entries].map(([id, entry]) => limit(() => refreshVideo(id, entry, { getSession: input.getSession, look }))),
  );
  return {
    checked: entries.size,
    findings: found.flatMap(({ finding }) => finding ?? []).sort((a, b) => byCodeUnit(a.id, b.id)),
    unclear: found.flatMap(({ unclear }) => unclear).sort((a, b) => byCodeUnit(a.id, b.id)),
  };
}

interface Asked {
  readonly getSession: RefreshInput['getSession'];
  look(url: string): Promise<UrlLook>;
}

async function refreshVideo(
  id: string,
  entry: LockEntry,
  { getSession, look }: Asked,
): Promise<{ finding: Finding | null; unclear: Unclear[] }> {
  const unclear: Unclear[] = [];
  const lost = (what: Finding['what']) => {
    return { finding: { id, reason: 'url_lost', what, url: entry.video_url, changed: {} } as const, unclear };
  };
  if (getSession !== null) {
    const session = await lookAtSession(entry.session, getSession);
    if (session === 'session_gone' || session === 'session_failed') return lost(session);
    if (session !== null) unclear.push({ id, url: entry.video_url, why: session.why });
  }
  if (isRemote(entry.video_url)) {
    const video = await look(entry.video_url);
    if (video.kind === 'gone') return lost('video_gone');
    if (video.kind === 'unclear') unclear.push({ id, url: entry.video_url, why: video.why });
  }
  const changed = new Map<string, string>();
  for (const [url, validator] of Object.entries(entry.sources ?? {})) {
    const source = await look(url);
    if (source.kind !== 'there') {
      // A file that is gone leaves the video as it is; the next change of the definition will tell.
      const why = source.kind === 'gone' ? `the server answered ${source.status}` : source.why;
      unclear.push({ id, url, why });
    } else if (source.validator !== null && isOtherVersion(validator, source.validator)) {
      changed.set(url, source.validator);
    }
  }
  const [url] = changed.keys();
  if (url === undefined) return { finding: null, unclear };
  const what = 'asset_changed';
  return { finding: { id, reason: what, what, url, changed: Object.fromEntries(changed) }, unclear };
}

async function lookAtSession(
  id: string,
  getSession: (id: string) => Promise<SessionLook>,
): Promise<'session_gone' | 'session_failed' | { readonly why: string } | null> {
  try {
    const { session } = await getSession(id);
    return sessionEnd(session.status) === 'failed' ? 'session_failed' : null;
  } catch (error) {
    if (error instanceof ServiceError && (error.status === 404 || error.status === 410)) return 'session_gone';
    const { code, message } = error as { readonly code?: unknown; readonly message: string };
    if (code === 'service_unauthorized' || code === 'token_missing') throw error;
    return { why: message };
  }
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
