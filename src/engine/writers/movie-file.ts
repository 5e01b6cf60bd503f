import { TemporaryFile } from '../../kernel/temporary-file.ts';
import type { InputCaptionTrack } from '../../template/render-input.ts';
import { CAPTION_TIMESCALE, captionSamples } from './caption-track.ts';
import { type CaptionTable, movieIndex, totalBytes, trackTimescales } from './movie-index.ts';
import { type Sample, SampleTable } from './sample-table.ts';

/** The start of an MP4 or MOV file whose tracks have only their first sample. */
export interface FirstSamples {
  /** `ftyp` box. */
  readonly type: Buffer;
  /** `moov` box. */
  readonly index: Buffer;
}

interface MovieTrack {
  /** In decoding order; at least one. */
  readonly samples: AsyncGenerator<Sample>;
  /** See `SampleTable`. */
  readonly unitBytes: number | null;
}

const HEADER_BYTES = 8;
/** Bytes of a header with a size in 64 bits. */
const LARGE_HEADER_BYTES = 16;
const MAX_OFFSET = 2 ** 32;

/**
 * Writes an MP4 or MOV file with its index first (faststart). Keeps only tables in memory: libraries keep objects for each sample, which
 * for half an hour of video take as much memory as a render process.
 *
 * @param tracks one after the other in the file, except for the last chunks of all tracks, which are at the end
 * @param describe receives the first sample of each track
 * @param captionTrack a further track; null for none
 */
export async function writeMovie(
  tracks: readonly MovieTrack[],
  describe: (first: readonly Sample[]) => Promise<FirstSamples>,
  captionTrack: InputCaptionTrack | null,
): Promise<TemporaryFile> {
  const media = TemporaryFile.create();
  try {
    const first: Sample[] = [];
    for (const { samples } of tracks) first.push((await samples.next()).value as Sample);
    const description = await describe(first);
    const timescales = trackTimescales(description.index);
    const writers = tracks.map(({ unitBytes }, at) => {
      return new TrackWriter(media, new SampleTable(timescales[at]!, unitBytes));
    });
    for (const [at, { samples }] of tracks.entries()) {
      await writers[at]!.add(first[at]!);
      for await (const sample of samples) await writers[at]!.add(sample);
    }
    for (const writer of writers) await writer.finish();
    const tables = writers.map(({ table }) => table);
    const captions = captionTrack && (await writeCaptions(media, captionTrack, tables[0]!.spanSeconds));
    return await withIndex(media, description, tables, captions);
  } finally {
    for (const { samples } of tracks) await samples.return(undefined);
    media.close();
  }
}

async function writeCaptions(media: TemporaryFile, track: InputCaptionTrack, seconds: number): Promise<CaptionTable> {
  const writer = new TrackWriter(media, new SampleTable(CAPTION_TIMESCALE, null));
  for (const sample of captionSamples(track.cues, seconds)) await writer.add(sample);
  await writer.finish();
  return { track, table: writer.table };
}

class TrackWriter {
  readonly table: SampleTable;
  readonly #media: TemporaryFile;
  /** Samples of the current chunk. */
  #chunk: Uint8Array[] = [];

  constructor(media: TemporaryFile, table: SampleTable) {
    this.#media = media;
    this.table = table;
  }

  async add(sample: Sample): Promise<void> {
    if (this.table.endsChunk(sample.time)) await this.#endChunk();
    this.table.add(sample);
    this.#chunk.push(sample.bytes);
  }

  async finish(): Promise<void> {
    await this.#endChunk();
    this.table.finish();
  }

  async #endChunk(): Promise<void> {
    this.table.endChunk(this.#media.size);
    await this.#media.append(Buffer.concat(this.#chunk));
    this.#chunk = [];
  }
}

async function withIndex(
  media: TemporaryFile,
  { type, index }: FirstSamples,
  tables: readonly SampleTable[],
  captions: CaptionTable | null,
): Promise<TemporaryFile> {
  const header = mediaHeader(media.size);
  // The size of the index depends on that of its offsets.
  const mediaStart = (isLarge: boolean): number => {
    return type.length + totalBytes(movieIndex(index, tables, { mediaAt: 0, isLarge }, captions)) + header.length;
  };
  const smallest = mediaStart(false);
  const isLarge = smallest + media.size >= MAX_OFFSET;
  const mediaAt = isLarge ? mediaStart(true) : smallest;
  const target = TemporaryFile.create();
  try {
    await target.append(Buffer.concat([type, ...movieIndex(index, tables, { mediaAt, isLarge }, captions), header]));
    for await (const chunk of media.chunks()) await target.append(chunk);
    return target;
  } catch (error) {
    target.close();
    throw error;
  }
}

function mediaHeader(dataBytes: number): Buffer {
  const isLarge = dataBytes + HEADER_BYTES >= MAX_OFFSET;
  const header = Buffer.alloc(isLarge ? LARGE_HEADER_BYTES : HEADER_BYTES);
  header.writeUInt32BE(isLarge ? 1 : dataBytes + HEADER_BYTES, 0);
  header.write('mdat', 4, 'latin1');
  if (isLarge) header.writeBigUInt64BE(BigInt(dataBytes + LARGE_HEADER_BYTES), HEADER_BYTES);
  return header;
}
