import type { Source, VideoResource } from '../definition/video.ts';
import { canonicalJson, type Json, sha256 } from '../digest.ts';
import type { DesiredVideo } from './desired-video.ts';
import {
  ACTIONS,
  type Action,
  type AdoptionSource,
  type Change,
  type DestinationChange,
  type FieldChange,
  type InputChange,
  type Plan,
  type PlanCheck,
  rendersNew,
} from './plan.ts';

/**
 * A plan as the world outside reads it: what `plan --json` prints and `plan --out` saves, in the names of the format.
 * Minor versions of the format only add; `schemas/reelform-plan.schema.json` is its schema.
 */
export interface PlanDocument {
  readonly format_version: '1.0';
  /** For people: nothing is decided by it. */
  readonly tool_version: string;
  /** Names what would be done, and nothing else: the same changes have the same id whoever planned them, and when. */
  readonly plan_id: string;
  readonly complete: boolean;
  /** How many videos that need something were left out on demand; absent where that is not known. */
  readonly left_out?: number;
  /** How many videos per action, in the order of `ACTIONS`; actions that no video has are left out. */
  readonly summary: Readonly<Partial<Record<Action, number>>>;
  readonly estimate: Estimate;
  /** Finished files to deliver, each counted once for each place; absent in plans of earlier versions. */
  readonly deliveries?: number;
  /** By id. Videos that need nothing are only counted. */
  readonly changes: readonly ChangeDocument[];
  readonly diagnostics: readonly Json[];
  /** What policies said of it; absent where there are none, and in plans of earlier versions. */
  readonly checks?: readonly PlanCheck[];
  /** Which of the videos to render `lint` checked; absent where it was off, or there was nothing to check. */
  readonly lint?: LintSummary;
  /** What the changes look like, where somebody asked to look: shares and names, no pictures. */
  readonly preview?: PreviewSummary;
}

export interface LintSummary {
  /** How many videos were checked. */
  readonly videos: number;
  /** By id: videos that were not checked because the time was up (`budget`), or because the service has their template (`remote`). */
  readonly left_out: readonly { readonly id: string; readonly reason: 'budget' | 'remote' }[];
}

export interface PreviewSummary {
  /** By id. */
  readonly videos: readonly {
    readonly id: string;
    /** Whether a viewer could tell the pictures apart; null where there is nothing to compare with. */
    readonly visible: boolean | null;
    /** What else is another: `sound`, `duration`, `output`. */
    readonly unseen: readonly string[];
    /** The largest share of a still's pixels that differ, 0..1; null where there is nothing to compare with. */
    readonly changed_share: number | null;
  }[];
  readonly left_out: readonly { readonly id: string; readonly reason: string }[];
}

export interface ChangeDocument {
  readonly id: string;
  /** The definition's file; null when there is none any more. */
  readonly path: string | null;
  readonly previous_id: string | null;
  readonly title: string;
  readonly template: string;
  readonly action: Action;
  readonly reason: string | null;
  readonly inputs: readonly InputDocument[];
  readonly fields: readonly FieldChange[];
  /** What is done about the places that the finished file goes to; absent in plans of earlier versions. */
  readonly destinations?: readonly DestinationChange[];
  /** What the lockfile has to say for the change to be applied; null: nothing about this video. */
  readonly before: { readonly fingerprint: string; readonly session: string; readonly video_url: string } | null;
  /** Null when the entry goes. */
  readonly after: { readonly fingerprint: string } | null;
  /** Where the rendering of an adopted video comes from; null for every other action. */
  readonly source: SourceDocument | null;
  /** Places where it was delivered to before; absent where there were none. */
  readonly delivered?: readonly string[];
  /** Whether forgetting it is refused; absent where it is not. */
  readonly protected?: true;
  /** Segments to render, of those that the video has; absent where they were not counted. */
  readonly segments?: SegmentCount;
}

/** A value then and now, with what it takes to show it to people. */
export interface InputDocument extends InputChange {
  /** What the template calls the editable; absent where it has no name. */
  readonly label?: string;
  /** Absent for what is no editable, and for what is not filled any more. */
  readonly kind?: VideoResource['kind'];
  /** What `after` is a digest of: the text, or the path of the file, repository-relative. Absent where it is none. */
  readonly value?: string;
}

/** The label that a template gives to one of its editables, where it gives one. */
export type LabelLookup = (template: string, key: string) => string | undefined;

export interface SourceDocument {
  readonly kind: AdoptionSource['kind'];
  /** The video that it was rendered for. */
  readonly id: string;
  readonly commit: string | null;
  readonly session: string | null;
  readonly video_url: string | null;
  /** Places of `journal` where it is already, of those that are wanted; absent where it is in none. */
  readonly delivered?: readonly string[];
}

