import { sessionDifferences } from '../../apply/session-differences.ts';
import { EXIT, ReelformError } from '../../diagnostic.ts';
import type { Attempt } from '../../lock/journal.ts';
import type { Config } from '../../project/config.ts';
import { CONFIG_FILE, findRoot } from '../../project/repository-layout.ts';
import {
  attemptsText,
  differencesText,
  resolvedText,
  unknownAttemptsText,
} from '../../report/terminal/resolve-text.ts';
import type { RenderSession } from '../../wire/render-session.ts';
import { directoryOf, tellDiagnostics } from '../diagnose.ts';
import type { GlobalOptions } from '../global-options.ts';
import { type Io, wantsColor } from '../io.ts';
import { withRunLock } from '../lock/with-run-lock.ts';
import { openDesired } from '../plan/open-desired.ts';
import { openRemoteService } from '../service/open-remote-service.ts';
import { type OpenJournal, openJournal } from './open-journal.ts';
import { readSession } from './read-session.ts';

export interface ResolveOptions extends GlobalOptions {
  readonly session?: string;
  readonly retry?: boolean;
  readonly abandon?: boolean;
  /** The beginning of a key. */
  readonly attempt?: string;
}

type Decision = 'session' | 'retry' | 'abandon';

/** A run on another machine that has said that it will ask has asked by then, or it will not. */
const OTHERS_MS = 180_000;

/**
 * `reelform resolve [ID]`: lists the renders that may be paid for and cannot be followed, or records what a person found out
 * about one. The next apply acts on it.
 */
export async function resolveCommand(id: string | undefined, options: ResolveOptions, io: Io): Promise<number> {
  const decision = id === undefined ? null : decisionOf(options);
  const root = findRoot(directoryOf(options, io));
  // While an apply is at work, what it has just asked for is not unknown yet.
  return withRunLock(root, io, () => resolveAttempt(id, decision, root, options, io));
}

/** @param decision null: the attempts are listed */
async function resolveAttempt(
  id: string | undefined,
  decision: Decision | null,
  root: string,
  options: ResolveOptions,
  io: Io,
): Promise<number> {
  const repository = await openDesired(root);
  // Mistakes in definitions stand against nothing here.
  const wrong = repository.diagnostics.filter(({ at, severity }) => at?.file === CONFIG_FILE && severity === 'error');
  if (wrong.length > 0) {
    tellDiagnostics(wrong, repository.source, options, io);
    return EXIT.error;
  }
  const journal = await openJournal(root, repository.config);
  try {
    const open = unknownAttempts(journal);
    if (id === undefined || decision === null) {
      io.stdout.write(unknownAttemptsText(open, { color: wantsColor(io.stdout, io.env, options.color) }));
      return EXIT.ok;
    }
    await record(chooseAttempt(open, id, options.attempt), decision, journal, repository.config, options, io);
    io.stdout.write(resolvedText(id, decision, options.session ?? null));
    return EXIT.ok;
  } finally {
    await journal.close();
  }
}

/** @throws ReelformError `options_conflict` unless one thing is said */
function decisionOf({ session, retry, abandon }: ResolveOptions): Decision {
  const said: Decision[] = [
    ...(session === undefined ? [] : (['session'] as const)),
    ...(retry === true ? (['retry'] as const) : []),
    ...(abandon === true ? (['abandon'] as const) : []),
  ];
  const [decision] = said;
  if (decision !== undefined && said.length === 1) return decision;
  throw new ReelformError('options_conflict', 'Say one thing of --session, --retry and --abandon', {
    hint: 'Run `reelform resolve` to see what to look for at the service',
  });
}

function unknownAttempts(journal: OpenJournal): Attempt[] {
  return [...journal.state.attempts.values()].filter(({ state }) => ['sending', 'retry', 'missing'].includes(state));
}

/** @throws ReelformError `unknown_video` */
function chooseAttempt(open: readonly Attempt[], id: string, key: string | undefined): Attempt {
  const ofVideo = open.filter(({ intent }) => intent.id === id);
  const [attempt, another] = ofVideo.filter(({ intent }) => intent.key.startsWith(key ?? ''));
  if (attempt !== undefined && another === undefined) return attempt;
  if (ofVideo.length === 0) {
    const ids = [...new Set(open.map(({ intent }) => intent.id))];
    throw new ReelformError('unknown_video', `No render of ${JSON.stringify(id)} is unknown`, {
      hint: ids.length === 0 ? 'None is: there is nothing to resolve' : `Those of ${ids.join(', ')} are`,
    });
  }
  const which =
    attempt === undefined ? `No render of ${JSON.stringify(id)} has` : `Several renders of ${JSON.stringify(id)} have`;
  const said = key === undefined ? 'this id' : `a key that begins with ${JSON.stringify(key)}`;
  throw new ReelformError('unknown_video', `${which} ${said}: ${attemptsText(ofVideo)}`, {
    hint: 'Name one with --attempt',
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
  const waitMs = journal.isShared ? Date.parse(intent.at) + OTHERS_MS - io.now() : 0;
  if (waitMs > 0) {
    throw new ReelformError('already_running', `Another run said that it would ask for it, at ${intent.at}`, {
      hint: `It may be at it: come back in ${Math.ceil(waitMs / 1000)} seconds`,
    });
  }
  await journal.append({ type: decision === 'retry' ? 'retry' : 'abandoned', key: intent.key, at });
}

/** The session, if it is the one that was asked for. @throws ReelformError `session_differs`, `session_gone` */
async function findSession(
  id: string,
  { intent }: Attempt,
  journal: OpenJournal,
  config: Config,
  io: Io,
): Promise<RenderSession> {
  const service = openRemoteService({ config }, io);
  if (service.name !== intent.service) {
    throw new ReelformError('session_differs', `It was asked of ${intent.service}, not of ${service.name}`, {
      hint: 'Name that service in reelform.yaml, or use --abandon',
    });
  }
  const taken = [...journal.state.attempts.values()].find((one) => one.session === id && one.intent.key !== intent.key);
  if (taken !== undefined) {
    throw new ReelformError('session_differs', `The session ${id} is that of another render, of "${taken.intent.id}"`);
  }
  const session = await readSession(service, id);
  const differences = sessionDifferences(intent.body, session);
  if (differences.length === 0) return session;
  throw new ReelformError('session_differs', `The session ${id} is another one: ${differencesText(differences)}`, {
    hint: 'Look for the one that was made for this request; when there is none, use --retry or --abandon',
  });
}
