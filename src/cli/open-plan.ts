import { join } from 'node:path';
import type { Video, VideoId } from '../definition/video.ts';
import { type Diagnostic, hasErrors } from '../diagnostic.ts';
import type { Lock } from '../lock/lock.ts';
import { readLock } from '../lock/lock-file.ts';
import type { Plan } from '../plan/plan.ts';
import { planVideos } from '../plan/plan-videos.ts';
import type { Project } from '../project/load-project.ts';
import { observeMissingOutputs } from '../project/observe-outputs.ts';
import { openDesired } from './open-desired.ts';
import { LOCK_FILE } from './open-lock.ts';

/** Everything that a plan is made of. */
export interface OpenPlan {
  readonly project: Project;
  readonly lock: Lock;
  readonly videos: ReadonlyMap<VideoId, Video>;
  readonly plan: Plan;
}

/** What a command line says about planning. */
export interface PlanFlags {
  readonly ignoreMissingOutputs?: boolean;
  readonly allowEmpty?: boolean;
}

/**
 * Reads the repository, the lock and the outputs, and plans. With errors in what was read there is no plan; what stands
 * against the plan is among the diagnostics too.
 */
export async function openPlan(
  cwd: string,
  flags: PlanFlags,
): Promise<{
  readonly project: Project;
  readonly diagnostics: readonly Diagnostic[];
  readonly opened: OpenPlan | null;
}> {
  const read = await openDesired(cwd);
  const project = await read.project();
  const lock = await readLock(join(project.root, LOCK_FILE), LOCK_FILE);
  const diagnostics = [...project.diagnostics, ...(lock.ok ? [] : lock.diagnostics)];
  if (!lock.ok || hasErrors(diagnostics)) return { project, diagnostics, opened: null };

  const missingOutputs =
    flags.ignoreMissingOutputs === true ? new Set<string>() : observeMissingOutputs(project.root, lock.value);
  const plan = planVideos({
    desired: read.desired,
    lock: lock.value,
    observations: { missingOutputs },
    allowEmpty: flags.allowEmpty === true,
  });
  const videos = new Map(project.videos.map((video) => [video.id, video]));
  return {
    project,
    diagnostics: [...diagnostics, ...plan.diagnostics],
    opened: { project, lock: lock.value, videos, plan },
  };
}
