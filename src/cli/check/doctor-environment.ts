import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ServiceError } from '../../contract/service-error.ts';
import { loadLibav } from '../../engine/codec/libav.ts';
import { proxyFor } from '../../kernel/http/proxy.ts';
import { requirePackage } from '../../kernel/optional-packages.ts';
import { historyGap } from '../../reconciler/git/lock-history.ts';
import { locateInGit } from '../../reconciler/git/revisions.ts';
import { runGit, tryGit } from '../../reconciler/git/run-git.ts';
import type { Config } from '../../reconciler/project/config.ts';
import { IGNORED_FILES, LOCK_FILE } from '../../reconciler/project/repository-layout.ts';
import type { DoctorCheck } from '../../report/terminal/repository-text.ts';
import { sandboxFromEnvironment } from '../../service/sandbox/sandbox.ts';
import { type Io, isCi } from '../io.ts';
import { openRemoteService } from '../service/open-remote-service.ts';
import { isJournalLocal, SHARED_JOURNAL_HINT } from '../state/open-journal.ts';
import { type CheckResult, check, error, ok, warning } from './doctor-check.ts';

/** Checks what renders: the encoder of this machine, or a service that answers and accepts the token. */
export async function checkService(config: Config, io: Io): Promise<DoctorCheck[]> {
  if (config.service === 'embedded') {
    return [await check('Encoder', checkEncoder), await check('Sandbox', () => checkSandbox(io))];
  }
  const { origin } = new URL(config.service.url);
  return [
    await check('Service', () => checkRemote(config, origin, io)),
    await check('Token origin', () => checkTokenOrigin(origin, io)),
  ];
}

/** Reports the proxies of requests, without their credentials. Returns nothing if the environment names none. */
export async function checkProxies({ service }: Config, io: Io): Promise<DoctorCheck[]> {
  const { CI_API_V4_URL: gitlab, GITHUB_API_URL: github } = io.env;
  const forge = gitlab ?? github ?? 'https://api.github.com';
  const targets = [
    ...(service === 'embedded' ? [] : [['the service', service.url] as const]),
    ['the forge', forge] as const,
    ['other http URLs', 'http://host.invalid'] as const,
    ['other https URLs', 'https://host.invalid'] as const,
  ];
  const result = await check('Proxy', () => {
    const routes = targets.map(([name, url]) => [name, proxyFor(new URL(url))?.url.origin ?? null] as const);
    return routes.every(([, proxy]) => proxy === null)
      ? ok('')
      : ok(routes.map(([name, proxy]) => `${name}: ${proxy ?? 'direct'}`).join(', '));
  });
  return result.message === '' ? [] : [result];
}

function checkEncoder(): CheckResult {
  requirePackage('engine');
  loadLibav();
  return ok('installed');
}

function checkSandbox(io: Io): CheckResult {
  const { description, gap } = sandboxFromEnvironment(io.env);
  if (gap === null) return ok(description);
  return warning(`${description}: ${gap}`, 'Render untrusted templates and files in a container');
}

async function checkRemote(config: Config, origin: string, io: Io): Promise<CheckResult> {
  const service = openRemoteService({ config }, io);
  const styleVersion = [...config.templates.values()].find(({ kind }) => kind === 'style_version');
  try {
    if (styleVersion?.kind === 'style_version') await service.getStyleVersion(styleVersion.id);
    // Any session id works: a service that answers 404 has accepted the token.
    else await service.getRenderSession('rs_doctor');
  } catch (refusal) {
    if (!(refusal instanceof ServiceError) || refusal.status >= 500) throw refusal;
    if (styleVersion?.kind === 'style_version') {
      const message = `${origin} accepts the token but has no style version ${styleVersion.id} for it`;
      return error(message, 'Check "templates" in reelform.yaml');
    }
  }
  return ok(`${origin} responds and accepts the token`);
}

function checkTokenOrigin(origin: string, io: Io): CheckResult {
  if ((io.env.REELFORM_TOKEN_ORIGIN ?? '').trim() !== '') return ok('limited');
  const message = 'REELFORM_TOKEN_ORIGIN is not set: a change in reelform.yaml can send the token to any host';
  return isCi(io.env) ? warning(message, `Set it to ${origin} in CI jobs for pull requests`) : ok(message);
}

