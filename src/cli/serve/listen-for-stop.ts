import { EXIT } from '../../diagnostic.ts';
import type { Io } from '../io.ts';

/** Signals that a server or a worker is asked to stop by. */
export interface Stop {
  /** Resolves at the first signal. */
  readonly asked: Promise<void>;
  /** Lets what is at work finish; a second signal ends that. */
  close(close: (options?: { readonly now: boolean }) => Promise<void>): Promise<void>;
  /** Of the command, once it is closed. */
  exitCode(): number;
  /** Signals are the process's own again. */
  forget(): void;
}

/** The first signal asks to stop, the second to hurry; the third does not ask. */
export function listenForStop(io: Io): Stop {
  const resolvers: (() => void)[] = [];
  const next = (): Promise<void> => new Promise((resolve) => resolvers.push(resolve));
  const [asked, hurried] = [next(), next()];
  let count = 0;
  const forget = io.onInterrupt(() => {
    resolvers[count]?.();
    count += 1;
    if (count > 2) io.leave(EXIT.interrupted);
  });
  return {
    asked,
    async close(close) {
      io.stderr.write('Stopping: renders at work may finish. Interrupt again to stop them, too.\n');
      void hurried.then(() => close({ now: true }));
      await close();
    },
    exitCode: () => (count > 1 ? EXIT.interrupted : EXIT.ok),
    forget,
  };
}
