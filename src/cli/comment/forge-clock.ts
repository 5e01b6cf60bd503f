import type { ForgeClock } from '../../forge/forge-client.ts';
import { type Io, pause } from '../io.ts';

/** The time as clients of forges take it. */
export function forgeClock(io: Io): ForgeClock {
  return {
    now: () => io.now(),
    wait: (milliseconds) => pause(milliseconds, io),
    random: Math.random,
  };
}
