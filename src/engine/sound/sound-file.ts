import { TemporaryFile } from '../../kernel/temporary-file.ts';
import { type Stereo, silence } from '../codec/resampler.ts';
import { LoudnessMeter } from './loudness-meter.ts';

/** Samples that are read at once. */
const BLOCK = 8192;
/** Two channels of 32-bit floats, the left of a block before the right. */
const BLOCK_BYTES = BLOCK * 8;
/** Blocks that are written at once. */
const BLOCKS_AT_ONCE = 8;

/** A sound that is not compressed, measured and in a temporary file, so that memory does not grow with its length. The caller closes it. */
export class SoundFile {
  readonly #file = TemporaryFile.create();
  readonly #meter = new LoudnessMeter();
  /** Blocks that are not in the file yet, the last of them incomplete. */
  readonly #filled = new Float32Array((BLOCKS_AT_ONCE * BLOCK_BYTES) / 4);
  #count = 0;
  #total = 0;

  /** Loudness of the whole sound in LUFS; -Infinity for silence. */
  get integrated(): number {
    return this.#meter.result().integrated;
  }

  async append({ left, right }: Stereo): Promise<void> {
    this.#meter.add([left, right]);
    this.#total += left.length;
    for (let from = 0; from < left.length; ) {
      const inBlock = this.#count % BLOCK;
      const end = Math.min(left.length, from + BLOCK - inBlock);
      const at = 2 * this.#count - inBlock;
      this.#filled.set(left.subarray(from, end), at);
      this.#filled.set(right.subarray(from, end), at + BLOCK);
      this.#count += end - from;
      from = end;
      if (this.#count === BLOCKS_AT_ONCE * BLOCK) await this.#write();
    }
  }

  /**
   * Reads the sound in blocks. A block is overwritten when the next is requested, and nothing can be appended afterwards.
   *
   * @param gain factor of every sample
   */
  async *blocks(gain: number): AsyncGenerator<Stereo> {
    await this.#write();
    const block = silence(BLOCK);
    for (let at = 0; at < this.#total; at += BLOCK) {
      const start = (at / BLOCK) * BLOCK_BYTES;
      const bytes = await this.#file.bytes({ start, end: start + BLOCK_BYTES });
      const samples = new Float32Array(bytes.buffer, bytes.byteOffset, 2 * BLOCK);
      const count = Math.min(BLOCK, this.#total - at);
      const left = block.left.subarray(0, count);
      const right = block.right.subarray(0, count);
      for (let index = 0; index < count; index++) {
        left[index] = samples[index]! * gain;
        right[index] = samples[BLOCK + index]! * gain;
      }
      yield { left, right };
    }
  }

  close(): void {
    this.#file.close();
  }

  /** Writes the blocks, the last one padded. */
  async #write(): Promise<void> {
    const blocks = Math.ceil(this.#count / BLOCK);
    this.#count = 0;
    await this.#file.append(new Uint8Array(this.#filled.buffer, 0, blocks * BLOCK_BYTES));
  }
}
