import { type Canvas, createCanvas } from '@napi-rs/canvas';
import { encoderOf, SOFTWARE } from '../../../src/engine/codec/video-encoder.ts';
import { muxMp4 } from '../../../src/engine/writers/mux.ts';
import type { SafeAreaName } from '../../../src/template/lint-severities.ts';
import type { InputClip, InputImage, RenderInput } from '../../../src/template/render-input.ts';
import { bytesOf } from '../../support/in-memory.ts';
import { embeddedFonts, imageLayer, inputOf, placed, rectangleLayer, textLayer } from '../inputs.ts';
import { numberedClip } from '../media/media-files.ts';

/** Inputs of a few layers, 960 × 540 pixels, three seconds at ten frames each, and the findings that they are made for. */

export interface CaseOptions {
  readonly area?: SafeAreaName;
  /** The wrong findings of a case, and the reason why they are accepted. */
  readonly missed?: { readonly found: readonly string[]; readonly reason: string };
}

/** Cases by group: a name, an input, and what lint must report of it: `code editable`, sorted. */
export type CaseTable = Readonly<
  Record<
    string,
    readonly (readonly [
      name: string,
      renderInput: () => RenderInput | Promise<RenderInput>,
      expected: readonly string[],
      options?: CaseOptions,
    ])[]
  >
>;

export type Color = readonly [number, number, number];
export type Layer = Record<string, unknown>;

export const W = 960;
export const H = 540;
export const FPS = 10;
export const FRAMES = 30;
export const WHITE: Color = [1, 1, 1];
export const BLACK: Color = [0, 0, 0];
export const NAVY: Color = [0, 0, 0.3];
export const grey = (share: number): Color => [share, share, share];
export const still = (k: unknown) => ({ a: 0, k });
export const LINEAR = { o: { x: 0, y: 0 }, i: { x: 1, y: 1 } };
/** Keyframes with linear easing. */
export const moving = (...keys: [t: number, value: readonly unknown[]][]) => ({
  a: 1,
  k: keys.map(([t, s]) => ({ t, s, ...LINEAR })),
});

export interface TextOptions {
  readonly key?: string | null;
  readonly text?: string;
  readonly x?: number;
  readonly y?: number;
  readonly size?: number;
  readonly color?: Color;
  /** Lottie's `j`. */
  readonly align?: number;
  /** Fields of the text document, such as a box. */
  readonly style?: object;
  /** Fields of the layer's transform. */
  readonly ks?: object;
  /** Fields of the text other than its document, such as animators and a path. */
  readonly t?: object;
  readonly layer?: object;
}

let nextIndex = 1;

export function text(options: TextOptions = {}): Layer {
  const { key = 't_01', text: words = 'Reelform', x = 300, y = 280, size = 64, color = WHITE, align = 0 } = options;
  const layer = textLayer(nextIndex++, words, x, y, size) as Layer & {
    ks: object;
    t: { d: { editable?: string; k: { s: Record<string, unknown> }[] } };
  };
  if (key !== null) layer.t.d.editable = key;
  Object.assign(layer.t.d.k[0]!.s, { fc: color, j: align }, options.style);
  return { ...layer, ks: { ...layer.ks, ...options.ks }, t: { ...layer.t, ...options.t }, ...options.layer };
}

export function block(
  color: Color,
  box: readonly [number, number, number, number] = [0, 0, W, H],
  changes: object = {},
): Layer {
  return rectangleLayer(nextIndex++, box, color, changes);
}

/** A box of text whose upper left corner is at the layer's position. */
export const boxed = (width: number, height: number, changes: object = {}) => ({
  sz: [width, height],
  ps: [0, 0],
  ...changes,
});

export function stage(
  layers: readonly Layer[],
  changes: Partial<RenderInput> & { document?: object } = {},
): RenderInput {
  const { document, ...renderInput } = changes;
  return inputOf([...layers], {
    width: W,
    height: H,
    fps: FPS,
    frameCount: FRAMES,
    document: { fonts: embeddedFonts(), ...document },
    ...renderInput,
  });
}

/** A square output of the same animation, which cuts it on both sides. */
export const SQUARE = { width: 540, height: 540, document: { w: W, h: H } };

export const onNavy = (...layers: Layer[]): RenderInput => stage([...layers, block(NAVY)]);
export const on = (color: Color, ...layers: Layer[]): RenderInput => stage([...layers, block(color)]);

/** Layers in a precomposition of the picture's size, shown by a single layer. */
export function nested(layers: readonly Layer[], changes: object = {}, isShown = true): RenderInput {
  const inside = { id: 'inside', layers: [...layers] };
  const shown = { ...imageLayer(nextIndex++, 'inside'), ty: 0, w: W, h: H, ...changes };
  return stage([...(isShown ? [shown] : []), block(NAVY)], { document: { assets: [inside] } });
}

export function picture(width: number, height: number, draw?: (context: ReturnType<typeof contextOf>) => void): Buffer {
  const canvas = createCanvas(width, height);
  const context = contextOf(canvas);
  context.fillStyle = '#336699';
  context.fillRect(0, 0, width, height);
  draw?.(context);
  return canvas.toBuffer('image/png');
}

export const contextOf = (canvas: Canvas) => canvas.getContext('2d');

export interface PhotoOptions {
  /** Pixels of the file, of its asset, and the scale of its layer in percent. */
  readonly file: readonly [number, number];
  readonly asset: readonly [number, number];
  readonly scale?: number;
  readonly transform?: InputImage['transform'];
  readonly ks?: object;
}

