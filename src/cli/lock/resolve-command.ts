import type { RenderSession } from '../../contract/wire/render-session.ts';
import { EXIT, ReelformError } from '../../kernel/diagnostic.ts';
import { sessionDifferences } from '../../reconciler/apply/session-differences.ts';
import type { Attempt } from '../../reconciler/lock/journal.ts';
import type { Config } from '../../reconciler/project/config.ts';
import { findRoot } from '../../reconciler/project/repository-layout.ts';
import {
  attemptsText,
  differencesText,
  resolvedText,
  unknownAttemptsText,
} from '../../report/terminal/resolve-text.ts';
import { type GlobalOptions, workingDirectory } from '../global-options.ts';
import type { Io } from '../io.ts';
import { printConfigErrors, stdoutStyle } from '../output.ts';
import { fetchSession, openRemoteService } from '../service/open-remote-service.ts';
import { loadDesiredState } from '../state/load-desired-state.ts';
import { type OpenJournal, openJournal } from '../state/open-journal.ts';
import { withRunLock } from '../state/open-lock.ts';

interface ResolveOptions extends GlobalOptions {
  readonly session?: string;
  readonly retry?: boolean;
  readonly abandon?: boolean;
  /** Start of the idempotency key. */
  readonly attempt?: string;
}

type Decision = 'session' | 'retry' | 'abandon';

/** Time in milliseconds after which a run on another machine no longer sends a request that it has announced. */
const FOREIGN_REQUEST_MS = 180_000;

/**
 * `reelform resolve [ID]`: lists renders that may be paid for and cannot be followed, or records a user's decision
 * about one of these attempts. The next apply acts on it.
 */
export async function resolveCommand(id: string | undefined, options: ResolveOptions, io: Io): Promise<number> {
  const decision = id === undefined ? null : decisionOf(options);
  const root = findRoot(workingDirectory(options, io));
  // Requests of a running apply are not unknown yet.
  return withRunLock(root, io, () => resolveAttempt(id, decision, root, options, io));
}

/** @param decision null to list the attempts */
async function resolveAttempt(
  id: string | undefined,
  decision: Decision | null,
  root: string,
  options: ResolveOptions,
  io: Io,
): Promise<number> {
  const repository = await loadDesiredState(root);
  if (printConfigErrors(repository, options, io)) return EXIT.error;
  const journal = await openJournal(root, repository.config);
  try {
    const attempts = [...journal.state.attempts.values()];
    const open = attempts.filter(({ state }) => ['sending', 'unknown', 'retry', 'missing'].includes(state));
    if (id === undefined || decision === null) {
      io.stdout.write(unknownAttemptsText(open, stdoutStyle(options, io)));
      return EXIT.ok;
    }
    await record(chooseAttempt(open, id, options.attempt), decision, journal, repository.config, options, io);
    io.stdout.write(resolvedText(id, decision, options.session ?? null));
    return EXIT.ok;
  } finally {
    await journal.close();
  }
}

/** @throws ReelformError `options_conflict` unless exactly one option is set */
function decisionOf({ session, retry, abandon }: ResolveOptions): Decision {
  const decisions: Decision[] = [
    ...(session === undefined ? [] : (['session'] as const)),
    ...(retry === true ? (['retry'] as const) : []),
    ...(abandon === true ? (['abandon'] as const) : []),
  ];
  const [decision] = decisions;
  if (decision !== undefined && decisions.length === 1) return decision;
  throw new ReelformError('options_conflict', 'Pass one of --session, --retry and --abandon', {
    hint: 'Run `reelform resolve` to see what to look for on the service',
  });
}

/** @throws ReelformError `unknown_video` */
function chooseAttempt(open: readonly Attempt[], id: string, key: string | undefined): Attempt {
  const ofVideo = open.filter(({ intent }) => intent.id === id);
  const [attempt, second] = ofVideo.filter(({ intent }) => intent.key.startsWith(key ?? ''));
  if (attempt !== undefined && second === undefined) return attempt;
  if (ofVideo.length === 0) {
    const ids = [...new Set(open.map(({ intent }) => intent.id))];
    throw new ReelformError('unknown_video', `No render of ${JSON.stringify(id)} is unresolved`, {
      hint: ids.length === 0 ? 'There is nothing to resolve' : `Unresolved: ${ids.join(', ')}`,
    });
  }
  const which =
    attempt === undefined ? `No render of ${JSON.stringify(id)} has` : `Several renders of ${JSON.stringify(id)} have`;
  const wanted = key === undefined ? 'this id' : `a key that begins with ${JSON.stringify(key)}`;
  throw new ReelformError('unknown_video', `${which} ${wanted}: ${attemptsText(ofVideo)}`, {
    hint: 'Choose a render with --attempt',
  });
}

async function record(
  attempt: Attempt,
  decision: Decision,
  journal: OpenJournal,
  config: Config,
  { session }: ResolveOptions,
  io: Io,
): Promise<void> {
  const { intent } = attempt;
  const at = new Date(io.now()).toISOString();
  if (decision === 'session') {
    const found = await findSession(session!, attempt, journal, config, io);
    return journal.append({ type: 'created', key: intent.key, session: found.id, at });
  }
  const waitMs = journal.isShared ? Date.parse(intent.at) + FOREIGN_REQUEST_MS - io.now() : 0;
  if (waitMs > 0) {
    throw new ReelformError('already_running', `Another run recorded this request at ${intent.at}`, {
      hint: `It may still be running: try again in ${Math.ceil(waitMs / 1000)} seconds`,
    });
  }
  await journal.append({ type: decision === 'retry' ? 'retry' : 'abandoned', key: intent.key, at });
}

/** Returns the session if it belongs to the attempt. @throws ReelformError `session_differs`, `session_gone` */
async function findSession(
  id: string,
  { intent }: Attempt,
  journal: OpenJournal,
  config: Config,
  io: Io,
): Promise<RenderSession> {
  const service = openRemoteService({ config }, io);
  if (service.name !== intent.service) {
    throw new ReelformError('session_differs', `The request was sent to ${intent.service}, not to ${service.name}`, {
      hint: 'Set that service in reelform.yaml, or use --abandon',
    });
  }
  const taken = [...journal.state.attempts.values()].find(
    ({ session, intent: announced }) => session === id && announced.key !== intent.key,
  );
  if (taken !== undefined) {
    throw new ReelformError('session_differs', `The session ${id} belongs to another render, of "${taken.intent.id}"`);
  }
  const session = await fetchSession(service, id);
  const differences = sessionDifferences(intent.body, session);
  if (differences.length === 0) return session;
  const message = `The session ${id} has a different content: ${differencesText(differences)}`;
  const hint = 'Look for the session of this request. If there is none, use --retry or --abandon';
  throw new ReelformError('session_differs', message, { hint });
}
