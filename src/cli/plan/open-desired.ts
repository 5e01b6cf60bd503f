import { sortDiagnostics } from '../../definition/sort-diagnostics.ts';
import { type Diagnostic, hasErrors, type Result } from '../../diagnostic.ts';
import { RENDER_EPOCH } from '../../engine/render-epoch.ts';
import { assetsOf, type DesiredVideo, desiredVideo } from '../../plan/desired-video.ts';
import type { LabelLookup } from '../../plan/plan-document.ts';
import { type CompareOptions, type Comparison, compareRepository } from '../../plan-index/compare-repository.ts';
import type { Memory } from '../../plan-index/memory.ts';
import { type Looked, lookAtIndex, PlanMemory, RecordLost } from '../../plan-index/plan-memory.ts';
import type { Desire } from '../../plan-index/refresh-memory.ts';
import { rememberProject } from '../../plan-index/remember-project.ts';
import { isOfTemplate } from '../../plan-index/templates-at.ts';
import type { Config } from '../../project/config.ts';
import { CONFIG_FILE, findRoot } from '../../project/find-root.ts';
import type { Project } from '../../project/load-project.ts';
import { ReadLog } from '../../project/read-log.ts';
import { RepositoryFiles } from '../../project/repository-files.ts';
import { specPath } from '../../project/schema-files.ts';
import { indexKey } from './quick-plan.ts';

/** What the definitions of a repository want. */
export interface OpenDesired {
  /** Absolute. */
  readonly root: string;
  readonly config: Config;
  /** All that is wrong, by file and position; with an error among them `desired` is not complete. */
  readonly diagnostics: readonly Diagnostic[];
  /** The text of a file that was read, for code frames. */
  source(file: string): string | undefined;
  /** By id. */
  readonly desired: readonly DesiredVideo[];
  /** What people call the editables of the templates. */
  readonly labels: LabelLookup;
  /** Every file that a video was made of, repository-relative: reelform.yaml and those of its template among them. */
  dependenciesOf(desired: DesiredVideo): readonly string[];
  /** Both sides of a plan; only without errors among the diagnostics. */
  compare(options: CompareOptions): Promise<Result<Comparison>>;
  /** The same repository with everything read anew: what is rendered is never taken from what was remembered. */
  project(): Promise<Project>;
}

export interface OpenOptions {
  /** Whether what an earlier run remembered may be believed, and is remembered; true when absent. */
  readonly cache?: boolean;
  /** What a first look found. */
  readonly looked?: Looked | null | undefined;
  /** Whether all that is wanted may be read when it is asked for, and fail then; false when absent. */
  readonly isLazy?: boolean;
}

/**
 * Reads what the definitions around a folder want; of what has not changed since the last plan, what was remembered.
 *
 * @throws ReelformError `config_missing`
 */
export async function openDesired(
  cwd: string,
  { cache = true, looked, isLazy = false }: OpenOptions = {},
): Promise<OpenDesired> {
  const root = findRoot(cwd);
  const key = indexKey();
  const memory = cache ? PlanMemory.open(root, key, looked ?? lookAtIndex(root, key)) : null;
  await memory?.refresh(desire);
  if (memory?.memory == null) return readWhole(root, memory);
  const recalled = recall(root, memory, memory.memory);
  if (isLazy || areThere(recalled)) return recalled;
  memory.memory = null;
  return readWhole(root, memory);
}

/** Whether all videos are in the index as they were written. */
function areThere(repository: OpenDesired): boolean {
  try {
    return repository.desired.length >= 0;
  } catch (error) {
    if (error instanceof RecordLost) return false;
    throw error;
  }
}

async function readWhole(root: string, memory: PlanMemory | null): Promise<OpenDesired> {
  const { loadProject } = await import('../../project/load-project.ts');
  const log = memory && new ReadLog(root);
  const project = await loadProject({ cwd: root, log });
  const desired = project.videos.map((video) => desire(video, project));
  if (memory !== null && log !== null && !hasErrors(project.diagnostics)) {
    memory.memory = rememberProject(project, log, memory.stamp, desired);
  }
  return {
    root,
    config: project.config,
    diagnostics: project.diagnostics,
    source: project.source,
    desired,
    labels: (template, key) => project.templates.get(template)?.spec.editables[key]?.label,
    dependenciesOf: (video) => dependenciesOf(video, project),
    compare: (options) => compareRepository(root, memory, () => desired, options),
    // It was read just now.
    project: async () => project,
  };
}

function recall(root: string, memory: PlanMemory, remembered: Memory): OpenDesired {
  const { config, templates, definitions, files } = remembered;
  let all: readonly DesiredVideo[] | null = null;
  const desired = (): readonly DesiredVideo[] => {
    all ??= [...definitions].flatMap((one) => memory.videos(one)).sort((a, b) => (a.id < b.id ? -1 : 1));
    return all;
  };
  const texts = new RepositoryFiles(root);
  return {
    root,
    config,
    diagnostics: sortDiagnostics([...templates.values()].flatMap(({ diagnostics }) => diagnostics)),
    source: texts.source,
    get desired() {
      return desired();
    },
    labels: (template, key) => templates.get(template)?.labels[key],
    dependenciesOf({ path, template }) {
      const own = definitions.find(path);
      const ofTemplate = [...files.keys()].filter((file) => isOfTemplate(file, template, config));
      return [...new Set([CONFIG_FILE, ...(own?.origins ?? [path]), ...(own?.assets ?? []), ...ofTemplate])];
    },
    async compare(options) {
      try {
        return await compareRepository(root, memory, desired, options);
      } catch (error) {
        if (!(error instanceof RecordLost)) throw error;
        memory.memory = null;
        return (await readWhole(root, memory)).compare(options);
      }
    },
    async project() {
      const { loadProject } = await import('../../project/load-project.ts');
      return loadProject({ cwd: root });
    },
  };
}

/** `embedded`, or the origin of the configured service. */
export function serviceName({ service }: Config): string {
  return service === 'embedded' ? service : new URL(service.url).origin;
}

/** A video of a project in the terms of plans. */
const desire: Desire = (video, { config, templates, assets }) => {
  const { spec, package: templatePackage } = templates.get(video.template)!;
  return desiredVideo(video, {
    service: serviceName(config),
    styleVersion: spec.id,
    renderEpoch: config.service === 'embedded' ? RENDER_EPOCH : null,
    measures: templatePackage && { height: templatePackage.height, fps: templatePackage.fps },
    assetDigest: (path) => assets.get(path)!.sha256,
    durationSeconds: templatePackage === null ? null : templatePackage.frameCount / templatePackage.fps,
  });
};

function dependenciesOf(video: DesiredVideo, { origins, templates }: Project): string[] {
  const { path, template } = video;
  const own = templates.get(template)?.paths ?? [specPath(template)];
  return [...new Set([CONFIG_FILE, ...(origins.get(path) ?? [path]), ...assetsOf(video), ...own])];
}
