import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import fg from 'fast-glob';
import { describe, expect, test } from 'vitest';
import type { FrameRange } from '../../../src/engine/frame-rate.ts';
import { drawingsOf } from '../../../src/engine/segments/drawings.ts';
import { segmentInput } from '../../../src/engine/segments/segment-input.ts';
import { bindMapping } from '../../../src/template/bind/bind-mapping.ts';
import { parseTemplatePackage } from '../../../src/template/parse-template-package.ts';
import type { LottieDocument, RenderInput } from '../../../src/template/render-input.ts';
import { FEATURES } from '../../field/features.ts';
import { some } from '../../support/full-run.ts';
import { differingFrames, segmentKeys } from '../../support/segment-frames.ts';
import { embeddedFonts, imageLayer, inputOf, placed, rectangleLayer, textLayer } from '../inputs.ts';
import { numberedClip } from '../media/media-files.ts';
import { testPicture } from '../pictures.ts';

const ROOT = join(import.meta.dirname, '../../..');
const SHIPPED = join(createRequire(import.meta.url).resolve('lottie-web/package.json'), '../test/animations');

function exampleInput(name: string, texts: Readonly<Record<string, string>> = {}): RenderInput {
  const cwd = join(ROOT, 'templates', name);
  const files = fg.sync('**/*', { cwd }).map((path): [string, Uint8Array] => [path, readFileSync(join(cwd, path))]);
  const parsed = parseTemplatePackage(`templates/${name}`, new Map(files));
  if (!parsed.ok) throw new Error(parsed.diagnostics.map(({ message }) => message).join('\n'));
  const resources = Object.entries(texts).map(([key, text]) => [key, { source: { text } }]);
  return bindMapping(parsed.value, { resources: Object.fromEntries(resources) }, new Map());
}

/** Scales each side to a quarter. */
function small(renderInput: RenderInput): RenderInput {
  return { ...renderInput, width: Math.ceil(renderInput.width / 8) * 2, height: Math.ceil(renderInput.height / 8) * 2 };
}

function documentInput(document: LottieDocument): RenderInput {
  const { w, h, fr, ip, op } = document;
  const side = Math.min(1, 160 / Math.max(w, h));
  const [width, height] = [w, h].map((length) => Math.max(2, Math.round((length * side) / 2) * 2)) as [number, number];
  return inputOf([], { width, height, fps: fr, frameCount: Math.max(1, Math.floor(op - ip)), document });
}

function thirds({ frameCount }: RenderInput): FrameRange[] {
  const bounds = [0, 1, 2, 3].map((part) => Math.round((part * frameCount) / 3));
  return bounds.slice(1).flatMap((end, part) => (end > bounds[part]! ? [{ first: bounds[part]!, end }] : []));
}

async function expectSame(renderInput: RenderInput, ranges = thirds(renderInput), step = 1): Promise<void> {
  for (const range of ranges) {
    expect(
      await differingFrames(renderInput, segmentInput(renderInput, range), range, step),
      JSON.stringify(range),
    ).toEqual([]);
  }
}

const held = (frames: readonly [t: number, s: unknown][]) => ({
  a: 1,
  k: frames.map(([t, s]) => ({ t, s, h: 1 })),
});
const box = (ind: number, changes: object) => rectangleLayer(ind, [0, 0, 12, 12], [1, ind / 9, 0], changes);
const layersOf = ({ animation }: RenderInput): unknown[] => animation.layers;

