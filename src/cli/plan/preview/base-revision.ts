import { type Diagnostic, ReelformError, warningAt } from '../../../kernel/diagnostic.ts';
import type { Video } from '../../../reconciler/definition/video.ts';
import { hasContentLength } from '../../../reconciler/definition/video-timeline.ts';
import { type CommitFiles, checkoutCommit, mergeBase, targetBranch } from '../../../reconciler/git/revisions.ts';
import type { DesiredVideo } from '../../../reconciler/plan/desired-video.ts';
import { loadProject, type Project } from '../../../reconciler/project/load-project.ts';
import { copySoundLengths } from '../../../reconciler/project/sound-length-cache.ts';
import type { TaskRunner } from '../../../service/sessions/processes/tasks.ts';
import type { VideoInput } from '../../../template/render-input.ts';
import type { Io } from '../../io.ts';
import { openInputs } from '../../render/open-inputs.ts';
import { cachedLengths } from '../../state/cached-lengths.ts';
import { contentLengths } from '../../state/content-lengths.ts';
import { desire } from '../../state/load-desired-state.ts';
import { projectTemplates } from '../../state/video-templates.ts';

type OpenPool = () => Promise<TaskRunner<'length'>>;

interface BaseVideo {
  readonly desired: DesiredVideo;
  /** Null if its template is missing. @throws as `OpenInputs.inputOf` */
  renderInput(): Promise<VideoInput | null>;
}

/** The definitions at the merge base. */
export interface BaseRevision {
  find(id: string): BaseVideo | null;
  /** Reasons that there are no definitions, if worth a warning. */
  readonly diagnostics: readonly Diagnostic[];
  close(): Promise<void>;
}

/**
 * Loads the whole repository at the merge base: definitions, data, templates and files.
 *
 * @param ref target branch; when absent, that of the CI job or the remote's default branch, or without a remote the
 *   result of `targetBranch`. Without any of them, only the lockfile provides earlier states
 * @param openPool opens the processes that measure sounds, whose lengths decide those of scenes
 * @throws ReelformError `git_failed` for an explicit ref
 */
export async function openBaseRevision(
  root: string,
  ref: string | undefined,
  io: Io,
  openPool: OpenPool,
): Promise<BaseRevision> {
  let files: CommitFiles;
  let isNamed = ref !== undefined;
  try {
    const branch = ref ?? (await targetBranch(root, targetOf(io)));
    if (branch === null) return nothing([]);
    const commit = await mergeBase(root, branch);
    // Later errors, such as a full disk, are not caused by the ref and must not fail the plan.
    isNamed = false;
    files = await checkoutCommit(root, commit);
  } catch (error) {
    if (isNamed || !(error instanceof ReelformError)) throw error;
    return nothing([withoutBase(error)]);
  }
  try {
    // Saves decoding, and lengths of remote sounds are known from here only.
    await copySoundLengths(root, files.root);
    const project = await loadProject({ cwd: files.root });
    return openProject(project, io, { openPool, remove: files.remove });
  } catch (error) {
    await files.remove();
    // The repository did not exist then, so every video is new.
    if (error instanceof ReelformError && error.code === 'config_missing') return nothing([]);
    throw error;
  }
}

function targetOf({ env }: Io): string | null {
  return env.GITHUB_BASE_REF || env.CI_MERGE_REQUEST_TARGET_BRANCH_NAME || null;
}

function withoutBase({ message, hint }: ReelformError): Diagnostic {
  const text = `The previous state of videos is only read from the lockfile: ${message}`;
  return warningAt('preview_base_missing', undefined, text, hint ?? 'Name the target branch with --base');
}

function nothing(diagnostics: readonly Diagnostic[]): BaseRevision {
  return { find: () => null, diagnostics, close: async () => undefined };
}

function openProject(
  project: Project,
  io: Io,
  { openPool, remove }: { readonly openPool: OpenPool; readonly remove: () => Promise<void> },
): BaseRevision {
  const inputs = openInputs(project.root, io, 'preview');
  const videos = new Map<string, Video>(project.videos.map((video) => [video.id, video]));
  return {
    diagnostics: [],
    find(id) {
      const video = videos.get(id);
      if (video === undefined) return null;
      return {
        desired: desire(video, project, cachedLengths(project)),
        async renderInput() {
          if (video.scenes.some(hasContentLength)) {
            await contentLengths({ ...project, videos: [video], cache: true }, openPool);
          }
          const templates = projectTemplates(project)(video);
          return templates && inputs.inputOf(video, templates);
        },
      };
    },
    async close() {
      await inputs.close();
      await remove();
    },
  };
}
