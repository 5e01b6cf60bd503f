import type { EncodedVideoChunkInit, VideoDecoder, VideoDecoderConfig, VideoFrame } from '@napi-rs/webcodecs';
import { CodecWatch } from '../h264/codec-watch.ts';
import { SceneError } from '../scene-error.ts';

type Webcodecs = typeof import('@napi-rs/webcodecs');

/** So many packets may wait in the decoder. */
const MOST_QUEUED = 4;
/** The place of every picture that nobody is going to ask for. */
export const BEYOND = Number.MAX_SAFE_INTEGER;

/**
 * One decoder, whose pictures are known by their place in the order in which they are shown. The binary's own timestamps are
 * not: of streams with B-frames it gives them in the order of decoding to pictures in the order of showing.
 */
export class FrameLane {
  readonly #webcodecs: Webcodecs;
  readonly #decoder: VideoDecoder;
  /** Places of the pictures that are in the decoder, ascending. */
  readonly #expected: number[] = [];
  readonly #ready = new Map<number, VideoFrame>();
  readonly #watch: CodecWatch;
  #isFlushed = false;
  /** The place of the picture that came out last. */
  last = -1;

  /** @throws SceneError asset_type_unsupported */
  constructor(webcodecs: Webcodecs, config: VideoDecoderConfig, name: string) {
    this.#webcodecs = webcodecs;
    this.#watch = new CodecWatch(
      (reason, cause) =>
        new SceneError('asset_decode_failed', `The video cannot be decoded: ${reason}`, { imageName: name, cause }),
    );
    this.#decoder = new webcodecs.VideoDecoder({
      output: (frame) => this.#take(frame),
      error: this.#watch.fail,
    });
    this.#decoder.ondequeue = this.#watch.wake;
    this.#watch.call(() => this.#decoder.configure(config));
    if (this.#decoder.state !== 'configured') {
      this.close();
      const text = `The video's codec ${config.codec} cannot be decoded; convert it to H.264 in MP4, or VP9 in WebM`;
      throw new SceneError('asset_type_unsupported', text, { imageName: name, cause: this.#watch.failure });
    }
  }

  /** @param place of the picture in it; null where none is shown */
  async feed(chunk: EncodedVideoChunkInit, place: number | null): Promise<void> {
    if (place !== null) {
      const at = this.#expected.findLastIndex((other) => other < place);
      this.#expected.splice(at + 1, 0, place);
    }
    this.#watch.call(() => this.#decoder.decode(new this.#webcodecs.EncodedVideoChunk(chunk)));
    await this.#watch.until(() => this.#decoder.decodeQueueSize <= MOST_QUEUED);
  }

  /** Brings out what is still inside; nothing can be fed afterwards. */
  async flush(): Promise<void> {
    if (this.#isFlushed) return;
    this.#isFlushed = true;
    await this.#watch.finish(() => this.#decoder.flush());
  }

  /** The picture at this place, if it came out; those before it are given up. The receiver closes it. */
  take(place: number): VideoFrame | undefined {
    for (const [other, frame] of this.#ready) {
      if (other >= place) continue;
      frame.close();
      this.#ready.delete(other);
    }
    const frame = this.#ready.get(place);
    this.#ready.delete(place);
    return frame;
  }

  close(): void {
    this.#watch.close();
    for (const frame of this.#ready.values()) frame.close();
    this.#ready.clear();
    if (this.#decoder.state !== 'closed') this.#decoder.close();
  }

  #take(frame: VideoFrame): void {
    const place = this.#expected.shift();
    if (place !== undefined) this.last = place;
    if (place === undefined || place === BEYOND) frame.close();
    else this.#ready.set(place, frame);
    this.#watch.wake();
  }
}
