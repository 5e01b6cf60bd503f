import type { ApplyEvent } from '../../reconciler/apply/events.ts';
import { ApplyLines } from '../../report/terminal/apply-lines.ts';
import { exitText, stoppingText } from '../../report/terminal/apply-text.ts';
import { LiveView } from '../../report/terminal/live-view.ts';
import { type Io, isAttended, isScreen, wantsColor } from '../io.ts';
import { FooterScreen } from './footer-screen.ts';

type WatchIo = Pick<Io, 'stdout' | 'stderr' | 'env' | 'monotonicNow' | 'onResize'>;

interface WatchOptions {
  readonly color: boolean;
  /** True if stdout prints events too: on the same screen, the two would interfere. */
  readonly streams: boolean;
  /** Whether the service continues renders after this process. */
  readonly outlivesProcess: boolean;
}

/** Shows the progress of a run on stderr. */
export interface RunWatch {
  take(event: ApplyEvent): void;
  /** Called when the run was interrupted and stops. */
  stopping(): void;
  /** Ends the display; the last state stays on the screen. */
  close(): void;
  /** Closes, and prints how pending renders continue, because the process ends now. */
  leave(): void;
}

const FRAME_MS = 100;
/**
 * Time in milliseconds without a resize after which the screen is drawn again. tmux reports a new size after 250 ms.
 */
const SETTLED_MS = 300;
/** Interval in milliseconds at which a silent log is checked for a heartbeat. */
const SILENCE_CHECK_MS = 5_000;

/**
 * Opens a live view on a screen, and a log with one line per change of state elsewhere.
 */
export function watchRun(options: WatchOptions, io: WatchIo): RunWatch {
  const color = wantsColor(io.stderr, io.env, options.color);
  const isShared = options.streams && io.stdout.isTTY;
  const watch = isScreen(io.stderr, io.env) && !isShared ? watchLive : watchLines;
  return watch({ ...options, color }, io);
}

function watchLines({ color, outlivesProcess }: WatchOptions, io: WatchIo): RunWatch {
  const lines = new ApplyLines({ color });
  const write = (written: readonly string[]): void => {
    if (written.length > 0) io.stderr.write(written.map((line) => `${line}\n`).join(''));
  };
  let isOpen = true;
  const timer = setInterval(() => write(lines.heartbeat(io.monotonicNow())), SILENCE_CHECK_MS);
  return {
    take(event) {
      if (isOpen) write(lines.linesOf(event, io.monotonicNow()));
    },
    stopping() {
      io.stderr.write(stoppingText(lines.runningCount, isAttended(io), outlivesProcess));
    },
    close() {
      isOpen = false;
      clearInterval(timer);
    },
    leave() {
      this.close();
      io.stderr.write(exitText(lines.runningCount, outlivesProcess));
    },
  };
}

function watchLive({ color, outlivesProcess }: WatchOptions, io: WatchIo): RunWatch {
  const view = new LiveView({ color });
  const screen = new FooterScreen(io.stderr, io.env);
  let waiting: string[] = [];
  let settling: ReturnType<typeof setTimeout> | null = null;
  let drawnAt = Number.NEGATIVE_INFINITY;
  let isOpen = true;

  const draw = (): void => {
    if (settling !== null) return;
    drawnAt = io.monotonicNow();
    const { columns, rows } = io.stderr;
    screen.draw(waiting, view.footer(io.monotonicNow(), columns, rows));
    waiting = [];
  };
  const stopListening = io.onResize(() => {
    if (settling !== null) clearTimeout(settling);
    settling = setTimeout(() => {
      settling = null;
      draw();
    }, SETTLED_MS);
  });
  const timer = setInterval(draw, FRAME_MS);
  return {
    take(event) {
      if (!isOpen) return;
      waiting.push(...view.take(event, io.monotonicNow()));
      // Events that follow within half a frame are drawn together.
      if (waiting.length > 0 && io.monotonicNow() - drawnAt >= FRAME_MS / 2) draw();
    },
    stopping() {
      view.stopping();
      draw();
    },
    close() {
      if (!isOpen) return;
      isOpen = false;
      clearInterval(timer);
      if (settling !== null) clearTimeout(settling);
      stopListening();
      if (waiting.length > 0) screen.draw(waiting, []);
      screen.close();
    },
    leave() {
      this.close();
      io.stderr.write(exitText(view.runningCount, outlivesProcess));
    },
  };
}
