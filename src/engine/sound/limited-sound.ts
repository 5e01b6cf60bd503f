import { joined, type Stereo, silence } from '../codec/resampler.ts';
import type { PeakLimiter } from './peak-limiter.ts';

/**
 * Limits a sound, without the limiter's delay, in blocks of `size` samples; the last block may be shorter.
 *
 * @param blocks of any size, which are overwritten
 */
export async function* limited(
  blocks: AsyncIterable<Stereo>,
  limiter: PeakLimiter,
  size: number,
): AsyncGenerator<Stereo> {
  let pending = silence(0);
  let toDrop = limiter.delay;
  const limit = (block: Stereo): void => {
    limiter.process(block.left, block.right);
    const dropped = Math.min(toDrop, block.left.length);
    toDrop -= dropped;
    pending = joined(pending, block, dropped);
  };
  const take = (count: number): Stereo => {
    const taken = { left: pending.left.slice(0, count), right: pending.right.slice(0, count) };
    pending = { left: pending.left.slice(count), right: pending.right.slice(count) };
    return taken;
  };
  for await (const block of blocks) {
    limit(block);
    while (pending.left.length >= size) yield take(size);
  }
  limit(silence(limiter.delay));
  while (pending.left.length > 0) yield take(Math.min(size, pending.left.length));
}
