import type { RunObserver } from '../../preview-server/ports.ts';
import { applyCommand } from '../apply/apply-command.ts';
import type { Io } from '../io.ts';

/** Discards the output: the page shows the events of the run. */
const NOWHERE = { write: () => undefined, isTTY: false, columns: 80, rows: 24 };

/**
 * Runs `reelform apply` for the page, with the plan that the user has confirmed there.
 *
 * @param root absolute
 * @param signal interrupts as the first Ctrl-C on a terminal does
 * @returns the exit status
 */
export function applyFromPage(
  root: string,
  plan: string,
  observer: RunObserver,
  { signal, io }: { readonly signal: AbortSignal; readonly io: Io },
): Promise<number> {
  const own: Io = {
    ...io,
    stdout: NOWHERE,
    // As on a terminal, an interrupted run waits for its renders. A dumb one gets no live view.
    stderr: { ...NOWHERE, isTTY: true },
    env: { ...io.env, TERM: 'dumb', CI: '' },
    interactive: false,
    cwd: root,
    onInterrupt(listener) {
      signal.addEventListener('abort', listener, { once: true });
      return () => signal.removeEventListener('abort', listener);
    },
    onWriteError: () => undefined,
    onResize: () => () => undefined,
  };
  return applyCommand(undefined, { autoApprove: true, expectPlan: plan, color: false }, own, observer);
}
