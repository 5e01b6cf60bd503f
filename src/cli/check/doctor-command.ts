import { constants } from 'node:fs';
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import packageJson from '../../../package.json' with { type: 'json' };
import { type Diagnostic, EXIT, ReelformError } from '../../diagnostic.ts';
import { nullIfMissing } from '../../file-system-error.ts';
import { recordedIn } from '../../lock/fold-journal.ts';
import { readLock } from '../../lock/lock-file.ts';
import { probeCache } from '../../plan-cache/probe.ts';
import type { Config } from '../../project/config.ts';
import { observeOutputs } from '../../project/local-outputs.ts';
import { findRoot, JOURNAL_FILE, LOCK_FILE } from '../../project/repository-layout.ts';
import { type DoctorCheck, doctorText } from '../../report/terminal/repository-text.ts';
import { countNoun } from '../../report/wording/quantities.ts';
import { cacheKey, type GlobalOptions, workingDirectory } from '../global-options.ts';
import type { Io } from '../io.ts';
import { openJournal } from '../lock/open-journal.ts';
import { printJson, stdoutStyle } from '../output.ts';
import { loadDesiredState } from '../plan/load-desired-state.ts';
import { checkCi, checkGit, checkService } from './doctor-environment.ts';

/** `reelform doctor`: checks everything that the other commands need, without changing anything. */
export async function doctorCommand(options: GlobalOptions & { readonly json?: boolean }, io: Io): Promise<number> {
  const directory = workingDirectory(options, io);
  const checks: DoctorCheck[] = [...checkMachine(io)];
  const root = rootOf(directory, checks);
  if (root !== null) {
    const { checks: repository, config } = await checkRepository(root);
    checks.push(...repository, ...(await checkGit(root)));
    checks.push(...(await checkService(config, io)), ...(await checkCi(root, config, io)));
  }
  if (options.json === true) {
    const results = checks.map(({ name, status, message, hint }) => ({ name, status, message, hint: hint ?? null }));
    printJson({ format_version: '1.0', checks: results }, io);
  } else {
    io.stdout.write(doctorText(checks, stdoutStyle(options, io)));
  }
  return checks.some(({ status }) => status === 'error') ? EXIT.error : EXIT.ok;
}

function rootOf(directory: string, checks: DoctorCheck[]): string | null {
  try {
    return findRoot(directory);
  } catch (error) {
    if (!(error instanceof ReelformError)) throw error;
    checks.push({ name: 'Configuration', status: 'error', message: error.message, hint: error.hint });
    return null;
  }
}

/** Checks the machine, independent of the repository. */
function checkMachine(io: Io): DoctorCheck[] {
  const needed = packageJson.engines.node.replace(/^>=/, '');
  const isEnough = compareVersions(io.nodeVersion, needed) >= 0;
  return [
    isEnough
      ? { name: 'Node', status: 'ok', message: io.nodeVersion }
      : { name: 'Node', status: 'error', message: io.nodeVersion, hint: `Install Node ${needed} or later` },
  ];
}

