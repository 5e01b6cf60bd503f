import type { OutputQuality } from '../../wire/output.ts';
import { segmentFrames } from '../segments.ts';
import type { EncodedTrack, Encoder, EncoderFactory, FrameFormat } from './encoder.ts';
import { joinTracks, type PlacedTrack } from './join-tracks.ts';

export interface SegmentedEncoderOptions {
  readonly openEncoder: EncoderFactory;
  readonly format: FrameFormat;
  readonly quality: OutputQuality;
}

/**
 * Encodes the frames of a video in segments, a fresh encoder each. An encoder that has all of its frames goes on while the
 * next one is fed: two are open at most.
 */
export class SegmentedEncoder implements Encoder {
  readonly #options: SegmentedEncoderOptions;
  readonly #length: number;
  readonly #done: PlacedTrack[] = [];
  #current: { readonly first: number; readonly encoder: Encoder } | undefined;
  /** Of the segment before the current one; never rejects. */
  #finishing: Promise<void> = Promise.resolve();
  #leaving: Encoder | undefined;
  #failure: { readonly error: unknown } | undefined;
  #isClosed = false;

  constructor(options: SegmentedEncoderOptions) {
    this.#options = options;
    this.#length = segmentFrames(options.format.rate);
  }

  async encode(i420: Uint8Array, frame: number): Promise<void> {
    if (frame % this.#length === 0) await this.#begin(frame);
    this.#rethrow();
    const { first, encoder } = this.#current!;
    await encoder.encode(i420, frame - first);
  }

  async finish(): Promise<EncodedTrack> {
    await this.#endCurrent();
    await this.#finishing;
    this.#rethrow();
    return joinTracks(this.#done);
  }

  close(): void {
    this.#isClosed = true;
    this.#current?.encoder.close();
    this.#leaving?.close();
  }

  async #begin(first: number): Promise<void> {
    await this.#endCurrent();
    const { openEncoder, format, quality } = this.#options;
    const encoder = await openEncoder(format, quality);
    // Whoever closed this meanwhile could not know of it.
    if (this.#isClosed) encoder.close();
    this.#current = { first, encoder };
  }

  /** Lets the current encoder finish on its own, after the one before it. */
  async #endCurrent(): Promise<void> {
    await this.#finishing;
    const current = this.#current;
    if (current === undefined) return;
    const { first, encoder } = current;
    this.#current = undefined;
    this.#leaving = encoder;
    this.#finishing = (async () => {
      try {
        this.#done.push({ first, track: await encoder.finish() });
      } catch (error) {
        this.#failure ??= { error };
      } finally {
        encoder.close();
      }
    })();
  }

  #rethrow(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}
