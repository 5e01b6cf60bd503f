import pLimit from 'p-limit';
import type { SoundMeasures } from '../../contract/wire/loudness.ts';
import { type Diagnostic, type ReelformError, sortDiagnostics } from '../../kernel/diagnostic.ts';
import { byCodeUnit, sha256 } from '../../kernel/digest.ts';
import { fileSystemError } from '../../kernel/file-system-error.ts';
import { missingPackage } from '../../kernel/optional-packages.ts';
import { captionFindings } from '../../reconciler/definition/caption-findings.ts';
import { type LocatedVideos, valueSpan } from '../../reconciler/definition/filled-values.ts';
import { remoteUrls, type Video, type VideoId } from '../../reconciler/definition/video.ts';
import type { LintSummary } from '../../reconciler/plan/plan-document.ts';
import { lintProgress } from '../../report/terminal/repository-text.ts';
import { captionDiagnostics } from '../../report/wording/caption-diagnostics.ts';
import { lintDiagnostics } from '../../report/wording/glyph-diagnostics.ts';
import { lintFailure } from '../../report/wording/lint-diagnostic.ts';
import { type LintContext, placeFindings, safeAreasOf } from '../../report/wording/place-findings.ts';
import { countNoun } from '../../report/wording/quantities.ts';
import { renderCapacity } from '../../service/sessions/processes/render-pool.ts';
import { LINT_THREADS } from '../../service/sessions/processes/tasks.ts';
import { sessionProblems } from '../../service/sessions/session-problems.ts';
import { canFailLint } from '../../template/lint-severities.ts';
import type { TemplatePackage } from '../../template/template-package.ts';
import type { Io } from '../io.ts';
import { filledBy } from '../render/open-inputs.ts';
import { cachedLengths } from '../state/cached-lengths.ts';
import { captionsToCheck } from '../state/captions-to-check.ts';
import { openTemplates } from '../state/video-templates.ts';
import { openLintCache } from './lint-cache.ts';
import type { PlannedVideos } from './planned-videos.ts';

interface LintOptions {
  /** Maximum number of videos that are linted although their findings can only be warnings. */
  readonly maxVideos: number;
  /** False to ignore results of earlier runs. */
  readonly cache: boolean;
  /** Whether videos that cannot be linted without the engine end the command, or are left out. */
  readonly withoutEngine: 'throw' | 'leave out';
}

export interface Linted {
  /** Sorted by file and position. */
  readonly diagnostics: readonly Diagnostic[];
  readonly checked: number;
  /** What was measured of the mixes of checked videos, as they will be encoded. Only videos with a `loudness`. */
  readonly mixes: ReadonlyMap<VideoId, SoundMeasures>;
  /** Sorted by id: videos that were not linted because only the service has their template. */
  readonly remote: readonly VideoId[];
  /**
   * Sorted by id: videos beyond the maximum, videos of the service's templates whose findings could be errors, and
   * videos without an engine to draw them.
   */
  readonly leftOut: LintSummary['left_out'];
}

/**
 * Starts a process if there are videos that were not linted yet with any safe area, and fills the template of the first one, while the
 * rest of the plan is made, which takes as long. The plan may turn out not to need it, so only a plan of one definition and its local
 * files is prepared.
 *
 * @param wanted keys of their content, see `contentKey`
 */
export async function prepareVideos(
  planned: PlannedVideos,
  wanted: ReadonlyMap<VideoId, string>,
  { cache }: Pick<LintOptions, 'cache'>,
): Promise<void> {
  const known = new Set(
    openLintCache(planned.root, cache)
      .keys()
      .map((key) => key.split(' ')[0]),
  );
  const isUnknown = (key: string | undefined): boolean => key !== undefined && !known.has(key);
  if (![...wanted.values()].some(isUnknown)) return;
  await planned.warm(LINT_THREADS, 'lint');
  if (planned.paths?.length !== 1) return;
  const { videos, assets, templateOf } = await planned.source();
  const first = videos.find(({ id }) => isUnknown(wanted.get(id)));
  if (first === undefined || remoteUrls(first).length > 0) return;
  const templates = openTemplates({ root: planned.root, assets, templateOf })(first);
  if (templates !== null) await (await planned.inputs()).inputOf(first, templates);
}

