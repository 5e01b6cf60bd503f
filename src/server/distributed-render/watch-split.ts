export interface WatchOptions {
  /** Milliseconds. */
  readonly everyMs: number;
  /** Tells how far it is. @returns whether the session is still at work */
  tell(): Promise<boolean>;
  /** Called once. */
  onLost(): void;
}

/**
 * Tells of a part now and then. A database that does not answer is no reason to stop: whoever finishes the part asks it
 * again.
 *
 * @returns ends it, and tells once more
 */
export function watchSplit({ everyMs, tell, onLost }: WatchOptions): () => Promise<void> {
  let isOver = false;
  let telling: Promise<void> | null = null;
  const look = async (): Promise<void> => {
    try {
      if (await tell()) return;
    } catch {
      return;
    }
    stop();
    onLost();
  };
  const next = (): Promise<void> => {
    telling ??= look().finally(() => {
      telling = null;
    });
    return telling;
  };
  const timer = setInterval(() => void next(), everyMs);
  const stop = (): void => {
    isOver = true;
    clearInterval(timer);
  };
  return async () => {
    if (isOver) {
      await telling;
      return;
    }
    stop();
    // What is under way may have been begun before the last frame.
    await telling;
    await next();
  };
}
