import type { ApplyEvent, ApplyOutcome, VideoFailure } from '../../reconciler/apply/events.ts';
import type { Delivery } from '../../reconciler/lock/lock.ts';
import type { Published } from '../../reconciler/lock/publish-lock.ts';
import type { PlanDocument } from '../../reconciler/plan/plan-document.ts';
import type { JsonDiagnostic } from './diagnostics-json.ts';

/** Distinct segments or files of the planned videos. */
interface ShardFigures {
  readonly total: number;
  /** Segments of this shard; fewer were rendered and reused if videos failed. */
  readonly share: number;
  readonly rendered: number;
  readonly reused: number;
}

/** Result of `apply --shard`. */
export interface ShardReport {
  /** From 1 to `count`. */
  readonly index: number;
  readonly count: number;
  readonly segments: ShardFigures;
  /** Files without segments, such as GIFs. */
  readonly files: ShardFigures;
  readonly failed: ApplyOutcome['failed'];
  readonly elapsedMs: number;
}

/** The events of `apply --json`, in this order: version, planned, events of the run, outcome. */
export type StreamEvent =
  | { readonly kind: 'version'; readonly toolVersion: string }
  | { readonly kind: 'planned'; readonly document: PlanDocument }
  | ApplyEvent
  | { readonly kind: 'lock-published'; readonly published: Published }
  | { readonly kind: 'shard-finished'; readonly report: ShardReport }
  | {
      readonly kind: 'outcome';
      readonly outcome: ApplyOutcome;
      readonly diagnostics: readonly JsonDiagnostic[];
    };

/** Minor versions add types and fields; readers ignore unknown ones. */
const FORMAT_VERSION = '1.0';

/**
 * Serializes an event as a line of JSON. Empty for `run-finished`, because the outcome event covers it.
 *
 * @param nowMs milliseconds since the epoch
 * @see schemas/reelform-events.schema.json
 */
export function eventJson(event: StreamEvent, nowMs: number): string {
  const named = fieldsOf(event);
  if (named === null) return '';
  const { type, ...fields } = named;
  return `${JSON.stringify({ type, at: new Date(nowMs).toISOString(), ...fields })}\n`;
}

/** An event with the names of its JSON. Undefined fields are left out. */
type EventFields = { readonly type: string } & Readonly<Record<string, unknown>>;

function fieldsOf(event: StreamEvent): EventFields | null {
  switch (event.kind) {
    case 'version':
      return { type: 'version', format_version: FORMAT_VERSION, tool_version: event.toolVersion };
    case 'planned': {
      const { plan_id, complete, summary, estimate, changes } = event.document;
      const actions = changes.map(({ id, action, reason }) => ({ id, action, reason }));
      return { type: 'planned', plan_id, complete, summary, estimate, changes: actions };
    }
    case 'run-started':
      return { type: 'run_started', ids: event.ids, concurrency: event.concurrency };
    case 'video-recorded': {
      const { id, action, previousId, videoUrl, deliveries = [] } = event;
      const fields = { id, action, previous_id: previousId, video_url: videoUrl };
      return { type: 'video_recorded', ...fields, deliveries: deliveries.map(deliveryJson) };
    }
    case 'video-started':
      return { type: 'video_started', id: event.id, action: event.action, begin: event.begin };
    case 'video-submitted':
      return { type: 'video_submitted', id: event.id, session: event.session };
    case 'video-progressed':
      return { type: 'video_progressed', id: event.id, percent: event.percent, segments: event.segments };
    case 'video-warned':
      return { type: 'video_warned', id: event.id, warning: failureJson(event.warning) };
    case 'video-rendered': {
      const { id, videoUrl, deliveries = [], elapsedMs, restored, byOtherRun } = event;
      const delivered = deliveries.map(deliveryJson);
      return {
        type: 'video_rendered',
        id,
        video_url: videoUrl,
        deliveries: delivered,
        by_other_run: byOtherRun,
        elapsed_ms: elapsedMs,
        restored: restored && { identical: restored.isIdentical },
      };
    }
    case 'video-delivering':
      return { type: 'video_delivering', id: event.id, to: event.to };
    case 'video-undelivered':
      return { type: 'video_undelivered', id: event.id, failures: event.failures.map(failureJson) };
    case 'video-failed': {
      const { id, failures, elapsedMs } = event;
      return { type: 'video_failed', id, failures: failures.map(failureJson), elapsed_ms: elapsedMs };
    }
    case 'video-unknown': {
      const { id, failure, askedAt, session } = event;
      return { type: 'video_unknown', id, failure: failureJson(failure), asked_at: askedAt, session };
    }
    case 'video-left':
      return { type: 'video_left', id: event.id, session: event.session };
    case 'video-skipped':
      return { type: 'video_skipped', id: event.id, reason: event.reason };
    case 'run-finished':
      return null;
    case 'lock-published': {
      const { published } = event;
      const commit = published.kind === 'committed' ? published.commit : null;
      return { type: 'lock_published', result: published.kind, commit, pull_request: published.pull };
    }
    case 'shard-finished': {
      const { index, count, segments, files, failed, elapsedMs } = event.report;
      const figures = { shard: index, shards: count, segments, files };
      return { type: 'shard_finished', ...figures, failed: failed.map(failedJson), elapsed_ms: elapsedMs };
    }
    case 'outcome':
      return outcomeFields(event.outcome, event.diagnostics);
  }
}

function outcomeFields(outcome: ApplyOutcome, diagnostics: readonly JsonDiagnostic[]): EventFields {
  return {
    type: 'outcome',
    format_version: FORMAT_VERSION,
    rendered: outcome.rendered,
    rendered_by_other_runs: outcome.renderedByOtherRuns,
    restored: outcome.restored,
    recorded: outcome.recorded,
    failed: outcome.failed.map(failedJson),
    delivered: outcome.delivered,
    undelivered: outcome.undelivered.map(failedJson),
    unknown: outcome.unknown.map(({ id, askedAt, session, code }) => ({ id, asked_at: askedAt, session, code })),
    in_progress: outcome.inProgress.map(({ id, session }) => ({ id, session })),
    skipped: outcome.skipped,
    ended_by: outcome.endedBy,
    elapsed_ms: outcome.elapsedMs,
    diagnostics,
  };
}

function deliveryJson({ to, url }: Delivery): object {
  return { to, url: url ?? null };
}

function failedJson({ id, failures }: ApplyOutcome['failed'][number]): object {
  return { id, failures: failures.map(failureJson) };
}

function failureJson({ code, message, hint, editable, source, retryable }: VideoFailure): object {
  return { code, message, hint: hint ?? null, editable: editable ?? null, source: source ?? null, retryable };
}
