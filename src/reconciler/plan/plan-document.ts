import type { LengthReason } from '../../contract/timeline/timeline.ts';
import type { SoundMeasures } from '../../contract/wire/loudness.ts';
import { defined } from '../../kernel/defined.ts';
import { type Json, sha256 } from '../../kernel/digest.ts';
import {
  failedWhere,
  firstTemplate,
  type LeftOut,
  type LeftOutVideo,
  type MatrixPlace,
  type Source,
  type VideoResource,
  type WaitingVideo,
} from '../definition/video.ts';
import { type InputId, parseInputName } from '../lock/input-names.ts';
import type { LockEntry } from '../lock/lock.ts';
import { inputValue } from '../lock/recorded-inputs.ts';
import { type ComparedScene, compareScenes } from './compare-scenes.ts';
import { type DesiredVideo, isEstimated } from './desired-video.ts';
import { type Estimate, estimatePlan, type SegmentCount } from './estimate-plan.ts';
import { type MatrixDocument, matrixDocument } from './matrix-document.ts';
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
} from './plan.ts';
import { type TextsDocument, textsDocument } from './texts-document.ts';

/**
 * Public JSON form of a plan, as printed by `plan --json` and saved by `plan --out`. Minor versions of the format only
 * add fields; `schemas/reelform-plan.schema.json` is its schema.
 */
export interface PlanDocument {
  readonly format_version: '1.0';
  /** For information only. */
  readonly tool_version: string;
  /** Digest of the changes and their values only: see `planId`. */
  readonly plan_id: string;
  readonly complete: boolean;
  /** Number of videos that need a change and were left out on request; absent when unknown. */
  readonly left_out?: number;
  /** Videos that their condition leaves out, sorted by id; absent if there are none. */
  readonly left_out_videos?: readonly LeftOutVideo[];
  /** Videos that wait for speech, sorted by id; absent if there are none. */
  readonly waiting_videos?: readonly Omit<WaitingVideo, 'missing'>[];
  /** What videos do not have in their locale, by definition and locale; absent if they have everything. */
  readonly texts?: readonly TextsDocument[];
  /** Changed definitions with variants or locales, sorted; absent if there are none, and for an incomplete plan. */
  readonly matrices?: readonly MatrixDocument[];
  /** Number of videos per action, in the order of `ACTIONS`, without zeros. */
  readonly summary: Readonly<Partial<Record<Action, number>>>;
  readonly estimate: Estimate;
  /** Number of deliveries; a file with two destinations counts twice. Absent in plans of earlier versions. */
  readonly deliveries?: number;
  /** Sorted by id. Videos that need nothing are only counted. */
  readonly changes: readonly ChangeDocument[];
  readonly diagnostics: readonly Json[];
  /** Results of policies; absent when there are none, and in plans of earlier versions. */
  readonly checks?: readonly PlanCheck[];
  /** Coverage of `lint`; absent when it was off or had nothing to check. */
  readonly lint?: LintSummary;
  /** Visible effect of the changes, if a preview was requested: numbers and names, no pictures. */
  readonly preview?: PreviewSummary;
}

export interface LintSummary {
  /** Number of checked videos. */
  readonly videos: number;
  /**
   * Videos that were not checked, sorted by id: the plan renders more videos than it checks (`budget`), the service has their template
   * (`remote`), a file was not fetched (`lfs_pointer`), the length of a sound is not known yet (`length_unknown`), or the engine is not installed
   * (`engine_missing`).
   */
  readonly left_out: readonly {
    readonly id: string;
    readonly reason: 'budget' | 'remote' | 'lfs_pointer' | 'length_unknown' | 'engine_missing';
  }[];
}

export interface PreviewSummary {
  /** Sorted by id. */
  readonly videos: readonly {
    readonly id: string;
    /** True if a viewer could see a difference between the pictures; null when there is no earlier picture. */
    readonly visible: boolean | null;
    /** Invisible differences: `sound`, `duration`, `output`. */
    readonly unseen: readonly string[];
    /** Largest share of differing pixels in a still, 0..1; null when there is no earlier picture. */
    readonly changed_share: number | null;
  }[];
  readonly left_out: readonly { readonly id: string; readonly reason: string }[];
}

