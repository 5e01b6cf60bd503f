import type { JSX } from 'preact';
import type { VideoCard, VideoState } from '../../protocol.ts';
import { STATE_NAMES } from '../wording.ts';

/** Shape of each state, so that it is recognised without colour. */
const MARKS: Readonly<Record<VideoState, string>> = {
  failed: 'M3.2 3.2l5.6 5.6M8.8 3.2 3.2 8.8',
  invalid: 'M6 2.2v4.6M6 9.4v.2',
  running: 'M6 1.8A4.2 4.2 0 1 1 1.8 6',
  changed: 'M6 2.2 9.8 6 6 9.8 2.2 6z',
  new: 'M6 2.2v7.6M2.2 6h7.6',
  other: 'M2.5 6h7M7 3.5 9.5 6 7 8.5',
  up_to_date: 'M2.4 6.3 4.9 8.8 9.8 3.6',
};

export function StateMark({ state }: { readonly state: VideoState }): JSX.Element {
  return (
    <svg class={`mark state-${state}`} width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
      <path d={MARKS[state]} />
    </svg>
  );
}

/** State of a video in words, with the percentage while it is rendered. */
export function StateBadge({ card }: { readonly card: Pick<VideoCard, 'state' | 'progress'> }): JSX.Element {
  return (
    <span class={`badge state-${card.state}`}>
      <StateMark state={card.state} />
      {STATE_NAMES[card.state]}
      {card.state === 'running' && card.progress !== null && <b> {Math.round(card.progress.percent)} %</b>}
    </span>
  );
}
