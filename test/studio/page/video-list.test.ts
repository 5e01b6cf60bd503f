import { describe, expect, it } from 'vitest';
import { countStates, filterVideos, groupVideos } from '../../../src/studio/page/video-list.ts';
import type { CardState } from '../../../src/studio/protocol.ts';
import { previewCard } from './preview-cards.ts';

const VIDEOS = [
  previewCard('story/krakow', {
    title: 'Olune in Kraków',
    template: 'story',
    state: 'failed',
    labels: { season: 'autumn' },
  }),
  previewCard('launch/dune', { title: 'Dune', state: 'changed' }),
  previewCard('launch/halo', { title: 'Halo', finished: finishedAt('2026-11-20T00:00:00Z') }),
  previewCard('story/lodz', {
    title: 'Olune w Łodzi',
    template: 'story',
    finished: finishedAt('2026-11-22T00:00:00Z'),
  }),
];

function finishedAt(renderedAt: string) {
  return { url: 'a.mp4', extension: 'mp4', bytes: 1, renderedAt, deliveries: [] };
}

function ids(query: string, states: readonly CardState[] = []): string[] {
  return filterVideos(VIDEOS, { query, states }).map(({ id }) => id);
}

describe('filterVideos()', () => {
  it('finds words in ids, titles, templates and labels, in any order and case', () => {
    expect(ids('HALO launch')).toEqual(['launch/halo']);
    expect(ids('season=autumn')).toEqual(['story/krakow']);
    expect(ids('  ')).toHaveLength(4);
    expect(ids('dune nothing')).toEqual([]);
  });

  it('ignores accents', () => {
    expect(ids('krakow olune')).toEqual(['story/krakow']);
    expect(ids('lodzi')).toEqual(['story/lodz']);
    expect(ids('Kraków')).toEqual(['story/krakow']);
  });

  it('keeps the chosen states', () => {
    expect(ids('', ['failed', 'changed'])).toEqual(['story/krakow', 'launch/dune']);
  });
});

describe('groupVideos()', () => {
  const grouped = (
    sort: Parameters<typeof groupVideos>[1]['sort'],
    grouping: Parameters<typeof groupVideos>[1]['grouping'],
  ) => groupVideos(VIDEOS, { sort, grouping }).map(({ title, videos }) => [title, ...videos.map(({ id }) => id)]);

  it('puts what needs attention first', () => {
    expect(grouped('attention', 'none')).toEqual([['', 'story/krakow', 'launch/dune', 'launch/halo', 'story/lodz']]);
  });

  it('sorts by title, id and time of the last render', () => {
    expect(grouped('title', 'none')[0]).toEqual(['', 'launch/dune', 'launch/halo', 'story/krakow', 'story/lodz']);
    expect(grouped('rendered', 'none')[0]).toEqual(['', 'story/lodz', 'launch/halo', 'launch/dune', 'story/krakow']);
  });

  it('groups by template, folder and state', () => {
    expect(grouped('id', 'template').map(([title]) => title)).toEqual(['launch', 'story']);
    expect(grouped('id', 'folder')[1]).toEqual(['story', 'story/krakow', 'story/lodz']);
    expect(grouped('id', 'state').map(([title]) => title)).toEqual(['failed', 'changed', 'up_to_date']);
  });

  it('has no group without videos', () => {
    expect(groupVideos([], { sort: 'id', grouping: 'none' })).toEqual([]);
  });
});

describe('countStates()', () => {
  it('counts every state', () => {
    expect(countStates(VIDEOS)).toMatchObject({ failed: 1, changed: 1, up_to_date: 2, new: 0 });
  });
});
