/** A coded picture, or a packet of sound. Times are in seconds. */
export interface Sample {
  readonly bytes: Uint8Array;
  /** Time of its presentation. */
  readonly time: number;
  readonly duration: number;
  /** Decoding can start here. */
  readonly isKey: boolean;
}

type TimedSize = Pick<Sample, 'time' | 'duration'> & { readonly size: number };

/** A chunk that lasts this many seconds is complete. */
const CHUNK_SECONDS = 0.5;
/** Seconds over which the peak bit rate is measured. */
const RATE_SECONDS = 1;

/**
 * The tables of a track in an MP4 or MOV file, in a few bytes of memory for each sample. Samples are in decoding order.
 *
 * @see ISO/IEC 14496-12, 8.6 and 8.7
 */
export class SampleTable {
  readonly #timescale: number;
  readonly #unitBytes: number | null;
  readonly #sizes = new NumberList();
  /** Numbers of key frames, from 1. */
  readonly #keys = new NumberList();
  readonly #durations = new RunLengths();
  readonly #displayDelays = new RunLengths();
  readonly #chunkOffsets = new NumberList();
  readonly #chunkUnits = new RunLengths();
  #chunk = { units: 0, start: Number.POSITIVE_INFINITY };
  /** Samples since the last key frame, whose order of presentation is not known yet. */
  #group: TimedSize[] = [];
  /** Samples of the last second, with their decoding times. */
  #window: TimedSize[] = [];
  #bytes = { total: 0, inWindow: 0, peak: 0 };
  /** Seconds of presentation. */
  #shown = { start: Number.POSITIVE_INFINITY, end: Number.NEGATIVE_INFINITY };
  #last = { decodedAt: 0, duration: 0 };

  /**
   * @param timescale units of time per second
   * @param unitBytes bytes of all channels at a time in uncompressed sound, of which each is listed as a sample; null for other media
   */
  constructor(timescale: number, unitBytes: number | null) {
    this.#timescale = timescale;
    this.#unitBytes = unitBytes;
  }

  /** Returns whether the current chunk is complete before a sample. Call it once for each sample, before `add`. */
  endsChunk(time: number): boolean {
    this.#chunk.start = Math.min(this.#chunk.start, time);
    return time - this.#chunk.start >= CHUNK_SECONDS;
  }

  /** Adds a sample to the current chunk. */
  add({ bytes: { length: size }, time, duration, isKey }: Sample): void {
    if (isKey) {
      this.#decodeGroup();
      this.#keys.push(this.#sizes.length + 1);
    }
    this.#chunk.start = Math.min(this.#chunk.start, time);
    this.#chunk.units += this.#unitBytes === null ? 1 : size / this.#unitBytes;
    this.#bytes.total += size;
    this.#sizes.push(size);
    this.#group.push({ time, duration, size });
  }

  /** Ends the current chunk. @param offset from the first chunk of all tracks, in bytes */
  endChunk(offset: number): void {
    this.#chunkOffsets.push(offset);
    this.#chunkUnits.add(this.#chunk.units);
    this.#chunk = { units: 0, start: Number.POSITIVE_INFINITY };
  }

  /** Ends the track after its last chunk. */
  finish(): void {
    this.#decodeGroup();
    this.#durations.add(this.#last.duration);
  }

  /** Time of the first sample; negative for a sound that its encoder delays. */
  get startSeconds(): number {
    return this.#shown.start;
  }

  get spanSeconds(): number {
    return this.#shown.end - this.#shown.start;
  }

