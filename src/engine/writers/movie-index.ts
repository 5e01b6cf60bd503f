import type { InputCaptionTrack } from '../../template/render-input.ts';
import { captionTrackBox } from './caption-track.ts';
import type { SampleTable } from './sample-table.ts';

/** Bytes of the header of a box. */
const HEADER_BYTES = 8;

/** Chunks of bytes, in order: an index has megabytes, which are not copied for each of the boxes that they are in. */
type Chunks = readonly Buffer[];

/** Where the media data of a file lie. */
interface MediaPlace {
  /** Offset of the first chunk. */
  readonly mediaAt: number;
  /** Whether offsets need 64 bits. */
  readonly isLarge: boolean;
}

/** A further track of a file, of captions. */
export interface CaptionTable {
  readonly track: InputCaptionTrack;
  readonly table: SampleTable;
}

/**
 * Returns the index of a file: codecs and metadata from the index of a file with the first sample of each track, and tables, durations
 * and bit rates of all samples. Times of creation are zero.
 *
 * @param first `moov` box of the file with the first samples
 * @param tables of the tracks, in order
 * @param captions null for none
 * @throws Error if `first` is not as expected
 * @see ISO/IEC 14496-12, 8.2 to 8.7
 */
export function movieIndex(
  first: Buffer,
  tables: readonly SampleTable[],
  place: MediaPlace,
  captions: CaptionTable | null,
): Chunks {
  const movie = first.subarray(HEADER_BYTES);
  const timescale = timescaleOf(findBox(movie, 'mvhd'));
  const shown = tables.map((table) => shownUnits(table, timescale));
  let track = 0;
  const content = mapBoxes(movie, {
    mvhd(header) {
      const changed = withDuration(header, timescaleAt(header) + 4, Math.max(...shown));
      if (captions !== null) changed.writeUInt32BE(nextTrackId(header) + 1, changed.length - 4);
      return [changed];
    },
    trak(content) {
      const at = track++;
      return trackIndex(content, tables[at]!, { shown: shown[at]!, place });
    },
  });
  if (captions === null) return box('moov', content);
  const { table } = captions;
  const captionTrack = captionTrackBox(captions.track, {
    id: nextTrackId(findBox(movie, 'mvhd')),
    table,
    tableBoxes: table.boxes(place.mediaAt, place.isLarge),
    duration: shownUnits(table, timescale),
    ...videoSize(movie),
  });
  return box('moov', [...content, captionTrack]);
}

/** The last field of the header. */
function nextTrackId(header: Buffer): number {
  return header.readUInt32BE(header.length - 4);
}

/** Returns the size of the first track, which is the last two fields of its header, in 16.16 fixed point. */
function videoSize(movie: Buffer): { width: number; height: number } {
  const header = findBox(findBox(movie, 'trak'), 'tkhd');
  return { width: header.readUInt16BE(header.length - 8), height: header.readUInt16BE(header.length - 4) };
}

/** Returns the units per second of each track of a `moov` box. */
export function trackTimescales(index: Buffer): number[] {
  const tracks = boxesIn(index.subarray(HEADER_BYTES)).filter(({ type }) => type === 'trak');
  return tracks.map(({ content }) => timescaleOf(findBox(findBox(content, 'mdia'), 'mdhd')));
}

/** Returns the duration of what is shown of a track. Both parts are rounded, as in its edit list. */
function shownUnits({ spanSeconds, startSeconds }: SampleTable, timescale: number): number {
  return Math.max(0, Math.round(spanSeconds * timescale) + Math.round(startSeconds * timescale));
}