/**
 * @param diagnostics of the plan and of the definitions, already in their JSON form
 * @param segments by video, as far as they were counted
 */
export function planDocument(
  plan: Plan,
  toolVersion: string,
  diagnostics: readonly Json[],
  label?: LabelLookup,
  segments: ReadonlyMap<string, SegmentCount> = new Map(),
): PlanDocument {
  const changing = plan.changes.filter((change) => change.action !== 'noop');
  const changes = changing.map((change) => {
    const count = segments.get(change.id);
    return { ...changeDocument(change, label), ...(count && { segments: count }) };
  });
  return {
    format_version: '1.0',
    tool_version: toolVersion,
    plan_id: planId(changes),
    complete: plan.complete,
    ...(plan.leftOut === undefined ? {} : { left_out: plan.leftOut }),
    summary: countActions(plan),
    estimate: estimatePlan(plan, segments),
    deliveries: countDeliveries(plan),
    changes,
    diagnostics,
    ...(plan.checks === undefined ? {} : { checks: plan.checks }),
  };
}

/**
 * The changes of a plan, apart from those that make a local file again and nothing else: neither the lockfile nor a
 * destination changes with them, so a review has nothing to see there.
 */
export function splitRestores({ changes }: Pick<PlanDocument, 'changes'>): {
  readonly changes: readonly ChangeDocument[];
  readonly restores: readonly ChangeDocument[];
} {
  const isRestore = ({ action, previous_id, fields, destinations = [] }: ChangeDocument): boolean =>
    action === 'restore' && previous_id === null && fields.length + destinations.length === 0;
  return { changes: changes.filter((one) => !isRestore(one)), restores: changes.filter(isRestore) };
}

/** How many changes each action has, in the order of `ACTIONS`, those with none left out. */
export function countActions(plan: Plan): Partial<Record<Action, number>> {
  const counts = new Map<Action, number>();
  for (const { action } of plan.changes) counts.set(action, (counts.get(action) ?? 0) + 1);
  counts.set('noop', (counts.get('noop') ?? 0) + (plan.idle?.count ?? 0));
  return Object.fromEntries(ACTIONS.flatMap((action) => (counts.get(action) ? [[action, counts.get(action)!]] : [])));
}

/** Finished files to deliver, each counted once for each place. */
export function countDeliveries({ changes }: Plan): number {
  return changes.flatMap(({ destinations }) => destinations.filter(({ kind }) => kind === 'deliver')).length;
}

/** One change as the document has it. */
export function changeDocument(change: Change, label?: LabelLookup): ChangeDocument {
  const { id, previousId, action, reason, inputs, fields, destinations, desired, before } = change;
  const { title, template } = desired ?? before;
  return {
    id,
    path: desired?.path ?? null,
    previous_id: previousId,
    title,
    template,
    action,
    reason,
    inputs: inputDocuments(inputs, change, label),
    fields,
    destinations,
    before: before && { fingerprint: before.fingerprint, session: before.session, video_url: before.video_url },
    after: desired && { fingerprint: desired.fingerprint },
    source: change.action === 'adopt' ? sourceDocument(change.source) : null,
    ...(before?.deliveries?.length ? { delivered: before.deliveries.map(({ to }) => to) } : {}),
    ...(desired === null && before.protect ? { protected: true } : {}),
  };
}

/** Values of a video with what it takes to show them. @param change the one that they are of */
export function inputDocuments(
  inputs: readonly InputChange[],
  { desired, before }: Change,
  label?: LabelLookup,
): InputDocument[] {
  const { template } = desired ?? before;
  return inputs.map((input) => {
    const name = label?.(template, input.key);
    const { kind, value } = input.after === null || desired === null ? NOTHING : describe(input.key, desired);
    return {
      ...input,
      ...(name === undefined ? {} : { label: name }),
      ...(kind === undefined ? {} : { kind }),
      ...(value === undefined || value === input.after ? {} : { value }),
    };
  });
}

const NOTHING: Pick<InputDocument, 'kind' | 'value'> = {};

function describe(key: string, { resources, audio }: DesiredVideo): Pick<InputDocument, 'kind' | 'value'> {
  const resource = resources.get(key);
  switch (resource?.kind) {
    case 'text':
      return { kind: 'text', value: resource.text };
    case 'color':
    case 'font':
      return { kind: resource.kind };
    case 'image':
    case 'video':
    case 'audio':
      return { kind: resource.kind, ...pathOf(resource.source) };
    case undefined: {
      const track = key.startsWith('audio.') ? audio.get(key.slice('audio.'.length)) : undefined;
      return track === undefined ? NOTHING : { kind: 'audio', ...pathOf(track.source) };
    }
  }
}