/** Interval in milliseconds between reports of progress. */
const PROGRESS_MS = 10_000;

/** True if the result must not depend on time: every video of the template is linted before any of them is rendered. */
function mustBeChecked(template: string, { lint, packageOf }: LintContext): boolean {
  return canFailLint({ repository: lint, template: packageOf(template)?.manifest.lint ?? {} });
}

/**
 * Lints videos as they would be rendered: the first of those whose findings can only be warnings, and all others.
 *
 * @param wanted keys of their content, see `contentKey`
 * @throws ReelformError `engine_missing`
 */
export async function lintVideos(
  planned: PlannedVideos,
  wanted: ReadonlyMap<VideoId, string>,
  options: LintOptions,
  io: Io,
): Promise<Linted> {
  const cache = openLintCache(planned.root, options.cache);
  const { videos: all, assets, filled, source, templateOf } = await planned.source();
  const packageOf = (name: string): TemplatePackage | null => templateOf(name)?.package ?? null;
  const templatesOf = openTemplates({ root: planned.root, assets, templateOf });
  const context: LintContext & LocatedVideos = { lint: planned.config.lint, packageOf, filled, source };
  const requested = all.filter(({ id }) => wanted.has(id));
  const isPackaged = ({ scenes }: Video): boolean => scenes.every(({ template }) => packageOf(template) !== null);
  const packaged = requested.filter(isPackaged);
  const remote = requested.filter((video) => !isPackaged(video));
  const keyOf = (video: Video): string => {
    const areas = safeAreasOf(video, context);
    // The content does not depend on the ids of scenes, which findings contain.
    const ids = video.scenes.length === 1 ? [] : [sha256(video.scenes.map(({ id }) => id).join('\n'))];
    const inAreas = areas.every((area) => area === null) ? [] : [areas.map((area) => area ?? '').join(',')];
    return [wanted.get(video.id)!, ...inAreas, ...ids].join(' ');
  };
  const isNeeded = (video: Video): boolean => video.scenes.some(({ template }) => mustBeChecked(template, context));
  // Known findings beyond the maximum are left out too, so that a plan does not depend on earlier runs.
  const beyond = new Set(packaged.filter((video) => !isNeeded(video)).slice(options.maxVideos));
  const videos = packaged.filter((video) => !beyond.has(video));
  const unknown = videos.filter((video) => cache.get(keyOf(video)) === undefined);
  const failures = new Map<VideoId, Diagnostic[]>();
  const full: FullDisk = { error: null, count: 0, isNeeded: false };
  const missingEngine = unknown.length === 0 ? null : missingPackage('engine');
  if (missingEngine !== null && options.withoutEngine === 'throw') throw missingEngine;
  const undrawn = missingEngine === null ? [] : unknown;
  if (unknown.length > undrawn.length) {
    const pool = await planned.pool();
    // It starts while this process fills the first template.
    pool.warm(LINT_THREADS, 'lint');
    const inputs = await planned.inputs();
    const progress = openProgress(unknown.length, io);
    const limit = pLimit(renderCapacity());
    // Several videos use the processors without this.
    const processors = unknown.length === 1 ? LINT_THREADS : 1;
    // Each process that lints keeps what the first of its videos brings.
    const bringing = new Set(unknown.slice(0, renderCapacity()));
    const check = async (video: Video): Promise<void> => {
      if (full.error !== null) return leave(full, full.error, isNeeded(video));
      try {
        const renderInput = await inputs.inputOf(video, templatesOf(video)!);
        const safeAreas = safeAreasOf(video, context);
        const measured = bringing.has(video) ? cache.framesOf(video) : [];
        const heard = bringing.has(video) ? cache.sounds() : [];
        const isLast = unknown.length === 1;
        const linted = await pool.run('lint', { renderInput, safeAreas, measured, heard, isLast }, { processors });
        cache.set(keyOf(video), linted.findings);
        cache.addFrames(video, linted.measured);
        cache.addSounds(linted.heard);
        cache.setMix(wanted.get(video.id)!, linted.loudness);
      } catch (error) {
        const refused = fileSystemError(error);
        if (refused?.code === 'disk_full') return leave(full, refused, isNeeded(video));
        failures.set(video.id, failed(error, video, isNeeded(video), context));
      }
      progress.checked();
    };
    try {
      await Promise.all(unknown.map((video) => limit(check, video)));
    } finally {
      await cache.store();
    }
  }
  const placed = videos.flatMap((video) => placeFindings(cache.get(keyOf(video)) ?? [], video, context));
  const lengths = cachedLengths({ root: planned.root, assets });
  const ofCaptions = requested.flatMap((video) => {
    const found = captionFindings(captionsToCheck(video, packageOf, lengths));
    return captionDiagnostics(found, video, planned.config.lint);
  });
  const ofFrames = [...videos.flatMap(({ id }) => failures.get(id) ?? []), ...lintDiagnostics(placed)];
  const diagnostics = [...ofFrames, ...ofCaptions];
  const uncheckable = remote.filter(isNeeded);
  const leftOut = [
    ...[...beyond].map(({ id }) => ({ id, reason: 'budget' as const })),
    ...uncheckable.map(({ id }) => ({ id, reason: 'remote' as const })),
    ...undrawn.map(({ id }) => ({ id, reason: 'engine_missing' as const })),
  ];
  return {
    diagnostics: [...sortDiagnostics(diagnostics), ...fullDisk(full)],
    checked: videos.length - undrawn.length - full.count,
    mixes: new Map(
      videos.flatMap(({ id }) => {
        const mix = cache.mixOf(wanted.get(id)!);
        return mix === undefined ? [] : [[id, mix]];
      }),
    ),
    remote: remote.map(({ id }) => id),
    leftOut: leftOut.sort((a, b) => byCodeUnit(a.id, b.id)),
  };
}

