import type { Parts } from './compose-service.ts';

/** The work first, while HTTP goes on to answer; then everything, in the reverse of its order. */
export function stopOnce(
  parts: Pick<Parts, 'drain' | 'hurry'>,
  closeAll: () => Promise<void>,
  drainMs: number,
): (options?: { readonly now?: boolean }) => Promise<void> {
  let closed: Promise<void> | null = null;
  return ({ now = false } = {}) => {
    if (now) parts.hurry();
    closed ??= parts.drain(now ? 0 : drainMs).then(closeAll);
    return closed;
  };
}
