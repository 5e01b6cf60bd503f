import type { CardState } from '../protocol.ts';
import type { Grouping, SortOrder } from './video-list.ts';

export const STATE_NAMES: Readonly<Record<CardState, string>> = {
  failed: 'Failed',
  invalid: 'Invalid',
  waiting: 'Waiting',
  running: 'Rendering',
  changed: 'Changed',
  new: 'New',
  other: 'Other change',
  up_to_date: 'Up to date',
};

export const SORT_NAMES: Readonly<Record<SortOrder, string>> = {
  attention: 'Needs attention',
  id: 'Id',
  title: 'Title',
  rendered: 'Last rendered',
};

export const GROUPING_NAMES: Readonly<Record<Grouping, string>> = {
  none: 'No groups',
  template: 'Template',
  folder: 'Folder',
  state: 'State',
};

/** `1 video`, `2 videos`. */
export function count(amount: number, noun: string): string {
  return `${amount.toLocaleString('en')} ${noun}${amount === 1 ? '' : 's'}`;
}

/** `3 of 1,014 segments`. */
export function countOf(part: number, total: number, noun: string): string {
  return `${part.toLocaleString('en')} of ${count(total, noun)}`;
}

/** `0:04.20`: minutes, seconds and hundredths. */
export function formatClock(seconds: number): string {
  const hundredths = Math.max(0, Math.round(seconds * 100));
  const [minutes, rest] = [Math.floor(hundredths / 6000), hundredths % 6000];
  return `${minutes}:${(rest / 100).toFixed(2).padStart(5, '0')}`;
}

/** `11 s`, `1 min 20 s`. */
export function formatLength(seconds: number): string {
  if (seconds < 60) return `${Number(seconds.toFixed(1))}\u00a0s`;
  const rest = Math.round(seconds % 60);
  return `${Math.floor(seconds / 60)}\u00a0min${rest === 0 ? '' : ` ${rest}\u00a0s`}`;
}

/** `4.2 MB`. */
export function formatBytes(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB'];
  const step = bytes < 1000 ? 0 : Math.min(3, Math.floor(Math.log10(bytes) / 3));
  return `${Number((bytes / 1000 ** step).toPrecision(3))} ${units[step]}`;
}

/** `22 Nov 2026, 01:27`, in the viewer's time zone. */
export function formatDate(date: string): string {
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(date));
}

/** `output_missing` → `output missing`. */
export function spell(code: string): string {
  return code.replaceAll('_', ' ');
}
