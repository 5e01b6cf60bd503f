import pLimit from 'p-limit';
import { resourceSpan } from '../../definition/resource-span.ts';
import { sortDiagnostics } from '../../definition/sort-diagnostics.ts';
import type { Video, VideoId } from '../../definition/video.ts';
import type { Diagnostic } from '../../diagnostic.ts';
import type { LintFinding } from '../../engine/lint/lint-finding.ts';
import type { Fingerprint } from '../../lock/lock.ts';
import { lintDiagnostic, lintFailure } from '../../report/lint-diagnostic.ts';
import { renderCapacity } from '../../session/processes/render-capacity.ts';
import { createRenderPool } from '../../session/processes/render-pool.ts';
import { problemsOf } from '../../session/session-problems.ts';
import type { LintSeverities } from '../../template/lint-severities.ts';
import type { TemplatePackage } from '../../template/template-package.ts';
import type { Io } from '../io.ts';
import { indexKey } from '../plan/quick-plan.ts';
import { openScenes } from '../render/open-scenes.ts';
import { openLintMemory } from './lint-memory.ts';

/** What videos are read from, and how bad it is what is found. */
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
  /** Milliseconds after which no further video is looked at. */
  readonly budgetMs: number;
  /** Whether what an earlier run found of an unchanged video is believed. */
  readonly cache: boolean;
}

export interface Linted {
  /** By file and position. */
  readonly diagnostics: readonly Diagnostic[];
  readonly looked: number;
  /** Videos that were not looked at: their template is not here, or the time was up. */
  readonly withoutPackage: number;
  readonly leftOut: number;
}

/** Looks at videos as they would be rendered, for what a viewer would notice. */
export async function lintVideos(
  from: LintSource,
  wanted: ReadonlyMap<VideoId, Fingerprint>,
  options: LintOptions,
  io: Io,
): Promise<Linted> {
  const memory = openLintMemory(from.root, indexKey(), options.cache);
  const videos = from.videos.filter(({ id, template }) => wanted.has(id) && from.packageOf(template) !== null);
  const unknown = videos.filter(({ id }) => memory.get(wanted.get(id)!) === undefined);
  const failures = new Map<VideoId, Diagnostic[]>();
  let leftOut = 0;
  if (unknown.length > 0) {
    const scenes = openScenes(from.root, io, 'lint');
    const pool = createRenderPool({ size: renderCapacity() });
    const until = io.now() + options.budgetMs;
    const limit = pLimit(renderCapacity());
    const look = async (video: Video): Promise<void> => {
      if (io.now() > until) {
        leftOut += 1;
        return;
      }
      try {
        const scene = await scenes.sceneOf(video, from.packageOf(video.template)!);
        memory.set(wanted.get(video.id)!, await pool.lint(scene));
      } catch (error) {
        failures.set(video.id, failed(error, video, from));
      }
    };
    try {
      await Promise.all(unknown.map((video) => limit(look, video)));
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
  return {
    diagnostics: sortDiagnostics(diagnostics),
    looked: videos.length - leftOut,
    withoutPackage: wanted.size - videos.length,
    leftOut,
  };
}

function told(findings: readonly LintFinding[], video: Video, { lint, packageOf, source }: LintSource): Diagnostic[] {
  const own = packageOf(video.template)?.manifest.lint ?? {};
  return findings.flatMap((finding) => {
    const severity = lint[finding.code] ?? own[finding.code] ?? 'warning';
    if (severity === 'off') return [];
    const at = resourceSpan(video.path, source(video.path) ?? '', finding.editable);
    return [lintDiagnostic(finding, { id: video.id, at, severity })];
  });
}

/** Why a video cannot be looked at, where its definition names what is at fault. */
function failed(error: unknown, { id, path, resources, audio }: Video, { source }: LintSource): Diagnostic[] {
  const filled = { resources: Object.fromEntries(resources), audio_tracks: Object.fromEntries(audio) };
  return problemsOf(error, filled).map(({ editable, title, detail, retryable }) => {
    const at = resourceSpan(path, source(path) ?? '', editable ?? null);
    const what = editable === undefined ? '' : `${editable}: `;
    // What may be another time is no mistake in the files; the rest would fail when it is rendered, too.
    return lintFailure(what + (detail ?? title), { id, at, severity: retryable ? 'warning' : 'error' });
  });
}