function pathOf(source: Source): Pick<InputDocument, 'value'> {
  return source.kind === 'file' ? { value: source.path } : {};
}

function sourceDocument(source: AdoptionSource): SourceDocument {
  const rendering = source.kind === 'planned' ? null : source.rendering;
  return {
    kind: source.kind,
    id: source.id,
    commit: source.kind === 'history' ? source.commit : null,
    session: source.kind === 'journal' ? source.session : (rendering?.session ?? null),
    video_url: rendering?.video_url ?? null,
    ...(source.kind === 'journal' && source.deliveries ? { delivered: source.deliveries.map(({ to }) => to) } : {}),
  };
}

/**
 * The digest of what is done to what: `[id, action, fingerprint before, fingerprint after]`, by id; where a file is
 * delivered, with the list of the places behind it, each with its credential.
 */
export function planId(changes: readonly ChangeDocument[]): string {
  const rows = changes.map(({ id, action, before, after, destinations = [] }) => {
    const places = destinations.flatMap(({ kind, to, credential }) => (kind === 'deliver' ? [[to, credential]] : []));
    const row: Json[] = [id, action, before?.fingerprint ?? null, after?.fingerprint ?? null];
    return places.length === 0 ? row : [...row, places];
  });
  return `sha256:${sha256(canonicalJson(rows))}`;
}

/** Whether a policy denies a plan: it is not to be applied, whatever else is right about it. */
export function isDenied({ checks = [] }: PlanDocument): boolean {
  return checks.some(({ status, level }) => status === 'fail' && level === 'deny');
}

/** What applying a plan takes. */
export interface Estimate {
  /** Videos that are created or updated. Restored ones are counted in `restores` alone. */
  readonly renders: number;
  /** Null when the length of one of them is not known. */
  readonly seconds_of_video: number | null;
  /** Absent where reelform.yaml has no prices, or nothing is rendered. */
  readonly cost?: Cost;
  /** Local files to render again on this machine, which no service is paid for; absent where that is none. */
  readonly restores?: Restores;
  /** Segments of the videos to create or update; absent where no video's segments were counted. */
  readonly segments?: SegmentCount;
}

/** Segments of videos that this machine renders. */
export interface SegmentCount {
  /** Segments that are not cached. */
  readonly render: number;
  readonly total: number;
}

interface Restores {
  readonly videos: number;
  /** Null when the length of one of them is not known. */
  readonly seconds_of_video: number | null;
}

export interface Cost {
  /** Null when the length of a video is not known, and is paid for. */
  readonly amount: number | null;
  /** By ISO 4217. */
  readonly currency: string;
}

/**
 * Estimates what applying the plan renders, and what that costs. Seconds are rounded to milliseconds, amounts to a millionth.
 *
 * @param segments by video, as far as they were counted
 */
export function estimatePlan(plan: Plan, segments: ReadonlyMap<string, SegmentCount> = new Map()): Estimate {
  const rendered = plan.changes.filter(rendersNew);
  const restored = plan.changes.filter(({ action }) => action === 'restore');
  const seconds = secondsOf(rendered);
  const estimate = {
    renders: rendered.length,
    seconds_of_video: round(seconds),
    ...(segments.size > 0 && { segments: sumOf(segments) }),
    ...(restored.length > 0 && {
      restores: { videos: restored.length, seconds_of_video: round(secondsOf(restored)) },
    }),
  };
  if (plan.prices === undefined || rendered.length === 0) return estimate;
  const { currency, perRender, perSecond } = plan.prices;
  const amount = seconds === null && perSecond > 0 ? null : rendered.length * perRender + (seconds ?? 0) * perSecond;
  return { ...estimate, cost: { amount: amount && Math.round(amount * 1e6) / 1e6, currency } };
}

function sumOf(segments: ReadonlyMap<string, SegmentCount>): SegmentCount {
  const counts = [...segments.values()];
  return {
    render: counts.reduce((sum, { render }) => sum + render, 0),
    total: counts.reduce((sum, { total }) => sum + total, 0),
  };
}

function secondsOf(changes: readonly Change[]): number | null {
  return changes.reduce<number | null>((sum, { desired }) => {
    const duration = desired?.durationSeconds ?? null;
    return sum === null || duration === null ? null : sum + duration;
  }, 0);
}

function round(seconds: number | null): number | null {
  return seconds && Math.round(seconds * 1000) / 1000;
}