export function photo({ file, asset, scale = 100, transform = {}, ks = {} }: PhotoOptions): RenderInput {
  const [width, height] = asset;
  const image: InputImage = { assetId: 'photo', name: 'i_01', width, height, transform, bytes: picture(...file) };
  const layer = imageLayer(nextIndex++, 'photo');
  const shown = { ...layer, ks: { ...placed(), s: still([scale, scale, 100]), ...ks } };
  const assets = [{ id: 'photo', w: width, h: height, u: '', p: 'photo.png', editable: 'i_01' }];
  return stage([shown, block(NAVY)], { images: [image], document: { assets } });
}

/** A clip of 64 × 36 pixels in a layer. */
export async function clip(asset: readonly [number, number], scale = 100): Promise<RenderInput> {
  const layer = { ...imageLayer(nextIndex++, 'clip'), ks: placed(0, 0, { s: still([scale, scale, 100]) }) };
  return withClip(await numberedClip(FPS, FRAMES), [layer, block(NAVY)], asset);
}

/** An input with a clip of 64 × 36 pixels, which layers show as `clip`; of the picture's size, it is no editable's. */
export function withClip(
  bytes: Uint8Array,
  layers: readonly Layer[],
  asset: readonly [number, number] = [W, H],
): RenderInput {
  const [width, height] = asset;
  const shown: InputClip = { assetId: 'clip', name: 'v_01', width, height, transform: {}, bytes };
  const assets = [
    { id: 'clip', w: width, h: height, u: '', p: 'clip.mp4', e: 0, ...(asset[0] === W ? {} : { editable: 'v_01' }) },
  ];
  return stage(layers, { clips: [shown], document: { assets } });
}

/** A layer that shows an image, a clip or a composition. */
export function showing(refId: string, changes: object = {}): Layer {
  return { ...imageLayer(nextIndex++, refId), ...changes };
}

/** An input whose last layer is an image of the picture's size that no editable fills. */
export function over(bytes: Buffer, ...layers: Layer[]): RenderInput {
  const image: InputImage = { assetId: 'ground', name: 'ground.png', width: W, height: H, transform: {}, bytes };
  const assets = [{ id: 'ground', w: W, h: H, u: '', p: 'ground.png' }];
  return stage([...layers, showing('ground')], { images: [image], document: { assets } });
}

/** A clip in plain tones of 16 to 235, a tone for each frame. */
export async function toneClip(toneAt: (frame: number) => number): Promise<Uint8Array> {
  const format = { width: 64, height: 36, rate: { numerator: FPS, denominator: 1 } };
  const encoder = await encoderOf(SOFTWARE)(format, 'high');
  try {
    const i420 = new Uint8Array(64 * 36 * 1.5).fill(128);
    for (let frame = 0; frame < FRAMES; frame++) await encoder.encode(i420.fill(toneAt(frame), 0, 64 * 36), frame);
    return await bytesOf(await muxMp4(await encoder.finish(), { sound: null, fingerprint: null }));
  } finally {
    encoder.close();
  }
}

/** An animator of characters; it applies to all of them unless `range` says otherwise. */
export function animator(properties: object, range: object = {}): object {
  const all = { s: still(0), e: still(100), o: still(0), a: still(100), ne: still(0), xe: still(0), sm: still(100) };
  return { nm: 'animator', s: { t: 0, r: 1, rn: 0, b: 1, sh: 1, ...all, ...range }, a: properties };
}

/** Fields of a text layer whose text follows an arc from 120 to 840 pixels, its middle `rise` pixels higher. */
export function onArc(rise: number, y: number): Pick<TextOptions, 't' | 'layer' | 'x' | 'y'> {
  const flat = [0, 0];
  const arc = {
    c: false,
    v: [
      [120, y],
      [480, y - rise],
      [840, y],
    ],
    i: [flat, [-180, 0], flat],
    o: [flat, [180, 0], flat],
  };
  const masks = [{ mode: 'n', pt: still(arc), o: still(100) }];
  const p = { m: 0, f: still(0), l: still(0), r: still(0), a: still(0), p: still(1) };
  return { x: 0, y: 0, t: { p }, layer: { hasMask: true, masksProperties: masks } };
}

/** Opacity that is switched at frames, from 0 on. */
export const switched = (...frames: number[]) => ({
  o: { a: 1, k: [0, ...frames].map((t, index) => ({ t, s: [index % 2 === 0 ? 0 : 100], h: 1 })) },
});

export const at = (x: number, y: number) => still([x, y, 0]);
export const CUT = ['text_overflow t_01'];
export const HIDDEN = ['text_hidden t_01'];
export const LOW = ['low_contrast t_01'];
export const SMALL = ['text_too_small t_01'];
export const SHRUNK = ['text_shrunk t_01'];
export const HIT = ['text_collision t_01'];
export const OUTLINE = { sc: BLACK, sw: 6, of: false };
/** Drop shadow as After Effects exports it: colour, opacity, direction, distance, softness. */
export const shadow = (color: Color, distance: number, softness: number) => ({
  ef: [
    {
      ty: 25,
      ix: 1,
      en: 1,
      ef: [
        { ty: 2, v: still([...color, 1]) },
        { ty: 0, v: still(255) },
        { ty: 1, v: still(135) },
        { ty: 0, v: still(distance) },
        { ty: 0, v: still(softness) },
        { ty: 7, v: still(0) },
      ],
    },
  ],
});
