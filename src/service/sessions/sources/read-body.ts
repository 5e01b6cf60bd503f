import type { Readable } from 'node:stream';
import { ByteCollector } from '../../../kernel/byte-collector.ts';
import { allocateUnforked } from '../../sandbox/unforked-buffer.ts';
import type { SessionFailure } from '../ports.ts';
import { fetchFailure } from './fetch-failure.ts';

/** Takes the body of a response. Ends with `finish` or `discard`. */
export interface BodySink<Bytes> {
  /** Bytes so far. */
  readonly length: number;
  add(chunk: Uint8Array): Promise<void> | void;
  finish(): Promise<Bytes> | Bytes;
  discard(): Promise<void> | void;
}

/** Opens the sink of a body. */
export type OpenSink<Bytes> = () => Promise<BodySink<Bytes>> | BodySink<Bytes>;

/** A body could not be stored, for example because the disk is full. The cause is the error of the sink. */
export class SinkFailure extends Error {}

/** @throws SinkFailure */
async function stored<T>(result: Promise<T> | T): Promise<T> {
  try {
    return await result;
  } catch (cause) {
    throw new SinkFailure('A body could not be stored', { cause });
  }
}

/** Opens a sink in memory. @param expectedBytes length of the body where it is known */
export function inMemory(expectedBytes?: number): BodySink<Buffer> {
  const body = new ByteCollector(expectedBytes, allocateUnforked);
  return {
    get length() {
      return body.length;
    },
    add: (chunk) => body.add(chunk),
    finish: () => body.bytes(),
    discard: () => undefined,
  };
}

/** Limits of a body. */
export interface BodyLimits {
  /** Bytes after decompression. */
  readonly maxBytes: number;
  /** Minimum bytes in each window. */
  readonly minBytesPerWindow: number;
  readonly windowMs: number;
}

/** Creates the error of a body that is too large. */
export function tooLarge(url: string, { maxBytes }: BodyLimits): SessionFailure {
  return fetchFailure('asset_too_large', url, `is larger than ${maxBytes / 1_000_000} MB`);
}

/**
 * Reads a body. Counts bytes after decompression, which stops compression bombs, and aborts slow senders.
 *
 * @throws SessionFailure `asset_too_large`, `asset_unreachable`; SinkFailure; the stream is then destroyed
 */
export async function readBody<Bytes>(
  stream: Readable,
  url: string,
  { openSink, ...limits }: BodyLimits & { readonly openSink: OpenSink<Bytes> },
): Promise<Bytes> {
  const body = await stored(openSink());
  let windowBytes = 0;
  let isSlow = false;
  const timer = setInterval(() => {
    isSlow ||= windowBytes < limits.minBytesPerWindow;
    windowBytes = 0;
    if (isSlow) stream.destroy();
  }, limits.windowMs);
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      windowBytes += chunk.length;
      if (body.length + chunk.length > limits.maxBytes) throw tooLarge(url, limits);
      await stored(body.add(chunk));
    }
    return await stored(body.finish());
  } catch (error) {
    await body.discard();
    if (!isSlow) throw error;
    const what = `sent less than ${limits.minBytesPerWindow} bytes in ${limits.windowMs / 1000} s`;
    throw fetchFailure('asset_unreachable', url, what, { isRetryable: true });
  } finally {
    clearInterval(timer);
    stream.destroy();
  }
}
