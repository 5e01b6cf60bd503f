import pLimit from 'p-limit';
import { stripQueries } from '../../contract/urls.ts';
import type { RenderSession } from '../../contract/wire/render-session.ts';
import { defined } from '../../kernel/defined.ts';
import { ReelformError } from '../../kernel/diagnostic.ts';
import { byCodeUnit, sha256 } from '../../kernel/digest.ts';
import { mappingDifferences } from '../../reconciler/apply/mapping-differences.ts';
import { sessionDifferences } from '../../reconciler/apply/session-differences.ts';
import { renderingOf } from '../../reconciler/apply/watch-session.ts';
import { recordedIn } from '../../reconciler/lock/fold-journal.ts';
import type { Attempt } from '../../reconciler/lock/journal.ts';
import type { Fingerprint, Lock, LockEntry, LockRendering } from '../../reconciler/lock/lock.ts';
import type { DesiredVideo } from '../../reconciler/plan/desired-video.ts';
import { withKnownFingerprints } from '../../reconciler/plan/plan-videos.ts';
import type { Config } from '../../reconciler/project/config.ts';
import { differencesText } from '../../report/terminal/resolve-text.ts';
import { fetchSession, type RemoteService } from '../service/open-remote-service.ts';
import { cachedLengths } from '../state/cached-lengths.ts';
import { type DesiredState, desire } from '../state/load-desired-state.ts';
import type { OpenJournal } from '../state/open-journal.ts';

/** Number of sessions that are requested in parallel. */
const CONCURRENCY = 8;

/** Errors that would reject every request. */
const GENERAL: ReadonlySet<unknown> = new Set(['service_unauthorized', 'service_unreachable']);

