import type { CardState, VideoCard } from '../protocol.ts';

export type SortOrder = 'attention' | 'id' | 'title' | 'rendered';
export type Grouping = 'none' | 'template' | 'folder' | 'state';

/** Videos on the wall and their order. Part of the address, so that a view can be shared. */
export interface ListView {
  readonly query: string;
  /** Empty for all. */
  readonly states: readonly CardState[];
  readonly sort: SortOrder;
  readonly grouping: Grouping;
}

interface VideoGroup {
  /** Empty if videos are not grouped. */
  readonly title: string;
  readonly videos: readonly VideoCard[];
}

export const FIRST_VIEW: ListView = { query: '', states: [], sort: 'attention', grouping: 'template' };
export const SORT_ORDERS: readonly SortOrder[] = ['attention', 'id', 'title', 'rendered'];
export const GROUPINGS: readonly Grouping[] = ['none', 'template', 'folder', 'state'];
/** States by urgency: videos that block an apply first, finished videos last. */
export const STATES: readonly CardState[] = [
  'failed',
  'invalid',
  'waiting',
  'running',
  'changed',
  'new',
  'other',
  'up_to_date',
];

const searchTexts = new WeakMap<VideoCard, string>();

/** Returns the videos that match all words of the query and any of the states. */
export function filterVideos(videos: readonly VideoCard[], view: Pick<ListView, 'query' | 'states'>): VideoCard[] {
  const words = fold(view.query)
    .split(/\s+/)
    .filter((word) => word !== '');
  return videos.filter(
    (card) =>
      (view.states.length === 0 || view.states.includes(card.state)) &&
      words.every((word) => searchTextOf(card).includes(word)),
  );
}

/** Sorts and groups the videos. Groups are sorted by title, or by urgency if they are states. */
export function groupVideos(videos: readonly VideoCard[], view: Pick<ListView, 'sort' | 'grouping'>): VideoGroup[] {
  const sorted = [...videos].sort(COMPARE[view.sort]);
  if (view.grouping === 'none') return sorted.length === 0 ? [] : [{ title: '', videos: sorted }];
  const groups = new Map<string, VideoCard[]>();
  for (const card of sorted) {
    const title = groupOf(card, view.grouping);
    const group = groups.get(title);
    if (group === undefined) groups.set(title, [card]);
    else group.push(card);
  }
  const order = (title: string): number => STATES.indexOf(title as CardState);
  return [...groups]
    .map(([title, cards]) => ({ title, videos: cards }))
    .sort((a, b) => (view.grouping === 'state' ? order(a.title) - order(b.title) : compareText(a.title, b.title)));
}

/** Counts the videos of each state. */
export function countStates(videos: readonly VideoCard[]): Record<CardState, number> {
  const counts = Object.fromEntries(STATES.map((state) => [state, 0])) as Record<CardState, number>;
  for (const { state } of videos) counts[state]++;
  return counts;
}

/** Path of an id without its last name; `/` at the top. */
function folderOfId(id: string): string {
  const end = id.lastIndexOf('/');
  return end === -1 ? '/' : id.slice(0, end);
}

function groupOf(card: VideoCard, grouping: Exclude<Grouping, 'none'>): string {
  if (grouping === 'template') return card.template;
  return grouping === 'folder' ? folderOfId(card.id) : card.state;
}

function searchTextOf(card: VideoCard): string {
  const known = searchTexts.get(card);
  if (known !== undefined) return known;
  const labels = Object.entries(card.labels).map(([name, value]) => `${name}=${value}`);
  const text = fold([card.id, card.title, card.template, card.path, ...labels].join('\n'));
  searchTexts.set(card, text);
  return text;
}

/** Lower case without accents, so that "krakow" finds "Kraków". */
function fold(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll('ł', 'l');
}

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

function compareText(a: string, b: string): number {
  return collator.compare(a, b);
}

const COMPARE: Readonly<Record<SortOrder, (a: VideoCard, b: VideoCard) => number>> = {
  attention: (a, b) => STATES.indexOf(a.state) - STATES.indexOf(b.state) || compareText(a.id, b.id),
  id: (a, b) => compareText(a.id, b.id),
  title: (a, b) => compareText(a.title, b.title) || compareText(a.id, b.id),
  rendered: (a, b) =>
    (b.finished?.renderedAt ?? '').localeCompare(a.finished?.renderedAt ?? '') || compareText(a.id, b.id),
};
