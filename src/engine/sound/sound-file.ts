import { TemporaryFile } from '../../kernel/temporary-file.ts';
import { type Stereo, silence } from '../codec/resampler.ts';
import { LoudnessMeter } from './loudness-meter.ts';

/** Two channels of 32-bit floats. */
const SAMPLE_BYTES = 8;
/** Samples that are read at once. */
const BLOCK = 8192;

/** A sound that is not compressed, measured and in a temporary file, so that memory does not grow with its length. The caller closes it. */
export class SoundFile {
  readonly #file = TemporaryFile.create();
  readonly #meter = new LoudnessMeter();

  /** Loudness of the whole sound in LUFS; -Infinity for silence. */
  get integrated(): number {
    return this.#meter.result().integrated;
  }

  async append({ left, right }: Stereo): Promise<void> {
    this.#meter.add([left, right]);
    const samples = new Float32Array(left.length * 2);
    for (let at = 0; at < left.length; at++) {
      samples[2 * at] = left[at]!;
      samples[2 * at + 1] = right[at]!;
    }
    await this.#file.append(new Uint8Array(samples.buffer));
  }

  /** Reads the sound in blocks. @param gain factor of every sample */
  async *blocks(gain: number): AsyncGenerator<Stereo> {
    const step = BLOCK * SAMPLE_BYTES;
    for (let start = 0; start < this.#file.size; start += step) {
      const bytes = await this.#file.bytes({ start, end: Math.min(this.#file.size, start + step) });
      const samples = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
      const block = silence(samples.length / 2);
      for (let at = 0; at < block.left.length; at++) {
        block.left[at] = samples[2 * at]! * gain;
        block.right[at] = samples[2 * at + 1]! * gain;
      }
      yield block;
    }
  }

  close(): void {
    this.#file.close();
  }
}