describe('segmentInput()', () => {
  test.each(['launch', 'story'])('draws the same frames as the whole %s', async (name) => {
    const renderInput = small(exampleInput(name));
    const ranges = Array.from({ length: Math.ceil(renderInput.frameCount / 60) }, (_, at) => ({
      first: at * 60,
      end: Math.min(renderInput.frameCount, at * 60 + 60),
    }));
    await expectSame(renderInput, ranges, 7);
  });

  test.each(some(FEATURES))('draws the same frames as the whole animation with $name', async ({ document }) => {
    await expectSame(documentInput(document), undefined, 3);
  });

  const shipped = fg.sync('*.json', { cwd: SHIPPED });
  test.each(some(shipped))('draws the same frames as the whole %s', async (name) => {
    const document = JSON.parse(readFileSync(join(SHIPPED, name), 'utf8')) as LottieDocument;
    await expectSame(documentInput(document), undefined, 5);
  });

  test('keeps a layer only in segments that show it', () => {
    const renderInput = inputOf([box(1, { ip: 0, op: 4 }), box(2, { ip: 4, op: 8 })], { frameCount: 8 });
    expect(layersOf(segmentInput(renderInput, { first: 0, end: 4 }))).toEqual([renderInput.animation.layers[0]]);
    expect(layersOf(segmentInput(renderInput, { first: 4, end: 8 }))).toEqual([renderInput.animation.layers[1]]);
  });

  test('reduces a finished parent to the transform of its child', async () => {
    const move = held([
      [0, [0, 0, 0]],
      [4, [20, 8, 0]],
    ]);
    const parent = textLayer(2, 'Gone', 0, 20, 12);
    const renderInput = inputOf(
      [box(1, { parent: 2 }), { ...parent, ip: 0, op: 2, ks: placed(0, 0, { p: move }) }],
      { frameCount: 8, document: { fonts: embeddedFonts() } }, // biome-ignore format: short
    );
    const cut = segmentInput(renderInput, { first: 4, end: 8 });
    expect(layersOf(cut)[1]).toMatchObject({ ty: 3, ind: 2 });
    expect(JSON.stringify(cut.animation)).not.toContain('Gone');
    await expectSame(renderInput);
  });

  test('keeps finished mattes, adjacent or referenced by number', async () => {
    const matte = (ind: number) => box(ind, { td: 1, ip: 0, op: 3 });
    const matted = [
      [matte(1), box(2, { tt: 2 })],
      [matte(1), box(3, {}), box(2, { tt: 1, tp: 1 })],
      [box(2, { tt: 3, tp: 1 }), matte(1)],
    ];
    for (const layers of matted) {
      const renderInput = inputOf(layers, { frameCount: 9 });
      expect(layersOf(segmentInput(renderInput, { first: 6, end: 9 }))).toHaveLength(layers.length);
      await expectSame(renderInput);
    }
  });

  test('supports compositions that are shifted, stretched, remapped or shown twice', async () => {
    const inner = [box(1, { ip: 0, op: 3 }), box(2, { ip: 3, op: 6, ks: placed(20, 0) })];
    const shown = (changes: object) => ({
      ty: 0,
      refId: 'c',
      w: 64,
      h: 36,
      ip: 0,
      op: 12,
      st: 0,
      ks: placed(),
      ...changes,
    });
    const tm = held([
      [0, [0.4 / 3]],
      [6, [0]],
    ]);
    for (const layers of [
      [shown({ ind: 1, st: 4 })],
      [shown({ ind: 1, sr: 2 })],
      [shown({ ind: 1, tm })],
      [shown({ ind: 1, op: 3 }), shown({ ind: 2, ip: 9, st: 6, ks: placed(0, 10) })],
    ]) {
      await expectSame(inputOf(layers, { frameCount: 12, document: { assets: [{ id: 'c', layers: inner }] } }));
    }
    const late = inputOf([shown({ ind: 1, st: 4 })], {
      frameCount: 12,
      document: { assets: [{ id: 'c', layers: inner }] },
    });
    expect(segmentInput(late, { first: 4, end: 7 }).animation.assets).toEqual([{ id: 'c', layers: [inner[0]] }]);
  });

  test('keeps inactive layers in a composition drawn as a group', () => {
    const inner = [box(1, { op: 3 }), box(2, {})];
    const shown = { ty: 0, ind: 1, refId: 'c', w: 64, h: 36, ip: 0, op: 12, st: 0 };
    const inside = (changes: object): number => {
      const layers = [{ ...shown, ks: placed(), ...changes }];
      const renderInput = inputOf(layers, { frameCount: 6, document: { assets: [{ id: 'c', layers: inner }] } });
      return (segmentInput(renderInput, { first: 4, end: 6 }).animation.assets![0]!.layers as unknown[]).length;
    };
    expect(inside({})).toBe(1);
    expect(inside({ ef: [], bm: 0, ks: placed(0, 0, { o: { a: 0, k: [100] } }) })).toBe(1);
    expect(inside({ bm: 1 })).toBe(2);
    expect(inside({ ks: placed(0, 0, { o: { a: 0, k: 60 } }) })).toBe(2);
  });

  test('keeps everything when motion blur samples surrounding times', () => {
    const layers = [box(1, { ip: 0, op: 2 }), box(2, {})];
    const renderInput = inputOf(layers, { frameCount: 6, document: { mb: { sa: 180 } } });
    expect(layersOf(segmentInput(renderInput, { first: 4, end: 6 }))).toHaveLength(2);
  });

  test('keeps the images, fonts and stills of its frames and drops sounds', async () => {
    const picture = await testPicture(16, 16).encode('png');
    const image = (assetId: string) => ({
      assetId,
      width: 16,
      height: 16,
      bytes: picture,
      transform: {},
      name: assetId,
    });
    const layers = [
      { ...imageLayer(1, 'a'), op: 3 },
      { ...imageLayer(2, 'b'), ip: 3 },
      { ...textLayer(3, 'A', 0, 20, 12), op: 3 },
    ];
    const assets = ['a', 'b'].map((id) => ({ id, w: 16, h: 16, p: '', u: '' }));
    const sound = { bytes: picture, startSeconds: 0, endSeconds: 1, transform: {}, name: 's', optional: true };
    const fonts = [{ name: 'Spare', bytes: picture, isFallback: true }];
    const stills = [0, 2, 3].map((frame) => ({ name: `s${frame}`, frame }));
    const images = [image('a'), image('b')];
    const renderInput = inputOf(layers, {
      images,
      stills,
      fonts,
      sounds: [sound],
      frameCount: 6,
      output: { format: 'mp4', quality: 'high', fingerprint: 'v1:aa' },
      document: { assets, fonts: embeddedFonts() },
    });
    const [head, tail] = thirds({ ...renderInput, frameCount: 9 }).map((range) => segmentInput(renderInput, range));
    expect(head).toMatchObject({ images: [images[0]], fonts, sounds: [], output: { fingerprint: null } });
    expect(head!.stills.map(({ frame }) => frame)).toEqual([0, 2]);
    expect(tail).toMatchObject({ images: [images[1]], fonts: [], animation: { assets: [assets[1]] } });
    expect(tail!.animation.fonts).toBeUndefined();
  });

  test.each(['slide-to-left', 'zoom-in'] as const)('moves an image by %s as in the whole', async (animate_strategy) => {
    const bytes = await testPicture(48, 32).encode('png');
    const transform = { animate_strategy, animate_speed: 'fast' } as const;
    const images = [{ assetId: 'a', width: 40, height: 30, bytes, transform, name: 'a' }];
    const layers = [imageLayer(1, 'a'), { ...imageLayer(2, 'a', 20, 4), ip: 3, op: 7 }];
    const document = { op: 12, assets: [{ id: 'a', w: 40, h: 30, p: '', u: '' }] };
    await expectSame(inputOf(layers, { images, frameCount: 12, document }));
  });

  test('plays a clip as in the whole', async () => {
    const bytes = await numberedClip(10, 12);
    const clips = [{ assetId: 'a', width: 64, height: 36, bytes, transform: { trim_start_time: 0.2 }, name: 'a' }];
    const layers = [
      { ...imageLayer(1, 'a'), ip: 1, op: 9, st: -1 },
      { ...imageLayer(2, 'a', 30, 4), ip: 6, st: 6 },
    ];
    const document = { op: 15, assets: [{ id: 'a', w: 64, h: 36, p: '', u: '' }] };
    await expectSame(inputOf(layers, { clips, frameCount: 15, fps: 10, document }));
    const over = inputOf([layers[0], box(2, {})], { clips, frameCount: 15, fps: 10, document });
    expect(segmentInput(over, { first: 9, end: 15 }).clips).toEqual([]);
  });
});

