import { byCodeUnit } from '../../kernel/digest.ts';
import { groupBy } from '../../kernel/group-by.ts';
import type { ApplyOutcome, VideoFailure } from '../../reconciler/apply/events.ts';
import { resourceSpan } from '../../reconciler/definition/scene-spans.ts';
import type { ChangeDocument } from '../../reconciler/plan/plan-document.ts';
import { unknownWords } from '../wording/unknown-words.ts';
import { type JsonDiagnostic, textPosition } from './diagnostics-json.ts';

/** Source location of the value that a failure is about. */
export interface FailureLocation {
  /** Repository-relative; null if the file is unknown. */
  readonly file: string | null;
  /** From 1; null if the value comes from an extended fragment or a data row. */
  readonly line: number | null;
  readonly column: number | null;
}

/** A failure with its location in the first video that met it. */
export type LocatedFailure = VideoFailure & FailureLocation;

/** Maximum number of videos of a group whose locations are listed. */
const MAX_LOCATED = 5;

/** A group of videos with the same failures. */
export interface FailureGroup {
  readonly what: 'not rendered' | 'not delivered' | 'unknown';
  /** Never empty. */
  readonly ids: readonly string[];
  /** Title of the first video. */
  readonly title: string;
  readonly failures: readonly LocatedFailure[];
  /** Distinct source locations in the first few videos. */
  readonly places: readonly FailureLocation[];
}

/** Data for finding source locations. */
interface FailureContext {
  readonly changes: readonly Pick<ChangeDocument, 'id' | 'path' | 'title'>[];
  source(file: string): string | undefined;
}

/**
 * Groups the failures of a run: videos not rendered, then not delivered, then with unknown state; within each kind the
 * largest group first, ids sorted.
 */
export function groupFailures(outcome: ApplyOutcome, context: FailureContext): FailureGroup[] {
  const changes = new Map(context.changes.map((change) => [change.id, change]));
  const unknown = outcome.unknown.map((video) => ({ id: video.id, failures: [unknownFailure(video)] }));
  const kinds = [
    ['not rendered', outcome.failed],
    ['not delivered', outcome.undelivered],
    ['unknown', unknown],
  ] as const;
  return kinds.flatMap(([what, failed]) => {
    const sorted = [...failed].sort((a, b) => byCodeUnit(a.id, b.id));
    return groupByFailure(sorted).map(({ ids, failures }) => {
      const [first, ...rest] = ids.slice(0, MAX_LOCATED).map((id) => {
        const path = changes.get(id)?.path ?? null;
        return failures.map((failure) => ({ ...failure, ...locate(failure, path, context) }));
      });
      const places = new Map<string, FailureLocation>();
      for (const { file, line, column } of [first!, ...rest].flat()) {
        if (file !== null) places.set(`${file}:${line}`, { file, line, column });
      }
      const title = changes.get(ids[0]!)?.title ?? '';
      return { what, ids, title, failures: first!, places: [...places.values()] };
    });
  });
}

/** Converts failure groups to diagnostics, a diagnostic for each failure of each group. */
export function failureDiagnostics(groups: readonly FailureGroup[]): JsonDiagnostic[] {
  return groups.flatMap(({ what, ids, failures }) =>
    failures.map(({ code, message, hint = null, file, line, column }) => ({
      code,
      severity: 'error' as const,
      message: `${ids.length === 1 ? ids[0] : `${ids[0]} and ${ids.length - 1} more`}: ${what}: ${message}`,
      hint,
      file,
      line,
      column,
      end_line: line,
      end_column: null,
    })),
  );
}

function locate({ editable }: VideoFailure, path: string | null, { source }: FailureContext): FailureLocation {
  const nowhere = { file: path, line: null, column: null };
  if (path === null) return nowhere;
  const { file, start, end } = resourceSpan(path, source, editable ?? null);
  const text = source(file);
  // Offset 0 means that the value was not found.
  return end === 0 || text === undefined ? nowhere : { file, ...textPosition(text, start) };
}

function unknownFailure({ id, askedAt, session, code }: ApplyOutcome['unknown'][number]): VideoFailure {
  return {
    code,
    message: `Requested at ${askedAt}, but ${unknownWords(code, session)}`,
    hint: `It is not requested again before you resolve it: reelform resolve ${id}`,
    retryable: false,
  };
}

/** Problems of the service or the machine, independent of the video. */
const NOT_OF_A_VIDEO: ReadonlySet<string> = new Set([
  'service_unauthorized',
  'service_unreachable',
  'token_missing',
  'encoder_missing',
  'disk_full',
  'service_lacks_uploads',
]);

/** Groups the videos with the same failures, the largest group first. */
export function groupByFailure(
  failed: ApplyOutcome['failed'],
): { readonly ids: readonly string[]; readonly failures: readonly VideoFailure[] }[] {
  return [...groupBy(failed, ({ failures }) => failureKey(failures)).values()]
    .sort((a, b) => b.length - a.length)
    .map((group) => ({ ids: group.map(({ id }) => id), failures: group[0].failures }));
}

/** Equal for failures that are reported only once. */
export function failureKey(failures: readonly VideoFailure[]): string {
  return JSON.stringify(
    failures.map(({ code, message, hint, editable, source }) =>
      NOT_OF_A_VIDEO.has(code) ? code : [code, message, hint, editable, source],
    ),
  );
}
