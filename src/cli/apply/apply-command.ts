import { hasNewContent } from '../../reconciler/plan-cache/new-content.ts';
import type { Io } from '../io.ts';
import { openCache } from '../plan/warm-for-content.ts';
import { type CommandPool, withProcesses } from '../render/command-pool.ts';
import type { ApplyOptions } from './apply-options.ts';
import type { ApplyView } from './apply-outcome.ts';

/**
 * `reelform apply [PLANFILE]`: plans, asks for approval, renders the changes and records them. A saved plan is applied
 * without approval.
 *
 * @param observer gets the events of the run, besides the views that the options request
 */
export function applyCommand(
  file: string | undefined,
  options: ApplyOptions,
  io: Io,
  observer: ApplyView | null = null,
): Promise<number> {
  return withProcesses(io, async (processes) => {
    // Before the code of an apply is loaded, which takes a fifth of a second.
    if (options.refreshOnly !== true) await warmForChanges(options, io, processes);
    const { runApply } = await import('./run-apply.ts');
    return runApply(file, options, io, { observer, processes });
  });
}

/**
 * Starts a process if a file of the repository has changed since the last plan, because an apply then probably renders. Without a plan
 * cache, the first process starts with the plan. Resolves when the process starts.
 */
async function warmForChanges(options: ApplyOptions, io: Io, processes: CommandPool): Promise<void> {
  const cache = openCache(options, io);
  const state = cache?.probe.file.readState() ?? null;
  if (cache === null || state?.config.service !== 'embedded') return;
  if (hasNewContent(cache.root, state, cache.probe)) await processes.warm(1, 'videos');
}
