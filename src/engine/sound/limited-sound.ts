import { type Stereo, silence } from '../codec/resampler.ts';
import type { PeakLimiter } from './peak-limiter.ts';

/**
 * Limits a sound, without the limiter's delay, in blocks of `size` samples; the last block may be shorter. A block is overwritten when
 * the next is requested.
 *
 * @param blocks of any size, which are overwritten
 */
export async function* limited(
  blocks: AsyncIterable<Stereo>,
  limiter: PeakLimiter,
  size: number,
): AsyncGenerator<Stereo> {
  const filled = silence(size);
  let count = 0;
  let toDrop = limiter.delay;
  for await (const block of withSilence(blocks, limiter.delay)) {
    limiter.process(block.left, block.right);
    let from = Math.min(toDrop, block.left.length);
    toDrop -= from;
    while (from < block.left.length) {
      const taken = Math.min(size - count, block.left.length - from);
      filled.left.set(block.left.subarray(from, from + taken), count);
      filled.right.set(block.right.subarray(from, from + taken), count);
      from += taken;
      count += taken;
      if (count < size) continue;
      yield filled;
      count = 0;
    }
  }
  if (count > 0) yield { left: filled.left.subarray(0, count), right: filled.right.subarray(0, count) };
}

async function* withSilence(blocks: AsyncIterable<Stereo>, count: number): AsyncGenerator<Stereo> {
  yield* blocks;
  yield silence(count);
}
