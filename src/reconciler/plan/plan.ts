import type { SidecarFormat } from '../../contract/captions/write-captions.ts';
import type { Diagnostic, ReelformError } from '../../kernel/diagnostic.ts';
import type { Sha256 } from '../../kernel/digest.ts';
import type { LocaleTexts } from '../definition/locale-texts.ts';
import type { FilteredScene, LeftOutVideo, VideoId, WaitingVideo } from '../definition/video.ts';
import type { Attempt, JournalState } from '../lock/journal.ts';
import type { Delivery, Fingerprint, LockEntry, LockRendering } from '../lock/lock.ts';
import type { DesiredVideo } from './desired-video.ts';

/** All actions of the plan format, in the order in which they are counted. */
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

/** Reason for a render or a delivery. Readers of plans must accept unknown reasons. */
export type Reason =
  | 'new'
  | 'input_changed'
  | 'template_changed'
  | 'style_version_changed'
  | 'asset_changed'
  | 'output_changed'
  /** Scenes were added, removed or moved. */
  | 'scenes_changed'
  /** Only lengths, transitions or other fields of the timeline changed. */
  | 'timeline_changed'
  | 'service_changed'
  | 'engine_changed'
  | 'output_missing'
  | 'output_damaged'
  | 'url_lost'
  | 'requested'
  | 'previous_failed'
  | 'destination_changed'
  /** A wanted delivery is missing. */
  | 'not_delivered';

/** Value of one editable before and after, in the lockfile's form; null when it is not filled. */
export interface InputChange {
  readonly key: string;
  readonly before: string | null;
  readonly after: string | null;
  /** Id of the scene in a video of several scenes, which `key` begins with; absent for inputs of the whole video. */
  readonly scene?: string;
}

/**
 * Field of the lock entry other than its inputs; a label is named `labels.<name>`, a file with captions `captions.<format>`, its cues `captions.cues`. `scenes` is the list of ids of scenes.
 */
type FieldName =
  | 'title'
  | `labels.${string}`
  | 'protect'
  | 'service'
  | 'template'
  | 'style_version'
  | 'scenes'
  | `captions.${string}`
  | `scenes.${string}.${'template' | 'style_version'}`;

export interface FieldChange {
  readonly field: FieldName;
  readonly before: string | null;
  readonly after: string | null;
}

/**
 * Action at one destination.
 * - deliver: the finished file is sent there.
 * - release: the file was delivered there and is no longer wanted. It is not deleted; only the lockfile forgets it.
 */
export interface DestinationChange {
  readonly kind: 'deliver' | 'release';
  /** Complete destination. */
  readonly to: string;
  /** Name of the credential; null for the default of the service. */
  readonly credential: string | null;
  /** Name of the file that goes there; absent for the main file. */
  readonly output?: string;
  /** Format of the captions that go there, and their digest; absent for the video. */
  readonly captions?: SidecarFormat;
  readonly sha256?: Sha256;
}

interface Difference {
  /** Id of the video after the change. */
  readonly id: VideoId;
  /** Id of the lock entry if it differs. */
  readonly previousId: VideoId | null;
  /** Null for actions that need no reason: move, relabel, forget, noop. */
  readonly reason: Reason | null;
  /** In the specification's order, followed by removed inputs. */
  readonly inputs: readonly InputChange[];
  readonly fields: readonly FieldChange[];
  /** Deliveries in the definition's order, then releases. */
  readonly destinations: readonly DestinationChange[];
  /** Scenes of the lock entry whose rows do not pass `where` now; absent if there are none. */
  readonly filteredScenes?: readonly FilteredScene[];
}

/** A video without a lock entry: render it and add an entry. */
export interface Creation extends Difference {
  readonly action: 'create';
  readonly desired: DesiredVideo;
  readonly before: null;
}

/**
 * A video with a definition and a lock entry.
 * - update: another fingerprint. Render, and replace the entry.
 * - move: the same fingerprint under a new id. Only the entry's key changes, and its labels if `fields` says so.
 * - restore: the local output is missing or damaged. Render to the path in the entry, which changes only its id and
 *   `fields`.
 * - relabel: only fields that no frame shows have changed. Edits the entry.
 * - deliver: a wanted delivery is missing. Sends the finished file without rendering it.
 *
 * Every action includes the actions in `destinations`.
 */
export interface Adjustment extends Difference {
  readonly action: 'update' | 'move' | 'restore' | 'relabel' | 'deliver' | 'noop';
  readonly desired: DesiredVideo;
  readonly before: LockEntry;
}

/**
 * The wanted rendering exists or is running: nothing is requested or paid. The entry is added, or replaced, with that
 * rendering.
 */
export interface Adoption extends Difference {
  readonly action: 'adopt';
  readonly desired: DesiredVideo;
  readonly before: LockEntry | null;
  readonly source: AdoptionSource;
}

/** Origin of an adopted rendering. */
export type AdoptionSource =
  /** Entry of another video with the same fingerprint. */
  | { readonly kind: 'video'; readonly id: string; readonly rendering: LockRendering }
  /** Another video of this plan with the same fingerprint, which is rendered. */
  | { readonly kind: 'planned'; readonly id: VideoId }
  /** Entry of an earlier lockfile, at a commit; `isMerged` as in `FormerEntry`. */
  | {
      readonly kind: 'history';
      readonly commit: string;
      readonly isMerged: boolean;
      readonly id: string;
      readonly rendering: LockRendering;
    }
  /**
   * Session of an earlier run; `rendering` is null until it is known to have ended. `deliveries`: successful deliveries
   * to wanted destinations; absent when there are none.
   */
  | {
      readonly kind: 'journal';
      readonly id: string;
      readonly session: string;
      readonly rendering: LockRendering | null;
      readonly deliveries?: readonly Delivery[];
    };

