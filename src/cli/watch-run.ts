import type { ApplyEvent } from '../apply/events.ts';
import { ApplyLines } from '../report/apply-text.ts';
import { LiveView } from '../report/live-view.ts';
import { type Io, isScreen, wantsColor } from './io.ts';

/** Shows a run while it goes on, on stderr. */
export interface RunWatch {
  take(event: ApplyEvent): void;
  /** The run was asked to end. */
  stopping(): void;
  /** Leaves the screen as it is to stay. */
  close(): void;
}

const FRAME_MS = 100;
/** Begin and end of a synchronised update: a terminal that knows it shows the two parts at once. */
const SYNC = ['\x1b[?2026h', '\x1b[?2026l'] as const;
const CURSOR = { hide: '\x1b[?25l', show: '\x1b[?25h' } as const;

/** A live view on a screen, and a line per change of state everywhere else. */
export function watchRun(options: { readonly color: boolean }, io: Io): RunWatch {
  const color = wantsColor(io.stderr, io.env, options.color);
  return isScreen(io.stderr, io.env) ? watchLive(io, color) : watchLines(io, color);
}

function watchLines(io: Io, color: boolean): RunWatch {
  const lines = new ApplyLines({ color });
  let open = true;
  return {
    take(event) {
      if (!open) return;
      for (const line of lines.linesOf(event)) io.stderr.write(`${line}\n`);
    },
    stopping() {
      io.stderr.write('Stopping: what is being rendered is finished and recorded. Interrupt again to leave at once.\n');
    },
    close() {
      open = false;
    },
  };
}

function watchLive(io: Io, color: boolean): RunWatch {
  const view = new LiveView({ color });
  let footerRows = 0;
  let open = true;

  const draw = (kept: readonly string[]): void => {
    const { columns, rows } = io.stderr;
    const footer = view.footer(io.now(), columns, rows);
    const erase = footerRows > 0 ? `\x1b[${footerRows}A\r\x1b[J` : '';
    const text = [...kept, ...footer].map((line) => `${line}\n`).join('');
    if (erase === '' && text === '') return;
    io.stderr.write(`${SYNC[0]}${erase}${text}${SYNC[1]}`);
    footerRows = footer.length;
  };

  io.stderr.write(CURSOR.hide);
  const timer = setInterval(() => draw([]), FRAME_MS);
  return {
    take(event) {
      if (!open) return;
      const kept = view.take(event, io.now());
      if (kept.length > 0) draw(kept);
    },
    stopping() {
      view.stopping();
      draw([]);
    },
    close() {
      if (!open) return;
      open = false;
      clearInterval(timer);
      io.stderr.write(`${footerRows > 0 ? `\x1b[${footerRows}A\r\x1b[J` : ''}${CURSOR.show}`);
    },
  };
}