/** Returns a negative number if the first version is older. Compares major, minor and patch. */
function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split('.').map((part) => Number.parseInt(part, 10) || 0));
  for (let index = 0; index < 3; index++) {
    const difference = (left?.[index] ?? 0) - (right?.[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Checks the files of the repository. @param root absolute */
async function checkRepository(root: string): Promise<{ checks: DoctorCheck[]; config: Config }> {
  const { config, diagnostics, desired } = await loadDesiredState(root, { cache: false });
  const checks = [
    checkDefinitions(diagnostics, desired.length),
    await checkLock(root),
    await checkJournal(root, config),
    checkPlanCache(root),
    await checkAccess(root),
  ];
  return { checks, config };
}

function checkDefinitions(diagnostics: readonly Diagnostic[], videos: number): DoctorCheck {
  const name = 'Definitions';
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  const warnings = diagnostics.length - errors;
  const hint = 'Run reelform validate';
  if (errors > 0) return { name, status: 'error', message: countNoun(errors, 'error'), hint };
  const message = countNoun(videos, 'video');
  if (warnings === 0) return { name, status: 'ok', message };
  return { name, status: 'warning', message: `${message}, ${countNoun(warnings, 'warning')}`, hint };
}

async function checkLock(root: string): Promise<DoctorCheck> {
  const name = 'Lockfile';
  const lock = await readLock(join(root, LOCK_FILE), LOCK_FILE);
  if (!lock.ok) {
    const [{ message, hint } = { message: 'The lockfile cannot be read', hint: undefined }] = lock.diagnostics;
    return { name, status: 'error', message, hint };
  }
  const message =
    lock.value.videos.size === 0 ? 'no videos are rendered yet' : countNoun(lock.value.videos.size, 'video');
  const { missing, damaged } = observeOutputs(root, lock.value);
  if (missing.size + damaged.size === 0) return { name, status: 'ok', message };
  const hint = 'reelform apply restores them; --ignore-missing-outputs skips them';
  const lacking = [
    ...(missing.size > 0 ? [`${missing.size} with missing local files`] : []),
    ...(damaged.size > 0 ? [`${damaged.size} with damaged local files`] : []),
  ];
  return { name, status: 'warning', message: [message, ...lacking].join(', '), hint };
}

async function checkJournal(root: string, config: Config): Promise<DoctorCheck> {
  const name = 'Journal';
  let journal: Awaited<ReturnType<typeof openJournal>>;
  try {
    journal = await openJournal(root, config);
  } catch (error) {
    if (!(error instanceof ReelformError)) throw error;
    return { name, status: 'error', message: error.message, hint: error.hint };
  }
  try {
    const lock = await readLock(join(root, LOCK_FILE), LOCK_FILE);
    const isRecorded = recordedIn(lock.ok ? lock.value.videos.values() : []);
    const attempts = [...journal.state.attempts.values()].filter((attempt) => !isRecorded(attempt));
    const [missing] = attempts.filter(({ state }) => state === 'missing');
    const unknown = attempts.filter(({ state }) => state === 'sending');
    if (unknown.length > 0) {
      const [{ intent }] = unknown as [(typeof unknown)[number]];
      const message = `${countNoun(unknown.length, 'render')} with an unknown state: the service may or may not have accepted the request`;
      return { name, status: 'warning', message, hint: `Check the service, then run: reelform resolve ${intent.id}` };
    }
    if (missing !== undefined) {
      const { intent, session } = missing;
      const message = `the service no longer had the session ${session} of "${intent.id}" when the last apply checked`;
      const hint = `Run reelform apply, which checks again; then: reelform resolve ${intent.id}`;
      return { name, status: 'warning', message, hint };
    }
    const inFlight = attempts.filter(({ state }) => state === 'created' || state === 'rendered').length;
    const message = inFlight === 0 ? 'no pending renders' : `${inFlight} pending: the next apply resumes them`;
    if (!(await isTorn(root, config))) return { name, status: 'ok', message };
    return { name, status: 'ok', message: `${message}; its last line was truncated and is ignored` };
  } finally {
    await journal.close();
  }
}

/**
 * True if the last line is incomplete because the machine stopped while writing it. No request was sent for that line.
 */
async function isTorn(root: string, { journal }: Config): Promise<boolean> {
  const bytes = journal === 'file' ? await nullIfMissing(readFile(join(root, JOURNAL_FILE))) : null;
  return bytes !== null && bytes.at(-1) !== 0x0a;
}

function checkPlanCache(root: string): DoctorCheck {
  const isThere = probeCache(root, cacheKey()) !== null;
  return {
    name: 'Plan cache',
    status: 'ok',
    message: isThere ? 'in use' : 'none, or from another build: the next plan reads all files',
  };
}

async function checkAccess(root: string): Promise<DoctorCheck> {
  const name = 'Rights';
  try {
    await access(root, constants.R_OK | constants.W_OK);
    return { name, status: 'ok', message: 'the folder is writable' };
  } catch (error) {
    const message = `the folder is not writable: ${(error as NodeJS.ErrnoException).code}`;
    return { name, status: 'error', message, hint: `Check the permissions of ${root}` };
  }
}
