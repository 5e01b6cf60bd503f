import { TRANSFORM_DEFAULTS } from '../../contract/wire/defaults.ts';
import type { InputSound } from '../../template/render-input.ts';
import { MIX_RATE, type Stereo } from '../codec/resampler.ts';
import { MAX_LEVEL_GAIN } from '../lint-finding.ts';
import { CutFades } from '../sound/cut-fades.ts';
import { fromDecibels } from '../sound/decibels.ts';
import type { DuckingCurve, SpeechSpan } from '../sound/ducking.ts';
import { VoiceMeter } from '../sound/speech-spans.ts';
import type { OpenSound } from './open-sound.ts';

/** Loops of up to this many samples (30 s) are kept in memory instead of being decoded again. */
const MAX_KEPT_SAMPLES = 30 * MIX_RATE;

/** Returns the sounds under which others are lowered, whether they are heard or not. */
export function speakingSounds(sounds: readonly InputSound[]): ReadonlySet<InputSound> {
  return new Set(sounds.flatMap(({ duckedBy = [] }) => duckedBy.map((index) => sounds[index]!)));
}

/** A sound of the mix, trimmed and repeated, with its gain and fades. Times are in samples at 48 kHz. */
export class SoundVoice {
  readonly #source: OpenSound;
  readonly #trimSeconds: number;
  readonly #isLooped: boolean;
  /** LUFS of the sound before ducking; undefined to keep its volume. */
  readonly #level: number | undefined;
  readonly #speech: InputSound['speech'];
  readonly #fadeIn: number;
  readonly #fadeOut: number;
  /** End and length of the fade before `endSeconds`. */
  readonly #endFade: { readonly to: number; readonly length: number };
  /** Audible range in samples of the video. */
  readonly #from: number;
  readonly #to: number;
  /** Samples of the trimmed source. */
  readonly #length: number;
  #gain: number;
  #missedLoudness: number | undefined;
  #ducking: DuckingCurve | undefined;
  #samples: AsyncGenerator<Stereo>;
  #block: Stereo | undefined;
  #blockAt = 0;
  /** Blocks of a loop that was decoded once; undefined before that, and if the loop is too long. */
  #kept: readonly Stereo[] | undefined;
  /** Samples of the current repetition. */
  #repeated = 0;
  readonly #cuts: CutFades | undefined;
  #isOver = false;

  /** @param total samples of the video */
  constructor(source: OpenSound, sound: InputSound, total: number) {
    const { transform, startSeconds, endSeconds, endFadeSeconds = 0, speech } = sound;
    const { trim_start_time, volume, level, fade_in, fade_out, loop } = { ...TRANSFORM_DEFAULTS.audio, ...transform };
    this.#source = source;
    this.#trimSeconds = trim_start_time;
    this.#isLooped = loop;
    this.#gain = volume;
    this.#level = level;
    this.#speech = speech;
    this.#fadeIn = fade_in * MIX_RATE;
    this.#fadeOut = fade_out * MIX_RATE;
    this.#from = Math.max(0, Math.round(startSeconds * MIX_RATE));
    this.#endFade = { to: Math.round(endSeconds * MIX_RATE), length: endFadeSeconds * MIX_RATE };
    const requestedEnd = Math.min(total, Math.round(endSeconds * MIX_RATE));
    this.#length = Math.max(0, Math.round((source.durationSeconds - trim_start_time) * MIX_RATE));
    this.#to = loop ? requestedEnd : Math.min(requestedEnd, this.#from + this.#length);
    this.#cuts = sound.fadesCuts && new CutFades({ startsInside: trim_start_time > 0, isLooped: loop });
    this.#samples = this.#repetition();
  }