  /** Bits per second. */
  get averageRate(): number {
    return Math.round((8 * this.#bytes.total) / this.spanSeconds);
  }

  /** Bits of the second that has most of them. */
  get peakRate(): number {
    return 8 * this.#bytes.peak;
  }

  /**
   * Returns the boxes of the tables.
   *
   * @param mediaAt offset of the first chunk of all tracks in the file
   * @param isLarge whether offsets need 64 bits
   */
  boxes(mediaAt: number, isLarge: boolean): Buffer[] {
    const chunks = tableBox('stsc', {
      rowCount: this.#chunkUnits.length,
      rowFields: 3,
      rows: chunkRuns(this.#chunkUnits),
    });
    const offsets = offsetBox(this.#chunkOffsets, mediaAt, isLarge);
    if (this.#unitBytes !== null) {
      const count = this.#bytes.total / this.#unitBytes;
      const sizes = tableBox('stsz', { fields: [this.#unitBytes], rowCount: count });
      return [tableBox('stts', { rowCount: 1, rowFields: 2, rows: [count, 1] }), chunks, sizes, offsets];
    }
    const isAllKeys = this.#keys.length === this.#sizes.length;
    return [
      tableBox('stts', { rowCount: this.#durations.length, rowFields: 2, rows: pairsOf(this.#durations) }),
      ...this.#delayBoxes(),
      chunks,
      // They have no common size.
      tableBox('stsz', { fields: [0], rowCount: this.#sizes.length, rowFields: 1, rows: this.#sizes }),
      offsets,
      ...(isAllKeys ? [] : [tableBox('stss', { rowCount: this.#keys.length, rowFields: 1, rows: this.#keys })]),
    ];
  }

  /** Returns the boxes about samples that are shown later than they are decoded; none if there are no such samples. */
  #delayBoxes(): Buffer[] {
    let [least, greatest] = [0, 0];
    for (const { value } of this.#displayDelays) {
      least = Math.min(least, value);
      greatest = Math.max(greatest, value);
    }
    if (least === 0 && greatest === 0) return [];
    const rows = { rowCount: this.#displayDelays.length, rowFields: 2, rows: pairsOf(this.#displayDelays) };
    const delays = tableBox('ctts', { version: 1, ...rows });
    const end = this.#unitsOf(this.spanSeconds);
    // Version 1 has fields for more, but QuickTime does not read it.
    return end >= 2 ** 31 ? [delays] : [delays, fullBox('cslg', 0, [-least, least, greatest, 0, end])];
  }

  /** Gives the samples of a group their decoding times: those of their presentation, sorted. */
  #decodeGroup(): void {
    const decodedAt = this.#group.map(({ time }) => time).sort((a, b) => a - b);
    for (const [at, { time, duration, size }] of this.#group.entries()) {
      const decoded = decodedAt[at]!;
      const units = this.#unitsOf(decoded);
      if (Number.isFinite(this.#shown.start)) this.#durations.add(units - this.#last.decodedAt);
      this.#last = { decodedAt: units, duration: this.#unitsOf(duration) };
      this.#displayDelays.add(this.#unitsOf(time - decoded));
      this.#shown = { start: Math.min(this.#shown.start, time), end: Math.max(this.#shown.end, time + duration) };
      this.#measure({ time: decoded, duration, size });
    }
    this.#group = [];
  }

  #measure(sample: TimedSize): void {
    const bytes = this.#bytes;
    bytes.inWindow += sample.size;
    this.#window.push(sample);
    while (sample.time - this.#window[0]!.time >= RATE_SECONDS) bytes.inWindow -= this.#window.shift()!.size;
    bytes.peak = Math.max(bytes.peak, bytes.inWindow);
  }

  #unitsOf(seconds: number): number {
    return Math.round(seconds * this.#timescale);
  }
}

/** Numbers in a growing typed array, which takes a fraction of the memory of an array of objects. */
class NumberList implements Iterable<number> {
  #values = new Float64Array(64);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const grown = new Float64Array(2 * this.#length);
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[this.#length++] = value;
  }

  [Symbol.iterator](): IterableIterator<number> {
    return this.#values.subarray(0, this.#length).values();
  }
}

interface Run {
  readonly count: number;
  readonly value: number;
}

/** Numbers of which consecutive ones are often equal, as runs. */
class RunLengths implements Iterable<Run> {
  readonly #counts = new NumberList();
  readonly #values = new NumberList();
  #run: Run | null = null;

  get length(): number {
    return this.#counts.length + (this.#run === null ? 0 : 1);
  }

  add(value: number): void {
    if (this.#run?.value === value) {
      this.#run = { count: this.#run.count + 1, value };
      return;
    }
    if (this.#run !== null) {
      this.#counts.push(this.#run.count);
      this.#values.push(this.#run.value);
    }
    this.#run = { count: 1, value };
  }

  *[Symbol.iterator](): IterableIterator<Run> {
    const values = this.#values[Symbol.iterator]();
    for (const count of this.#counts) yield { count, value: values.next().value! };
    if (this.#run !== null) yield this.#run;
  }
}

function* pairsOf(runs: Iterable<Run>): Generator<number> {
  for (const { count, value } of runs) yield* [count, value];
}

/** Yields the first chunk of each run, from 1, the samples in each of its chunks, and the number of their description. */
function* chunkRuns(runs: RunLengths): Generator<number> {
  let first = 1;
  for (const { count, value } of runs) {
    yield* [first, value, 1];
    first += count;
  }
}

function offsetBox(offsets: NumberList, mediaAt: number, isLarge: boolean): Buffer {
  function* places(): Generator<number> {
    for (const offset of offsets) {
      if (isLarge) yield Math.floor((mediaAt + offset) / 2 ** 32);
      yield mediaAt + offset;
    }
  }
  const rowFields = isLarge ? 2 : 1;
  return tableBox(isLarge ? 'co64' : 'stco', { rowCount: offsets.length, rowFields, rows: places() });
}

interface Table {
  readonly version?: number;
  /** Fields before the number of rows. */
  readonly fields?: readonly number[];
  readonly rowCount: number;
  /** Number of fields of a row. */
  readonly rowFields?: number;
  /** Fields of all rows. */
  readonly rows?: Iterable<number>;
}

function tableBox(type: string, { version = 0, fields = [], rowCount, rowFields = 0, rows = [] }: Table): Buffer {
  const box = fullBox(type, version, [...fields, rowCount], rowFields * rowCount);
  let at = box.length - 4 * rowFields * rowCount;
  for (const field of rows) at = box.writeInt32BE(field | 0, at);
  return box;
}

/**
 * Returns a box with a version.
 *
 * @param fields of 32 bits each
 * @param more number of further fields, which are zero
 */
function fullBox(type: string, version: number, fields: readonly number[], more = 0): Buffer {
  const box = Buffer.alloc(12 + 4 * (fields.length + more));
  box.writeUInt32BE(box.length, 0);
  box.write(type, 4, 'latin1');
  box.writeUInt8(version, 8);
  let at = 12;
  for (const field of fields) at = box.writeInt32BE(field | 0, at);
  return box;
}
