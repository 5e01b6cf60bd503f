import type { SceneSound } from '../../template/scene.ts';
import { TRANSFORM_DEFAULTS } from '../../wire/defaults.ts';
import type { OpenSound } from './open-sound.ts';
import { MIX_RATE, type Stereo } from './resampler.ts';

/** A repeated part up to so many samples is kept instead of being decoded again: 30 s. */
const MOST_KEPT = 30 * MIX_RATE;

/** One sound of a video on its way into the mix: trimmed, repeated, with its volume and fades. Times in samples at 48 kHz. */
export class SoundVoice {
  readonly #source: OpenSound;
  readonly #trimSeconds: number;
  readonly #isLooped: boolean;
  readonly #volume: number;
  readonly #fadeIn: number;
  readonly #fadeOut: number;
  /** Audible range in samples of the video. */
  readonly #from: number;
  readonly #to: number;
  #samples: AsyncGenerator<Stereo>;
  #block: Stereo | undefined;
  #blockAt = 0;
  /** The part that is repeated, as far as it is known and short enough. */
  #kept: Stereo[] = [];
  #keptSamples = 0;
  #isOver = false;

  /** @param total samples of the video */
  constructor(source: OpenSound, { transform, startSeconds, endSeconds }: SceneSound, total: number) {
    const { trim_start_time, volume, fade_in, fade_out, loop } = { ...TRANSFORM_DEFAULTS.audio, ...transform };
    this.#source = source;
    this.#trimSeconds = trim_start_time;
    this.#isLooped = loop;
    this.#volume = volume;
    this.#fadeIn = fade_in * MIX_RATE;
    this.#fadeOut = fade_out * MIX_RATE;
    this.#from = Math.max(0, Math.round(startSeconds * MIX_RATE));
    const wanted = Math.min(total, Math.round(endSeconds * MIX_RATE));
    const length = Math.round((source.durationSeconds - trim_start_time) * MIX_RATE);
    this.#to = loop ? wanted : Math.min(wanted, this.#from + Math.max(0, length));
    this.#samples = source.samples(trim_start_time);
  }

  /** Adds what of it is heard from sample `at` of the video on. To be called in order, without gaps. */
  async addTo(mix: Stereo, at: number): Promise<void> {
    const end = Math.min(this.#to, at + mix.left.length);
    for (let position = Math.max(this.#from, at); position < end && !this.#isOver; ) {
      const block = await this.#next();
      if (block === undefined) {
        this.#isOver = true;
        break;
      }
      const count = Math.min(end - position, block.left.length - this.#blockAt);
      for (let index = 0; index < count; index++) {
        const gain = this.#gainAt(position + index);
        mix.left[position - at + index]! += block.left[this.#blockAt + index]! * gain;
        mix.right[position - at + index]! += block.right[this.#blockAt + index]! * gain;
      }
      position += count;
      this.#blockAt += count;
    }
  }

  async close(): Promise<void> {
    await this.#samples.return(undefined);
    this.#source.close();
  }

  #gainAt(position: number): number {
    const rise = this.#fadeIn > 0 ? Math.min(1, (position - this.#from) / this.#fadeIn) : 1;
    const fall = this.#fadeOut > 0 ? Math.min(1, (this.#to - position) / this.#fadeOut) : 1;
    return this.#volume * rise * fall;
  }

  /** The block with the next samples; undefined behind the last one. */
  async #next(): Promise<Stereo | undefined> {
    while (this.#block === undefined || this.#blockAt >= this.#block.left.length) {
      const { value, done } = await this.#samples.next();
      if (done === true) {
        if (!this.#isLooped || this.#keptSamples === 0) return undefined;
        this.#samples = this.#again();
        continue;
      }
      this.#block = value;
      this.#blockAt = 0;
      if (this.#isLooped) this.#keep(value);
    }
    return this.#block;
  }

  #keep(block: Stereo): void {
    this.#keptSamples += block.left.length;
    if (this.#keptSamples <= MOST_KEPT) this.#kept.push(block);
    else this.#kept = [];
  }

  #again(): AsyncGenerator<Stereo> {
    const kept = this.#kept;
    if (this.#keptSamples > MOST_KEPT) return this.#source.samples(this.#trimSeconds);
    [this.#kept, this.#keptSamples] = [[], 0];
    return (async function* () {
      yield* kept;
    })();
  }
}
