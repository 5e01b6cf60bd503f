/** Of a whole file: six hours at 180 pictures a second, or of sound in packets. */
export const MOST_SAMPLES = 4_000_000;
/** Of uncompressed sound each value counts as a sample: six hours at 192 kHz. */
const MOST_PCM_SAMPLES = 4_200_000_000;
/** What the reader may keep of all tables: five hours of 60 pictures a second, out of order, with sound. */
export const MOST_MEMORY_BYTES = 280_000_000;

/** Bytes that the reader (mediabunny 1.61.0) takes for each entry, measured. */
const MEMORY_BYTES: Readonly<Record<string, number>> = {
  ...{ stts: 150, ctts: 80, stsc: 90, stsz: 27, stz2: 27, stco: 25, co64: 25, stss: 25, keys: 200, trun: 250 },
};
/** And for each sample of a track that has them in another order than they are shown in. */
const SHIFTED_BYTES = 110;
/** And for each chunk of uncompressed sound, which it makes one sample of. */
const PCM_CHUNK_BYTES = 160;

const PCM = new Set([
  ...['sowt', 'twos', 'lpcm', 'raw ', 'in24', 'in32', 'fl32', 'fl64', 'ipcm', 'fpcm', 'alaw', 'ulaw', 'NONE'],
]);

/** What the tables of one track say. */
interface Track {
  isPcm: boolean;
  isShifted: boolean;
  samples: number;
  chunks: number;
  lastChunk: number;
}

function newTrack(): Track {
  return { isPcm: false, isShifted: false, samples: 0, chunks: 0, lastChunk: 0 };
}

/**
 * Counts what the tables of samples of an MP4 or MOV come to, without a copy of any: entries, the samples that they name,
 * and the memory that their reader will take for them.
 *
 * @see ISO/IEC 14496-12, 8.6 (stts, ctts), 8.7 (stsz, stsc, stco, co64), 8.8.8 (trun)
 */
export class SampleTables {
  readonly #fail: (problem: string) => never;
  #track = newTrack();
  #samples = 0;
  #memoryBytes = 0;
  #fragmentBytes = 0;

  constructor(fail: (problem: string) => never) {
    this.#fail = fail;
  }

  beginTrack(): void {
    this.#track = newTrack();
  }

  endTrack(): void {
    const { isPcm, isShifted, samples, chunks, lastChunk } = this.#track;
    if (samples > (isPcm && !isShifted ? MOST_PCM_SAMPLES : MOST_SAMPLES)) this.#fail('it names too many samples');
    if (lastChunk > chunks + 1) this.#fail('its samples lie in chunks that it does not have');
    if (!isPcm) this.#name(samples);
    if (isShifted) this.#take(samples * SHIFTED_BYTES);
    if (isPcm) this.#take(chunks * PCM_CHUNK_BYTES);
  }

  /** Of the fragments the reader keeps one at a time. */
  beginFragment(): void {
    this.#fragmentBytes = 0;
  }

  /** @throws RangeError where a table has fewer bytes than it says */
  read(type: string, body: Buffer): void {
    switch (type) {
      case 'stsd':
        this.#track.isPcm = isAllPcm(body);
        break;
      case 'stts':
        this.#track.samples += sumOf(body, this.#entries(type, body, 8));
        break;
      case 'ctts': {
        const count = this.#entries(type, body, 8);
        this.#track.isShifted ||= count > 0;
        // The reader goes through all that they name, also beyond the samples that there are.
        if (sumOf(body, count) > MOST_SAMPLES) this.#fail('it names too many samples');
        break;
      }
      case 'stsc':
        this.#readChunkRuns(body, this.#entries(type, body, 12));
        break;
      case 'stco':
        this.#track.chunks += this.#entries(type, body, 4);
        break;
      case 'co64':
        this.#track.chunks += this.#entries(type, body, 8);
        break;
      case 'stss':
        this.#entries(type, body, 4);
        break;
      case 'stsz':
        // One size for all takes no table.
        if (body.readUInt32BE(4) === 0) this.#entries(type, body, 4, 8);
        break;
      case 'stz2':
        this.#entries(type, body, body.readUInt8(7) / 8, 8);
        break;
      case 'keys':
        this.#entries(type, body, 8);
        break;
      case 'trun':
        this.#readRun(body);
    }
  }

  /** @returns the number of entries of a table, all of which are there */
  #entries(type: string, body: Buffer, entryBytes: number, countAt = 4): number {
    const count = body.readUInt32BE(countAt);
    if (count * entryBytes > body.length - countAt - 4) throw new RangeError(`${type} ends early`);
    this.#take(count * MEMORY_BYTES[type]!);
    return count;
  }

  /** Each run of chunks begins behind the one before: the reader goes through the chunks between them. */
  #readChunkRuns(body: Buffer, count: number): void {
    let last = 0;
    for (let at = 8; at < 8 + count * 12; at += 12) {
      const first = body.readUInt32BE(at);
      if (first < last) this.#fail('its chunks are in no order');
      last = first;
    }
    this.#track.lastChunk = Math.max(this.#track.lastChunk, last);
  }

  /** @throws RangeError where the fields of a run's samples are not all there */
  #readRun(body: Buffer): void {
    const flags = body.readUIntBE(1, 3);
    const count = body.readUInt32BE(4);
    const fields = [0x100, 0x200, 0x400, 0x800].filter((flag) => (flags & flag) !== 0).length;
    if (count * fields * 4 > body.length) throw new RangeError('trun ends early');
    this.#name(count);
    this.#fragmentBytes += count * MEMORY_BYTES.trun!;
    if (this.#memoryBytes + this.#fragmentBytes > MOST_MEMORY_BYTES) this.#fail('it names too many samples');
  }

  #name(samples: number): void {
    this.#samples += samples;
    if (this.#samples > MOST_SAMPLES) this.#fail('it names too many samples');
  }

  #take(bytes: number): void {
    this.#memoryBytes += bytes;
    if (this.#memoryBytes > MOST_MEMORY_BYTES) this.#fail('its tables are too large');
  }
}

/** The numbers of samples of a table whose entries have two fields each. */
function sumOf(body: Buffer, count: number): number {
  let sum = 0;
  for (let at = 8; at < 8 + count * 8; at += 8) sum += body.readUInt32BE(at);
  return sum;
}

/** Whether every description of samples is one of uncompressed sound; the reader goes by the last. */
function isAllPcm(body: Buffer): boolean {
  let at = 8;
  for (; at + 8 <= body.length; at += Math.max(8, body.readUInt32BE(at))) {
    if (!PCM.has(body.toString('latin1', at + 4, at + 8))) return false;
  }
  return at > 8;
}
