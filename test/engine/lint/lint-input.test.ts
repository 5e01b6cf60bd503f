import { createCanvas } from '@napi-rs/canvas';
import { describe, expect, it } from 'vitest';
import { lintInput } from '../../../src/engine/lint/lint-input.ts';
import type { InputImage, RenderInput } from '../../../src/template/render-input.ts';
import { embeddedFonts, imageLayer, inputOf, placed, rectangleLayer, textLayer } from '../inputs.ts';

type Color = readonly [number, number, number];

const WHITE: Color = [1, 1, 1];

/** Text over a background, 320 pixels wide; the still is at frame 3. */
function wordInput({
  word,
  ground,
  x = 20,
  size = 48,
  height = 180,
  above = [],
}: {
  word: Color;
  ground: Color;
  x?: number;
  size?: number;
  height?: number;
  above?: unknown[];
}): RenderInput {
  const layer = textLayer(1, 'Reel', x, 100, size) as { t: { d: { editable?: string; k: { s: { fc: Color } }[] } } };
  layer.t.d.editable = 't_01';
  layer.t.d.k[0]!.s.fc = word;
  return inputOf([...above, layer, rectangleLayer(2, [0, 0, 320, height], ground)], {
    width: 320,
    height,
    stills: [{ name: 'stillcut_01', frame: 3 }],
    document: { fonts: embeddedFonts() },
  });
}

