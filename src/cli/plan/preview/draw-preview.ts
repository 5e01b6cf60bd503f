import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Diagnostic } from '../../../kernel/diagnostic.ts';
import type { Video } from '../../../reconciler/definition/video.ts';
import { allLocales } from '../../../reconciler/locales/locale-settings.ts';
import { editableKeys, parseInputName } from '../../../reconciler/lock/input-names.ts';
import { scenesOfInputs } from '../../../reconciler/lock/recorded-inputs.ts';
import type { DesiredVideo } from '../../../reconciler/plan/desired-video.ts';
import type { Change, Plan } from '../../../reconciler/plan/plan.ts';
import { writeFileAtomic } from '../../../reconciler/project/write-file.ts';
import type { PlanPreview } from '../../../report/preview/plan-preview.ts';
import { previewFiles } from '../../../report/preview/preview-document.ts';
import { type PreviewSubject, previewPlan } from '../../../report/preview/preview-plan.ts';
import type { Sides } from '../../../report/preview/preview-video.ts';
import { recordedVideo } from '../../../report/preview/recorded-video.ts';
import { sheetLabel } from '../../../report/terminal/preview-text.ts';
import { matrixGrids } from '../../../report/wording/matrix-grid.ts';
import { builtInCaptionFonts } from '../../../service/sessions/caption-fonts.ts';
import { renderCapacity } from '../../../service/sessions/processes/render-pool.ts';
import type { InputFont, VideoInput } from '../../../template/render-input.ts';
import type { Io } from '../../io.ts';
import { withEncoder } from '../../render/open-pool.ts';
import { openTemplates } from '../../state/video-templates.ts';
import type { PreviewFlags } from '../plan-options.ts';
import type { PlannedVideos } from '../planned-videos.ts';
import { type BaseRevision, openBaseRevision } from './base-revision.ts';
import { openPreviewHost, publishPreview } from './preview-host.ts';

export interface DrawnPreview {
  readonly preview: PlanPreview;
  /** Reasons that the preview is incomplete. */
  readonly diagnostics: readonly Diagnostic[];
}

const BUDGET_SECONDS = 60;
/** Additional time for the contact sheet of many videos. */
const SHEET_SECONDS = 20;

/**
 * Draws the changes of a plan, before and after, and writes and publishes the images as the options request.
 *
 * @param options.directory that paths of the options are relative to
 * @returns null if interrupted
 * @throws ReelformError `git_failed` for `--base`; `preview_invalid`, `git_failed`, `write_failed` for images that
 *   cannot be written or published
 */
