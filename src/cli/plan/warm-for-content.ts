import { join } from 'node:path';
import { statOrNull } from '../../reconciler/plan-cache/file-state.ts';
import { hasNewContent } from '../../reconciler/plan-cache/new-content.ts';
import type { CacheProbe } from '../../reconciler/plan-cache/probe.ts';
import type { Config } from '../../reconciler/project/config.ts';
import { LINT_FILE } from '../../reconciler/project/repository-layout.ts';
import { LINT_THREADS } from '../../service/sessions/processes/tasks.ts';
import { LINT_CODES } from '../../template/lint-severities.ts';
import type { CommandPool } from '../render/command-pool.ts';

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
