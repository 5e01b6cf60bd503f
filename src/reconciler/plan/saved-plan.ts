import { secondsOf } from '../../contract/video-measures.ts';
import { errorAt, failure, ReelformError, type Result, startOf } from '../../kernel/diagnostic.ts';
import { canonicalJson, type Json } from '../../kernel/digest.ts';
import { isRecord, parseJson } from '../../kernel/json.ts';
import type { Lock } from '../lock/lock.ts';
import { type DesiredVideo, remoteContent } from './desired-video.ts';
import { ACTIONS, type Change, type Plan, type PlanDiagnostic, renders } from './plan.ts';
import { type ChangeDocument, changeDocument, hasTrueCounts, type PlanDocument, planId } from './plan-document.ts';

/**
 * Parses a saved plan. Recomputes its id, so that a plan edited after its review is rejected.
 *
 * @param file its name, for diagnostics
 */
export function parsePlanDocument(text: string, file: string): Result<PlanDocument> {
  const refuse = (what: string, hint = 'Create the plan again: reelform plan --out FILE'): Result<never> =>
    failure('plan_invalid', startOf(file), `${file} cannot be read: ${what}`, hint);
  const document = parseJson(text);
  if (document === undefined) return refuse('it is not JSON');
  if (!isRecord(document) || typeof document.format_version !== 'string') return refuse('it is not a plan');
  const { format_version: version, changes, diagnostics } = document;
  if (!/^1\.\d+$/.test(version)) {
    return refuse(
      `its format is ${version}, but this version of reelform reads 1.x`,
      'Update reelform, or create the plan again',
    );
  }
  if (typeof document.plan_id !== 'string' || typeof document.complete !== 'boolean' || !Array.isArray(changes)) {
    return refuse('it is not a plan');
  }
  if (!changes.every(isChange)) return refuse('one of its changes is malformed');
  if (document.plan_id !== planId(changes)) {
    return refuse('its changes do not match its plan_id: it was edited, or another version of reelform made it');
  }
  if (!isRecord(document.summary) || !isRecord(document.estimate)) return refuse('it is not a plan');
  if (!hasTrueCounts(document as unknown as PlanDocument)) return refuse('its counts do not match its changes');
  if (Array.isArray(diagnostics) && diagnostics.some((problem) => isRecord(problem) && problem.severity === 'error')) {
    return refuse('it contains errors', 'Correct them and create the plan again: reelform plan --out FILE');
  }
  return { ok: true, value: document as unknown as PlanDocument };
}

function isChange(value: unknown): value is ChangeDocument {
  if (!isRecord(value) || typeof value.id !== 'string') return false;
  const { action, before, after, previous_id: previousId } = value;
  const isSide = (side: unknown, fields: readonly string[]): boolean =>
    side === null || (isRecord(side) && fields.every((name) => typeof side[name] === 'string'));
  return (
    (ACTIONS as readonly unknown[]).includes(action) &&
    (previousId === null || typeof previousId === 'string') &&
    isSide(before, ['fingerprint', 'session']) &&
    isSide(after, ['fingerprint']) &&
    [value.inputs, value.fields].every((list) => Array.isArray(list) && list.every(isRecord)) &&
    (value.destinations === undefined || (Array.isArray(value.destinations) && value.destinations.every(isDestination)))
  );
}

function isDestination(value: unknown): boolean {
  if (!isRecord(value) || typeof value.to !== 'string') return false;
  const { kind, credential } = value;
  return (kind === 'deliver' || kind === 'release') && (credential === null || typeof credential === 'string');
}

/** Renders of a saved plan that no definition change explains, so that a new plan has to request them again. */
export interface SavedDemands {
  readonly requested: (id: string) => boolean;
  /** Keyed by the id in the lockfile. */
  readonly refreshed: ReadonlyMap<string, 'url_lost' | 'asset_changed'>;
  /** Returns true for local outputs that the plan restores, by id in the lockfile. */
  readonly restores: (id: string) => boolean;
  /** Returns true for videos that adopt the rendering of another video, whose file may be on another machine. */
  readonly adoptsAbsent: (id: string) => boolean;
  /**
   * Ids in the lockfile of outputs restored for damage: only a refresh compares digests, so another plan does not find
   * them.
   */
  readonly damaged: ReadonlySet<string>;
}

