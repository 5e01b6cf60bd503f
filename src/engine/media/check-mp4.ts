import { type ByteView, viewed } from '../../kernel/byte-view.ts';
import type { SourceBytes } from '../../kernel/source-file.ts';
import { boxSize } from '../images/image-header.ts';

export const MAX_BOXES = 1_000_000;
const MAX_DEPTH = 16;
/** Limit for the index; six hours of pictures and sound need a quarter of it. */
export const MAX_INDEX_BYTES = 64_000_000;
/** Size limit of a sample description; real files have a few hundred bytes. */
const MAX_DESCRIPTION_BYTES = 1_000_000;
export const MAX_TRACKS = 100;
/** Limit for fragments: six hours of half a second each. */
export const MAX_FRAGMENTS = 50_000;

/** Boxes whose children the reader (mediabunny 1.61.0) reads, at any level. */
const CONTAINERS = new Set([
  ...['moov', 'trak', 'mdia', 'minf', 'dinf', 'stbl', 'edts', 'udta', 'meta'],
  ...['mvex', 'moof', 'traf', 'mfra', 'sinf', 'schi', 'wave'],
]);
/** Containers in which many programs leave bytes that are not boxes. The reader stops at these bytes too. */
const LOOSE = new Set(['udta', 'meta']);
/** Boxes that cost the reader time. They are forbidden in sample descriptions, where the walk would not find them. */
const FORBIDDEN_IN_DESCRIPTION = ['trak', 'stbl', 'moof', 'traf', 'trun', 'tfra', 'stts', 'ctts', 'stsz', 'stz2'];

/** The message describes the problem. */
class BoxProblem extends Error {}

/**
 * Checks the boxes of an MP4 or MOV for contradictions, and for tables that would take the reader too much time or memory: a
 * table of a few bytes can declare billions of samples. A file that is truncated after its index passes. Allocates almost
 * nothing and takes about a second for the largest files.
 *
 * @returns the problem, or undefined
 * @see ISO/IEC 14496-12, 4.2 (boxes), 8.8 (fragments)
 */
export function findBoxProblem(bytes: SourceBytes): string | undefined {
  try {
    viewed(bytes, (file) => new BoxWalk(file).walk());
    return undefined;
  } catch (error) {
    if (error instanceof BoxProblem) return error.message;
    // Reading beyond the end of a box throws a RangeError.
    if (!(error instanceof RangeError)) throw error;
    return 'a box ends early';
  }
}