/** A lock entry. Its `loudness` was measured on the finished sound; absent if it was not. */
type RenderedBefore = Pick<LockEntry, 'session' | 'video_url' | 'loudness'> & { readonly fingerprint: string };

export interface ChangeDocument {
  readonly id: string;
  /** Path of the definition; null when it was removed, or the video is no longer in it. */
  readonly path: string | null;
  /** Definition, variant and locale; absent without variants and locales, and for a removed video. */
  readonly matrix?: MatrixPlace;
  readonly previous_id: string | null;
  readonly title: string;
  readonly template: string;
  readonly action: Action;
  readonly reason: string | null;
  readonly inputs: readonly InputDocument[];
  readonly fields: readonly FieldChange[];
  /** Actions at destinations; absent in plans of earlier versions. */
  readonly destinations?: readonly DestinationChange[];
  /** State of the lock entry on which the change depends; null when there must be none. */
  readonly before: RenderedBefore | null;
  /** Null when the entry is removed. Lint has measured `loudness` on the mix, before it is encoded; absent if it has not. */
  readonly after: { readonly fingerprint: string; readonly loudness?: SoundMeasures } | null;
  /** Origin of an adopted rendering; null for other actions. */
  readonly source: SourceDocument | null;
  /** Earlier destinations; absent when there were none. */
  readonly delivered?: readonly string[];
  /** Present when the entry is protected, so that removing it is refused. */
  readonly protected?: true;
  /** Segments to render, of those that the video has; absent where they were not counted. */
  readonly segments?: SegmentCount;
  /**
   * The scenes of the video in their order, then scenes that were removed; absent for a template with values at its natural
   * length.
   */
  readonly scenes?: readonly SceneDocument[];
  /** What conditions leave out of the video, which can be all of it (`scene` is null, and `name` absent); absent if nothing is. */
  readonly left_out?: readonly LeftOut[];
}

/** A scene of a video. Times are in seconds, rounded to milliseconds. */
export interface SceneDocument extends Omit<ComparedScene, 'why'> {
  /** The rule that decided the length; absent if the length is not known. */
  readonly rule?: LengthReason['rule'];
  /** The track that ends last, for the rule `content`. */
  readonly item?: string;
}

/** An input before and after, with information for display. */
export interface InputDocument extends InputChange {
  /** Name of the editable in the template; absent when it has none. */
  readonly label?: string;
  /** Absent for keys that are not editables, and for values that were removed. */
  readonly kind?: VideoResource['kind'];
  /** Original of `after` if that is a digest: the text, or the path of the file, repository-relative. */
  readonly value?: string;
  /** What a voice says in the sound; absent for other sounds. */
  readonly spoken?: { readonly text: string; readonly voice: string };
}

/** Returns the label of an editable in a template; undefined without a label. */
export type LabelLookup = (template: string, key: string) => string | undefined;

export interface SourceDocument {
  readonly kind: AdoptionSource['kind'];
  /** Id of the video for which it was rendered. */
  readonly id: string;
  readonly commit: string | null;
  readonly session: string | null;
  readonly video_url: string | null;
  /** Wanted destinations where a rendering of the journal has arrived already; absent when there are none. */
  readonly delivered?: readonly string[];
}

/**
 * @param diagnostics of the plan and of the definitions, already in their JSON form
 * @param segments by video, as far as they were counted
 * @param mixes what lint has measured, by video
 */
