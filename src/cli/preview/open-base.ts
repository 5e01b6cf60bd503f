import type { Video } from '../../definition/video.ts';
import { type Diagnostic, ReelformError } from '../../diagnostic.ts';
import { RENDER_EPOCH } from '../../engine/render-result.ts';
import { type CommitFiles, checkoutCommit } from '../../git/checkout-commit.ts';
import { targetBranch } from '../../git/default-branch.ts';
import { mergeBase } from '../../git/revisions.ts';
import { type DesiredVideo, desiredVideo } from '../../plan/desired-video.ts';
import { loadProject, type Project } from '../../project/load-project.ts';
import type { Scene } from '../../template/scene.ts';
import type { Io } from '../io.ts';
import { serviceName } from '../plan/open-desired.ts';
import { openScenes } from '../render/open-scenes.ts';

/** A video as it was where the branch began. */
export interface FormerSide {
  readonly desired: DesiredVideo;
  /** Null for a template that is not there. @throws as `OpenScenes.sceneOf` */
  scene(): Promise<Scene | null>;
}

/** What the definitions were where the branch began. */
export interface OpenBase {
  find(id: string): FormerSide | null;
  /** Why there is nothing, where that is worth a word. */
  readonly diagnostics: readonly Diagnostic[];
  close(): Promise<void>;
}

/**
 * Reads the repository as it was at the merge base, whole: definitions, data, templates, files.
 *
 * @param ref what the branch is to be merged into; when absent what CI says, else the remote's default branch; without a remote,
 *   what `targetBranch` finds. Without any there is nothing before, but what the lockfile knows.
 * @throws ReelformError `git_failed` for a ref that was asked for
 */
export async function openBase(root: string, ref: string | undefined, io: Io): Promise<OpenBase> {
  let files: CommitFiles;
  let isNamed = ref !== undefined;
  try {
    const branch = ref ?? (await targetBranch(root, targetOf(io)));
    if (branch === null) return nothing([]);
    const commit = await mergeBase(root, branch);
    // From here on it is no mistake of who named it: a disk that is full takes no plan away.
    isNamed = false;
    files = await checkoutCommit(root, commit);
  } catch (error) {
    if (isNamed || !(error instanceof ReelformError)) throw error;
    return nothing([withoutBase(error)]);
  }
  try {
    const project = await loadProject({ cwd: files.root });
    return openProject(project, io, files.remove);
  } catch (error) {
    await files.remove();
    // There was no such repository then: all is new.
    if (error instanceof ReelformError && error.code === 'config_missing') return nothing([]);
    throw error;
  }
}

/** The branch that a pull request, or a merge request, is meant for. */
function targetOf({ env }: Io): string | null {
  return env.GITHUB_BASE_REF || env.CI_MERGE_REQUEST_TARGET_BRANCH_NAME || null;
}

function withoutBase({ message, hint }: ReelformError): Diagnostic {
  return {
    code: 'preview_base_missing',
    severity: 'warning',
    message: `What the videos were before is taken from the lockfile alone: ${message}`,
    hint: hint ?? 'Say with --base what the branch is to be merged into',
  };
}

function nothing(diagnostics: readonly Diagnostic[]): OpenBase {
  return { find: () => null, diagnostics, close: async () => undefined };
}

function openProject(project: Project, io: Io, remove: () => Promise<void>): OpenBase {
  const scenes = openScenes(project.root, io, 'preview');
  const videos = new Map<string, Video>(project.videos.map((video) => [video.id, video]));
  return {
    diagnostics: [],
    find(id) {
      const video = videos.get(id);
      const template = video && project.templates.get(video.template);
      if (video === undefined || template === undefined) return null;
      const templatePackage = template.package;
      const context = {
        service: serviceName(project.config),
        styleVersion: template.spec.id,
        renderEpoch: project.config.service === 'embedded' ? RENDER_EPOCH : null,
        measures: templatePackage && { height: templatePackage.height, fps: templatePackage.fps },
        assetDigest: (path: string) => project.assets.get(path)!.sha256,
        durationSeconds: null,
      };
      return {
        desired: desiredVideo(video, context),
        scene: async () => templatePackage && scenes.sceneOf(video, templatePackage),
      };
    },
    async close() {
      await scenes.close();
      await remove();
    },
  };
}
