import { crc32, deflateSync } from 'node:zlib';
import type { Editable, StyleVersion } from '../contract/wire/style-version.ts';

/** Names of the sample mappings in display order. */
export const SAMPLE_NAMES = ['example', 'longest', 'empty', 'cjk', 'rtl', 'emoji', 'landscape', 'portrait'] as const;
export type SampleName = (typeof SAMPLE_NAMES)[number];

/** Shape of a sample image. */
export type SampleShape = 'landscape' | 'portrait';

/** Values that test a template with different texts and images. */
export interface SampleMapping {
  readonly name: SampleName;
  /** Texts by text editable; the template's own text if absent. */
  readonly texts: ReadonlyMap<string, string>;
  /** Shapes of images by image editable; the template's own image if absent. */
  readonly images: ReadonlyMap<string, SampleShape>;
}

/** Neutral sentences that do not distract from the layout. */
const PASSAGES: Readonly<Record<'longest' | 'cjk' | 'rtl' | 'emoji', string>> = {
  longest: 'Everything you need for a summer outdoors, from Friday evening until late on Sunday, in every store ',
  cjk: '夏の新作コレクションが全国の店舗に届きました。今週末までの特別価格です。',
  rtl: 'مجموعة الصيف الجديدة وصلت إلى جميع متاجرنا بأسعار خاصة حتى نهاية الأسبوع ',
  emoji: '🌞 Summer is here 🏖️ come and see 👀🎉 ',
};

/** Minimum length for texts whose editable has no limit. */
const DEFAULT_LENGTH = 40;
/** Length of samples in other scripts as a share of the usual length, because their characters may be wider. */
const SCRIPT_SHARE = { cjk: 0.5, rtl: 1, emoji: 0.6 } as const;

/**
 * Returns the sample mappings of a specification: the template's own values, longest and empty texts, texts in other
 * scripts, and images of two shapes. Omits samples that would change nothing, such as texts without a text editable.
 */
export function sampleMappings({ editables }: Pick<StyleVersion, 'editables'>): SampleMapping[] {
  const ofKind = (kind: Editable['input_type']) =>
    Object.entries(editables).filter(([, { input_type }]) => input_type === kind);
  const [texts, images] = [ofKind('text'), ofKind('image')];
  return SAMPLE_NAMES.flatMap((name): SampleMapping[] => {
    if (name === 'example') return [{ name, texts: new Map(), images: new Map() }];
    if (name === 'landscape' || name === 'portrait') {
      return images.length === 0
        ? []
        : [{ name, texts: new Map(), images: new Map(images.map(([key]) => [key, name])) }];
    }
    if (texts.length === 0) return [];
    return [{ name, texts: new Map(texts.map(([key, text]) => [key, sampleText(name, text)])), images: new Map() }];
  });
}

function sampleText(
  name: Exclude<SampleName, 'example' | SampleShape>,
  { max_length, example_text = '' }: Editable,
): string {
  if (name === 'empty') return '';
  const exampleLength = [...example_text].length;
  const limit = max_length ?? Math.max(DEFAULT_LENGTH, Math.ceil(exampleLength * 1.5));
  if (name === 'longest') return repeatTo(limit, PASSAGES.longest);
  // The example shows how much text the designer expects.
  const usual = Math.min(limit, Math.max(exampleLength, 4));
  return repeatTo(Math.max(1, Math.round(usual * SCRIPT_SHARE[name])), PASSAGES[name]);
}

/** Repeats a passage up to a number of code points. Removes a space at the end, which would have no width. */
function repeatTo(length: number, passage: string): string {
  const characters = [...passage];
  const text = Array.from({ length }, (_, index) => characters[index % characters.length]).join('');
  // Removes an incomplete emoji sequence at the end too.
  return text.replace(/(?:\s|\u200d|\ufe0f)$/u, '').replace(/\s$/, '') || characters[0]!;
}

const SIZES: Readonly<Record<SampleShape, readonly [width: number, height: number]>> = {
  landscape: [1280, 720],
  portrait: [720, 1280],
};

/** Number of squares along the shorter side. */
const SQUARES = 9;

type Color = readonly [red: number, green: number, blue: number];

const EDGE: Color = [250, 204, 72];
const DISC: Color = [245, 245, 240];
const TINTS: Readonly<Record<SampleShape, readonly [Color, Color]>> = {
  landscape: [
    [62, 124, 177],
    [84, 148, 201],
  ],
  portrait: [
    [178, 94, 79],
    [201, 118, 102],
  ],
};

/**
 * Draws a sample image that makes cropping visible: a checkerboard with a frame along its edge and a disc in its centre.
 *
 * @returns PNG
 */
export function sampleImage(shape: SampleShape): Uint8Array {
  const [width, height] = SIZES[shape];
  const square = Math.min(width, height) / SQUARES;
  const tints = TINTS[shape];
  const radius = square * 1.2;
  const isEdge = (at: number, length: number): boolean => Math.min(at, length - 1 - at) < square / 6;
  const squares = [0, 1].map((first) =>
    rowOf(width, (x) => (isEdge(x, width) ? EDGE : tints[(Math.floor(x / square) + first) % 2]!)),
  );
  const edge = rowOf(width, () => EDGE);
  const rows = Array.from({ length: height }, (_, y) => {
    if (isEdge(y, height)) return edge;
    const row = squares[Math.floor(y / square) % 2]!;
    const fromCentre = Math.abs(y - height / 2);
    if (fromCentre >= radius) return row;
    const half = Math.sqrt(radius ** 2 - fromCentre ** 2);
    const [first, end] = [Math.floor(width / 2 - half) + 1, Math.ceil(width / 2 + half)];
    return Buffer.from(row).fill(Uint8Array.of(...DISC), 1 + first * 3, 1 + end * 3);
  });
  return encodePng(width, height, rows);
}

/** Returns a row of a PNG: its filter, none, and its pixels. */
function rowOf(width: number, colorAt: (x: number) => Color): Buffer {
  return Buffer.from([0, ...Array.from({ length: width }, (_, x) => colorAt(x)).flat()]);
}

/**
 * Encodes a PNG of three channels of 8 bits.
 *
 * @param rows as of `rowOf`
 * @see PNG specification, third edition: 11.2 "Critical chunks", 9 "Filtering" (type 0)
 */
function encodePng(width: number, height: number, rows: readonly Uint8Array[]): Uint8Array {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  // 8 bits per channel, red, green and blue.
  head.set([8, 2], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
