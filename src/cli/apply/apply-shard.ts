import { EXIT, hasErrors, ReelformError } from '../../kernel/diagnostic.ts';
import { failureOf } from '../../reconciler/apply/events.ts';
import { type Plan, renders } from '../../reconciler/plan/plan.ts';
import type { Project } from '../../reconciler/project/load-project.ts';
import type { ShardReport } from '../../report/json/event-json.ts';
import { shardProgressText, shardText } from '../../report/terminal/apply-text.ts';
import { renderCapacity } from '../../service/sessions/processes/render-pool.ts';
import { renderShard, type Shard, type ShardVideo } from '../../service/sessions/segments/render-shard.ts';
import { createSegmentRenderer } from '../../service/sessions/segments/segment-renderer.ts';
import { sessionProblems } from '../../service/sessions/session-problems.ts';
import { COMMIT_FLAGS } from '../commit/commit-options.ts';
import { rejectConflictingOptions, workingDirectory } from '../global-options.ts';
import type { Io } from '../io.ts';
import { stdoutStyle } from '../output.ts';
import { SAVED_PLAN_CONFLICTS } from '../plan/plan-options.ts';
import type { CommandPool } from '../render/command-pool.ts';
import { filledBy, type OpenInputs } from '../render/open-inputs.ts';
import { withEncoder } from '../render/open-pool.ts';
import { type OpenSegmentCache, openSegmentCache } from '../render/segment-cache.ts';
import { loadDesiredState, serviceName } from '../state/load-desired-state.ts';
import { projectTemplates } from '../state/video-templates.ts';
import type { ApplyOptions } from './apply-options.ts';
import { type ApplyCall, type BegunApply, beginApply, refuseVideos } from './begin-apply.ts';

/** Options that are about the results of a run, which a shard has none of. */
const CONFLICTS = {
  ...COMMIT_FLAGS,
  refreshOnly: '--refresh-only',
  prune: '--prune',
  timeout: '--timeout',
  failFast: '--fail-fast',
};

/**
 * `reelform apply --shard i/n`: makes the plan of an apply, and renders a share of its segments into the segment cache.
 * Writes neither the lockfile nor the journal nor outputs, so shards need no lock and no approval. An apply without
 * `--shard` joins the segments, and renders those that are missing.
 */
export async function applyShard(call: ApplyCall, shard: Shard, processes: CommandPool): Promise<number> {
  const { file, options, view, io } = call;
  rejectConflictingOptions('--shard', options, CONFLICTS);
  if (file !== undefined) rejectConflictingOptions('A saved plan', options, SAVED_PLAN_CONFLICTS);
  // The plan cache is not used: videos are rendered from the files that were compared.
  const repository = await loadDesiredState(workingDirectory(options, io), {
    cache: false,
    openPool: () => processes.open(),
  });
  const cache = hasErrors(repository.diagnostics) ? null : requireCache(repository, options, io);
  const begun = await beginApply(
    call,
    { repository, processes, isApplied: true },
    { folder: `shard-${shard.index}`, processes, counts: false },
  );
  if (typeof begun === 'number') return begun;
  try {
    const refusal = await refuseVideos(call, begun);
    if (refusal !== null) return refusal;
    const report = await renderPlanned(begun, { shard, cache: cache! }, options, io);
    if (report === null) return begun.end(EXIT.interrupted);
    view?.take({ kind: 'shard-finished', report });
    if (options.json !== true) io.stdout.write(shardText(report, stdoutStyle(options, io)));
    return begun.end(report.failed.length > 0 ? EXIT.renderFailed : EXIT.ok);
  } finally {
    await begun.videos.close();
  }
}

/** @throws ReelformError `options_conflict` if no cache can hold the segments until they are joined */
function requireCache(repository: Pick<Project, 'config' | 'root'>, options: ApplyOptions, io: Io): OpenSegmentCache {
  if (options.format === 'github')
    throw conflict('--format github', 'Use text or json for shards; the joining apply writes the reports');
  const { config } = repository;
  if (config.service !== 'embedded')
    throw conflict(`the service ${serviceName(config)}`, 'A service distributes its renders itself: remove --shard');
  if (options.segmentCache === false)
    throw conflict(
      '--no-segment-cache',
      'Shards pass their segments to the joining apply through the cache: remove this option',
    );
  const cache = openSegmentCache(repository, io);
  if (cache !== null) return cache;
  throw conflict(
    'a segment cache of 0 GB',
    'Shards pass their segments to the joining apply through the cache: set `cache: {max_gb: 2}` in reelform.yaml',
  );
}

function conflict(option: string, hint: string): ReelformError {
  return new ReelformError('options_conflict', `--shard cannot be combined with ${option}`, { hint });
}

/**
 * @returns null after an interruption; finished segments stay in the cache
 * @throws ReelformError `write_failed` if the cache cannot be written
 */
async function renderPlanned(
  { plan, project, videos }: BegunApply,
  { shard, cache }: { readonly shard: Shard; readonly cache: OpenSegmentCache },
  options: ApplyOptions,
  io: Io,
): Promise<ShardReport | null> {
  const parallel = renderCapacity();
  const inputs = await videos.inputs();
  const runner = withEncoder(await videos.pool(), project.config.encoder, io);
  const interruption = new AbortController();
  const stopListening = io.onInterrupt(() => interruption.abort(new Error('interrupted')));
  const startedAt = io.monotonicNow();
  try {
    const { failed, share, distinct } = await renderShard(plannedVideos(plan, project, inputs), shard, {
      renderer: createSegmentRenderer({ runner, parallel, cache: cache.cache }),
      cache: cache.cache,
      concurrency: Math.min(options.concurrency ?? project.config.concurrency, parallel),
      signal: interruption.signal,
      onVideo: (id, share) => io.stderr.write(shardProgressText(id, share)),
    });
    if (cache.cache.hasFailed) {
      throw new ReelformError('write_failed', 'The segments could not be stored for the joining apply', {
        hint: 'See the warning above; the joining apply renders the missing segments',
      });
    }
    const elapsedMs = io.monotonicNow() - startedAt;
    return {
      ...shard,
      segments: { total: distinct.segments, share: share.segments, ...cache.cache.figures },
      files: { total: distinct.files, share: share.files, ...cache.cache.fileFigures },
      failed: failed.map(failuresOf),
      elapsedMs,
    };
  } catch (error) {
    if (interruption.signal.aborted) return null;
    throw error;
  } finally {
    stopListening();
    await cache.close();
  }

  function failuresOf({ id, error }: { readonly id: string; readonly error: unknown }): ShardReport['failed'][number] {
    const video = project.videos.find((video) => video.id === id)!;
    return { id: video.id, failures: sessionProblems(error, filledBy(video)).map(failureOf) };
  }
}

/** The videos that a plan renders, including restored videos. */
function plannedVideos(plan: Plan, project: Project, inputs: OpenInputs): ShardVideo[] {
  const wanted = new Set(plan.changes.filter(renders).map(({ id }) => id));
  const templatesOf = projectTemplates(project);
  return project.videos.flatMap((video) => {
    const templates = wanted.has(video.id) ? templatesOf(video) : null;
    const refusal = plan.unrenderable?.get(video.id);
    if (templates === null) return [];
    return [{ id: video.id, video: () => (refusal ? Promise.reject(refusal) : inputs.filesOf(video, templates)) }];
  });
}
