import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Video } from '../../definition/video.ts';
import type { Diagnostic } from '../../diagnostic.ts';
import type { DesiredVideo } from '../../plan/desired-video.ts';
import type { Change, Plan } from '../../plan/plan.ts';
import type { PlanPreview } from '../../preview/plan-preview.ts';
import { previewFiles } from '../../preview/preview-document.ts';
import { type PreviewSubject, previewPlan } from '../../preview/preview-plan.ts';
import type { Sides } from '../../preview/preview-video.ts';
import { recordedVideo } from '../../preview/recorded-video.ts';
import { LazyTemplates, reloadDefinitions } from '../../project/load-definitions.ts';
import { RepositoryFiles } from '../../project/repository-files.ts';
import { writeFileAtomic } from '../../project/write-file.ts';
import { sheetLabel } from '../../report/terminal/preview-text.ts';
import { sandboxFromEnvironment } from '../../sandbox/sandbox.ts';
import { chooseEncoder, createRenderPool, renderCapacity } from '../../session/processes/render-pool.ts';
import type { Scene } from '../../template/scene.ts';
import type { Io } from '../io.ts';
import type { OpenDesired } from '../plan/open-desired.ts';
import { type OpenScenes, openScenes } from '../render/open-scenes.ts';
import { type OpenBase, openBase } from './open-base.ts';
import { openPreviewHost } from './open-preview-host.ts';
import type { PreviewFlags } from './preview-flags.ts';
import { publishPreview } from './publish-preview.ts';

export interface LookedAtPlan {
  readonly preview: PlanPreview;
  /** What keeps it from being whole. */
  readonly diagnostics: readonly Diagnostic[];
}

const BUDGET_SECONDS = 60;
/** On top of it, where many videos are compared on a sheet. */
const SHEET_SECONDS = 20;

/**
 * Draws what a plan changes, before and after, and writes and publishes the pictures as the options say.
 *
 * @param directory where the options' paths start
 * @returns null when it was interrupted
 * @throws ReelformError `git_failed` for `--base`; `preview_invalid`, `git_failed`, `write_failed` for pictures that cannot go
 *   where they should
 */
export async function lookAtPlan(
  plan: Plan,
  repository: OpenDesired,
  options: PreviewFlags & { readonly directory: string },
  io: Io,
): Promise<LookedAtPlan | null> {
  const { root, config } = repository;
  // What cannot be published is told before anything is drawn.
  const host =
    options.previewHost === undefined
      ? null
      : await openPreviewHost(options.previewHost, repository, options.previewKeep, io);
  const changes = plan.changes.filter(isSeen);
  const interruption = new AbortController();
  const stopListening = io.onInterrupt(() => interruption.abort(new Error('interrupted')));
  const base = await openBaseOf(changes, root, options.base, io).catch((error: unknown) => {
    stopListening();
    throw error;
  });
  const scenes = openScenes(root, io, 'preview');
  const capacity = renderCapacity();
  const pool = (io.createRenderPool ?? createRenderPool)({
    size: capacity,
    sandbox: sandboxFromEnvironment(io.env),
    encoder: chooseEncoder(config.encoder, io.env),
  });
  try {
    const time = AbortSignal.timeout((options.previewBudget ?? BUDGET_SECONDS) * 1000);
    const signal = AbortSignal.any([time, interruption.signal]);
    const preview = await previewPlan(subjectsOf(changes, { repository, base, scenes }), {
      draw: {
        compare: (comparison) => pool.run('compare', comparison, { signal }),
        video: (scene) => pool.run('video', scene, { signal }),
      },
      drawSheet: {
        compare: (comparison) => {
          const ended = AbortSignal.any([AbortSignal.timeout(SHEET_SECONDS * 1000), interruption.signal]);
          return pool.run('compare', comparison, { signal: ended });
        },
      },
      capacity,
      withDrafts: options.preview === 'draft',
      deadline: signal,
      label: sheetLabel,
      monotonicNow: () => io.monotonicNow(),
    });
    if (interruption.signal.aborted) return null;
    const hosted = await publishPreview(preview, host);
    if (options.previewDir !== undefined) {
      await writePreview(resolve(options.directory, options.previewDir), hosted.preview);
    }
    return { preview: hosted.preview, diagnostics: [...(base?.diagnostics ?? []), ...hosted.diagnostics] };
  } finally {
    stopListening();
    await pool.close();
    await scenes.close();
    await base?.close();
  }
}

