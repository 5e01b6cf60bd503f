import type { Property } from './keyframes.ts';
import { type Composition, compose, type Layer } from './layers.ts';

/** A colour that a person fills. */
export interface ColorSlot {
  readonly key: string;
  /** `#RRGGBB` */
  readonly example: string;
}

/** An image that a person fills; its default file lies in the package's `images/`. */
export interface ImageSlot {
  readonly id: string;
  readonly file: string;
  readonly width: number;
  readonly height: number;
}

/** A sound that a person fills; its default file lies in the package's `audio/`. */
export interface SoundSlot {
  readonly id: string;
  readonly file: string;
}

/** The property that every use of a colour slot shares. */
export function slotColor(slot: ColorSlot): Property {
  const channels = [1, 3, 5].map((at) => Number.parseInt(slot.example.slice(at, at + 2), 16) / 255);
  return { a: 0, k: [...channels.map((channel) => Math.round(channel * 1e4) / 1e4), 1], sid: slot.key };
}

export interface DocumentParts {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly fps: number;
  readonly frameCount: number;
  readonly fonts: readonly { readonly name: string; readonly family: string; readonly style: string }[];
  readonly colors: readonly ColorSlot[];
  readonly images: readonly ImageSlot[];
  readonly sounds?: readonly SoundSlot[];
  readonly compositions: readonly Composition[];
  /** Top first. */
  readonly layers: readonly Layer[];
}

interface TextContent {
  readonly ty: unknown;
  readonly t?: { readonly d: { readonly sid?: string; readonly k: unknown } };
}

/** The Lottie document: layers numbered, and every editable listed once in `slots`. */
export function lottieDocument(parts: DocumentParts): Readonly<Record<string, unknown>> {
  const slots: Record<string, unknown> = {};
  const everyLayer = [...parts.layers, ...parts.compositions.flatMap(({ layers }) => layers)];
  for (const { content } of everyLayer as readonly { content: Partial<TextContent> }[]) {
    const sid = content.t?.d.sid;
    if (content.t && sid !== undefined && !(sid in slots)) slots[sid] = { p: { k: content.t.d.k } };
  }
  for (const color of parts.colors) slots[color.key] = { p: { a: 0, k: slotColor(color).k } };
  const assets = parts.images.map(({ id, file, width, height }) => {
    return { id, w: width, h: height, u: 'images/', p: file, e: 0, sid: mediaKey(file) };
  });
  const sounds = (parts.sounds ?? []).map(({ id, file }) => {
    return { id, u: 'audio/', p: file, e: 0, sid: mediaKey(file) };
  });
  const compositions = parts.compositions.map(({ id, layers }) => ({ id, layers: compose(layers, parts.frameCount) }));
  for (const { w, h, u, p, e, sid } of assets) slots[sid] = { p: { w, h, u, p, e } };
  for (const { u, p, e, sid } of sounds) slots[sid] = { p: { u, p, e } };
  return {
    v: '5.12.0',
    nm: parts.name,
    fr: parts.fps,
    ip: 0,
    op: parts.frameCount,
    w: parts.width,
    h: parts.height,
    ddd: 0,
    assets: [...assets, ...sounds, ...compositions],
    fonts: {
      list: parts.fonts.map(({ name, family, style }) => ({
        fName: name,
        fFamily: family,
        fStyle: style,
        ascent: 75,
        origin: 3,
      })),
    },
    layers: compose(parts.layers, parts.frameCount),
    markers: [],
    slots,
  };
}

function mediaKey(file: string): string {
  return `(Footage)/USER/${file}`;
}

/** JSON with a line for each layer, asset, font and slot, so that a change of any of them changes a single line. */
export function serialized(document: Readonly<Record<string, unknown>>): string {
  const lines = (items: readonly string[]) => `\n  ${items.join(',\n  ')}\n `;
  const fields = Object.entries(document).map(([name, value]) => {
    if (Array.isArray(value) && value.length > 0) {
      return `"${name}": [${lines(value.map((item) => JSON.stringify(item)))}]`;
    }
    if (name === 'slots') {
      const entries = Object.entries(value as object).map(
        ([key, item]) => `${JSON.stringify(key)}: ${JSON.stringify(item)}`,
      );
      return `"${name}": {${lines(entries)}}`;
    }
    return `"${name}": ${JSON.stringify(value)}`;
  });
  return `{\n ${fields.join(',\n ')}\n}\n`;
}
