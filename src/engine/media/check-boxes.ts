/** Of a whole file: six hours at 180 pictures a second, or of sound in packets. */
const MOST_SAMPLES = 4_000_000;
/** Of uncompressed sound each value counts as a sample: six hours at 192 kHz. */
const MOST_PCM_SAMPLES = 4_200_000_000;
const MOST_BOXES = 1_000_000;
const MOST_DEPTH = 16;

const CONTAINERS = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl', 'moof', 'traf', 'mvex']);
const PCM = new Set([
  'sowt',
  'twos',
  'lpcm',
  'raw ',
  'in24',
  'in32',
  'fl32',
  'fl64',
  'ipcm',
  'fpcm',
  'alaw',
  'ulaw',
  'NONE',
]);

/** What the tables of one track come to. */
interface SampleTable {
  isPcm: boolean;
  samples: number;
  offsets: number;
  chunks: number;
  lastChunk: number;
}

/**
 * Why the boxes of an MP4 or MOV make no sense, or would keep a reader busy for ever: the tables of a few bytes can name
 * billions of samples. Undefined where there is nothing to say. A file that is cut off behind its index is not a problem
 * of its boxes.
 *
 * @see ISO/IEC 14496-12, 4.2 (boxes), 8.6 (stts, ctts), 8.7 (stsc, stco, co64), 8.8.8 (trun)
 */
export function problemOfBoxes(bytes: Uint8Array): string | undefined {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let boxes = 0;
  let samples = 0;
  let problem: string | undefined;
  const visit = (start: number, end: number, depth: number, table: SampleTable | undefined): void => {
    for (let at = start; at + 8 <= end && problem === undefined; ) {
      const [size, header] = sizeOf(file, at, end);
      const type = file.toString('latin1', at + 4, at + 8);
      boxes += 1;
      if (boxes > MOST_BOXES || depth > MOST_DEPTH) problem = 'it has too many boxes';
      if (size < header) problem = `the box ${type} is smaller than its header`;
      const isCut = at + size > end;
      if (isCut && depth > 0) problem = `the box ${type} is larger than what it lies in`;
      if (problem !== undefined) return;
      const last = Math.min(end, at + size);
      if (CONTAINERS.has(type)) {
        const own = type === 'stbl' ? { isPcm: false, samples: 0, offsets: 0, chunks: 0, lastChunk: 0 } : table;
        visit(at + header, last, depth + 1, own);
        if (type === 'stbl') problem ??= problemOfTable(own!);
        if (type === 'stbl' && !own!.isPcm) samples += own!.samples;
      } else {
        const body = file.subarray(at + header, last);
        if (table !== undefined) readTable(type, body, table);
        if (type === 'trun') samples += runLength(body);
      }
      if (samples > MOST_SAMPLES) problem ??= 'it names too many samples';
      at += size;
    }
  };
  try {
    visit(0, file.length, 0, undefined);
  } catch (error) {
    // A read beyond the end of a box.
    if (!(error instanceof RangeError)) throw error;
    return 'a box ends early';
  }
  return problem;
}

/** Total and header bytes; size 1 means a 64-bit size, 0 to the end. */
function sizeOf(file: Buffer, at: number, end: number): [size: number, header: number] {
  const size = file.readUInt32BE(at);
  if (size === 1) return [Number(file.readBigUInt64BE(at + 8)), 16];
  return [size === 0 ? end - at : size, 8];
}

function problemOfTable({ isPcm, samples, offsets, chunks, lastChunk }: SampleTable): string | undefined {
  if (Math.max(samples, offsets) > (isPcm && offsets === 0 ? MOST_PCM_SAMPLES : MOST_SAMPLES)) {
    return 'it names too many samples';
  }
  return lastChunk > chunks + 1 ? 'its samples lie in chunks that it does not have' : undefined;
}

function readTable(type: string, body: Buffer, table: SampleTable): void {
  const entries = (size: number): number[] => {
    const count = body.readUInt32BE(4);
    if (count * size > body.length - 8) throw new RangeError(`${type} ends early`);
    return Array.from({ length: count }, (_, index) => 8 + index * size);
  };
  switch (type) {
    case 'stsd':
      table.isPcm = body.length >= 16 && PCM.has(body.toString('latin1', 12, 16));
      break;
    case 'stts':
      table.samples = entries(8).reduce((sum, at) => sum + body.readUInt32BE(at), 0);
      break;
    case 'ctts':
      table.offsets = entries(8).reduce((sum, at) => sum + body.readUInt32BE(at), 0);
      break;
    case 'stsc':
      table.lastChunk = entries(12).reduce((most, at) => Math.max(most, body.readUInt32BE(at)), 0);
      break;
    case 'stco':
      table.chunks = entries(4).length;
      break;
    case 'co64':
      table.chunks = entries(8).length;
  }
}

/** Samples that a run of a fragment names. @throws RangeError where their fields are not all there */
function runLength(body: Buffer): number {
  const flags = body.readUIntBE(1, 3);
  const count = body.readUInt32BE(4);
  const fields = [0x100, 0x200, 0x400, 0x800].filter((flag) => (flags & flag) !== 0).length;
  if (count * fields * 4 > body.length) throw new RangeError('trun ends early');
  return count;
}
