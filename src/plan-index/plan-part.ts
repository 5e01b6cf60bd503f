import type { Lock, LockEntry } from '../lock/lock.ts';
import { parseLock } from '../lock/parse-lock.ts';
import type { DesiredVideo } from '../plan/desired-video.ts';
import type { Change, Plan } from '../plan/plan.ts';
import type { Memory, Outcome } from './memory.ts';
import type { RememberedDefinition, TextRange } from './remembered-definition.ts';

/** As much of both sides as a plan of everything can depend on. */
export interface PlanPart {
  readonly desired: readonly DesiredVideo[];
  readonly lock: Lock;
  /** The plan of everything, given that of the part. */
  complete(plan: Plan): Plan;
  /** What is remembered after it. */
  remember(plan: Plan): Memory;
}

/** Where the texts are that the memory points to. Null: not as they were. */
export interface PlanTexts {
  videos(definition: RememberedDefinition): DesiredVideo[];
  /** The entries of the lockfile at these places. */
  entries(ranges: readonly TextRange[]): string[] | null;
}

/**
 * Leaves out what the last plan had nothing to do for, and what nothing else can depend on: a plan pairs what is new with
 * what is gone, and adopts by fingerprint what was rendered under another id. Of what is left out, one video stays, so that
 * nobody takes the rest for all there is.
 *
 * @returns null when something is not as it was
 */
export function planPart(memory: Memory & { readonly outcome: Outcome }, texts: PlanTexts): PlanPart | null {
  const { definitions, outcome } = memory;
  const open = definitions.unsettled();
  const like = definitions.settledLike(new Set(open.flatMap(({ marks }) => marks)));
  const witness = like.some(({ ids }) => ids.length > 0) ? null : definitions.anySettled();
  const alike = witness === null ? like : [...like, witness];
  const taken = [...open, ...alike];

  const ranges = [...outcome.loose.map(([, ...range]) => range), ...alike.flatMap(({ settled }) => settled ?? [])];
  const lock = readEntries(ranges, texts);
  if (lock === null || lock.videos.size !== ranges.length) return null;
  const rest = definitions.without(taken.map(({ path }) => path));
  return {
    desired: taken.flatMap((one) => texts.videos(one)),
    lock,
    complete(plan) {
      const idle = { count: rest.videoCount, changes: () => [...rest].flatMap((one) => idleChanges(one, texts)) };
      return { ...plan, idle };
    },
    remember: (plan) => rememberPart(memory, open, plan),
  };
}

function readEntries(ranges: readonly TextRange[], texts: PlanTexts): Lock | null {
  const entries = ranges.length === 0 ? [] : texts.entries(ranges);
  if (entries === null) return null;
  const lock = parseLock(`{"lockfile_version":1,"videos":{${entries.join(',')}}}`, '');
  return lock.ok ? lock.value : null;
}

/** Both sides of them are read when somebody asks. */
function idleChanges(definition: RememberedDefinition, texts: PlanTexts): Change[] {
  let videos: DesiredVideo[] | null = null;
  let entries: LockEntry[] | null = null;
  return definition.ids.map((id, index): Change => {
    return {
      action: 'noop',
      id: id as Change['id'],
      previousId: null,
      reason: null,
      inputs: [],
      fields: [],
      destinations: [],
      get desired() {
        videos ??= texts.videos(definition);
        return videos[index]!;
      },
      get before() {
        entries ??= [...(readEntries(definition.settled!, texts) ?? changedUnderUs()).videos.values()];
        return entries[index]!;
      },
    };
  });
}

function changedUnderUs(): never {
  throw new Error('Internal error: the lockfile changed while a plan was shown');
}

/** A definition that was changed back has nothing to do again. */
function rememberPart(
  memory: Memory & { readonly outcome: Outcome },
  open: readonly RememberedDefinition[],
  plan: Plan,
): Memory {
  const idle = new Set<string>(plan.changes.flatMap(({ action, id }) => (action === 'noop' ? [id] : [])));
  const loose = new Map(memory.outcome.loose.map(([id, ...range]) => [id, range] as const));
  const settled = open
    .filter(({ ids }) => ids.every((id) => idle.has(id)))
    .map((one) => ({ ...one, settled: one.ids.map((id) => loose.get(id)!) }));
  for (const { ids } of settled) for (const id of ids) loose.delete(id);
  const isEmpty =
    settled.length === open.length &&
    loose.size === 0 &&
    plan.diagnostics.length === 0 &&
    plan.changes.every(({ action }) => action === 'noop');
  if (settled.length === 0 && isEmpty === memory.outcome.isEmpty) return memory;
  return {
    ...memory,
    definitions: memory.definitions.with(settled),
    outcome: { ...memory.outcome, isEmpty, loose: [...loose].map(([id, range]) => [id, ...range] as const) },
  };
}