/** Checks that the journal survives the runner. Returns nothing if no CI job applies. @param root absolute */
export async function checkCi(root: string, config: Config, { env }: Pick<Io, 'env'>): Promise<DoctorCheck[]> {
  if (config.service === 'embedded' || !(isCi(env) || (await appliesInCi(root)))) return [];
  const message = 'it is a file, which is lost with the runner: renders of a cancelled job may be paid for twice';
  const isLocal = isJournalLocal(config);
  const result = isLocal ? warning(message, SHARED_JOURNAL_HINT) : ok('it is a branch and outlives the runner');
  return [{ name: 'Journal in CI', ...result }];
}

/** True if a workflow of the repository, or of its Git repository, runs `reelform apply`. */
async function appliesInCi(root: string): Promise<boolean> {
  const place = await locateInGit(root);
  const top = place === null ? root : resolve(root, place.up);
  const workflows = join(top, '.github/workflows');
  const files = [
    ...(existsSync(workflows) ? readdirSync(workflows).map((file) => join(workflows, file)) : []),
    ...[root, top].map((folder) => join(folder, '.gitlab-ci.yml')).filter((file) => existsSync(file)),
  ];
  return files.some((file) => /\.ya?ml$/.test(file) && /\breelform\b[\s\S]*\bapply\b/.test(readFileSync(file, 'utf8')));
}

/**
 * Checks Git. Its findings are warnings, except an ignored lockfile, because Reelform works without Git. @param root
 * absolute
 */
export async function checkGit(root: string): Promise<DoctorCheck[]> {
  const version = (await tryGit(root, ['--version']))?.replace(/^git version /, '').trim();
  const skipped = (message: string, hint: string) => [{ name: 'Git', ...warning(message, hint) }];
  if (version === undefined) {
    return skipped('git is not installed', 'Install git: earlier renderings, --changed-since and merges need it');
  }
  const inside = await tryGit(root, ['rev-parse', '--is-inside-work-tree']);
  const gap = await historyGap(root);
  if (inside?.trim() !== 'true') {
    const why = gap?.message ?? 'this folder is not in a git repository, or the repository is damaged';
    return skipped(`${version}; ${why}`, gap?.hint ?? 'Run git init, or git status to see the reason');
  }
  return [
    await check('Git', () =>
      gap === null ? checkState(root, version) : warning(`${version}; ${gap.message}`, gap.hint),
    ),
    await check('Merge driver', () => checkMergeDriver(root)),
    await check('Ignored files', () => checkIgnored(root)),
    await check('Lockfile in git', () => checkTracked(root)),
  ];
}

async function checkState(root: string, version: string): Promise<CheckResult> {
  const unmerged = await tryGit(root, ['ls-files', '--unmerged', '--', LOCK_FILE]);
  if (unmerged === null || unmerged === '') return ok(version);
  const hint = 'Run reelform lock merge, then git add the lockfile';
  return warning(`${version}; the lockfile has an unfinished merge`, hint);
}

async function checkMergeDriver(root: string): Promise<CheckResult> {
  const attribute = await tryGit(root, ['check-attr', '-z', 'merge', '--', LOCK_FILE]);
  const driver = await tryGit(root, ['config', '--get', 'merge.reelform.driver']);
  if (attribute?.split('\0')[2] === 'reelform' && driver !== null) return ok('installed');
  const hint = 'Run reelform lock merge --install once in each clone';
  return warning('git merges the lockfile line by line', hint);
}

async function checkIgnored(root: string): Promise<CheckResult> {
  const example = (line: string): string => `${line.replace('*', '')}x`;
  const found = await runGit(root, ['check-ignore', ...IGNORED_FILES.map(example)]).catch(() => '');
  const ignored = found.split('\n');
  const missing = IGNORED_FILES.filter((line) => !ignored.includes(example(line)));
  if (missing.length === 0) return ok(IGNORED_FILES.join(', '));
  const hint = `Add these lines to .gitignore: ${missing.join(' ')}`;
  return warning(`.gitignore does not contain ${missing.join(', ')}`, hint);
}

async function checkTracked(root: string): Promise<CheckResult> {
  const ignored = await tryGit(root, ['check-ignore', '--no-index', LOCK_FILE]);
  if (ignored === null || ignored.trim() === '') return ok('not ignored');
  const hint = `Remove ${LOCK_FILE} from .gitignore and commit it: without it, all videos are rendered again`;
  return error('git ignores the lockfile', hint);
}