export function planDocument(
  plan: Plan,
  toolVersion: string,
  diagnostics: readonly Json[],
  label?: LabelLookup,
  segments: ReadonlyMap<string, SegmentCount> = new Map(),
  mixes: ReadonlyMap<string, SoundMeasures> = new Map(),
): PlanDocument {
  const changing = plan.changes.filter((change) => change.action !== 'noop');
  const changes = changing.map((change) => {
    const count = segments.get(change.id);
    const { id, ...document } = changeDocument(change, label);
    const after = document.after && { ...document.after, ...defined({ loudness: mixes.get(id) }) };
    return { id, ...document, after, ...(count && { segments: count }) };
  });
  const matrices = matrixDocument(plan);
  return {
    format_version: '1.0',
    tool_version: toolVersion,
    plan_id: planId(changes),
    complete: plan.complete,
    ...defined({
      left_out: plan.leftOut,
      left_out_videos: plan.leftOutVideos,
      waiting_videos: plan.waiting?.map(({ id, path, reason }) => ({ id, path, reason })),
    }),
    ...(plan.texts && { texts: textsDocument(plan.texts, () => undefined) }),
    ...(matrices.length > 0 && { matrices }),
    summary: countActions(plan),
    estimate: estimatePlan(plan, segments),
    deliveries: countDeliveries(plan),
    changes,
    diagnostics,
    ...defined({ checks: plan.checks }),
  };
}

/**
 * Separates changes that only recreate a local file. They affect neither the lockfile nor a destination, so a reviewer
 * can ignore them.
 */
export function splitRestores({ changes }: Pick<PlanDocument, 'changes'>): {
  readonly changes: readonly ChangeDocument[];
  readonly restores: readonly ChangeDocument[];
} {
  const isRestore = ({ action, previous_id, fields, destinations = [] }: ChangeDocument): boolean =>
    action === 'restore' && previous_id === null && fields.length + destinations.length === 0;
  return { changes: changes.filter((change) => !isRestore(change)), restores: changes.filter(isRestore) };
}

/** Counts changes per action, in the order of `ACTIONS`, without zeros. */
function countActions(plan: Plan): Partial<Record<Action, number>> {
  const counts = new Map<Action, number>();
  for (const { action } of plan.changes) counts.set(action, (counts.get(action) ?? 0) + 1);
  counts.set('noop', (counts.get('noop') ?? 0) + (plan.idle?.length ?? 0));
  return Object.fromEntries(ACTIONS.flatMap((action) => (counts.get(action) ? [[action, counts.get(action)!]] : [])));
}

/** Counts deliveries; a file with two destinations counts twice. */
function countDeliveries({ changes }: Plan): number {
  return changes.flatMap(({ destinations }) => destinations.filter(({ kind }) => kind === 'deliver')).length;
}

/** Converts a change to its JSON form. */
export function changeDocument(change: Change, label?: LabelLookup): ChangeDocument {
  const { id, previousId, action, reason, inputs, fields, destinations, desired, before } = change;
  const { title } = desired ?? before;
  const forgotten = change.action === 'forget' ? change.leftOut : undefined;
  return {
    id,
    path: desired?.path ?? forgotten?.path ?? null,
    ...defined({ matrix: desired?.matrix }),
    previous_id: previousId,
    title,
    template: templateOfChange(change),
    action,
    reason,
    inputs: inputDocuments(inputs, change, label),
    fields,
    destinations,
    before: before && renderedBefore(before),
    after: desired && { fingerprint: desired.fingerprint },
    source: change.action === 'adopt' ? sourceDocument(change.source) : null,
    ...(before?.deliveries?.length ? { delivered: before.deliveries.map(({ to }) => to) } : {}),
    ...(desired === null && before.protect ? { protected: true } : {}),
    ...(desired === null ? {} : defined({ scenes: sceneDocuments(change), left_out: leftOutOf(change) })),
    ...(forgotten && { left_out: [{ scene: null, reason: forgotten.reason }] }),
  };
}

function renderedBefore({ fingerprint, session, video_url, loudness }: LockEntry): RenderedBefore {
  return { fingerprint, session, video_url, ...defined({ loudness }) };
}

function sceneDocuments({ before, desired, inputs }: Change): SceneDocument[] | undefined {
  const scenes = desired === null ? null : compareScenes(before, desired, inputs);
  return scenes?.map(({ why, id, ...scene }) => {
    const shown = desired?.scenes.find((candidate) => candidate.id === id);
    const isKnown = why !== undefined && shown !== undefined && !isEstimated(desired!, shown, why);
    const rule = isKnown ? why.length : undefined;
    return { id, ...scene, ...defined({ rule: rule?.rule, item: rule?.rule === 'content' ? rule.item : undefined }) };
  });
}