export async function drawPreview(
  plan: Plan,
  planned: PlannedVideos,
  options: PreviewFlags & { readonly directory: string },
  io: Io,
): Promise<DrawnPreview | null> {
  const { root, config } = planned;
  // An invalid host is reported before anything is drawn.
  const host =
    options.previewHost === undefined
      ? null
      : await openPreviewHost(options.previewHost, planned, options.previewKeep, io);
  const changes = plan.changes.filter(isSeen);
  const interruption = new AbortController();
  const stopListening = io.onInterrupt(() => interruption.abort(new Error('interrupted')));
  const capacity = renderCapacity();
  const pool = withEncoder(await planned.pool(), config.encoder, io);
  let base: BaseRevision | null = null;
  try {
    if (changes.length > 0) base = await openBaseRevision(root, options.base, io, () => planned.pool());
    const time = AbortSignal.timeout((options.previewBudget ?? BUDGET_SECONDS) * 1000);
    const signal = AbortSignal.any([time, interruption.signal]);
    const preview = await previewPlan(await subjectsOf(changes, planned, base), {
      draw: {
        compare: (comparison) => pool.run('compare', comparison, { signal }),
        video: (renderInput) => pool.run('video', renderInput, { signal }),
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
      labelFonts: labelFonts(),
      ...(await gridsOf(plan, planned)),
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
    await base?.close();
  }
}

/** True if the change is visible: not for lost videos and for renders that were requested again. */
function isSeen({ action, reason, desired, before }: Change): boolean {
  if (action === 'create') return true;
  return action === 'update' && reason !== 'engine_changed' && desired.fingerprint !== before.fingerprint;
}

async function subjectsOf(
  changes: readonly Change[],
  planned: PlannedVideos,
  base: BaseRevision | null,
): Promise<PreviewSubject[]> {
  const [{ videos, assets, templateOf }, inputs] = [await planned.source(), await planned.inputs()];
  const templatesOf = openTemplates({ root: planned.root, assets, templateOf });
  const byId = new Map<string, Video>(videos.map((video) => [video.id, video]));
  const byDigest = new Map<string, string>([...assets].map(([path, { sha256 }]) => [sha256, path]));
  return changes.flatMap((change): PreviewSubject[] => {
    const { id, desired } = change;
    const video = byId.get(id);
    if (desired === null || video === undefined) return [];
    const templates = templatesOf(video);
    const inputOf = async (of: Video): Promise<VideoInput> => inputs.inputOf(of, templatesOf(of)!);
    const found = base?.find(change.previousId ?? id) ?? base?.find(id) ?? null;
    // If the branch did not change a video that is rendered anyway, the lockfile is outdated and has the earlier state.
    const former = found !== null && found.desired.fingerprint !== desired.fingerprint ? found : null;
    const before = async (): Promise<VideoInput | null> => {
      if (former !== null) return former.renderInput();
      const { before: entry } = change;
      if (entry === null) return null;
      const fileOf = (digest: string): string | null => byDigest.get(digest) ?? null;
      const remembered = recordedVideo({ entry, desired, video, specOf: (name) => templateOf(name)!.spec, fileOf });
      return remembered && inputOf(remembered);
    };
    const isUpgrade = former !== null && isUpgraded(former.desired, desired);
    const changed = former === null ? change.inputs.map(({ key }) => key) : changedInputs(former.desired, desired);
    const sides = async (): Promise<Sides> => {
      // An earlier state that cannot be drawn any more must not hide the new state.
      const [was, after] = await Promise.all([before().catch(() => null), inputOf(video)]);
      return { before: was, after, editables: isUpgrade ? [] : editableKeys(changed) };
    };
    const isUpdate = change.action === 'update' || former !== null;
    return [
      {
        id,
        path: video.path,
        isUpdate,
        isUpgrade,
        sides: templates === null ? 'remote' : sides,
      },
    ];
  });
}

/** True if a template, or that of a scene which both have, is another or has another version. */
function isUpgraded(before: DesiredVideo, after: DesiredVideo): boolean {
  const isOnly = before.scenes.length === 1 && after.scenes.length === 1;
  if (isOnly) return !isDeepStrictEqual(before.styleVersions, after.styleVersions);
  return after.scenes.some(({ id, template }) => {
    const was = before.scenes.find((scene) => scene.id === id);
    return was !== undefined && before.styleVersions[was.template] !== after.styleVersions[template];
  });
}

/** Returns the names of inputs that differ, without those of scenes that only one of the videos has. */
function changedInputs(before: DesiredVideo, after: DesiredVideo): string[] {
  const [was, is] = [scenesOfInputs(before), scenesOfInputs(after)];
  const isOfBoth = (key: string): boolean => {
    const { scene } = parseInputName(key, [...was, ...is]);
    return scene === undefined || (was.includes(scene) && is.includes(scene));
  };
  const [old, wanted] = [before.inputs(), after.inputs()];
  const keys = new Set([...Object.keys(wanted), ...Object.keys(old)]);
  return [...keys].filter((key) => old[key] !== wanted[key] && isOfBoth(key));
}

/** Returns the tables of the definitions with visible changes, and reads videos that did not change. */
async function gridsOf(
  plan: Plan,
  planned: PlannedVideos,
): Promise<Pick<Parameters<typeof previewPlan>[1], 'grids' | 'inputOf'>> {
  const { locales } = planned.config;
  const grids = matrixGrids(plan, locales === null ? [] : allLocales(locales));
  if (grids.length === 0) return { grids, inputOf: () => null };
  const [{ videos, assets, templateOf }, inputs] = [await planned.source(), await planned.inputs()];
  const templatesOf = openTemplates({ root: planned.root, assets, templateOf });
  const byId = new Map<string, Video>(videos.map((video) => [video.id, video]));
  const inputOf = (id: string): Promise<VideoInput> | null => {
    const video = byId.get(id);
    const templates = video === undefined ? null : templatesOf(video);
    return video === undefined || templates === null ? null : inputs.inputOf(video, templates);
  };
  return { grids, inputOf };
}

/** Returns the built-in font of captions, whose files each have some alphabets. */
function labelFonts(): InputFont[] {
  const files = builtInCaptionFonts().get('Inter')!;
  return files.map((bytes, index) => ({ name: `inter-${index}`, bytes, isFallback: index > 0 }));
}

async function writePreview(folder: string, preview: PlanPreview): Promise<void> {
  for (const [path, content] of previewFiles(preview)) {
    await mkdir(join(folder, path, '..'), { recursive: true });
    await writeFileAtomic(join(folder, path), content);
  }
}