class BoxWalk {
  readonly #file: ByteView;
  readonly #tables = new SampleTables((problem) => {
    throw new BoxProblem(problem);
  });
  /** Start offsets of the fragments. */
  readonly #fragments = new Set<number>();
  #boxes = 0;
  #tracks = 0;
  #indexEntries = 0;

  constructor(file: ByteView) {
    this.#file = file;
  }

  walk(): void {
    this.#visit(0, this.#file.length, 0, false);
    this.#checkIndex();
  }

  /** @param isLoose ends the walk at an invalid size instead of failing */
  #visit(start: number, end: number, depth: number, isLoose: boolean): void {
    for (let at = start; at + 8 <= end; ) {
      const [size, header] = boxSize(this.#file, at, end);
      const type = this.#file.toString('latin1', at + 4, at + 8);
      this.#boxes += 1;
      if (this.#boxes > MAX_BOXES || depth > MAX_DEPTH) throw new BoxProblem('it has too many boxes');
      const isCut = depth > 0 && at + size > end;
      if (isLoose && (size < header || isCut)) return;
      if (size < header) throw new BoxProblem(`the box ${type} is smaller than its header`);
      if (isCut) throw new BoxProblem(`the box ${type} is larger than its parent`);
      const last = Math.min(end, at + size);
      if (depth === 0 && type === 'moof') this.#fragments.add(at);
      this.#count(type, size);
      // `#checkIndex` visits the index at the end of the file.
      const isIndex = depth === 0 && type === 'mfra';
      if (CONTAINERS.has(type) && !isIndex) this.#enter(type, at + header, last, depth);
      else this.#read(type, this.#file.subarray(at + header, last));
      at += size;
    }
  }

  #enter(type: string, start: number, end: number, depth: number): void {
    if (type === 'stbl') this.#tables.beginTrack();
    if (type === 'moof') this.#tables.beginFragment();
    // A `meta` box has a version before its children in ISO files, but not in QuickTime files.
    const hasVersion = type === 'meta' && end - start >= 4 && this.#file.readUInt32BE(start) === 0;
    this.#visit(hasVersion ? start + 4 : start, end, depth + 1, LOOSE.has(type));
    if (type === 'stbl') this.#tables.endTrack();
  }

  #count(type: string, size: number): void {
    if ((type === 'moov' || type === 'mfra' || type === 'moof') && size > MAX_INDEX_BYTES) {
      throw new BoxProblem(`its index has more than ${MAX_INDEX_BYTES / 1_000_000} MB`);
    }
    if (type === 'trak') this.#tracks += 1;
    if (this.#tracks > MAX_TRACKS) throw new BoxProblem(`it has more than ${MAX_TRACKS} tracks`);
    if (this.#fragments.size > MAX_FRAGMENTS) throw new BoxProblem(`it has more than ${MAX_FRAGMENTS} fragments`);
  }

  #read(type: string, body: ByteView): void {
    if (type === 'stsd') checkDescription(body);
    if (type === 'tfra') this.#readIndex(body);
    this.#tables.read(type, body);
  }

  /** Checks that each entry of the index refers to a fragment. @see ISO/IEC 14496-12, 8.8.10 (tfra) */
  #readIndex(body: ByteView): void {
    const bits = body.readUInt8(11);
    const offsetBytes = body.readUInt8(0) === 1 ? 8 : 4;
    const entryBytes = 2 * offsetBytes + 3 + (bits & 3) + ((bits >> 2) & 3) + ((bits >> 4) & 3);
    const count = body.readUInt32BE(12);
    if (count * entryBytes > body.length - 16) throw new RangeError('tfra ends early');
    this.#indexEntries += count;
    if (this.#indexEntries > MAX_FRAGMENTS) throw new BoxProblem('its index names too many fragments');
    for (let index = 0; index < count; index++) {
      const at = 16 + index * entryBytes + offsetBytes;
      const offset = offsetBytes === 8 ? Number(body.readBigUInt64BE(at)) : body.readUInt32BE(at);
      if (!this.#fragments.has(offset)) throw new BoxProblem('its index names fragments that it does not have');
    }
  }

  /** Visits the index to which the last bytes of the file point. The reader follows this offset to any position. */
  #checkIndex(): void {
    const { length } = this.#file;
    const at = length < 16 ? -1 : length - this.#file.readUInt32BE(length - 4);
    if (at < 0 || at > length - 16 || this.#file.toString('latin1', at + 4, at + 8) !== 'mfra') return;
    const [size] = boxSize(this.#file, at, length);
    if (at + size <= length) this.#visit(at, at + size, 1, false);
  }
}

/** Sample descriptions can hide boxes behind codec-specific fields, where the walk does not find them. */
function checkDescription(body: ByteView): void {
  if (body.length > MAX_DESCRIPTION_BYTES) throw new BoxProblem('the description of its samples is too long');
  if (FORBIDDEN_IN_DESCRIPTION.some((type) => body.includes(type))) {
    throw new BoxProblem('the description of its samples contains boxes that belong elsewhere');
  }
}

/** Limit for a whole file: six hours at 180 pictures or packets of sound a second. */
export const MAX_SAMPLES = 4_000_000;
/** Limit for uncompressed sound, where each value is a sample: six hours at 192 kHz. */
const MAX_PCM_SAMPLES = 4_200_000_000;
/** Memory limit for all tables: five hours of reordered pictures at 60 a second, with sound. */
export const MAX_MEMORY_BYTES = 280_000_000;

/** Memory that the reader (mediabunny 1.61.0) uses for each entry of a table, measured. */
const MEMORY_BYTES: Readonly<Record<string, number>> = {
  stts: 150,
  ctts: 80,
  stsc: 90,
  stsz: 27,
  stz2: 27,
  stco: 25,
  co64: 25,
  stss: 25,
  keys: 200,
  trun: 250,
};
/** Additional memory for each sample of a track whose decoding order differs from its display order. */
const SHIFTED_BYTES = 110;
/** Additional memory for each chunk of uncompressed sound, which the reader turns into a sample. */
const PCM_CHUNK_BYTES = 160;

const PCM = new Set([
  ...['sowt', 'twos', 'lpcm', 'raw ', 'in24', 'in32', 'fl32', 'fl64', 'ipcm', 'fpcm', 'alaw', 'ulaw', 'NONE'],
]);

/** Totals of the tables of a track. */
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
 * Totals the sample tables of an MP4 or MOV without copying them: entries, declared samples and the reader's memory.
 *
 * @see ISO/IEC 14496-12, 8.6 (stts, ctts), 8.7 (stsz, stsc, stco, co64), 8.8.8 (trun)
 */
class SampleTables {
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
    if (samples > (isPcm && !isShifted ? MAX_PCM_SAMPLES : MAX_SAMPLES)) this.#fail('it names too many samples');
    if (lastChunk > chunks + 1) this.#fail('its samples lie in chunks that it does not have');
    if (!isPcm) this.#addSamples(samples);
    if (isShifted) this.#addMemory(samples * SHIFTED_BYTES);
    if (isPcm) this.#addMemory(chunks * PCM_CHUNK_BYTES);
  }

  /** Resets the memory of fragments: the reader keeps a single fragment at a time. */
  beginFragment(): void {
    this.#fragmentBytes = 0;
  }

  /** @throws RangeError if a table has fewer bytes than it declares */
  read(type: string, body: ByteView): void {
    switch (type) {
      case 'stsd':
        this.#track.isPcm = isAllPcm(body);
        break;
      case 'stts':
        this.#track.samples += sumSampleCounts(body, this.#entries(type, body, 8));
        break;
      case 'ctts': {
        const count = this.#entries(type, body, 8);
        this.#track.isShifted ||= count > 0;
        // The reader iterates over all declared samples, even those beyond the end of the track.
        if (sumSampleCounts(body, count) > MAX_SAMPLES) this.#fail('it names too many samples');
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
        // If all samples have the same size, there is no table.
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

  /** @returns the number of entries of a table @throws RangeError if the table is too short for them */
  #entries(type: string, body: ByteView, entryBytes: number, countAt = 4): number {
    const count = body.readUInt32BE(countAt);
    if (count * entryBytes > body.length - countAt - 4) throw new RangeError(`${type} ends early`);
    this.#addMemory(count * MEMORY_BYTES[type]!);
    return count;
  }

  /** Checks that runs of chunks are in ascending order, because the reader iterates over the chunks between two runs. */
  #readChunkRuns(body: ByteView, count: number): void {
    let last = 0;
    for (let at = 8; at < 8 + count * 12; at += 12) {
      const first = body.readUInt32BE(at);
      if (first < last) this.#fail('its chunks are not in order');
      last = first;
    }
    this.#track.lastChunk = Math.max(this.#track.lastChunk, last);
  }

  /** @throws RangeError if a run is too short for its samples */
  #readRun(body: ByteView): void {
    const flags = body.readUIntBE(1, 3);
    const count = body.readUInt32BE(4);
    const fields = [0x100, 0x200, 0x400, 0x800].filter((flag) => (flags & flag) !== 0).length;
    if (count * fields * 4 > body.length) throw new RangeError('trun ends early');
    this.#addSamples(count);
    this.#fragmentBytes += count * MEMORY_BYTES.trun!;
    if (this.#memoryBytes + this.#fragmentBytes > MAX_MEMORY_BYTES) this.#fail('it names too many samples');
  }

  #addSamples(samples: number): void {
    this.#samples += samples;
    if (this.#samples > MAX_SAMPLES) this.#fail('it names too many samples');
  }

  #addMemory(bytes: number): void {
    this.#memoryBytes += bytes;
    if (this.#memoryBytes > MAX_MEMORY_BYTES) this.#fail('its tables are too large');
  }
}

/** Sums the sample counts of a table whose entries have two fields each. */
function sumSampleCounts(body: ByteView, count: number): number {
  let sum = 0;
  for (let at = 8; at < 8 + count * 8; at += 8) sum += body.readUInt32BE(at);
  return sum;
}

/** Returns whether all sample descriptions are of uncompressed sound; the reader uses the last description. */
function isAllPcm(body: ByteView): boolean {
  let at = 8;
  for (; at + 8 <= body.length; at += Math.max(8, body.readUInt32BE(at))) {
    if (!PCM.has(body.toString('latin1', at + 4, at + 8))) return false;
  }
  return at > 8;
}
