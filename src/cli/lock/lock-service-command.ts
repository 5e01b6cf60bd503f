import pLimit from 'p-limit';
import { stripQueries } from '../../contract/urls.ts';
import type { RenderSession } from '../../contract/wire/render-session.ts';
import { defined } from '../../kernel/defined.ts';
import { EXIT, hasErrors, ReelformError } from '../../kernel/diagnostic.ts';
import { byCodeUnit, sha256 } from '../../kernel/digest.ts';
import { mappingDifferences, sessionDifferences } from '../../reconciler/apply/session-differences.ts';
import { renderingOf } from '../../reconciler/apply/watch-session.ts';
import { recordedIn } from '../../reconciler/lock/fold-journal.ts';
import type { Attempt } from '../../reconciler/lock/journal.ts';
import type { Fingerprint, Lock, LockEntry, LockOutput, LockRendering } from '../../reconciler/lock/lock.ts';
import type { DesiredVideo } from '../../reconciler/plan/desired-video.ts';
import { withKnownFingerprints } from '../../reconciler/plan/plan-videos.ts';
import { type Config, isPrivateUrl } from '../../reconciler/project/config.ts';
import { findRoot } from '../../reconciler/project/repository-layout.ts';
import { serviceMovedText } from '../../report/terminal/lock-text.ts';
import { differencesText } from '../../report/terminal/resolve-text.ts';
import { type GlobalOptions, workingDirectory } from '../global-options.ts';
import type { Io } from '../io.ts';
import { printDiagnostics, stdoutStyle } from '../output.ts';
import { fetchSession, openRemoteService, type RemoteService } from '../service/open-remote-service.ts';
import { type DesiredState, desire, loadDesiredState, serviceName } from '../state/load-desired-state.ts';
import { type OpenJournal, openJournal } from '../state/open-journal.ts';
import { loadLock, updateLock, withRunLock } from '../state/open-lock.ts';

/** Number of sessions that are requested in parallel. */
const CONCURRENCY = 8;

/** Errors that would reject every request. */
const GENERAL: ReadonlySet<unknown> = new Set(['service_unauthorized', 'service_unreachable']);

/**
 * `reelform lock service OLD NEW`: records the renderings of a service under its new address, as far as it has their
 * sessions there. Renders nothing.
 *
 * @param from earlier URL @param to present URL, without slashes at its end
 */
