import type { Video } from '../definition/video.ts';
import type { Diagnostic } from '../diagnostic.ts';
import { RENDER_EPOCH } from '../engine/render-epoch.ts';
import { type DesiredVideo, desiredVideo } from '../plan/desired-video.ts';
import type { Config } from '../project/config.ts';
import { CONFIG_FILE } from '../project/find-root.ts';
import { loadProject, type Project } from '../project/load-project.ts';
import { specPath } from '../project/schema-files.ts';
import type { LabelLookup } from '../report/plan-rows.ts';

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
  /** The same repository with everything read anew: what is rendered is never taken from what was remembered. */
  project(): Promise<Project>;
}

/**
 * Reads what the definitions around a folder want.
 *
 * @param cache whether what an earlier run remembered may be believed; true when absent
 * @throws ReelformError `config_missing`
 */
export async function openDesired(
  cwd: string,
  { cache: _ = true }: { readonly cache?: boolean } = {},
): Promise<OpenDesired> {
  const project = await loadProject({ cwd });
  return {
    root: project.root,
    config: project.config,
    diagnostics: project.diagnostics,
    source: project.source,
    desired: project.videos.map((video) => desire(video, project)),
    labels: (template, key) => project.templates.get(template)?.spec.editables[key]?.label,
    dependenciesOf: (desired) => dependenciesOf(desired, project),
    // Nothing is remembered yet: this is what was just read.
    project: async () => project,
  };
}

/** `embedded`, or the origin of the configured service. */
export function serviceName({ service }: Config): string {
  return service === 'embedded' ? service : new URL(service.url).origin;
}

/** A video of a project in the terms of plans. */
export function desire(video: Video, project: Project): DesiredVideo {
  const { spec, package: templatePackage } = project.templates.get(video.template)!;
  return desiredVideo(video, {
    service: serviceName(project.config),
    styleVersion: spec.id,
    renderEpoch: project.config.service === 'embedded' ? RENDER_EPOCH : null,
    assetDigest: (path) => project.assets.get(path)!.sha256,
    durationSeconds: templatePackage === null ? null : templatePackage.frameCount / templatePackage.fps,
  });
}

function dependenciesOf({ path, template, resources }: DesiredVideo, project: Project): string[] {
  const assets = [...resources.values()].flatMap((resource) => {
    return resource.kind === 'image' && resource.source.kind === 'file' ? [resource.source.path] : [];
  });
  const config = project.config.templates.get(template);
  const files = project.templates.get(template)?.files ?? null;
  const ofTemplate =
    config?.kind === 'package' && files !== null
      ? [...files.keys()].map((name) => `${config.path}/${name}`)
      : [specPath(template)];
  return [...new Set([CONFIG_FILE, ...(project.origins.get(path) ?? [path]), ...assets, ...ofTemplate])];
}
