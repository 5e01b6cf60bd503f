import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type RunWatch, watchRun } from '../../../src/cli/apply/run-plan.ts';
import type { Io } from '../../../src/cli/io.ts';
import type { ApplyEvent } from '../../../src/reconciler/apply/events.ts';
import type { VideoId } from '../../../src/reconciler/definition/video.ts';
import { Terminal } from '../../support/terminal.ts';

const id = (text: string): VideoId => text as VideoId;
const started = (name: string): ApplyEvent => ({
  kind: 'video-started',
  id: id(name),
  action: 'create',
  begin: 'posted',
});
const rendered = (name: string): ApplyEvent => ({
  kind: 'video-rendered',
  id: id(name),
  videoUrl: `renders/${name}.mp4`,
  elapsedMs: 1200,
});

/** Starts a view of a run with four videos, two of them running, on a terminal or a line-based output. */
function watch(stderr: Io['stderr'], env: Io['env'] = {}, streams = false): { view: RunWatch; resized: () => void } {
  let resized = (): void => {};
  const io = {
    stdout: { ...log(), isTTY: true },
    stderr,
    env,
    monotonicNow: () => Date.now(),
    onResize(listener: () => void) {
      resized = listener;
      return () => {
        resized = () => {};
      };
    },
  };
  const view = watchRun({ color: false, streams, outlivesProcess: true }, io);
  view.take({ kind: 'run-started', ids: ['a', 'b', 'c', 'd'].map(id), concurrency: 2 });
  view.take(started('a'));
  view.take(started('b'));
  return { view, resized: () => resized() };
}

function log(): Io['stderr'] & { text: string } {
  return {
    text: '',
    write(text) {
      this.text += text;
    },
    isTTY: false,
    columns: 80,
    rows: 24,
  };
}

describe('watchRun()', () => {
  beforeEach(() => void vi.useFakeTimers({ now: 0 }));
  afterEach(() => void vi.useRealTimers());

  it('draws running videos below finished ones, which it does not redraw', () => {
    const terminal = new Terminal(60, 8);
    const { view } = watch(terminal);
    vi.advanceTimersByTime(1050);
    view.take(rendered('a'));
    expect(terminal.screen).toEqual([
      '✓ a     1.2 s  renders/a.mp4',
      '  b  ────────────           1.1 s  sending',
      '  1 of 4 · 1.1 s · a few seconds left',
      '',
    ]);
    view.close();
    view.close();
    view.take(rendered('b'));
    expect(terminal.screen.filter((row) => row !== '')).toEqual(['✓ a     1.2 s  renders/a.mp4']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('pauses while a terminal is being resized, and loses nothing', () => {
    const terminal = new Terminal(60, 8);
    const { view, resized } = watch(terminal);
    vi.advanceTimersByTime(200);
    for (const columns of [50, 40, 30]) {
      terminal.resize(columns, 8);
      resized();
      view.take(started('c'));
      view.take(rendered(columns === 40 ? 'a' : 'x'));
      const before = terminal.lines;
      vi.advanceTimersByTime(200);
      expect(terminal.lines).toEqual(before);
    }
    vi.advanceTimersByTime(100);
    expect(terminal.lines.filter((line) => line.startsWith('✓'))).toHaveLength(3);
    expect(terminal.screen.filter((row) => row.includes('sending') || row.includes('━'))).toEqual([]);
    terminal.resize(20, 8);
    resized();
    view.take(rendered('b'));
    view.close();
    expect(terminal.lines.filter((line) => line.startsWith('✓'))).toHaveLength(4);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('draws videos that finish at the same time together', () => {
    const terminal = new Terminal(60, 8);
    const { view } = watch(terminal);
    vi.advanceTimersByTime(1050);
    const write = vi.spyOn(terminal, 'write');
    for (let index = 0; index < 100; index += 1) view.take(rendered(`v${index}`));
    expect(write).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(100);
    expect(write).toHaveBeenCalledTimes(2);
    expect(terminal.lines.filter((line) => line.startsWith('✓'))).toHaveLength(100);
    view.close();
  });

  it('explains what happens to running videos when it exits at once', () => {
    const [terminal, output] = [new Terminal(120, 8), log()];
    for (const stderr of [terminal, output]) watch(stderr).view.leave();
    const told = 'Exited. 2 videos were running; rendered videos are in the lockfile, and the next apply resumes';
    expect(output.text).toContain(told);
    expect(terminal.screen[0]).toContain(told);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('shows on the screen that it is stopping', () => {
    const terminal = new Terminal(60, 8);
    const { view } = watch(terminal);
    view.stopping();
    expect(terminal.screen.join('\n')).toContain('stopping · Ctrl-C again to exit immediately');
    view.close();
  });

  it.each<[string, Io['env'], boolean]>([
    ['a pipe', {}, false],
    ['a machine with a terminal', { CI: 'true' }, true],
    ['a dumb terminal', { TERM: 'dumb' }, true],
  ])('writes a line per change of state to %s, and a heartbeat', (_, env, isTTY) => {
    const output = { ...log(), isTTY };
    const { view } = watch(output, env);
    vi.advanceTimersByTime(70_000);
    view.take(rendered('a'));
    view.close();
    vi.advanceTimersByTime(70_000);
    expect(output.text).toBe(
      [
        '… a  begun',
        '… b  begun',
        '  0 of 4 · 2 running',
        '  0 of 4 · 2 running',
        '✓ a     1.2 s  renders/a.mp4  (1 of 4)',
        '',
      ].join('\n'),
    );
    expect(output.text).not.toContain('\x1b');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('writes lines if the screen also shows a stream of events', () => {
    const terminal = new Terminal(60, 8);
    const { view } = watch(terminal, {}, true);
    view.take(rendered('a'));
    vi.advanceTimersByTime(1000);
    view.close();
    expect(terminal.screen).toEqual(['… a  begun', '… b  begun', '✓ a     1.2 s  renders/a.mp4  (1 of 4)', '']);
  });

  it('explains what stopping means for attended and unattended runs', () => {
    const [there, away] = [{ ...log(), isTTY: true }, log()];
    for (const output of [there, away]) {
      const { view } = watch(output, { TERM: 'dumb' });
      view.stopping();
      view.close();
    }
    expect(there.text).toContain('the 2 running videos are waited for and recorded');
    expect(away.text).toContain('the 2 running videos are left to the service after a few seconds');
  });
});