/**
 * @param lock present lock; a video whose session differs from the plan's was rendered since, and is not requested
 *   again
 */
export function savedDemands(document: PlanDocument, lock: Lock): SavedDemands {
  const requested = new Set<string>();
  const refreshed = new Map<string, 'url_lost' | 'asset_changed'>();
  const adopting = new Set<string>();
  const restored = new Set<string>();
  const damaged = new Set<string>();
  for (const { id, previous_id: previousId, action, reason, before, after, source } of document.changes) {
    const lockId = previousId ?? id;
    if (action === 'restore') restored.add(lockId);
    if (action === 'adopt' && source?.kind === 'video') adopting.add(id);
    if (before === null || before.fingerprint !== after?.fingerprint) continue;
    if (lock.videos.get(lockId)?.session !== before.session) continue;
    if (reason === 'requested') requested.add(id);
    if (reason === 'url_lost' || reason === 'asset_changed') refreshed.set(lockId, reason);
    if (reason === 'output_damaged') damaged.add(lockId);
  }
  return {
    requested: (id) => requested.has(id),
    refreshed,
    restores: (id) => restored.has(id),
    adoptsAbsent: (id) => adopting.has(id),
    damaged,
  };
}

/**
 * Returns the part of a saved plan that is still to be done. Compares each saved change with the change that the
 * present lock and definitions need: equal changes are done, completed changes are left out, and any other difference
 * makes the plan stale. A render that has become an adoption costs less than approved, and is done.
 *
 * @param fresh plan made with the demands of the saved plan
 */
export function reviewedPlan(document: PlanDocument, fresh: Plan): Result<Plan> {
  const now = new Map<string, Change>(fresh.changes.map((change) => [change.id, change]));
  const changes: Change[] = [];
  const diagnostics: PlanDiagnostic[] = [];
  for (const reviewed of document.changes) {
    const change = now.get(reviewed.id);
    const why = differsBecause(reviewed, change);
    if (why !== null) diagnostics.push(stale(reviewed.id, why));
    else if (change !== undefined) changes.push(change);
  }
  if (diagnostics.length > 0) return { ok: false, diagnostics };
  const ids = new Set(changes.map(({ id }) => id as string));
  const kept = fresh.diagnostics.filter(({ video }) => video !== undefined && ids.has(video));
  const unrenderable = new Map([...longerVideos(document, changes), ...(fresh.unrenderable ?? [])]);
  return {
    ok: true,
    value: { changes, complete: document.complete, diagnostics: kept, ...(unrenderable.size > 0 && { unrenderable }) },
  };
}

/** Differences of rounding in the scenes of a plan. */
const ROUNDING_SECONDS = 0.0005;

/** Returns why videos must not be rendered that are longer by now than the plan shows, because a remote sound is. */
function longerVideos({ changes: reviewed }: PlanDocument, changes: readonly Change[]): Map<string, ReelformError> {
  const shown = new Map(
    reviewed.map(({ id, scenes = [] }) => [id, scenes.filter(({ difference }) => difference !== 'removed')]),
  );
  return new Map(
    changes.flatMap(({ id, desired }): [string, ReelformError][] => {
      const scenes = shown.get(id) ?? [];
      if (desired === null || desired.measures === null || remoteContent(desired).length === 0) return [];
      // A plan that shows no length leaves it open.
      if (scenes.some(({ length }) => length === null)) return [];
      const approved = scenes.reduce((sum, { length }) => sum + (length ?? 0), 0);
      const present = secondsOf(desired.measures);
      if (present <= approved + scenes.length * ROUNDING_SECONDS) return [];
      const [now, was] = [present, approved].map((seconds) => Math.round(seconds * 1000) / 1000);
      const message = `The plan shows ${was} s of "${id}", which is ${now} s long now, because a remote sound is longer`;
      return [[id, new ReelformError('plan_stale', message, { hint: 'Create the plan again and have it reviewed' })]];
    }),
  );
}