describe('lintInput()', () => {
  it('reports nothing for readable text', async () => {
    expect(await lintInput(wordInput({ word: WHITE, ground: [0, 0, 0.3] }))).toEqual([]);
  });

  it.each([
    ['light on white', [0.8, 0.8, 0.8], WHITE, 1.6],
    ['white on white, which nobody sees at all', WHITE, WHITE, 1],
    ['dark grey on black', [0.2, 0.2, 0.2], [0, 0, 0], 1.66],
  ] as const)('reports text with too little contrast: %s', async (_, word, ground, ratio) => {
    const [finding, ...more] = await lintInput(wordInput({ word, ground }));
    expect(finding).toMatchObject({
      code: 'low_contrast',
      editable: 't_01',
      frame: 3,
      seconds: 0.1,
      still: 'stillcut_01',
      needed: 3,
      ratio: expect.closeTo(ratio, 1),
    });
    expect(more).toEqual([]);
  });

  it('requires more contrast of small text', async () => {
    const middling = { word: [0.42, 0.42, 0.42], ground: [0, 0, 0] } as const;
    expect(await lintInput(wordInput(middling))).toEqual([]);
    expect(await lintInput(wordInput({ ...middling, size: 22, height: 1080 }))).toMatchObject([
      { code: 'low_contrast', needed: 4.5 },
    ]);
  });

  it('does not count edges of other texts, which are covered more with bright colours', async () => {
    const [dark, light, green] = [
      [0.16, 0.1, 0.24],
      [0.75, 1, 0.13],
      [0.25, 0.5, 0.25],
    ] as const;
    const words: [text: string, y: number, size: number][] = [
      ['One', 80, 40],
      ['Two', 140, 40],
      ['Three', 200, 40],
      ['Four', 260, 40],
      ['5', 320, 20],
      ['A longer text on the dark half', 480, 40],
      ['and a second line of it below', 540, 40],
    ];
    const layers = words.map(([text, y, size], index) => {
      const layer = textLayer(index + 1, text, 40, y, size) as ReturnType<typeof textLayer> & {
        t: { d: { editable?: string; k: { s: { fc: readonly number[] } }[] } };
      };
      layer.t.d.editable = `t_0${index + 1}`;
      layer.t.d.k[0]!.s.fc = dark;
      return layer;
    });
    const grounds = [rectangleLayer(21, [0, 0, 1280, 360], light), rectangleLayer(22, [0, 360, 1280, 360], green)];
    const input = inputOf([...layers, ...grounds], { width: 1280, height: 720, document: { fonts: embeddedFonts() } });
    expect(await lintInput(input)).toEqual([]);
  });

  it('uses the background behind the text at that frame and ignores the rest of the picture', async () => {
    const half = rectangleLayer(3, [0, 0, 320, 60], WHITE);
    expect(await lintInput(wordInput({ word: WHITE, ground: [0, 0, 0.3], above: [half] }))).toEqual([]);
  });

  it.each([
    ['in the gap between two letters', -28],
    ['after its first letter', -45],
    ['before its last letter', 240],
    ['through its last letter', 230],
  ])('reports text that the edge of the picture cuts off %s', async (_, x) => {
    const findings = await lintInput(wordInput({ word: WHITE, ground: [0, 0, 0], x }));
    expect(findings).toMatchObject([{ code: 'text_overflow', beyond: 'frame' }]);
  });

  it.each([1, 3, 8, 214])('does not report text that ends just inside the picture, at %d', async (x) => {
    expect(await lintInput(wordInput({ word: WHITE, ground: [0, 0, 0], x }))).toEqual([]);
  });

  it('returns the box around the text of a finding, within the picture', async () => {
    const [{ box } = { box: null }] = await lintInput(wordInput({ word: [0.8, 0.8, 0.8], ground: WHITE, x: 160 }));
    expect([box?.x, box?.width].map((share) => Math.round(share! * 320))).toEqual([160, 97]);
    expect(Math.round((box!.y + box!.height) * 180)).toBe(100);
    expect(box!.height * 180).toBeGreaterThan(30);
    const [cut] = await lintInput(wordInput({ word: WHITE, ground: [0, 0, 0.3], x: 280 }));
    expect(cut!.box!.x + cut!.box!.width).toBe(1);
  });

  it('returns the box where a fully justified word is drawn: in the middle of its text box', async () => {
    const input = wordInput({ word: [0.8, 0.8, 0.8], ground: WHITE });
    const [layer] = input.animation.layers as [{ t: { d: { k: { s: Record<string, unknown> }[] } } }];
    Object.assign(layer.t.d.k[0]!.s, { j: 6, sz: [280, 80], ps: [0, -50] });
    const [{ box } = { box: null }] = await lintInput(input);
    expect(Math.round((box!.x + box!.width / 2) * 320)).toBe(160);
  });

  it('reports flashes of the whole picture, with no editable', async () => {
    const key = (t: number) => ({ t, s: [t % 4 === 0 ? 100 : 0], h: 1 });
    const ks = placed(0, 0, { o: { a: 1, k: Array.from({ length: 30 }, (_, index) => key(2 * index)) } });
    const renderInput = inputOf([rectangleLayer(1, [0, 0, 64, 36], WHITE, { ks })], { frameCount: 60 });
    expect(await lintInput(renderInput)).toMatchObject([
      { code: 'flashes', editable: null, kind: 'general', flashes: 8, box: { x: 0, y: 0, width: 1, height: 1 } },
    ]);
  });

  it('reports text that the edge of the picture cuts off', async () => {
    expect(await lintInput(wordInput({ word: WHITE, ground: [0, 0, 0.3], x: 280 }))).toMatchObject([
      { code: 'text_overflow', editable: 't_01', text: 'Reel', beyond: 'frame', frame: 3 },
    ]);
  });

  it('reports an enlarged image with its scale', async () => {
    const image: InputImage = {
      assetId: 'photo',
      name: '(Footage)/USER/photo.png',
      width: 200,
      height: 100,
      transform: { crop_strategy: 'cover' },
      bytes: createCanvas(50, 50).toBuffer('image/png'),
    };
    const asset = { id: 'photo', w: 200, h: 100, u: '', p: 'photo.png', editable: image.name };
    const renderInput = inputOf([imageLayer(1, 'photo')], { images: [image], document: { assets: [asset] } });
    expect(await lintInput(renderInput)).toEqual([
      {
        code: 'image_too_small',
        editable: image.name,
        frame: 3,
        seconds: 0.1,
        still: null,
        width: 50,
        height: 25,
        areaWidth: 200,
        areaHeight: 100,
        limit: 'image',
        box: { x: 0, y: 0, width: 1, height: 1 },
      },
    ]);
  });

  /** A square image, its asset and its layer's scale, each as a percentage of a picture of 500 pixels. */
  function photoInput(pixels: number, asset: number, layer: object, stills: RenderInput['stills'] = []): RenderInput {
    const image: InputImage = {
      assetId: 'photo',
      name: '(Footage)/USER/photo.png',
      width: asset,
      height: asset,
      transform: { crop_strategy: 'cover' },
      bytes: createCanvas(pixels, pixels).toBuffer('image/png'),
    };
    const assets = [{ id: 'photo', w: asset, h: asset, u: '', p: 'photo.png', editable: image.name }];
    const shown = imageLayer(1, 'photo');
    const layers = [{ ...shown, ks: { ...(shown.ks as object), ...layer } }];
    return inputOf(layers, { width: 500, height: 500, frameCount: 60, images: [image], stills, document: { assets } });
  }

  const scaled = (percent: number) => ({ s: { a: 0, k: [percent, percent, 100] } });

  it('uses the size at which an image is drawn, not the size of its asset', async () => {
    expect(await lintInput(photoInput(1296, 2500, scaled(20.4)))).toEqual([]);
    expect(await lintInput(photoInput(300, 2500, scaled(20.4)))).toMatchObject([
      { code: 'image_too_small', width: 300, areaWidth: 510, limit: 'image' },
    ]);
    expect(await lintInput(photoInput(200, 250, scaled(200)))).toMatchObject([
      { code: 'image_too_small', width: 200, areaWidth: 500, limit: 'image' },
    ]);
  });

  it('reports that the template enlarges an image', async () => {
    expect(await lintInput(photoInput(2000, 250, scaled(200)))).toMatchObject([
      { code: 'image_too_small', width: 250, areaWidth: 500, limit: 'asset' },
    ]);
  });

  it('reports the frame at which an image is largest', async () => {
    const zoom = {
      s: {
        a: 1,
        k: [
          { t: 0, s: [10, 10], o: { x: 0, y: 0 }, i: { x: 1, y: 1 } },
          { t: 50, s: [110, 110], h: 1 },
        ],
      },
    };
    const late = [
      { name: 'early', frame: 3 },
      { name: 'late', frame: 50 },
    ];
    expect(await lintInput(photoInput(300, 500, zoom, late))).toMatchObject([
      { areaWidth: 550, frame: 50, seconds: 50 / 30, still: 'late' },
    ]);
  });
});
