import { constants } from 'node:fs';
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import packageJson from '../../../package.json' with { type: 'json' };
import { type Diagnostic, EXIT, ReelformError } from '../../kernel/diagnostic.ts';
import { nullIfMissing } from '../../kernel/file-system-error.ts';
import { recordedIn } from '../../reconciler/lock/fold-journal.ts';
import { readLock } from '../../reconciler/lock/lock-file.ts';
import { probeCache } from '../../reconciler/plan-cache/probe.ts';
import type { Config } from '../../reconciler/project/config.ts';
import { repositoryPointers } from '../../reconciler/project/find-pointers.ts';
import type { Project } from '../../reconciler/project/load-project.ts';
import { observeOutputs } from '../../reconciler/project/local-outputs.ts';
import { findRoot, JOURNAL_FILE, LOCK_FILE } from '../../reconciler/project/repository-layout.ts';
import { type DoctorCheck, doctorText } from '../../report/terminal/repository-text.ts';
import { countNoun } from '../../report/wording/quantities.ts';
import { missingWords } from '../../report/wording/unknown-words.ts';
import { cacheKey, type JsonOptions, workingDirectory } from '../global-options.ts';
import type { Io } from '../io.ts';
import { printResult } from '../output.ts';
import { loadDesiredState } from '../state/load-desired-state.ts';
import { openJournal } from '../state/open-journal.ts';
import { type CheckResult, check, error, ok, warning } from './doctor-check.ts';
import { checkCi, checkGit, checkProxies, checkService } from './doctor-environment.ts';
import { checkVoices } from './doctor-voices.ts';

/** `reelform doctor`: checks everything that the other commands need, without changing anything. */
export async function doctorCommand(options: JsonOptions, io: Io): Promise<number> {
  const directory = workingDirectory(options, io);
  const checks = [await check('Node', () => checkNode(io))];
  const root = rootOf(directory, checks);
  if (root !== null) {
    const { checks: repository, config } = await checkRepository(root);
    checks.push(...repository, ...(await checkGit(root)));
    checks.push(...(await checkVoices(root, config, io)), ...(await checkProxies(config, io)));
    checks.push(...(await checkService(config, io)), ...(await checkCi(root, config, io)));
  }
  const results = checks.map(({ name, status, message, hint }) => ({ name, status, message, hint: hint ?? null }));
  printResult({ format_version: '1.0', checks: results }, (style) => doctorText(checks, style), options, io);
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

function checkNode({ nodeVersion }: Io): CheckResult {
  const needed = packageJson.engines.node.replace(/^>=/, '');
  const isEnough = compareVersions(nodeVersion, needed) >= 0;
  return isEnough ? ok(nodeVersion) : error(nodeVersion, `Install Node ${needed} or later`);
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

async function checkRepository(root: string): Promise<{ checks: DoctorCheck[]; config: Config }> {
  const { config, diagnostics, desired, project } = await loadDesiredState(root, { cache: false });
  const checks = [
    await check('Definitions', () => checkDefinitions(diagnostics, desired.length)),
    ...(await checkPointers(await project())),
    await check('Lockfile', () => checkLock(root)),
    await check('Journal', () => checkJournal(root, config)),
    await check('Plan cache', () => checkPlanCache(root)),
    await check('Rights', () => checkAccess(root)),
  ];
  return { checks, config };
}

function checkDefinitions(diagnostics: readonly Diagnostic[], videos: number): CheckResult {
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  const warnings = diagnostics.length - errors;
  const hint = 'Run reelform validate';
  if (errors > 0) return error(countNoun(errors, 'error'), hint);
  const message = countNoun(videos, 'video');
  return warnings === 0 ? ok(message) : warning(`${message}, ${countNoun(warnings, 'warning')}`, hint);
}

/** Finds Git LFS pointers among the files of the videos. Returns nothing if there are none. */
async function checkPointers(project: Project): Promise<DoctorCheck[]> {
  const found = new Map(repositoryPointers(project).map((pointer) => [pointer.message, pointer]));
  const [first] = found.values();
  if (first === undefined) return [];
  const more = found.size === 1 ? '' : `, and ${countNoun(found.size - 1, 'other file')} too`;
  return [{ name: 'Git LFS', ...warning(`${first.message}${more}`, first.hint) }];
}

async function checkLock(root: string): Promise<CheckResult> {
  const lock = await readLock(join(root, LOCK_FILE), LOCK_FILE);
  if (!lock.ok) {
    const [problem] = lock.diagnostics;
    return error(problem?.message ?? 'The lockfile cannot be read', problem?.hint);
  }
  const message =
    lock.value.videos.size === 0 ? 'no videos are rendered yet' : countNoun(lock.value.videos.size, 'video');
  const { missing, damaged } = observeOutputs(root, lock.value);
  if (missing.size + damaged.size === 0) return ok(message);
  const lacking = [
    ...(missing.size > 0 ? [`${missing.size} with missing local files`] : []),
    ...(damaged.size > 0 ? [`${damaged.size} with damaged local files`] : []),
  ];
  const hint = 'reelform apply restores them; --ignore-missing-outputs skips them';
  return warning([message, ...lacking].join(', '), hint);
}

async function checkJournal(root: string, config: Config): Promise<CheckResult> {
  const journal = await openJournal(root, config);
  try {
    const lock = await readLock(join(root, LOCK_FILE), LOCK_FILE);
    const isRecorded = recordedIn(lock.ok ? lock.value.videos.values() : []);
    const attempts = [...journal.state.attempts.values()].filter((attempt) => !isRecorded(attempt));
    const [missing] = attempts.filter(({ state }) => state === 'missing');
    const unknown = attempts.filter(({ state }) => state === 'sending' || state === 'unknown');
    if (unknown.length > 0) {
      const [{ intent }] = unknown as [(typeof unknown)[number]];
      const message = `${countNoun(unknown.length, 'render')} with an unknown state: the service may or may not have accepted the request`;
      return warning(message, `Check the service, then run: reelform resolve ${intent.id}`);
    }
    if (missing !== undefined) {
      const { intent, session } = missing;
      const message = `"${intent.id}" was requested, but ${missingWords(missing.missing, session!)}`;
      return warning(message, `Run reelform apply, which checks again; then: reelform resolve ${intent.id}`);
    }
    const inFlight = attempts.filter(({ state }) => state === 'created' || state === 'rendered').length;
    const message = inFlight === 0 ? 'no pending renders' : `${inFlight} pending: the next apply resumes them`;
    return ok((await isTorn(root, config)) ? `${message}; its last line was truncated and is ignored` : message);
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

function checkPlanCache(root: string): CheckResult {
  const isThere = probeCache(root, cacheKey()) !== null;
  return ok(isThere ? 'in use' : 'none, or from another build: the next plan reads all files');
}

async function checkAccess(root: string): Promise<CheckResult> {
  try {
    await access(root, constants.R_OK | constants.W_OK);
    return ok('the folder is writable');
  } catch (refusal) {
    const message = `the folder is not writable: ${(refusal as NodeJS.ErrnoException).code}`;
    return error(message, `Check the permissions of ${root}`);
  }
}
