import { join } from 'node:path';
import type { Video, VideoId } from '../definition/video.ts';
import { type Diagnostic, hasErrors } from '../diagnostic.ts';
import { RENDER_EPOCH } from '../engine/render-epoch.ts';
import type { Lock } from '../lock/lock.ts';
import { readLock } from '../lock/lock-file.ts';
import { type DesiredVideo, desiredVideo } from '../plan/desired-video.ts';
import type { Plan } from '../plan/plan.ts';
import { planVideos } from '../plan/plan-videos.ts';
import { loadProject, type Project } from '../project/load-project.ts';
import { observeMissingOutputs } from '../project/observe-outputs.ts';
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
  const project = await loadProject({ cwd });
  const lock = await readLock(join(project.root, LOCK_FILE), LOCK_FILE);
  const diagnostics = [...project.diagnostics, ...(lock.ok ? [] : lock.diagnostics)];
  if (!lock.ok || hasErrors(diagnostics)) return { project, diagnostics, opened: null };

  const missingOutputs =
    flags.ignoreMissingOutputs === true ? new Set<string>() : observeMissingOutputs(project.root, lock.value);
  const plan = planVideos({
    desired: project.videos.map((video) => desire(video, project)),
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

/** `embedded`, or the origin of the configured service. */
export function serviceName(project: Project): string {
  const { service } = project.config;
  return service === 'embedded' ? service : new URL(service.url).origin;
}

function desire(video: Video, project: Project): DesiredVideo {
  const { spec, package: templatePackage } = project.templates.get(video.template)!;
  return desiredVideo(video, {
    service: serviceName(project),
    styleVersion: spec.id,
    renderEpoch: project.config.service === 'embedded' ? RENDER_EPOCH : null,
    assetDigest: (path) => project.assets.get(path)!.sha256,
    durationSeconds: templatePackage === null ? null : templatePackage.frameCount / templatePackage.fps,
  });
}
