import { join, resolve } from 'node:path';
import { statOrNull } from '../../reconciler/plan-cache/file-state.ts';
import { hasNewContent } from '../../reconciler/plan-cache/new-content.ts';
import { type CacheProbe, probeCache } from '../../reconciler/plan-cache/probe.ts';
import type { Config } from '../../reconciler/project/config.ts';
import { findRoot, LINT_FILE } from '../../reconciler/project/repository-layout.ts';
import { LINT_THREADS } from '../../service/sessions/processes/tasks.ts';
import { LINT_CODES } from '../../template/lint-severities.ts';
import { cacheKey, type GlobalOptions } from '../global-options.ts';
import type { Io } from '../io.ts';
import type { CommandPool } from '../render/command-pool.ts';

interface OpenCache {
  readonly root: string;
  readonly probe: CacheProbe;
}

/** Returns the plan cache of a repository; null without any, and outside of a repository, which the command itself reports. */
export function openCache(options: Pick<GlobalOptions, 'directory'>, io: Pick<Io, 'cwd'>): OpenCache | null {
  let root: string;
  try {
    root = findRoot(resolve(io.cwd, options.directory ?? '.'));
  } catch {
    return null;
  }
  const probe = probeCache(root, cacheKey());
  return probe && { root, probe };
}

/**
 * Starts the process that `lintPlan` will need, if a file has other content than the last plan and changed after the last lint.
 * Resolves when the process starts.
 */
export async function warmForNewContent(root: string, probe: CacheProbe, processes: CommandPool): Promise<void> {
  const state = probe.file.readState();
  if (state === null) return;
  const { templates, lint } = state.config;
  if (!isLintWanted(lint) || [...templates.values()].every(({ kind }) => kind !== 'package')) return;
  const lintedAt = statOrNull(join(root, LINT_FILE))?.mtimeMs ?? 0;
  if (hasNewContent(root, state, probe, lintedAt)) await processes.warm(LINT_THREADS, 'lint');
}

export function isLintWanted(lint: Config['lint']): boolean {
  return LINT_CODES.some((code) => lint[code] !== 'off');
}
