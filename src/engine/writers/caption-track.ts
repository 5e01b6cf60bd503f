import type { Cue } from '../../contract/captions/cue.ts';
import type { InputCaptionTrack } from '../../template/render-input.ts';
import { threeLetterCode } from './language-codes.ts';
import type { Sample, SampleTable } from './sample-table.ts';

/** Units of time per second in a track of captions. */
export const CAPTION_TIMESCALE = 1000;

/**
 * Returns the samples of a track without gaps: the texts that are shown together, or an empty text.
 *
 * @see 3GPP TS 26.245, 5.17 "Sample format"
 */
export function* captionSamples(cues: readonly Cue[], endSeconds: number): Generator<Sample> {
  const times = [...new Set([0, ...cues.flatMap(({ start, end }) => [start, end])])].filter(
    (time) => time < endSeconds,
  );
  times.sort((a, b) => a - b);
  for (const [index, time] of times.entries()) {
    const next = times[index + 1] ?? endSeconds;
    // A later cue stands above the others, as it is drawn.
    const shown = cues.filter(({ start, end }) => start <= time && end > time).reverse();
    const text = Buffer.from(shown.map((cue) => cue.text).join('\n')).subarray(0, 0xffff);
    const bytes = Buffer.alloc(2 + text.length);
    bytes.writeUInt16BE(text.length, 0);
    text.copy(bytes, 2);
    yield { bytes, time, duration: next - time, isKey: true };
  }
}

/** What the box of a track of captions contains besides its cues. */
interface TrackFacts {
  readonly id: number;
  readonly table: SampleTable;
  /** Tables of its samples. */
  readonly tableBoxes: readonly Buffer[];
  /** Duration in the units of the movie. */
  readonly duration: number;
  /** Pixels of the video. */
  readonly width: number;
  readonly height: number;
}

/**
 * Returns the `trak` box of a track of captions. Players show it by default only if the captions are not drawn.
 *
 * @see ISO/IEC 14496-12, 8.3 to 8.6; 3GPP TS 26.245, 5.16 "Sample description format"
 */
export function captionTrackBox({ lang, isDefault }: InputCaptionTrack, facts: TrackFacts): Buffer {
  const { id, table, tableBoxes, duration, width, height } = facts;
  const mediaDuration = Math.round(table.spanSeconds * CAPTION_TIMESCALE);
  const header = fullBox('tkhd', IN_MOVIE | (isDefault ? ENABLED : 0), [
    ...u32(0, 0, id, 0, duration, 0, 0),
    ...u16(0, CAPTION_GROUP, 0, 0),
    ...u32(...UNITY_MATRIX, width * 0x10000, height * 0x10000),
  ]);
  const media = box('mdia', [
    fullBox('mdhd', 0, [
      ...u32(0, 0, CAPTION_TIMESCALE, mediaDuration),
      ...u16(packedLanguage(threeLetterCode(lang)), 0),
    ]),
    ...(lang === null ? [] : [fullBox('elng', 0, [Buffer.from(`${lang}\0`)])]),
    fullBox('hdlr', 0, [...u32(0), Buffer.from('sbtl'), ...u32(0, 0, 0), Buffer.from('Captions\0')]),
    box('minf', [
      fullBox('nmhd', 0, []),
      // The data are in the same file.
      box('dinf', [fullBox('dref', 0, [...u32(1), fullBox('url ', 1, [])])]),
      box('stbl', [fullBox('stsd', 0, [...u32(1), sampleEntry(width, height)]), ...tableBoxes]),
    ]),
  ]);
  return box('trak', [header, media]);
}

const ENABLED = 1;
const IN_MOVIE = 2;
/** Tracks of a group are alternatives to each other. */
const CAPTION_GROUP = 2;
const UNITY_MATRIX = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000];
/** Font size on a video of this height. */
const FONT = { id: 1, name: 'Sans-Serif', size: 18, ofHeight: 360 } as const;

/** White, centred at the bottom. */
function sampleEntry(width: number, height: number): Buffer {
  const white = [255, 255, 255, 255];
  const fontSize = Math.min(255, Math.round((FONT.size * height) / FONT.ofHeight));
  const name = Buffer.from(FONT.name);
  return box('tx3g', [
    Buffer.alloc(6),
    ...u16(1),
    ...u32(0),
    // Justification: centre, bottom; a transparent background.
    Buffer.from([1, 255, 0, 0, 0, 0]),
    ...u16(0, 0, height, width),
    ...u16(0, 0, FONT.id),
    Buffer.from([0, fontSize, ...white]),
    box('ftab', [...u16(1, FONT.id), Buffer.from([name.length]), name]),
  ]);
}

/** Five bits for each letter. */
function packedLanguage(code: string): number {
  return [...code].reduce((packed, letter) => (packed << 5) | (letter.charCodeAt(0) - 0x60), 0);
}

function box(type: string, content: readonly Buffer[]): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt32BE(8 + content.reduce((sum, { length }) => sum + length, 0), 0);
  header.write(type, 4, 'latin1');
  return Buffer.concat([header, ...content]);
}

function fullBox(type: string, flags: number, content: readonly Buffer[]): Buffer {
  return box(type, [...u32(flags), ...content]);
}

function u16(...values: readonly number[]): Buffer[] {
  return values.map((value) => {
    const bytes = Buffer.alloc(2);
    bytes.writeUInt16BE(value);
    return bytes;
  });
}

function u32(...values: readonly number[]): Buffer[] {
  return values.map((value) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return bytes;
  });
}
