import { describe, expect, it } from 'vitest';
import { formatRoute, type PageRoute, parseRoute } from '../../../src/studio/page/route.ts';
import { FIRST_VIEW } from '../../../src/studio/page/video-list.ts';

const ROUTES: readonly PageRoute[] = [
  { kind: 'wall', view: FIRST_VIEW },
  { kind: 'wall', view: { query: 'a & b', states: ['failed', 'new'], sort: 'title', grouping: 'none' } },
  { kind: 'video', id: 'launch/dune', panel: null },
  { kind: 'video', id: 'stores/50 % off?#', panel: 'source' },
  { kind: 'template', name: 'story' },
  { kind: 'rows', path: 'videos/data/stores.csv' },
  { kind: 'plan' },
];

describe('parseRoute()', () => {
  it.each(ROUTES)('reads the address of $kind', (route) => {
    expect(parseRoute(formatRoute(route))).toEqual(route);
  });

  it.each(['', '#', '#/nothing', '#/video/', '#/?sort=other&state=x'])('reads %j as the wall', (hash) => {
    expect(parseRoute(hash)).toEqual(ROUTES[0]);
  });

  it('keeps a broken escape as it is', () => {
    expect(parseRoute('#/video/100%')).toEqual({ kind: 'video', id: '100%', panel: null });
  });
});