/** A video without a definition, or that its condition leaves out: the entry is removed; a hosted video is not deleted. */
interface Forgetting extends Difference {
  readonly action: 'forget';
  readonly desired: null;
  readonly before: LockEntry;
  /** Why the video is left out; absent if it has no definition. */
  readonly leftOut?: LeftOutVideo;
}

export type Change = Creation | Adjustment | Adoption | Forgetting;

/** Effect of an apply. */
export interface Plan {
  /** Sorted by id; one per video of the definitions and the lock, including `noop`, except for the idle videos. */
  readonly changes: readonly Change[];
  /**
   * Ids of videos that need nothing and that were not read: of ten thousand videos, a plan usually reads only the
   * changed video. Absent when every video was read.
   */
  readonly idle?: readonly VideoId[];
  /** False when some videos were left out on request. */
  readonly complete: boolean;
  /** Number of changes left out on request, without `noop`. */
  readonly leftOut?: number;
  /** Videos that their condition leaves out, sorted by id; absent if there are none. */
  readonly leftOutVideos?: readonly LeftOutVideo[];
  /** Videos that wait for speech, sorted by id: neither rendered nor removed. Absent if there are none. */
  readonly waiting?: readonly WaitingVideo[];
  /**
   * What videos do not have in their locale, sorted by id; absent if they have everything. Entries of those that wait stay as they
   * are, without a change.
   */
  readonly texts?: readonly LocaleTexts[];
  /** Errors that prevent applying it, and warnings. */
  readonly diagnostics: readonly PlanDiagnostic[];
  /**
   * Why videos with a change cannot be rendered, by id, as their sounds show that were measured for this run. The run refuses these
   * videos alone. Absent when there are none.
   */
  readonly unrenderable?: ReadonlyMap<string, ReelformError>;
  /** Results of policies; absent when there are none. */
  readonly checks?: readonly PlanCheck[];
  /** Prices of rendering; absent when none are configured. */
  readonly prices?: Prices;
  /** Hardware encoder of H.264 on this machine, whose bytes vary; absent for the software encoder and for a service. */
  readonly hardwareEncoder?: string;
}

/** Price of a finished video: a fixed amount, and an amount per second. */
export interface Prices {
  /** ISO 4217 code. */
  readonly currency: string;
  readonly perRender: number;
  readonly perSecond: number;
}

/** Result of one policy for one video, or for the whole plan. */
export interface PlanCheck {
  /** Rule of reelform.yaml, or `command` and the name of the program. */
  readonly rule: string;
  readonly status: 'pass' | 'fail';
  readonly level: 'warn' | 'deny';
  readonly video: string | null;
  /** Null when it passed. */
  readonly message: string | null;
}

export interface PlanDiagnostic extends Diagnostic {
  /** Id of the video concerned. */
  readonly video?: string;
}

/** Returns true for changes that render a video. */
export function renders(change: Change): boolean {
  return change.action === 'create' || change.action === 'update' || change.action === 'restore';
}

/** Returns true for changes that render new content: creations and updates, not restores. */
export function rendersNew(change: Change): boolean {
  return renders(change) && change.action !== 'restore';
}

/** Returns true for renders of content that the lock entry does not have, so not for renders that were requested again. */
export function rendersOtherContent(change: Change): boolean {
  return rendersNew(change) && change.desired?.fingerprint !== change.before?.fingerprint;
}

/** Returns true for changes that only recreate a local file, without effect on the lockfile or a destination. */
export function onlyRestores({ action, previousId, fields, destinations }: Change): boolean {
  return action === 'restore' && previousId === null && fields.length + destinations.length === 0;
}

/** Returns true for changes that deliver a finished file. */
export function delivers({ destinations }: Change): boolean {
  return destinations.some(({ kind }) => kind === 'deliver');
}

/** Returns true if an apply would do nothing. */
export function isEmptyPlan(plan: Plan): boolean {
  return plan.changes.every((change) => change.action === 'noop');
}

/** Results of all I/O that a plan depends on, because planning itself does none. */
export interface Observations {
  /** Ids of lock entries whose local output is missing. */
  readonly missingOutputs: ReadonlySet<string>;
  /** Ids of lock entries with a file of captions that is missing or has another size. They are written again, not rendered. */
  readonly missingCaptions?: ReadonlySet<string>;
  /** Ids of lock entries whose local output is not the rendered file. */
  readonly damagedOutputs?: ReadonlySet<string>;
  /** Findings of a refresh, by id of the lock entry. */
  readonly refreshed?: ReadonlyMap<string, 'url_lost' | 'asset_changed'>;
  /** Adoptable renderings: only those whose video still exists. */
  readonly journal?: JournalState;
  /** Attempts whose local output no longer exists: adoptable only from a destination. */
  readonly gone?: readonly Attempt[];
  readonly history?: ReadonlyMap<Fingerprint, FormerEntry>;
}

/** An entry of an earlier lockfile. */
export interface FormerEntry {
  readonly commit: string;
  /** False if HEAD does not contain the commit, so that its entry is not trusted without the service. */
  readonly isMerged: boolean;
  readonly id: string;
  readonly entry: LockEntry;
}
