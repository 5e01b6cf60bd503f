import type { Readable } from 'node:stream';

/** What receiving a body may cost. */
export interface BodyLimits {
  /** As it is after decompression. */
  readonly maxBytes: number;
  /** How much has to come in each window. */
  readonly minBytesPerWindow: number;
  readonly windowMs: number;
}

/** Why a body was given up. */
export class BodyRefused extends Error {
  readonly reason: 'too_large' | 'too_slow';

  constructor(reason: 'too_large' | 'too_slow') {
    super(reason);
    this.reason = reason;
  }
}

/**
 * Receives a body whole. What is counted is what comes out of the stream, so that a small answer cannot unfold into a
 * large one, and a sender that drips is not waited for.
 *
 * @throws BodyRefused; the stream is destroyed then
 */
export async function readBody(stream: Readable, limits: BodyLimits): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  let windowBytes = 0;
  let isSlow = false;
  const timer = setInterval(() => {
    isSlow ||= windowBytes < limits.minBytesPerWindow;
    windowBytes = 0;
    if (isSlow) stream.destroy();
  }, limits.windowMs);
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      sizeBytes += chunk.length;
      windowBytes += chunk.length;
      if (sizeBytes > limits.maxBytes) throw new BodyRefused('too_large');
      chunks.push(chunk);
    }
  } catch (error) {
    throw isSlow ? new BodyRefused('too_slow') : error;
  } finally {
    clearInterval(timer);
    stream.destroy();
  }
  return Buffer.concat(chunks);
}