interface Move {
  /** Earlier URL of the service, without a slash at its end. */
  readonly from: string;
  /** Present URL of the service, without a slash at its end. */
  readonly to: string;
  readonly repository: DesiredState;
  readonly lock: Lock;
  readonly journal: OpenJournal;
  /** The service at its present URL. */
  readonly service: RemoteService;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

interface MovedRenderings {
  /** Lockfile entries with the new address, by video id. The caller records them. */
  readonly entries: readonly (readonly [id: string, entry: LockEntry])[];
  /** Number of attempts that the journal now has under the new address. */
  readonly attempts: number;
  /** Videos that keep the earlier address, with the reason; sorted by id. */
  readonly left: readonly { readonly id: string; readonly why: string }[];
}

/**
 * Finds the sessions of a service at its new address. Moves the attempts in the journal, and returns the entries for the
 * lockfile.
 *
 * @throws ReelformError `unknown_video`, `service_unauthorized`, `service_unreachable`
 */
export async function moveRenderings(move: Move): Promise<MovedRenderings> {
  const { repository, lock, journal, from, to } = move;
  const [old, next] = [new URL(from).origin, new URL(to).origin];
  // Renders that the lockfile has already would otherwise stay in the journal under the old address.
  await journal.compact(lock);
  const attempts = openAttempts(journal, lock, old);
  const entries = [...lock.videos].filter(([, entry]) => entry.service === old);
  if (entries.length + attempts.length + openAttempts(journal, lock, next).length === 0) requireMoved(lock, old, next);
  const successors = await successorsOf(repository, lock, journal, from, to);
  const [checked, followed] = await findSessions(entries, attempts, successors, move);

  const at = new Date(move.nowMs).toISOString();
  let movedAttempts = 0;
  for (const { attempt, found } of followed) {
    if ('why' in found) continue;
    const { fingerprint } = successors.get(attempt.intent.fingerprint)!;
    await moveAttempt(attempt, fingerprint, found, journal, { service: next, at });
    movedAttempts += 1;
  }
  return {
    entries: checked.flatMap(({ id, entry, found }) => {
      if ('why' in found) return [];
      const { fingerprint } = successors.get(entry.fingerprint)!;
      return [[id, movedEntry(entry, fingerprint, found.rendering!, next)] as const];
    }),
    attempts: movedAttempts,
    left: [...checked, ...followed]
      .flatMap(({ id, found }) => ('why' in found ? [{ id, why: found.why }] : []))
      .sort((a, b) => byCodeUnit(a.id, b.id)),
  };
}

/** Requests the sessions of entries and attempts at the new address. */
async function findSessions(
  entries: readonly (readonly [id: string, entry: LockEntry])[],
  attempts: readonly Attempt[],
  successors: ReadonlyMap<Fingerprint, Successor>,
  { from, service }: Move,
) {
  const old = new URL(from).origin;
  const limit = pLimit(CONCURRENCY);
  const find = async (fingerprint: Fingerprint, request: (successor: Successor) => Promise<Found>): Promise<Found> => {
    const successor = successors.get(fingerprint);
    return successor === undefined ? { why: NO_DEFINITION } : limit(() => request(successor));
  };
  const checked = entries.map(async ([id, entry]) => {
    const found = await find(entry.fingerprint, (successor) => findEntry(entry, successor, old, service));
    return { id, entry, found };
  });
  const followed = attempts.map(async (attempt) => {
    const found = await find(attempt.intent.fingerprint, () => findAttempt(attempt, service));
    return { id: attempt.intent.id, attempt, found };
  });
  return Promise.all([Promise.all(checked), Promise.all(followed)]).finally(() => limit.clearQueue());
}

/** The session of a video at the new address, or why it cannot be used. */
type Found = { readonly session: RenderSession; readonly rendering: LockRendering | null } | { readonly why: string };

/** A definition, with its fingerprint at the new address. */
interface Successor {
  /** At the old address. */
  readonly video: DesiredVideo;
  readonly fingerprint: Fingerprint;
}

const NO_DEFINITION =
  'no definition has exactly its content any more, so its fingerprint at the new address is not known';

/** @throws ReelformError `unknown_video` unless all videos of the service may have been moved before */
function requireMoved({ videos }: Lock, old: string, next: string): void {
  const services = new Set([...videos.values()].map(({ service }) => service));
  if (services.has(next)) return;
  const hint = services.size === 0 ? 'The lockfile has no videos' : `It has videos of ${[...services].join(', ')}`;
  throw new ReelformError('unknown_video', `The lockfile has no video of ${old}`, { hint });
}

/** Returns the renders that an apply would follow or ask about, and that the lockfile does not have. */
function openAttempts({ state }: OpenJournal, lock: Lock, service: string): Attempt[] {
  const isRecorded = recordedIn(lock.videos.values());
  return [...state.attempts.values()].filter((attempt) => {
    const isOver = attempt.state === 'closed' || attempt.state === 'failed';
    return attempt.intent.service === service && !isOver && !isRecorded(attempt);
  });
}

/** Returns the present videos by the fingerprints under which the old address rendered them. */
async function successorsOf(
  repository: DesiredState,
  lock: Lock,
  { state }: OpenJournal,
  from: string,
  to: string,
): Promise<Map<Fingerprint, Successor>> {
  const project = await repository.project();
  const lengths = cachedLengths(project);
  const videosAt = (url: string): DesiredVideo[] => {
    return project.videos.map((video) => desire(video, { ...project, config: configOf(url, project.config) }, lengths));
  };
  const renewed = videosAt(to);
  const former = withKnownFingerprints(videosAt(from), lock, { missingOutputs: new Set(), journal: state });
  return new Map(former.map((video, at) => [video.fingerprint, { video, fingerprint: renewed[at]!.fingerprint }]));
}

/** Only the name of the service counts: nothing is sent to it. */
function configOf(url: string, config: Config): Config {
  return { ...config, service: { tokenEnv: '', capabilities: {}, url } };
}

/** @throws ReelformError `service_unauthorized`, `service_unreachable` */
async function findEntry(entry: LockEntry, { video }: Successor, old: string, service: RemoteService): Promise<Found> {
  const session = await fetchOrWhy(entry.session, service);
  if ('why' in session) return session;
  const rendering = renderingOf(session);
  if (rendering === null) return { why: `the session ${session.id} has no video; its status is ${session.status}` };
  const differences = mappingDifferences(video, session);
  if (differences.length > 0) {
    return { why: `the session ${session.id} has a different content: ${differencesText(differences)}` };
  }
  const why = fileProblem('its video', entry, rendering, old) ?? outputProblem(entry, rendering, old);
  return why === null ? { session, rendering } : { why };
}

/** @throws ReelformError `service_unauthorized`, `service_unreachable` */
async function findAttempt({ intent, session: id }: Attempt, service: RemoteService): Promise<Found> {
  if (id === null) {
    return { why: `it is unknown whether ${intent.service} has a session for it: run reelform resolve ${intent.id}` };
  }
  const session = await fetchOrWhy(id, service);
  if ('why' in session) return session;
  const differences = sessionDifferences(intent.body, session);
  if (differences.length === 0) return { session, rendering: renderingOf(session) };
  return { why: `the session ${id} has a different content: ${differencesText(differences)}` };
}

async function fetchOrWhy(id: string, service: RemoteService): Promise<RenderSession | { readonly why: string }> {
  try {
    return await fetchSession(service, id);
  } catch (error) {
    const { code, message } = error as { readonly code?: unknown; readonly message: string };
    if (code === undefined || GENERAL.has(code)) throw error;
    return { why: message };
  }
}

type RecordedFile = Pick<LockEntry, 'video_url' | 'bytes' | 'sha256'>;

/** A file at the old address moves with it. A file elsewhere stays where it is, unless its digest proves it equal. */
function fileProblem(name: string, recorded: RecordedFile, found: RecordedFile, old: string): string | null {
  if (differ(recorded.sha256, found.sha256)) return `${name} does not have the recorded SHA-256`;
  if (differ(recorded.bytes, found.bytes)) return `${name} does not have the recorded size`;
  const isProven = recorded.sha256 !== undefined && recorded.sha256 === found.sha256;
  const isMoved = URL.parse(recorded.video_url)?.origin === old;
  if (isProven || isMoved || stripQueries(recorded.video_url) === stripQueries(found.video_url)) return null;
  return `${name} is at ${stripQueries(found.video_url)}, but ${stripQueries(recorded.video_url)} was recorded`;
}

function outputProblem(entry: LockEntry, { outputs = [] }: LockRendering, old: string): string | null {
  for (const recorded of entry.outputs ?? []) {
    const found = outputs.find(({ name }) => name === recorded.name);
    if (found === undefined) return `the session has no output ${recorded.name}`;
    const problem = fileProblem(`its output ${recorded.name}`, recorded, found, old);
    if (problem !== null) return problem;
  }
  return null;
}

function differ<T>(recorded: T | undefined, found: T | undefined): boolean {
  return recorded !== undefined && found !== undefined && recorded !== found;
}

/** Keeps the facts that only the entry has: its deliveries, the versions of its sources, and sizes and digests. */
function movedEntry(entry: LockEntry, fingerprint: Fingerprint, rendering: LockRendering, service: string): LockEntry {
  const { rendered_at: _time, outputs: files = [], ...found } = rendering;
  const outputs = entry.outputs?.map((output) => {
    const file = files.find(({ name }) => name === output.name);
    return { ...output, ...file };
  });
  return { ...entry, ...found, fingerprint, service, ...defined({ outputs }) };
}

/** A key keeps its request, so the attempt continues under another key, which is the same when the command is repeated. */
async function moveAttempt(
  { intent }: Attempt,
  fingerprint: Fingerprint,
  found: Exclude<Found, { readonly why: string }>,
  journal: OpenJournal,
  { service, at }: { readonly service: string; readonly at: string },
): Promise<void> {
  const { account: _account, ...request } = intent;
  const key = sha256(`${intent.key} ${service}`);
  const { session, rendering } = found;
  await journal.append({ type: 'intent', ...request, key, fingerprint, service });
  await journal.append({ type: 'created', key, session: session.id, at });
  if (rendering !== null) await journal.append({ type: 'rendered', key, rendering, at });
  await journal.append({ type: 'abandoned', key: intent.key, at });
}
