import { describe, expect, it } from 'vitest';
import { FIRST_STATE, type PageMessage, reduceState } from '../../../src/studio/page/page-state.ts';
import { previewCard, previewState } from './preview-cards.ts';

function reduceAll(...messages: readonly PageMessage[]) {
  return messages.reduce(reduceState, FIRST_STATE);
}

const LOADED: PageMessage = { kind: 'loaded', state: previewState(4, [previewCard('b'), previewCard('d')]) };

describe('reduceState()', () => {
  it('replaces changed cards, removes others and keeps the order', () => {
    const videos = [previewCard('c'), previewCard('b', { title: 'B' })];
    const { server } = reduceAll(LOADED, { kind: 'change', change: { revision: 5, videos, removedVideos: ['d'] } });
    expect(server?.videos.map(({ id, title }) => [id, title])).toEqual([
      ['b', 'B'],
      ['c', 'c'],
    ]);
    expect(server?.revision).toBe(5);
  });

  it('keeps the cards that a change does not name, so that they are not drawn again', () => {
    const before = reduceAll(LOADED);
    const after = reduceState(before, { kind: 'change', change: { revision: 5, otherRun: 'process 12' } });
    expect(after.server?.videos).toBe(before.server?.videos);
    expect(after.server?.otherRun).toBe('process 12');
  });

  it('ignores a change that is older than the state', () => {
    const before = reduceAll(LOADED);
    expect(reduceState(before, { kind: 'change', change: { revision: 4, name: 'other' } })).toBe(before);
  });

  it('ignores changes before the state is loaded', () => {
    expect(reduceState(FIRST_STATE, { kind: 'change', change: { revision: 1, videos: [previewCard('a')] } })).toBe(
      FIRST_STATE,
    );
  });

  it('shows the progress of a video and of the run', () => {
    const progress = { percent: 40, segments: null };
    const run = { status: 'running' as const, total: 2, done: 1, failed: 0, messages: [] };
    const { server } = reduceAll(
      LOADED,
      { kind: 'run', event: { kind: 'video', id: 'd', progress } },
      { kind: 'run', event: { kind: 'run', run } },
    );
    expect(server?.videos.map(({ state }) => state)).toEqual(['up_to_date', 'running']);
    expect(server?.videos[1]?.progress).toBe(progress);
    expect(server?.run).toBe(run);
  });

  it('keeps the latest state of each draft', () => {
    const draft = {
      fingerprint: 'v1:b',
      width: 640,
      height: 360,
      fps: 30,
      frameCount: 60,
      leadSeconds: 1,
      segments: [],
      error: null,
    };
    const segments = [{ first: 0, end: 60, isReady: true }];
    const { drafts } = reduceAll(
      { kind: 'draft', event: { fingerprint: 'v1:b', state: draft } },
      { kind: 'draft', event: { fingerprint: 'v1:b', state: { ...draft, segments } } },
    );
    expect(drafts['v1:b']?.segments).toBe(segments);
  });

  it.each([1, 4])('replaces the state when a restarted server begins to count again, at revision %i', (revision) => {
    const state = previewState(revision, [previewCard('b', { title: 'B' }), previewCard('d')]);
    expect(reduceAll(LOADED, { kind: 'loaded', state }).server).toBe(state);
  });
});