function leftOutOf({ desired, filteredScenes = [] }: Change): readonly LeftOut[] | undefined {
  if (filteredScenes.length === 0) return desired?.leftOut;
  const filtered = filteredScenes.map(({ id, reason }) => {
    return { scene: id, reason: failedWhere(reason) };
  });
  return [...(desired?.leftOut ?? []), ...filtered];
}

/** Returns the name of the first scene's template, or of the removed video's. */
export function templateOfChange({ desired, before }: Change): string {
  return desired === null ? before.template : firstTemplate(desired);
}

/** Adds information for display to the inputs of a change. */
export function inputDocuments(inputs: readonly InputChange[], change: Change, label?: LabelLookup): InputDocument[] {
  const { desired } = change;
  return inputs.map((input) => {
    const id = parseInputName(input.key, input.scene === undefined ? [] : [input.scene]);
    const scene = desired?.scenes.find((candidate) => candidate.id === id.scene);
    const template = scene?.template ?? templateOfChange(change);
    const name = id.kind === 'editable' ? label?.(template, id.name) : undefined;
    const { kind, value, spoken } = input.after === null || desired === null ? NOTHING : describe(id, desired);
    return {
      ...input,
      ...defined({ label: name, kind, spoken }),
      ...(value === undefined || value === input.after ? {} : { value }),
    };
  });
}

type Described = Pick<InputDocument, 'kind' | 'value' | 'spoken'>;

const NOTHING: Described = {};

function describe(id: InputId, desired: DesiredVideo): Described {
  const value = inputValue(desired, id);
  switch (value?.kind) {
    case undefined:
      return NOTHING;
    case 'text':
      return { kind: value.kind, value: value.text };
    case 'color':
    case 'font':
      return { kind: value.kind };
    case 'image':
    case 'video':
      return { kind: value.kind, ...pathOf(value.source) };
    case 'audio': {
      const { spoken } = value;
      const words = spoken && { text: spoken.text, voice: spoken.voice };
      return { kind: value.kind, ...pathOf(value.source), ...defined({ spoken: words }) };
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
 * Computes the digest of all changes with the values that they show, so that a plan whose texts were edited has another
 * id. Leaves out what may differ between machines that plan the same change: its reason, the origin of an adopted
 * rendering, and counts of segments. Also leaves out the labels of editables, which only name the values.
 *
 * @returns SHA-256 of a JSON list, with one list per change: see `docs/reference/plan-json.md`
 */
export function planId(changes: readonly ChangeDocument[]): string {
  return `sha256:${sha256(JSON.stringify(changes.map(identifiedValues)))}`;
}

function identifiedValues(change: ChangeDocument): unknown[] {
  const { id, path, previous_id, title, template, action, before, after, destinations = [] } = change;
  return [
    id,
    path,
    previous_id,
    title,
    template,
    action,
    before && [before.fingerprint, before.session, before.video_url],
    after?.fingerprint,
    change.inputs.map(({ key, before, after, kind, value }) => [key, before, after, kind, value]),
    change.fields.map(({ field, before, after }) => [field, before, after]),
    destinations.map(({ kind, to, credential, output }) => [kind, to, credential, output]),
    ...(change.scenes === undefined ? [] : [change.scenes.map(({ id, template }) => [id, template])]),
  ];
}

/** Checks whether the counts of a plan from another machine are those of its changes. */
export function hasTrueCounts({ summary, estimate, changes }: PlanDocument): boolean {
  const count = (action: Action): number => changes.filter((change) => change.action === action).length;
  const isTrue = ACTIONS.every((action) => action === 'noop' || (summary[action] ?? 0) === count(action));
  return isTrue && estimate.renders === count('create') + count('update');
}

/** Checks whether a policy denies the plan, so that it must not be applied. */
export function isDenied({ checks = [] }: PlanDocument): boolean {
  return checks.some(({ status, level }) => status === 'fail' && level === 'deny');
}