/** Counts videos that were not linted because the disk is full, for a single diagnostic. */
interface FullDisk {
  error: ReelformError | null;
  count: number;
  isNeeded: boolean;
}

function leave(full: FullDisk, error: ReelformError, isNeeded: boolean): void {
  full.error ??= error;
  full.count += 1;
  full.isNeeded ||= isNeeded;
}

function fullDisk({ error, count, isNeeded }: FullDisk): Diagnostic[] {
  if (error === null) return [];
  const message = `${countNoun(count, 'video')} could not be checked: ${error.message}`;
  return [{ code: error.code, severity: isNeeded ? 'error' : 'warning', message, hint: error.hint }];
}

/** Reports progress on stderr at intervals. */
function openProgress(count: number, io: Io): { checked(): void } {
  let reportedAt = io.monotonicNow();
  let checked = 0;
  return {
    checked() {
      checked += 1;
      if (io.monotonicNow() - reportedAt < PROGRESS_MS) return;
      reportedAt = io.monotonicNow();
      io.stderr.write(lintProgress(checked, count));
    },
  };
}

/** Returns why a video could not be linted, located at the resource that caused it. */
function failed(error: unknown, video: Video, isNeeded: boolean, located: LocatedVideos): Diagnostic[] {
  const { id } = video;
  return sessionProblems(error, filledBy(video)).map(({ editable, title, detail, retryable }) => {
    const at = valueSpan(video, editable ?? null, located);
    const what = editable === undefined ? '' : `${editable}: `;
    // A video that was not linted may have errors.
    const severity = retryable && !isNeeded ? 'warning' : 'error';
    return lintFailure(what + (detail ?? title), { id, at, severity });
  });
}