function trackIndex(
  track: Buffer,
  table: SampleTable,
  { shown, place }: { readonly shown: number; readonly place: MediaPlace },
): Chunks {
  const sampleTables = (old: Buffer): Chunks => [
    ...box('stsd', [withRates(findBox(old, 'stsd'), table)]),
    ...table.boxes(place.mediaAt, place.isLarge),
  ];
  return mapBoxes(track, {
    // The number of the track and a reserved field precede the duration.
    tkhd: (header) => [withDuration(header, timescaleAt(header) + 8, shown)],
    edts: (edits) => mapBoxes(edits, { elst: (list) => [withEditLength(list, shown)] }),
    mdia: (media) =>
      mapBoxes(media, {
        mdhd(header) {
          const duration = Math.round(table.spanSeconds * timescaleOf(header));
          return [withDuration(header, timescaleAt(header) + 4, duration)];
        },
        minf: (information) => mapBoxes(information, { stbl: sampleTables }),
      }),
  });
}

/** Version 1 of a header has times of 64 bits. */
function timeBytes(header: Buffer): number {
  return header.readUInt8(0) === 1 ? 8 : 4;
}

/** Returns the offset of what follows the times of creation and modification. */
function timescaleAt(header: Buffer): number {
  return 4 + 2 * timeBytes(header);
}

function timescaleOf(header: Buffer): number {
  return header.readUInt32BE(timescaleAt(header));
}

function withDuration(header: Buffer, at: number, duration: number): Buffer {
  const copy = Buffer.from(header);
  copy.fill(0, 4, timescaleAt(header));
  copy.writeUIntBE(duration, at + timeBytes(header) - 4, 4);
  return copy;
}

/** Sets the length of the only edit, which drops the encoder's delay. */
function withEditLength(list: Buffer, duration: number): Buffer {
  if (list.readUInt32BE(0) !== 0 || list.readUInt32BE(4) !== 1) throw malformed();
  const copy = Buffer.from(list);
  copy.writeUInt32BE(duration, 8);
  return copy;
}

/** Offset of the bit rates of AAC in its sample description. @see ISO/IEC 14496-1, 7.2.6.6 */
const AAC_RATES_AT = 68;
const DECODER_CONFIG_TAG = 4;

/** Sets the bit rates in the only sample description, which ends with them. AAC has them twice. */
function withRates(description: Buffer, { peakRate, averageRate }: SampleTable): Buffer {
  const copy = Buffer.from(description);
  const endAt = copy.length - 8;
  const isAac = copy.toString('latin1', 12, 16) === 'mp4a';
  if (copy.toString('latin1', endAt - 8, endAt - 4) !== 'btrt') throw malformed();
  if (isAac && copy.readUInt8(AAC_RATES_AT - 7) !== DECODER_CONFIG_TAG) throw malformed();
  for (const at of isAac ? [endAt, AAC_RATES_AT] : [endAt]) {
    copy.writeUInt32BE(peakRate, at);
    copy.writeUInt32BE(averageRate, at + 4);
  }
  return copy;
}

interface Box {
  readonly type: string;
  readonly content: Buffer;
}

function boxesIn(boxes: Buffer): Box[] {
  const found: Box[] = [];
  for (let at = 0; at < boxes.length; ) {
    const size = boxes.readUInt32BE(at);
    if (size < HEADER_BYTES || at + size > boxes.length) throw malformed();
    const type = boxes.toString('latin1', at + 4, at + HEADER_BYTES);
    found.push({ type, content: boxes.subarray(at + HEADER_BYTES, at + size) });
    at += size;
  }
  return found;
}

function findBox(boxes: Buffer, type: string): Buffer {
  const found = boxesIn(boxes).find((candidate) => candidate.type === type);
  if (found === undefined) throw malformed();
  return found.content;
}

/** Copies boxes, some of them with other content. */
function mapBoxes(boxes: Buffer, change: Readonly<Record<string, (content: Buffer) => Chunks>>): Chunks {
  return boxesIn(boxes).flatMap(({ type, content }) => box(type, change[type]?.(content) ?? [content]));
}

function box(type: string, content: Chunks): Chunks {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32BE(HEADER_BYTES + totalBytes(content), 0);
  header.write(type, 4, 'latin1');
  return [header, ...content];
}

export function totalBytes(chunks: Chunks): number {
  return chunks.reduce((sum, { length }) => sum + length, 0);
}

function malformed(): Error {
  return new Error('Internal error: the index is malformed');
}