export async function lockServiceCommand(from: string, to: string, options: GlobalOptions, io: Io): Promise<number> {
  const [old, next] = [new URL(from).origin, new URL(to).origin];
  if (old === next) throw new ReelformError('options_conflict', `Both URLs have the origin ${old}`);
  const root = findRoot(workingDirectory(options, io));
  return withRunLock(root, io, async () => {
    const lock = await loadLock(options, io);
    if (lock === null) return EXIT.error;
    const repository = await loadDesiredState(root, { cache: false });
    if (hasErrors(repository.diagnostics)) {
      printDiagnostics(repository.diagnostics, repository.source, options, io);
      return EXIT.error;
    }
    const service = openRemoteService({ config: configAt(to, repository.config) }, io);
    const journal = await openJournal(root, repository.config);
    try {
      // What the lockfile has would otherwise stay in the journal under the old address.
      await journal.compact(lock);
      const attempts = openAttempts(journal, lock, old);
      const entries = [...lock.videos].filter(([, entry]) => entry.service === old);
      if (entries.length + attempts.length === 0) requireMoved(lock, old, next);
      const successors = await successorsOf(repository, lock, journal, from, to);
      const check = async (of: (successor: Successor) => Promise<Found>, fingerprint: Fingerprint): Promise<Found> => {
        const successor = successors.get(fingerprint);
        return successor === undefined ? { why: UNWANTED } : of(successor);
      };
      const limit = pLimit(CONCURRENCY);
      const [checked, followed] = await Promise.all([
        Promise.all(
          entries.map(async ([id, entry]) => {
            const find = (successor: Successor) => limit(() => findEntry(entry, successor, old, service));
            return { id, entry, found: await check(find, entry.fingerprint) };
          }),
        ),
        Promise.all(
          attempts.map(async (attempt) => {
            const find = () => limit(() => findAttempt(attempt, service));
            return { id: attempt.intent.id, attempt, found: await check(find, attempt.intent.fingerprint) };
          }),
        ),
      ]).finally(() => limit.clearQueue());

      const moved = { videos: 0, attempts: 0 };
      for (const { attempt, found } of followed) {
        if ('why' in found) continue;
        await moveAttempt(attempt, successors.get(attempt.intent.fingerprint)!.fingerprint, found, journal, next, io);
        moved.attempts += 1;
      }
      const edits = checked.flatMap(({ id, entry, found }): [string, LockEntry][] => {
        if ('why' in found) return [];
        const { fingerprint } = successors.get(entry.fingerprint)!;
        return [[id, movedEntry(entry, fingerprint, found.rendering!, next)]];
      });
      moved.videos = edits.length;
      const change = (present: Lock): Lock => ({ ...present, videos: new Map([...present.videos, ...edits]) });
      if (edits.length > 0 && (await updateLock(root, change, options, io)) === null) return EXIT.error;
      const left = [...checked, ...followed]
        .flatMap(({ id, found }) => ('why' in found ? [{ id, why: found.why }] : []))
        .sort((a, b) => byCodeUnit(a.id, b.id));
      const configured = serviceName(repository.config);
      const staleUrls = edits.filter(([, entry]) => URL.parse(entry.video_url)?.origin === old).length;
      const result = {
        from: old,
        to: next,
        moved,
        left,
        staleUrls,
        configured: configured === next ? null : configured,
      };
      io.stdout.write(serviceMovedText(result, stdoutStyle(options, io)));
      return left.length === 0 ? EXIT.ok : EXIT.error;
    } finally {
      await journal.close();
    }
  });
}

/** The session of a video at the new address, or why it cannot be used. */
type Found = { readonly session: RenderSession; readonly rendering: LockRendering | null } | { readonly why: string };

/** A definition, with its fingerprint at the new address. */
interface Successor {
  /** At the old address. */
  readonly video: DesiredVideo;
  readonly fingerprint: Fingerprint;
}

const UNWANTED = 'no definition has exactly its content any more, so its fingerprint at the new address is not known';

/** @throws ReelformError `config_invalid` */
function configAt(url: string, config: Config): Config {
  const { service } = config;
  const present = service === 'embedded' ? null : service;
  // reelform.yaml may allow http for its own service.
  if (!isPrivateUrl(url) && present?.url !== url) {
    throw new ReelformError('config_invalid', `The access token would be sent to ${new URL(url).host} unencrypted`, {
      hint: 'Use https://, or first set service.url to this URL in reelform.yaml, with "allow_http: true" if the network is trusted',
    });
  }
  return { ...config, service: { tokenEnv: 'REELFORM_TOKEN', capabilities: {}, ...present, url } };
}

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
  const videosAt = (url: string): DesiredVideo[] => {
    return project.videos.map((video) => desire(video, { ...project, config: configOf(url, project.config) }));
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

/** Keeps what only the entry has: its deliveries, the versions of its sources, and sizes and digests. */
function movedEntry(entry: LockEntry, fingerprint: Fingerprint, rendering: LockRendering, service: string): LockEntry {
  const { rendered_at: _time, outputs: files = [], ...found } = rendering;
  const outputs = entry.outputs?.map((output): LockOutput => {
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
  service: string,
  io: Io,
): Promise<void> {
  const { account: _account, ...request } = intent;
  const key = sha256(`${intent.key} ${service}`);
  const at = new Date(io.now()).toISOString();
  const { session, rendering } = found;
  await journal.append({ type: 'intent', ...request, key, fingerprint, service });
  await journal.append({ type: 'created', key, session: session.id, at });
  if (rendering !== null) await journal.append({ type: 'rendered', key, rendering, at });
  await journal.append({ type: 'abandoned', key: intent.key, at });
}
