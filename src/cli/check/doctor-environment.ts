import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ReelformError } from '../../diagnostic.ts';
import { loadLibav } from '../../engine/codec/libav.ts';
import { historyGap } from '../../git/lock-history.ts';
import { locateInGit } from '../../git/revisions.ts';
import { runGit, tryGit } from '../../git/run-git.ts';
import type { Config } from '../../project/config.ts';
import { LOCK_FILE } from '../../project/repository-layout.ts';
import type { DoctorCheck } from '../../report/terminal/repository-text.ts';
import { sandboxFromEnvironment } from '../../sandbox/sandbox.ts';
import { ServiceError } from '../../service/service-error.ts';
import { type Io, isCi } from '../io.ts';
import { isJournalLocal, SHARED_JOURNAL_HINT } from '../lock/open-journal.ts';
import { openRemoteService } from '../service/open-remote-service.ts';

/** Checks what renders: the encoder of this machine, or a service that answers and accepts the token. */
export async function checkService(config: Config, io: Io): Promise<DoctorCheck[]> {
  if (config.service === 'embedded') return [await checkEncoder(), await checkSandbox(io)];
  const { origin } = new URL(config.service.url);
  return [await checkRemote(config, origin, io), checkTokenOrigin(origin, io)];
}

async function checkEncoder(): Promise<DoctorCheck> {
  const name = 'Encoder';
  return runCheck(name, async () => {
    loadLibav();
    return { name, status: 'ok', message: 'installed' };
  });
}

function checkSandbox(io: Io): Promise<DoctorCheck> {
  const name = 'Sandbox';
  return runCheck(name, async () => {
    const { description, gap } = sandboxFromEnvironment(io.env);
    if (gap === null) return { name, status: 'ok', message: description };
    const hint = 'Render untrusted templates and files in a container';
    return { name, status: 'warning', message: `${description}: ${gap}`, hint };
  });
}

async function checkRemote(config: Config, origin: string, io: Io): Promise<DoctorCheck> {
  const name = 'Service';
  return runCheck(name, async () => {
    const service = openRemoteService({ config }, io);
    const styleVersion = [...config.templates.values()].find(({ kind }) => kind === 'style_version');
    try {
      if (styleVersion?.kind === 'style_version') await service.getStyleVersion(styleVersion.id);
      // Any session id works: a service that answers 404 has accepted the token.
      else await service.getRenderSession('rs_doctor');
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status >= 500) throw error;
      if (styleVersion?.kind === 'style_version') {
        const message = `${origin} accepts the token but has no style version ${styleVersion.id} for it`;
        return { name, status: 'error', message, hint: 'Check "templates" in reelform.yaml' };
      }
    }
    return { name, status: 'ok', message: `${origin} responds and accepts the token` };
  });
}

function checkTokenOrigin(origin: string, io: Io): DoctorCheck {
  const name = 'Token origin';
  if ((io.env.REELFORM_TOKEN_ORIGIN ?? '').trim() !== '') return { name, status: 'ok', message: 'limited' };
  const message = 'REELFORM_TOKEN_ORIGIN is not set: a change in reelform.yaml can send the token to any host';
  const status = isCi(io.env) ? 'warning' : 'ok';
  return {
    name,
    status,
    message,
    ...(status === 'warning' && { hint: `Set it to ${origin} in CI jobs for pull requests` }),
  };
}

/** Runs a check, and turns a known error into its result. */
async function runCheck(name: string, check: () => Promise<DoctorCheck>): Promise<DoctorCheck> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof ReelformError) return { name, status: 'error', message: error.message, hint: error.hint };
    if (error instanceof ServiceError) return { name, status: 'error', message: error.message };
    throw error;
  }
}

/** Checks that the journal survives the runner. Returns nothing if no CI job applies. @param root absolute */
export async function checkCi(root: string, config: Config, { env }: Pick<Io, 'env'>): Promise<DoctorCheck[]> {
  const name = 'Journal in CI';
  if (config.service === 'embedded' || !(isCi(env) || (await appliesInCi(root)))) return [];
  if (!isJournalLocal(config)) return [{ name, status: 'ok', message: 'it is a branch and outlives the runner' }];
  const message = 'it is a file, which is lost with the runner: renders of a cancelled job may be paid for twice';
  return [{ name, status: 'warning', message, hint: SHARED_JOURNAL_HINT }];
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

/** Folders that must not be committed. */
const IGNORED = ['renders/', '.reelform/'] as const;

/**
 * Checks Git. Its findings are warnings, except an ignored lockfile, because Reelform works without Git. @param root
 * absolute
 */
export async function checkGit(root: string): Promise<DoctorCheck[]> {
  const version = (await tryGit(root, ['--version']))?.replace(/^git version /, '').trim();
  const skipped = (message: string, hint: string): DoctorCheck[] => [{ name: 'Git', status: 'warning', message, hint }];
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
    gap === null
      ? await checkState(root, version)
      : { name: 'Git', status: 'warning', message: `${version}; ${gap.message}`, hint: gap.hint },
    await checkMergeDriver(root),
    await checkIgnored(root),
    await checkTracked(root),
  ];
}

async function checkState(root: string, version: string): Promise<DoctorCheck> {
  const unmerged = await tryGit(root, ['ls-files', '--unmerged', '--', LOCK_FILE]);
  if (unmerged === null || unmerged === '') return { name: 'Git', status: 'ok', message: version };
  const message = `${version}; the lockfile has an unfinished merge`;
  return { name: 'Git', status: 'warning', message, hint: 'Run reelform lock merge, then git add the lockfile' };
}

async function checkMergeDriver(root: string): Promise<DoctorCheck> {
  const name = 'Merge driver';
  const attribute = await tryGit(root, ['check-attr', '-z', 'merge', '--', LOCK_FILE]);
  const driver = await tryGit(root, ['config', '--get', 'merge.reelform.driver']);
  if (attribute?.split('\0')[2] === 'reelform' && driver !== null) return { name, status: 'ok', message: 'installed' };
  const message = 'git merges the lockfile line by line';
  return { name, status: 'warning', message, hint: 'Run reelform lock merge --install once in each clone' };
}

async function checkIgnored(root: string): Promise<DoctorCheck> {
  const name = 'Ignored files';
  const ignored = await runGit(root, ['check-ignore', ...IGNORED.map((folder) => `${folder}x`)]).catch(() => '');
  const missing = IGNORED.filter((folder) => !ignored.includes(`${folder}x`));
  if (missing.length === 0) return { name, status: 'ok', message: IGNORED.join(', ') };
  const message = `.gitignore does not contain ${missing.join(' and ')}`;
  return { name, status: 'warning', message, hint: `Add these lines to .gitignore: ${missing.join(' ')}` };
}

async function checkTracked(root: string): Promise<DoctorCheck> {
  const name = 'Lockfile in git';
  const ignored = await tryGit(root, ['check-ignore', '--no-index', LOCK_FILE]);
  if (ignored === null || ignored.trim() === '') return { name, status: 'ok', message: 'not ignored' };
  const hint = `Remove ${LOCK_FILE} from .gitignore and commit it: without it, all videos are rendered again`;
  return { name, status: 'error', message: 'git ignores the lockfile', hint };
}