describe('segmentKey()', () => {
  const ranges = Array.from({ length: 6 }, (_, at) => ({ first: at * 60, end: Math.min(324, at * 60 + 60) }));

  /** A character for each segment of launch: `x` where an edit changes its key. */
  function changes(
    texts: Readonly<Record<string, string>>,
    edit: (renderInput: RenderInput) => RenderInput = (renderInput) => renderInput,
  ): string {
    const [before, after] = [exampleInput('launch'), edit(exampleInput('launch', texts))];
    const [keys, changedKeys] = [segmentKeys(before, ranges), segmentKeys(after, ranges)];
    return keys.map((key, at) => (key !== null && key === changedKeys[at] ? '=' : 'x')).join('');
  }

  test('are unchanged for segments that an edit does not affect', () => {
    expect(changes({})).toBe('======');
    // Shown from frame 26 to 123, so including two frames of the third segment.
    expect(changes({ t_01: 'Another headline' })).toBe('xxx===');
    expect(changes({ t_05: 'An offer' })).toBe('====xx');
    expect(
      changes({}, (renderInput) => ({ ...renderInput, output: { ...renderInput.output, fingerprint: 'v1:bb' } })),
    ).toBe('======');
    const [still] = exampleInput('launch').stills;
    const moved = { ...still!, frame: 61 };
    expect(changes({}, (renderInput) => ({ ...renderInput, stills: [...renderInput.stills, moved] }))).toBe('======');
  });

  test('change with size, rate, quality and build', () => {
    for (const change of [
      { width: 960 },
      { fps: 25 },
      { output: { format: 'mp4', quality: 'low', fingerprint: null } },
    ]) {
      expect(changes({}, (renderInput) => ({ ...renderInput, ...change }) as RenderInput)).toBe('xxxxxx');
    }
  });

  test('are null for an input without a canonical form', () => {
    const renderInput = inputOf([box(1, { nm: '\ud800' })]);
    expect(segmentKeys(renderInput, [{ first: 0, end: 2 }])).toEqual([null]);
  });
});

