import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Begin } from '../../../src/reconciler/apply/events.ts';
import type { VideoId } from '../../../src/reconciler/definition/video.ts';
import { LiveView } from '../../../src/report/terminal/live-view.ts';
import { cellWidth } from '../../../src/report/wording/cell-width.ts';

const id = (text: string): VideoId => text as VideoId;

function viewOf(ids: readonly string[], begin: Begin = 'posted', color = false): LiveView {
  const view = new LiveView({ color });
  view.take({ kind: 'run-started', ids: [...ids, 'x', 'y'].map(id), concurrency: ids.length }, 0);
  for (const [index, name] of ids.entries()) {
    view.take({ kind: 'video-started', id: id(name), action: 'create', begin }, 0);
    view.take({ kind: 'video-progressed', id: id(name), percent: Math.min(99, 25 * (index + 1)) }, 0);
  }
  return view;
}

describe('LiveView', () => {
  it('shows running videos, aligned, with totals and the remaining time', () => {
    expect(viewOf(['launch/berlin', 'story/rome']).footer(3000, 80, 24).join('\n')).toMatchInlineSnapshot(`
      "  launch/berlin  ━━━━━━──────────────────  25 %     3.0 s
        story/rome     ━━━━━━━━━━━━────────────  50 %     3.0 s
        0 of 4 · 3.0 s · about 15 s left"
    `);
  });

  it('notes how each video started and which the service has not accepted yet', () => {
    const view = new LiveView({ color: false });
    const begins: Begin[] = ['posted', 'resumed', 'resent', 'followed'];
    view.take({ kind: 'run-started', ids: begins.map(id), concurrency: 4 }, 0);
    for (const begin of begins) view.take({ kind: 'video-started', id: id(begin), action: 'create', begin }, 0);
    expect(view.footer(3000, 80, 24).join('\n')).toMatchInlineSnapshot(`
      "  posted    ────────────────────────           3.0 s  sending
        resumed   ────────────────────────           3.0 s  resumed
        resent    ────────────────────────           3.0 s  requested again
        followed  ────────────────────────           3.0 s  followed
        0 of 4 · 3.0 s"
    `);
    view.take({ kind: 'video-submitted', id: id('posted'), session: 'rs_1' }, 3000);
    expect(view.footer(3000, 80, 24)[0]).not.toContain('sending');
  });

  it('shows running deliveries and keeps their destinations', () => {
    const view = viewOf(['a', 'b']);
    view.take({ kind: 'video-delivering', id: id('a'), to: ['s3://videos/a.mp4'] }, 3000);
    expect(view.footer(3000, 80, 24).join('\n')).toMatchInlineSnapshot(`
      "  a  ━━━━━━━━━━━━━━━━━━━━━━━━ 100 %     3.0 s  delivering
        b  ━━━━━━━━━━━━────────────  50 %     3.0 s
        0 of 4 · 3.0 s · a few seconds left"
    `);
    const deliveries = [{ to: 's3://videos/a.mp4', url: 'https://cdn.example.com/a.mp4' }, { to: 'file:out/a.mp4' }];
    const videoUrl = 'renders/a.mp4';
    const kept = view.take({ kind: 'video-rendered', id: id('a'), videoUrl, deliveries, elapsedMs: 3000 }, 3000);
    const failures = [{ code: 'delivery_failed', message: 's3://videos/b.mp4: closed', retryable: true }];
    kept.push(...view.take({ kind: 'video-undelivered', id: id('b'), failures }, 3000));
    expect(kept.join('\n')).toMatchInlineSnapshot(`
      "✓ a     3.0 s  renders/a.mp4
           ↑ https://cdn.example.com/a.mp4  s3://videos/a.mp4
           ↑ file:out/a.mp4
      ✗ b  finished, but not delivered
          delivery_failed: s3://videos/b.mp4: closed"
    `);
  });

  it('counts the finished segments of a video', () => {
    const view = viewOf(['a', 'b']);
    view.take({ kind: 'video-progressed', id: id('a'), percent: 66, segments: { done: 4, total: 6, reused: 3 } }, 3000);
    view.take({ kind: 'video-progressed', id: id('b'), percent: 50, segments: { done: 0, total: 1, reused: 0 } }, 3000);
    expect(
      view
        .footer(3000, 90, 24)
        .slice(0, 2)
        .map((line) => line.split('3.0 s  ')[1]),
    ).toEqual(['4 of 6 segments, 3 reused', '0 of 1 segment']);
    expect(view.footer(3000, 60, 24)[0]).toMatch(/^ {2}a .* 66 %/);
    for (const columns of [30, 45, 60, 75, 90]) {
      for (const line of view.footer(3000, columns, 24)) expect(cellWidth(line)).toBeLessThan(columns);
    }
  });

  it('shows the rate once it is known', () => {
    const view = viewOf(['a', 'b', 'c']);
    const render = (name: string, nowMs: number): unknown =>
      view.take({ kind: 'video-rendered', id: id(name), videoUrl: 'v', elapsedMs: nowMs }, nowMs);
    render('a', 10_000);
    expect(view.footer(10_000, 80, 24).at(-1)).not.toContain('a minute');
    render('b', 20_000);
    expect(view.footer(20_000, 80, 24).at(-1)).toBe('  2 of 5 · 20 s · 6.0 per minute · about 15 s left');
  });

  it('estimates the progress of a video that the service does not report, never as finished', () => {
    const view = new LiveView({ color: false });
    view.take({ kind: 'run-started', ids: ['a', 'b'].map(id), concurrency: 1 }, 0);
    view.take({ kind: 'video-started', id: id('a'), action: 'create', begin: 'posted' }, 0);
    view.take({ kind: 'video-rendered', id: id('a'), videoUrl: 'v', elapsedMs: 10_000 }, 10_000);
    view.take({ kind: 'video-started', id: id('b'), action: 'create', begin: 'posted' }, 10_000);
    view.take({ kind: 'video-submitted', id: id('b'), session: 'rs_2' }, 10_000);
    expect(view.footer(14_000, 80, 24)[0]).toContain('~40 %');
    expect(view.footer(60_000, 80, 24)[0]).toContain('~95 %');
    view.take({ kind: 'video-progressed', id: id('b'), percent: 50 }, 14_000);
    expect(view.footer(14_000, 80, 24)[0]).toContain(' 50 %');
  });

  it('prints finished videos above the footer only', () => {
    const view = viewOf(['a', 'b']);
    const kept = view.take({ kind: 'video-rendered', id: id('a'), videoUrl: 'renders/a.mp4', elapsedMs: 1000 }, 1000);
    expect(kept).toEqual(['✓ a     1.0 s  renders/a.mp4']);
    expect(view.footer(1000, 80, 24).join('\n')).not.toContain('  a ');
  });

  const sizes = [1, 2, 3, 5, 10, 20, 30, 40, 41, 52, 60, 80, 200].flatMap((columns) =>
    [1, 2, 3, 4, 5, 24, 80].map((rows) => [columns, rows] as const),
  );
  it.each(sizes)('fits into %i columns and %i rows', (columns, rows) => {
    for (const name of ['a', 'folder/with/a/long/name', '東京/夏のコレクション', `x${'\x1b'}[2J`]) {
      const ids = Array.from({ length: 30 }, (_, index) => `${name}-${index}`);
      const view = viewOf(ids, 'resumed', true);
      view.stopping();
      const lines = view.footer(1000, columns, rows).map(stripVTControlCharacters);
      expect(lines.length).toBeLessThan(rows === 1 ? 1 : rows);
      expect(lines.filter((line) => cellWidth(line) >= columns)).toEqual([]);
    }
  });

  it.each([
    [20, 5],
    [34, 4],
    [46, 4],
  ])('shows the essentials in %i columns and %i rows', (columns, rows) => {
    const view = viewOf(['stores/hamburg', 'stores/munich', 'rome', 'oslo']);
    expect(view.footer(4000, columns, rows).join('\n')).toMatchSnapshot();
  });

  it('has no footer when nothing is running', () => {
    const view = new LiveView({ color: false });
    view.take({ kind: 'run-started', ids: [], concurrency: 2 }, 0);
    expect(view.footer(0, 80, 24)).toEqual([]);
  });

  it('shows that it is stopping', () => {
    const view = viewOf(['a']);
    view.stopping();
    expect(view.footer(1000, 80, 24).at(-1)).toContain('stopping · Ctrl-C again to exit immediately');
    expect(view.footer(1000, 24, 24).at(-1)).toBe('  0 of 3 · stopping');
  });
});
