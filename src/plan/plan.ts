import type { VideoId } from '../definition/video.ts';
import type { Diagnostic } from '../diagnostic.ts';
import { byCodeUnit } from '../digest.ts';
import type { Attempt, JournalState } from '../lock/journal.ts';
import type { Delivery, Fingerprint, LockEntry, Rendering } from '../lock/lock.ts';
import type { DesiredVideo } from './desired-video.ts';

/** Every action of the plan format, in the order in which they are counted. */
export const ACTIONS = [
  'create',
  'update',
  'move',
  'adopt',
  'restore',
  'relabel',
  'deliver',
  'forget',
  'noop',
] as const;

export type Action = (typeof ACTIONS)[number];

/** Why a video has to be rendered, or delivered. Whoever reads a plan has to bear with reasons that it does not know. */
export type Reason =
  | 'new'
  | 'input_changed'
  | 'template_changed'
  | 'style_version_changed'
  | 'asset_changed'
  | 'output_changed'
  | 'service_changed'
  | 'engine_changed'
  | 'output_missing'
  | 'output_damaged'
  | 'url_lost'
  | 'requested'
  | 'previous_failed'
  /** It goes to another place than before. */
  | 'destination_changed'
  /** It is not everywhere where it should be. */
  | 'not_delivered';

/** One editable's value then and now, in the lockfile's short form; null where it was or is not filled. */
export interface InputChange {
  readonly key: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** A field of the lock entry other than its inputs; a label is named `labels.<name>`. */
type FieldName = 'title' | `labels.${string}` | 'protect' | 'service' | 'template' | 'style_version';

export interface FieldChange {
  readonly field: FieldName;
  readonly before: string | null;
  readonly after: string | null;
}

/**
 * What is done about one place.
 * - deliver: the finished file goes there.
 * - release: it was delivered there, and is not wanted there any more. It stays there; the lockfile alone forgets it.
 */
export interface DestinationChange {
  readonly kind: 'deliver' | 'release';
  /** The place, whole. */
  readonly to: string;
  /** The name of the credential; null: whatever the service takes by itself. */
  readonly credential: string | null;
}

interface Difference {
  /** By this the video is known from now on. */
  readonly id: VideoId;
  /** The lock entry's id where it is another one. */
  readonly previousId: VideoId | null;
  /** Null where the action says it all: move, relabel, forget, noop. */
  readonly reason: Reason | null;
  /** In the specification's order; those that are no longer filled come last. */
  readonly inputs: readonly InputChange[];
  readonly fields: readonly FieldChange[];
  /** Those to deliver to in the definition's order, then those that are released. */
  readonly destinations: readonly DestinationChange[];
}

/** The lock knows nothing of it: render, and make an entry. */
export interface Creation extends Difference {
  readonly action: 'create';
  readonly desired: DesiredVideo;
  readonly before: null;
}

/**
 * The definitions and the lock both know it.
 * - update: another fingerprint. Render, and replace the entry.
 * - move: the same fingerprint under a new id. Only the entry's key changes, and its labels where `fields` says so.
 * - restore: nothing changed but the local output is missing or damaged. Render to the path that the entry names; the entry
 *   stays, save for a new id and for `fields`.
 * - relabel: only what no frame shows changed. Only the entry does.
 * - deliver: it is not everywhere where it should be. The finished file goes there; it is not rendered again.
 *
 * Whatever the action, what is in `destinations` is done with it.
 */
export interface Adjustment extends Difference {
  readonly action: 'update' | 'move' | 'restore' | 'relabel' | 'deliver' | 'noop';
  readonly desired: DesiredVideo;
  readonly before: LockEntry;
}

/**
 * What was wanted is rendered already, or on its way: nothing is asked for, and nothing is paid. The entry is made, or
 * replaced, with the rendering that was found.
 */
export interface Adoption extends Difference {
  readonly action: 'adopt';
  readonly desired: DesiredVideo;
  readonly before: LockEntry | null;
  readonly source: AdoptionSource;
}

/** Where the rendering of an adopted video comes from. */
export type AdoptionSource =
  /** The entry of another video that has the same fingerprint. */
  | { readonly kind: 'video'; readonly id: string; readonly rendering: Rendering }
  /** Another video of this plan that has the same fingerprint, and is rendered by it. */
  | { readonly kind: 'planned'; readonly id: VideoId }
  /** An entry that the lockfile once had, at a commit. */
  | { readonly kind: 'history'; readonly commit: string; readonly id: string; readonly rendering: Rendering }
  /**
   * A session that an earlier run asked for; `rendering` is null while it is not known to have ended. Where it is wanted
   * and has arrived already is in `deliveries`; absent when that is nowhere.
   */
  | {
      readonly kind: 'journal';
      readonly id: string;
      readonly session: string;
      readonly rendering: Rendering | null;
      readonly deliveries?: readonly Delivery[];
    };

/** The definitions no longer have it: the entry goes, a hosted video stays. */
interface Forgetting extends Difference {
  readonly action: 'forget';
  readonly desired: null;
  readonly before: LockEntry;
}

export type Change = Creation | Adjustment | Adoption | Forgetting;

/** What an apply would do. */
export interface Plan {
  /** By id; one for every video of the definitions and of the lock, those included that need nothing, save for the idle. */
  readonly changes: readonly Change[];
  /** Videos that need nothing, and whose changes nobody has asked for yet; none when absent. */
  readonly idle?: IdleVideos;
  /** False when some videos were left out on demand. */
  readonly complete: boolean;
  /** How many changes were left out on demand, those not counted that need nothing. */
  readonly leftOut?: number;
  /** What stands against applying it, and what is worth knowing before. */
  readonly diagnostics: readonly PlanDiagnostic[];
  /** What policies said of it; absent where there are none. */
  readonly checks?: readonly PlanCheck[];
  /** What rendering is paid for by; absent where nobody says it. */
  readonly prices?: Prices;
}

/** What a service takes for a finished video: so much for each, and so much for each second of it. */
export interface Prices {
  /** By ISO 4217. */
  readonly currency: string;
  readonly perRender: number;
  readonly perSecond: number;
}

/** What one policy said: of one video, or of the plan as a whole. */
export interface PlanCheck {
  /** The rule of reelform.yaml, or `command` and the name of the program. */
  readonly rule: string;
  readonly status: 'pass' | 'fail';
  readonly level: 'warn' | 'deny';
  readonly video: string | null;
  /** Null when it passed. */
  readonly message: string | null;
}

/** Many videos that need nothing: a plan of ten thousand is about one of them, and the others are only counted. */
export interface IdleVideos {
  readonly count: number;
  /** One for each of them. */
  changes(): readonly Change[];
}

export interface PlanDiagnostic extends Diagnostic {
  /** Id of the one video that it is about. */
  readonly video?: string;
}

/** Whether applying the change renders a video. */
export function renders(change: Change): boolean {
  return change.action === 'create' || change.action === 'update' || change.action === 'restore';
}

/** Whether applying the change renders something new: a video that is created or updated, and not one that is restored. */
export function rendersNew(change: Change): boolean {
  return renders(change) && change.action !== 'restore';
}

/** Whether applying the change makes a local file again and nothing else: neither the lockfile nor a destination changes. */
export function onlyRestores({ action, previousId, fields, destinations }: Change): boolean {
  return action === 'restore' && previousId === null && fields.length + destinations.length === 0;
}

/** Whether applying the change sends a finished file anywhere. */
export function delivers({ destinations }: Change): boolean {
  return destinations.some(({ kind }) => kind === 'deliver');
}

/** The changes of all videos, by id. */
export function everyChange({ changes, idle }: Plan): readonly Change[] {
  return idle === undefined ? changes : [...changes, ...idle.changes()].sort((a, b) => byCodeUnit(a.id, b.id));
}

/** Whether an apply would do anything at all. */
export function isEmptyPlan(plan: Plan): boolean {
  return plan.changes.every((change) => change.action === 'noop');
}

/** What was looked at before planning, because planning looks at nothing. */
export interface Observations {
  /** Ids of the lock entries whose local output is not there. */
  readonly missingOutputs: ReadonlySet<string>;
  /** Ids of the lock entries whose local output is there, and is not the file that was rendered. */
  readonly damagedOutputs?: ReadonlySet<string>;
  /** What a refresh found out about lock entries, by id. */
  readonly refreshed?: ReadonlyMap<string, 'url_lost' | 'asset_changed'>;
  /** Renderings that could be adopted: those alone whose video can be had. */
  readonly journal?: JournalState;
  /** What was rendered into a repository and is gone from it: it can be had where it was delivered to, if anywhere. */
  readonly gone?: readonly Attempt[];
  readonly history?: ReadonlyMap<Fingerprint, FormerEntry>;
}

/** An entry that the lockfile once had. */
export interface FormerEntry {
  /** Of the commit that had it. */
  readonly commit: string;
  readonly id: string;
  readonly entry: LockEntry;
}