describe('drawingsOf()', () => {
  const seconds = (...starts: number[]): FrameRange[] => starts.map((first) => ({ first, end: first + 10 }));
  const image = (assetId: string, side: number) => ({
    name: assetId,
    assetId,
    width: side,
    height: side,
    bytes: new Uint8Array(1),
    transform: {},
  });
  const renderInput = (sides: readonly number[]): RenderInput =>
    inputOf(
      sides.map((_, at) => ({ ...imageLayer(at + 1, `i${at}`), ip: at * 10, op: at * 10 + 10 })),
      {
        frameCount: 200,
        images: sides.map((side, at) => image(`i${at}`, side)),
        document: { assets: sides.map((side, at) => ({ id: `i${at}`, w: side, h: side, u: '', p: '' })) },
      },
    );

  test('groups at most eight ranges, which need not be consecutive', () => {
    const firsts = (ranges: readonly FrameRange[]): number[][] =>
      [...drawingsOf(renderInput([]), ranges)].map((drawing) => drawing.ranges.map(({ first }) => first));
    expect(firsts(seconds(0, 10, 30, 40))).toEqual([[0, 10, 30, 40]]);
    expect(firsts(seconds(...Array.from({ length: 10 }, (_, at) => at * 10)))).toEqual([
      [0, 10, 20, 30, 40, 50, 60, 70],
      [80, 90],
    ]);
  });

  test('restricts each input to its ranges, and separates those whose images are large together', () => {
    const drawings = [...drawingsOf(renderInput([100, 3000, 3000, 100]), seconds(0, 10, 20, 30))];
    expect(drawings.map(({ ranges }) => ranges.map(({ first }) => first))).toEqual([
      [0, 10],
      [20, 30],
    ]);
    expect(drawings.map(({ renderInput: own }) => (own as RenderInput).images.map(({ name }) => name))).toEqual([
      ['i0', 'i1'],
      ['i2', 'i3'],
    ]);
    const [apart] = drawingsOf(renderInput([100, 3000, 100]), seconds(0, 20));
    expect((apart!.renderInput as RenderInput).images.map(({ name }) => name)).toEqual(['i0', 'i2']);
  });
});
