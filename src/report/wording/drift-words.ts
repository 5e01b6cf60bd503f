import type { SpecChange, SpecDrift } from '../../reconciler/apply/spec-changes.ts';
import { escapeControls, shortenText } from './display-text.ts';

/** Result of comparing recorded videos with the world. */
export interface DriftReport {
  /** Number of videos that were verified: all but those of `unverifiedIds()`. */
  readonly checked: number;
  /** Sorted by id, at most a finding for each video. */
  readonly findings: readonly DriftFinding[];
  /** Sessions that the service lost or failed, and sources without a version, of available videos; sorted by id. */
  readonly notes: readonly { readonly id: string; readonly what: DriftNote; readonly url: string }[];
  /** Videos that could not be verified. */
  readonly unclear: readonly { readonly id: string; readonly url: string; readonly why: string }[];
  /** Specifications that differ or could not be compared, sorted by template. */
  readonly specs: readonly SpecDrift[];
}

/** Returns whether anything differs from its recorded or committed state. */
export function hasDrift({ findings, specs }: DriftReport): boolean {
  return findings.length > 0 || specs.some(({ kind }) => kind !== 'unclear');
}

/** Returns the ids of videos that could not be verified and have no finding. */
export function unverifiedIds({ findings, unclear }: Pick<DriftReport, 'findings' | 'unclear'>): ReadonlySet<string> {
  const found = new Set(findings.map(({ id }) => id));
  return new Set(unclear.map(({ id }) => id).filter((id) => !found.has(id)));
}

type DriftNote = 'session_gone' | 'session_failed' | 'source_unversioned';

export interface DriftFinding {
  readonly id: string;
  readonly what:
    | 'output_missing'
    | 'output_damaged'
    | 'captions_changed'
    | 'video_changed'
    | 'video_gone'
    | 'asset_changed'
    | 'link_expired';
  /** URL of the video or of the changed file. */
  readonly url: string;
}

export const DRIFT_WORDS: Readonly<Record<DriftFinding['what'], string>> = {
  output_missing: 'its local file is missing',
  output_damaged: 'its local file is damaged',
  captions_changed: 'a file of its captions is missing or changed',
  video_changed: 'its video does not have the recorded size',
  video_gone: 'its video can no longer be fetched',
  asset_changed: 'the content of one of its URLs changed',
  link_expired: 'its URL has expired, and the session has a new URL',
};

export const NOTE_WORDS: Readonly<Record<DriftNote, (url: string) => string>> = {
  session_gone: () => 'the service no longer has the session',
  session_failed: () => 'the service now reports the session as failed',
  source_unversioned: (url) => `no version of ${url} is recorded, so a change of it cannot be detected`,
};

/** Maximum number of changes listed, and of characters per value. */
const NAMED = 5;
const LONGEST = 60;

/** Describes how a specification differs from the service's, in a line. */
export function specDriftWords(drift: SpecDrift): string {
  switch (drift.kind) {
    case 'changed':
      return changesWords(drift.changes);
    case 'gone':
      return `the service no longer has ${escapeControls(drift.styleVersion)}`;
    case 'unclear':
      return escapeControls(drift.why);
  }
}

function changesWords(changes: readonly SpecChange[]): string {
  // The files differ nonetheless.
  if (changes.length === 0) return 'only the order of its keys changed';
  const more = changes.length - NAMED;
  const named = changes.slice(0, NAMED).map(changeWords).join(', ');
  return more > 0 ? `${named}, and ${more} more` : named;
}

function changeWords({ editable, field, before, after }: SpecChange): string {
  const name = escapeControls(shortenText(editable ?? '', LONGEST));
  if (field === null) return `${name} was ${before === undefined ? 'added' : 'removed'}`;
  const of = editable === null ? escapeControls(shortenText(field, LONGEST)) : `${name}.${escapeControls(field)}`;
  return field === 'editables' && editable === null
    ? 'the order of the editables changed'
    : `${of}: ${show(before)} → ${show(after)}`;
}

function show(value: unknown): string {
  return value === undefined ? 'none' : escapeControls(shortenText(JSON.stringify(value), LONGEST));
}
