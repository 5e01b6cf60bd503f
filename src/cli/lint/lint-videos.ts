import pLimit from 'p-limit';
import { resourceSpan } from '../../definition/definition-span.ts';
import type { Video, VideoId } from '../../definition/video.ts';
import { type Diagnostic, type ReelformError, sortDiagnostics } from '../../diagnostic.ts';
import { byCodeUnit } from '../../digest.ts';
import type { LintFinding } from '../../engine/lint/lint-finding.ts';
import { fileSystemError } from '../../file-system-error.ts';
import type { Fingerprint } from '../../lock/lock.ts';
import type { LintSummary } from '../../plan/plan-document.ts';
import { lintProgress } from '../../report/terminal/repository-text.ts';
import { lintDiagnostic, lintFailure } from '../../report/wording/lint-diagnostic.ts';
import { countNoun } from '../../report/wording/quantities.ts';
import { sandboxFromEnvironment } from '../../sandbox/sandbox.ts';
import { createRenderPool, renderCapacity } from '../../session/processes/render-pool.ts';
import { sessionProblems } from '../../session/session-problems.ts';
import { canFailLint, type LintSeverities, lintSeverity } from '../../template/lint-severities.ts';
import type { TemplatePackage } from '../../template/template-package.ts';
import { cacheKey } from '../global-options.ts';
import type { Io } from '../io.ts';
import { openScenes } from '../render/open-scenes.ts';
import { openLintMemory } from './lint-memory.ts';

/** What videos are read from, and how severe each finding is. */
export interface LintSource {
  /** Absolute. */
  readonly root: string;
  /** Of reelform.yaml, which comes before the template's. */
  readonly lint: LintSeverities;
  readonly videos: readonly Video[];
  /** Null for a template that is the service's own. */
  packageOf(template: string): TemplatePackage | null;
  /** The text of a definition. */
  source(file: string): string | undefined;
}

export interface LintOptions {
  /** Milliseconds after which no further video is checked, except where a finding can be an error. */
  readonly budgetMs: number;
  /** Whether to reuse what an earlier run found of an unchanged video. */
  readonly cache: boolean;
}

export interface Linted {
  /** By file and position. */
  readonly diagnostics: readonly Diagnostic[];
  readonly checked: number;
  /** Videos that were not checked because the service has their template. */
  readonly remote: number;
  /** By id: videos that the time did not allow for, and those of the service's templates where a finding would be an error. */
  readonly leftOut: LintSummary['left_out'];
}

/** Milliseconds between two reports of progress, where a long check is not a surprise. */
const PROGRESS_MS = 10_000;

/** Whether the outcome must not depend on time: all videos of such a template are checked before any of them is rendered. */
function mustBeChecked(template: string, { lint, packageOf }: Pick<LintSource, 'lint' | 'packageOf'>): boolean {
  return canFailLint({ repository: lint, template: packageOf(template)?.manifest.lint ?? {} });
}

/**
 * Checks videos as they would be rendered for what a viewer would notice. Videos whose findings can only be warnings are
 * checked first and within the budget; all others are checked however long that takes.
 */
export async function lintVideos(
  from: LintSource,
  wanted: ReadonlyMap<VideoId, Fingerprint>,
  options: LintOptions,
  io: Io,
): Promise<Linted> {
  const memory = openLintMemory(from.root, cacheKey(), options.cache);
  const asked = from.videos.filter(({ id }) => wanted.has(id));
  const videos = asked.filter(({ template }) => from.packageOf(template) !== null);
  const remote = asked.filter(({ template }) => from.packageOf(template) === null);
  const unknown = videos.filter(({ id }) => memory.get(wanted.get(id)!) === undefined);
  const failures = new Map<VideoId, Diagnostic[]>();
  const late: VideoId[] = [];
  const full: FullDisk = { error: null, count: 0, isNeeded: false };
  if (unknown.length > 0) {
    const scenes = openScenes(from.root, io, 'lint');
    const pool = (io.createRenderPool ?? createRenderPool)({
      size: renderCapacity(),
      sandbox: sandboxFromEnvironment(io.env),
    });
    const progress = openProgress(unknown.length, io);
    const until = io.monotonicNow() + options.budgetMs;
    const limit = pLimit(renderCapacity());
    const check = async (video: Video, isNeeded: boolean): Promise<void> => {
      if (full.error !== null) return leave(full, full.error, isNeeded);
      if (!isNeeded && io.monotonicNow() > until) return void late.push(video.id);
      try {
        const scene = await scenes.sceneOf(video, from.packageOf(video.template)!);
        memory.set(wanted.get(video.id)!, await pool.run('lint', scene));
      } catch (error) {
        const refused = fileSystemError(error);
        if (refused?.code === 'disk_full') return leave(full, refused, isNeeded);
        failures.set(video.id, failed(error, video, isNeeded, from));
      }
      progress.checked();
    };
    const needed = new Set(unknown.filter(({ template }) => mustBeChecked(template, from)));
    try {
      const ordered = [...unknown.filter((video) => !needed.has(video)), ...needed];
      await Promise.all(ordered.map((video) => limit(check, video, needed.has(video))));
    } finally {
      await pool.close();
      await scenes.close();
      await memory.store();
    }
  }
  const diagnostics = videos.flatMap((video) => [
    ...(failures.get(video.id) ?? []),
    ...told(memory.get(wanted.get(video.id)!) ?? [], video, from),
  ]);
  const uncheckable = remote.filter(({ template }) => mustBeChecked(template, from));
  const leftOut = [
    ...late.map((id) => ({ id, reason: 'budget' as const })),
    ...uncheckable.map(({ id }) => ({ id, reason: 'remote' as const })),
  ];
  return {
    diagnostics: [...sortDiagnostics(diagnostics), ...fullDisk(full)],
    checked: videos.length - late.length - full.count,
    remote: remote.length,
    leftOut: leftOut.sort((a, b) => byCodeUnit(a.id, b.id)),
  };
}

/** Videos that are not checked because a copy of what they are made from cannot be written: one cause, reported once. */
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

/** Reports on stderr, now and then, how many of the videos were checked. */
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

function told(findings: readonly LintFinding[], video: Video, { lint, packageOf, source }: LintSource): Diagnostic[] {
  const rules = { repository: lint, template: packageOf(video.template)?.manifest.lint ?? {} };
  return findings.flatMap((finding) => {
    const severity = lintSeverity(finding.code, rules);
    if (severity === 'off') return [];
    const at = resourceSpan(video.path, source(video.path) ?? '', finding.editable);
    return [lintDiagnostic(finding, { id: video.id, at, severity })];
  });
}

/** Why a video cannot be looked at, where its definition names what is at fault. */
function failed(
  error: unknown,
  { id, path, resources, audio }: Video,
  isNeeded: boolean,
  { source }: LintSource,
): Diagnostic[] {
  const filled = { resources: Object.fromEntries(resources), audio_tracks: Object.fromEntries(audio) };
  return sessionProblems(error, filled).map(({ editable, title, detail, retryable }) => {
    const at = resourceSpan(path, source(path) ?? '', editable ?? null);
    const what = editable === undefined ? '' : `${editable}: `;
    // Where a finding can be an error, a video that was not checked may have one.
    const severity = retryable && !isNeeded ? 'warning' : 'error';
    return lintFailure(what + (detail ?? title), { id, at, severity });
  });
}
