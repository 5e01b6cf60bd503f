import type { SpecChange, SpecDrift } from '../../apply/spec-changes.ts';
import { escapeControls, shortenText } from './display-text.ts';

/** Maximum number of changes listed, and of characters per value. */
const NAMED = 5;
const LONGEST = 60;

/** Describes how a specification differs from the service's, in one line. */
export function specDriftWords(drift: SpecDrift): string {
  switch (drift.kind) {
    case 'changed':
      return changesWords(drift.changes);
    case 'gone':
      return `the service does not have ${escapeControls(drift.styleVersion)} any more`;
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
  if (field === null) return `${name} is ${before === undefined ? 'new' : 'gone'}`;
  const of = editable === null ? escapeControls(shortenText(field, LONGEST)) : `${name}.${escapeControls(field)}`;
  return field === 'editables' && editable === null
    ? 'the editables are in another order'
    : `${of}: ${show(before)} → ${show(after)}`;
}

function show(value: unknown): string {
  return value === undefined ? 'none' : escapeControls(shortenText(JSON.stringify(value), LONGEST));
}
