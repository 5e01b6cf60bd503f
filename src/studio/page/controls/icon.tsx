import type { JSX } from 'preact';
import type { CardState, VideoCard } from '../../protocol.ts';
import { STATE_NAMES } from '../wording.ts';

/** Paths in a box of 16 × 16, drawn with round strokes. */
const PATHS = {
  search: 'M7 12.2A5.2 5.2 0 1 0 7 1.8a5.2 5.2 0 0 0 0 10.4zM10.8 10.8 14.2 14.2',
  play: 'M4.5 2.8v10.4L13 8z',
  pause: 'M5 3v10M11 3v10',
  back: 'M13.5 8h-11M6.5 3.5 2 8l4.5 4.5',
  previous: 'M10 3 5 8l5 5',
  next: 'M6 3l5 5-5 5',
  sound: 'M2 6v4h2.5L8 13V3L4.5 6zM10.5 5.5a3.5 3.5 0 0 1 0 5M12.6 3.4a6.5 6.5 0 0 1 0 9.2',
  muted: 'M2 6v4h2.5L8 13V3L4.5 6zM10.8 6.2l3.6 3.6M14.4 6.2l-3.6 3.6',
  compare: 'M8 1.5v13M2 3.5h4v9H2zM10 3.5h4v9h-4z',
  blink: 'M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8zM8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
  open: 'M9.5 2H14v4.5M14 2 7.5 8.5M12 9.5V14H2V4h4.5',
  undo: 'M5.5 3 2.5 6l3 3M2.5 6H10a3.5 3.5 0 0 1 0 7H6',
  redo: 'M10.5 3l3 3-3 3M13.5 6H6a3.5 3.5 0 0 0 0 7h4',
  plus: 'M8 2.5v11M2.5 8h11',
  copy: 'M5.5 5.5h8v8h-8zM2.5 10.5v-8h8',
  close: 'M3.5 3.5l9 9M12.5 3.5l-9 9',
  check: 'M2.5 8.5 6 12l7.5-8',
  warning: 'M8 2 14.8 13.5H1.2zM8 6.3v3.4M8 11.6v.1',
  error: 'M8 14.2A6.2 6.2 0 1 0 8 1.8a6.2 6.2 0 0 0 0 12.4zM8 4.8v3.8M8 11v.1',
  sun: 'M8 10.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6zM8 1.2v1.6M8 13.2v1.6M1.2 8h1.6M13.2 8h1.6M3.2 3.2l1.1 1.1M11.7 11.7l1.1 1.1M12.8 3.2l-1.1 1.1M4.3 11.7l-1.1 1.1',
  moon: 'M13.6 9.6A6 6 0 0 1 6.4 2.4a6 6 0 1 0 7.2 7.2z',
  auto: 'M8 14.2A6.2 6.2 0 1 0 8 1.8v12.4zM8 3.5c6 1 6 8 0 9',
  keyboard: 'M1.5 4h13v8.5h-13zM4 6.7v.1M6.7 6.7v.1M9.3 6.7v.1M12 6.7v.1M5 9.8h6',
  upload: 'M8 10.5V2.2M4.8 5.2 8 2l3.2 3.2M2.5 10.5v3h11v-3',
  table: 'M2 3h12v10H2zM2 6.4h12M2 9.8h12M6.5 3v10',
  stop: 'M4 4h8v8H4z',
  remove: 'M3 4.5h10M6.5 4V2.5h3V4M4.5 4.5l.6 9h5.8l.6-9',
} as const;

export type IconName = keyof typeof PATHS;

/** A decorative icon; the control around it has the name. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }): JSX.Element {
  return (
    <svg class={`icon icon-${name}`} width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

/** Shape of each state, so that it is recognised without colour. */
const MARKS: Readonly<Record<CardState, string>> = {
  failed: 'M3.2 3.2l5.6 5.6M8.8 3.2 3.2 8.8',
  invalid: 'M6 2.2v4.6M6 9.4v.2',
  waiting: 'M6 2.4V6l2.4 1.6',
  running: 'M6 1.8A4.2 4.2 0 1 1 1.8 6',
  changed: 'M6 2.2 9.8 6 6 9.8 2.2 6z',
  new: 'M6 2.2v7.6M2.2 6h7.6',
  other: 'M2.5 6h7M7 3.5 9.5 6 7 8.5',
  up_to_date: 'M2.4 6.3 4.9 8.8 9.8 3.6',
};

export function StateMark({ state }: { readonly state: CardState }): JSX.Element {
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