async function openBaseOf(changes: readonly Change[], root: string, ref: string | undefined, io: Io) {
  return changes.length === 0 ? null : openBase(root, ref, io);
}

/** Whether something changed that the pictures could show: not that an old one was lost, or is wanted anew. */
function isSeen({ action, reason, desired, before }: Change): boolean {
  if (action === 'create') return true;
  return action === 'update' && reason !== 'engine_changed' && desired.fingerprint !== before.fingerprint;
}

interface Around {
  readonly repository: OpenDesired;
  readonly base: OpenBase | null;
  readonly scenes: OpenScenes;
}

function subjectsOf(changes: readonly Change[], { repository, base, scenes }: Around): PreviewSubject[] {
  const { root, config } = repository;
  const files = new RepositoryFiles(root);
  const templates = new LazyTemplates(config, files);
  const paths = new Set(changes.flatMap(({ desired }) => (desired === null ? [] : [desired.path])));
  const { videos, assets } = reloadDefinitions([...paths].sort(), config, templates, files);
  const byId = new Map<string, Video>(videos.map((video) => [video.id, video]));
  const byDigest = new Map<string, string>([...assets].map(([path, { sha256 }]) => [sha256, path]));
  return changes.flatMap((change): PreviewSubject[] => {
    const { id, desired } = change;
    const video = byId.get(id);
    if (desired === null || video === undefined) return [];
    const template = templates.load(video.template).template;
    const own = template?.package ?? null;
    const sceneOf = (one: Video): Promise<Scene> => scenes.sceneOf(one, own!);
    const found = base?.find(change.previousId ?? id) ?? base?.find(id) ?? null;
    // What the branch did not change is to be rendered all the same: then the lockfile is behind, and says what was.
    const former = found !== null && found.desired.fingerprint !== desired.fingerprint ? found : null;
    const before = async (): Promise<Scene | null> => {
      if (former !== null) return former.scene();
      const { before: entry } = change;
      if (entry === null) return null;
      const fileOf = (digest: string): string | null => byDigest.get(digest) ?? null;
      const remembered = recordedVideo({ entry, desired, video, spec: template!.spec, fileOf });
      return remembered && sceneOf(remembered);
    };
    const isUpgrade = former === null ? false : former.desired.styleVersion !== desired.styleVersion;
    const changed = former === null ? change.inputs.map(({ key }) => key) : changedKeys(former.desired, desired);
    const sides = async (): Promise<Sides> => {
      // That the old one cannot be drawn any more is no reason not to show the new one.
      const [was, after] = await Promise.all([before().catch(() => null), sceneOf(video)]);
      return { before: was, after, editables: isUpgrade ? [] : changed };
    };
    const isUpdate = change.action === 'update' || former !== null;
    return [{ id, path: video.path, isUpdate, isUpgrade, sides: own === null ? null : sides }];
  });
}

function changedKeys({ inputs: before }: DesiredVideo, { inputs: after }: DesiredVideo): string[] {
  const keys = new Set([...Object.keys(after), ...Object.keys(before)]);
  return [...keys].filter((key) => before[key] !== after[key]);
}

async function writePreview(folder: string, preview: PlanPreview): Promise<void> {
  for (const [path, content] of previewFiles(preview)) {
    await mkdir(join(folder, path, '..'), { recursive: true });
    await writeFileAtomic(join(folder, path), content);
  }
}
