import { describe, expect, it } from 'vitest';
import type { VideoId } from '../../src/definition/video.ts';
import { LiveView } from '../../src/report/live-view.ts';

const id = (text: string): VideoId => text as VideoId;

function viewOf(ids: readonly string[]): LiveView {
  const view = new LiveView({ color: false });
  view.take({ kind: 'run-started', ids: [...ids, 'x', 'y'].map(id), concurrency: ids.length }, 0);
  for (const [index, name] of ids.entries()) {
    view.take({ kind: 'video-started', id: id(name), action: 'create' }, 0);
    view.take({ kind: 'video-progressed', id: id(name), percent: Math.min(99, 25 * (index + 1)) }, 0);
  }
  return view;
}

describe('LiveView', () => {
  it('shows what is at work, aligned, with totals and the time left', () => {
    expect(viewOf(['launch/berlin', 'story/rome']).footer(3000, 80, 24).join('\n')).toMatchInlineSnapshot(`
      "  launch/berlin  ━━━━━━──────────────────  25 %  3.0 s
        story/rome     ━━━━━━━━━━━━────────────  50 %  3.0 s
        0 of 4 · 3.0 s · about 13 s left"
    `);
  });

  it('keeps finished videos above the footer, and out of it', () => {
    const view = viewOf(['a', 'b']);
    const kept = view.take({ kind: 'video-rendered', id: id('a'), videoUrl: 'renders/a.mp4', elapsedMs: 1000 }, 1000);
    expect(kept).toEqual(['✓ a     1.0 s  renders/a.mp4']);
    expect(view.footer(1000, 80, 24).join('\n')).not.toContain('  a ');
  });

  it.each([
    [80, 24],
    [40, 10],
    [20, 5],
    [10, 4],
  ])('fits into %i columns and %i rows', (columns, rows) => {
    const lines = viewOf(Array.from({ length: 30 }, (_, index) => `folder/with/a/long/name-${index}`)).footer(
      1000,
      columns,
      rows,
    );
    expect(lines.length).toBeLessThan(rows);
    expect(lines.filter((line) => line.length >= columns)).toEqual([]);
  });

  it('has no footer when nothing is at work', () => {
    const view = new LiveView({ color: false });
    view.take({ kind: 'run-started', ids: [], concurrency: 2 }, 0);
    expect(view.footer(0, 80, 24)).toEqual([]);
  });

  it('says that it is stopping', () => {
    const view = viewOf(['a']);
    view.stopping();
    expect(view.footer(1000, 80, 24).at(-1)).toContain('stopping');
  });
});