  /**
   * Reads the sound once, as far as it is heard, and sets its gain to its level.
   *
   * @returns where it is speech, in samples of the video: by its words, if they are known, else by its level
   */
  async measure(): Promise<SpeechSpan[]> {
    const meter = new VoiceMeter();
    let missing = Math.max(0, this.#to - this.#from);
    for await (const { left, right } of this.#source.samples(this.#trimSeconds)) {
      meter.add(left.subarray(0, missing), right.subarray(0, missing));
      missing -= left.length;
      if (missing <= 0) break;
    }
    const { loudness, spans } = meter.result();
    if (this.#level !== undefined && Number.isFinite(loudness)) {
      const gain = this.#level - loudness;
      this.#gain = fromDecibels(Math.min(MAX_LEVEL_GAIN, gain));
      if (gain > MAX_LEVEL_GAIN) this.#missedLoudness = loudness;
    }
    return this.#placed(this.#speech === undefined ? spans : this.#speech.map((span) => this.#spanOf(span)));
  }

  /** Loudness in LUFS, if it is too low for the level; only after `measure`. */
  get missedLoudness(): number | undefined {
    return this.#missedLoudness;
  }

  /** Samples of the video in which the sound is heard, half-open. */
  get range(): SpeechSpan {
    return { from: this.#from, to: Math.max(this.#from, this.#to) };
  }

  /** Factor of its volume or level, without fades and ducking. */
  get gain(): number {
    return this.#gain;
  }

  /** Lowers the sound under speech. */
  duck(curve: DuckingCurve): void {
    this.#ducking = curve;
  }

  /** Adds the sound to a block that starts at sample `at` of the video. Call it in order, without gaps. */
  async addTo(mix: Stereo, at: number): Promise<void> {
    const end = Math.min(this.#to, at + mix.left.length);
    for (let position = Math.max(this.#from, at); position < end && !this.#isOver; ) {
      const block = await this.#next();
      if (block === undefined) {
        this.#isOver = true;
        break;
      }
      const count = Math.min(end - position, block.left.length - this.#blockAt);
      this.#add(mix, position - at, block, position, count);
      position += count;
      this.#blockAt += count;
    }
  }

  /** Adds samples of a block, from `#blockAt` on. @param position of the first in the video */
  #add({ left, right }: Stereo, into: number, block: Stereo, position: number, count: number): void {
    const [fromLeft, fromRight, from] = [block.left, block.right, this.#blockAt];
    if (this.#isSteady(position, position + count)) {
      const gain = this.gainAt(position);
      for (let index = 0; index < count; index++) {
        left[into + index]! += fromLeft[from + index]! * gain;
        right[into + index]! += fromRight[from + index]! * gain;
      }
      return;
    }
    for (let index = 0; index < count; index++) {
      const gain = this.gainAt(position + index);
      left[into + index]! += fromLeft[from + index]! * gain;
      right[into + index]! += fromRight[from + index]! * gain;
    }
  }

  async close(): Promise<void> {
    await this.#samples.return(undefined);
    this.#source.close();
  }

  /** Converts times of the source to samples of the trimmed source. */
  #spanOf([from, to]: readonly [number, number]): SpeechSpan {
    const sampleAt = (seconds: number): number => Math.max(0, Math.round((seconds - this.#trimSeconds) * MIX_RATE));
    return { from: sampleAt(from), to: sampleAt(to) };
  }

  /** Places spans of the trimmed source in the video, once for each repetition, as far as they are heard. */
  #placed(spans: readonly SpeechSpan[]): SpeechSpan[] {
    const placed: SpeechSpan[] = [];
    const isRepeated = this.#isLooped && this.#length > 0;
    for (let start = this.#from; start < this.#to; start += this.#length) {
      for (const { from, to } of spans) {
        const span = { from: start + from, to: Math.min(this.#to, start + to) };
        if (span.from < span.to) placed.push(span);
      }
      if (!isRepeated) break;
    }
    return placed;
  }

  /** Returns whether the gain is the same for a range of samples: no fade touches it, and no change of the ducking. */
  #isSteady(from: number, to: number): boolean {
    const { to: end, length } = this.#endFade;
    return (
      from - this.#from >= this.#fadeIn &&
      this.#to - to >= this.#fadeOut &&
      (length === 0 || end - to >= length) &&
      (this.#ducking === undefined || this.#ducking.isSteady(from, to))
    );
  }

  /** Returns the factor at a sample of the video, with fades and ducking. Call it with positions that do not decrease. */
  gainAt(position: number): number {
    const rise = this.#fadeIn > 0 ? Math.min(1, (position - this.#from) / this.#fadeIn) : 1;
    const fall = this.#fadeOut > 0 ? Math.min(1, (this.#to - position) / this.#fadeOut) : 1;
    const { to, length } = this.#endFade;
    const end = length > 0 ? Math.min(1, (to - position) / length) : 1;
    const gain = this.#gain * rise * fall * end;
    return this.#ducking === undefined ? gain : gain * this.#ducking.gainAt(position);
  }

  /** Returns the block with the next samples; undefined at the end. */
  async #next(): Promise<Stereo | undefined> {
    while (this.#block === undefined || this.#blockAt >= this.#block.left.length) {
      const { value, done } = await this.#samples.next();
      if (done === true) {
        if (!this.#isLooped || this.#repeated === 0) return undefined;
        this.#repeated = 0;
        this.#samples = this.#repetition();
        continue;
      }
      this.#block = value;
      this.#blockAt = 0;
      this.#repeated += value.left.length;
    }
    return this.#block;
  }

  /** Yields the sound once, with the fades of its cuts. */
  #repetition(): AsyncGenerator<Stereo> {
    const blocks = this.#read();
    return this.#cuts?.repetition(blocks) ?? blocks;
  }

  async *#read(): AsyncGenerator<Stereo> {
    if (this.#kept !== undefined) {
      yield* this.#kept;
      return;
    }
    let kept: Stereo[] | undefined = this.#isLooped ? [] : undefined;
    let count = 0;
    for await (const block of this.#source.samples(this.#trimSeconds)) {
      count += block.left.length;
      if (count > MAX_KEPT_SAMPLES) kept = undefined;
      kept?.push({ left: block.left.slice(), right: block.right.slice() });
      yield block;
    }
    this.#kept = kept;
  }
}