function differsBecause(reviewed: ChangeDocument, change: Change | undefined): string | null {
  if (change === undefined) return reviewed.after === null ? null : 'its definition was removed';
  const present = changeDocument(change);
  if (present.after?.fingerprint !== reviewed.after?.fingerprint) {
    if (present.after !== null) return 'its definition has changed';
    return present.left_out === undefined ? 'its definition was removed' : 'its condition leaves it out';
  }
  if (change.action === 'noop') {
    if (!hasDestinations(reviewed.destinations, change.desired)) return ELSEWHERE;
    return hasFields(reviewed.fields, change.desired) ? null : 'its title, labels or template have changed';
  }
  if (change.action === 'deliver' && isRemainderOf(present, reviewed)) return null;
  if (!isSame(present.before, reviewed.before) || present.previous_id !== reviewed.previous_id) {
    return 'the lockfile has a different rendering';
  }
  if (renders(change) && !['create', 'update', 'restore'].includes(reviewed.action)) {
    return 'it needs rendering now, but the plan does not render it';
  }
  if (!isSame(present.destinations, reviewed.destinations ?? []) && !hasArrived(present, reviewed)) return ELSEWHERE;
  if (!isSame(present.fields, reviewed.fields)) return 'its title, labels or template have changed';
  return showsValues(reviewed, change, present) ? null : 'it shows other values than the definition has';
}

/** Checks whether a saved change showed the values that are rendered. Labels may be worded differently. */
function showsValues(reviewed: ChangeDocument, { desired }: Change, present: ChangeDocument): boolean {
  const values = ({ inputs }: ChangeDocument): unknown => inputs.map(({ label: _, ...input }) => input);
  if (!isSame(values(present), values(reviewed))) return false;
  return desired === null || (present.title === reviewed.title && present.template === reviewed.template);
}

/**
 * Checks whether the present change is a part of the approved change: the video was rendered, but some deliveries are
 * missing.
 */
function isRemainderOf(present: ChangeDocument, reviewed: ChangeDocument): boolean {
  const isAgreed = (shown: unknown, agreed: readonly unknown[]): boolean =>
    agreed.some((value) => isSame(shown, value));
  return (
    (present.destinations ?? []).every((destination) => isAgreed(destination, reviewed.destinations ?? [])) &&
    present.fields.every((field) => isAgreed(field, reviewed.fields))
  );
}

/** Checks whether the approved destinations are unchanged and an earlier run has delivered to some of them. */
function hasArrived(present: ChangeDocument, reviewed: ChangeDocument): boolean {
  const wantedDestinations = ({ destinations = [], source }: ChangeDocument): string[] => {
    const pending = destinations.flatMap(({ kind, to }) => (kind === 'deliver' ? [to] : []));
    return [...pending, ...(Array.isArray(source?.delivered) ? source.delivered : [])].sort();
  };
  const released = ({ destinations = [] }: ChangeDocument): unknown =>
    destinations.filter(({ kind }) => kind === 'release');
  return (
    isSame(wantedDestinations(present), wantedDestinations(reviewed)) &&
    isSame(released(present), released(reviewed)) &&
    isRemainderOf(present, reviewed)
  );
}

const ELSEWHERE = 'its destinations have changed';

/** Checks whether a completed change has the approved destinations. */
function hasDestinations(agreed: ChangeDocument['destinations'] = [], { deliver }: DesiredVideo): boolean {
  return agreed.every(({ kind, to }) => (kind === 'deliver') === deliver.some((destination) => destination.to === to));
}

/** Checks whether a completed change has the approved title and labels. */
function hasFields(agreed: ChangeDocument['fields'], { title, labels }: DesiredVideo): boolean {
  return agreed.every(({ field, after }) => {
    if (field === 'title') return after === title;
    const name = /^labels\.(.*)$/s.exec(field)?.[1];
    return name === undefined || after === (Object.hasOwn(labels, name) ? labels[name] : null);
  });
}

/** Compares values as canonical JSON. */
function isSame(present: unknown, reviewed: unknown): boolean {
  return canonicalJson(present as Json) === canonicalJson(reviewed as Json);
}

function stale(video: string, why: string): PlanDiagnostic {
  const hint = 'Create the plan again and have it reviewed';
  return { ...errorAt('plan_stale', undefined, `The plan of "${video}" is stale: ${why}`, hint), video };
}
