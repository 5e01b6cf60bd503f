import { createCanvas, LottieAnimation } from '@napi-rs/canvas';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimal } from '../../../../src/contract/timeline/rational.ts';
import type { TimeMap } from '../../../../src/contract/timeline/time-map.ts';
import {
  type PlacedScene,
  type SceneCanvas,
  sceneDocument,
} from '../../../../src/template/lottie/scenes/scene-document.ts';
import { timeRemap } from '../../../../src/template/lottie/scenes/time-remap.ts';
import type { SceneTransition } from '../../../../src/template/lottie/scenes/transitions.ts';
import { withPrefix } from '../../../../src/template/lottie/scenes/with-prefix.ts';
import type { LottieDocument } from '../../../../src/template/render-input.ts';

const SIZE = 16;
const RATES = [24, 25, 30000 / 1001, 30, 60];
const IDENTITY = {
  o: { a: 0, k: 100 },
  r: { a: 0, k: 0 },
  p: { a: 0, k: [0, 0, 0] },
  a: { a: 0, k: [0, 0, 0] },
  s: { a: 0, k: [100, 100, 100] },
};

/** A template that shows a layer of another green on each of its frames, so that a picture tells its frame. */
function numberedTemplate(frames: number, { rate = 30, first = 0, red = 0 } = {}): LottieDocument {
  const shown = Array.from({ length: frames }, (_, frame) => ({
    ty: 1,
    ind: frame + 1,
    sw: SIZE,
    sh: SIZE,
    sc: color(red, 2 * frame + 20),
    ip: first + frame,
    op: first + frame + 1,
    st: 0,
    ks: IDENTITY,
  }));
  const assets = [{ id: 'frames', w: SIZE, h: SIZE, layers: shown }];
  const layer = { ty: 0, refId: 'frames', w: SIZE, h: SIZE, ip: first, op: first + frames, st: 0, ks: IDENTITY };
  return { v: '5.7.0', w: SIZE, h: SIZE, fr: rate, ip: first, op: first + frames, assets, layers: [layer] };
}

function color(red: number, green: number): string {
  return `#${red.toString(16).padStart(2, '0')}${green.toString(16).padStart(2, '0')}00`;
}

interface Place extends Partial<Omit<PlacedScene, 'remap'>> {
  readonly length: number;
  readonly map?: TimeMap;
  /** Of the document. */
  readonly rate?: number;
}

function scene(animation: LottieDocument, { map, rate = 30, ...place }: Place): PlacedScene {
  const whole = mapOf([{ from: 0, to: place.length, at: 0, speed: 1 }]);
  const remap = timeRemap(map ?? whole, animation.ip, rate);
  return { animation, start: 0, remap, fit: 'cover', background: null, transition: null, ...place };
}

interface Piece {
  readonly from: number;
  readonly to: number;
  readonly at: number;
  readonly speed: number;
}

function mapOf(pieces: readonly Piece[]): TimeMap {
  return pieces.map(({ from, to, at, speed }) => {
    return { from: decimal(from), to: decimal(to), at: decimal(at), speed: decimal(speed) };
  });
}

function canvasOf(frames: number, rate = 30): SceneCanvas {
  return { width: SIZE, height: SIZE, rate, frames, isTransparent: false };
}

/** Draws frames over blue. @returns the pixels of each */
function draw(document: LottieDocument, frames: readonly number[]): Uint8ClampedArray[] {
  const animation = LottieAnimation.loadFromData(JSON.stringify(document));
  const canvas = createCanvas(SIZE, SIZE);
  const context = canvas.getContext('2d');
  return frames.map((frame) => {
    context.fillStyle = '#0000ff';
    context.fillRect(0, 0, SIZE, SIZE);
    animation.seekFrame(frame);
    animation.render(context, { x: 0, y: 0, width: SIZE, height: SIZE });
    return context.getImageData(0, 0, SIZE, SIZE).data;
  });
}

/** Returns which frame of `numberedTemplate` the middle of a picture shows; null if none. */
function frameIn(pixels: Uint8ClampedArray): number | null {
  const [red, green, blue] = pixelAt(pixels, [SIZE / 2, SIZE / 2]);
  return blue === 0 && red === 0 ? (green! - 20) / 2 : null;
}

function pixelAt(pixels: Uint8ClampedArray, [x, y]: readonly [number, number]): number[] {
  return [...pixels.slice((y * SIZE + x) * 4, (y * SIZE + x) * 4 + 3)];
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

describe('the time of a scene', () => {
  it('is its template’s own time where nothing changes it, also from another first frame', () => {
    for (const first of [0, 7]) {
      const document = sceneDocument([scene(numberedTemplate(30, { first }), { length: 30, start: 5 })], canvasOf(40));
      expect(draw(document, range(0, 40)).map(frameIn)).toEqual([
        ...range(0, 5).map(() => null),
        ...range(0, 30),
        ...range(0, 5).map(() => null),
      ]);
    }
  });

  it('stands still on a whole frame', () => {
    const map = mapOf([
      { from: 0, to: 10, at: 0, speed: 1 },
      { from: 10, to: 30, at: 10, speed: 0 },
      { from: 30, to: 50, at: 10, speed: 1 },
    ]);
    const document = sceneDocument([scene(numberedTemplate(30), { length: 50, map })], canvasOf(50));
    expect(draw(document, range(0, 50)).map(frameIn)).toEqual([
      ...range(0, 10),
      ...range(0, 20).map(() => 10),
      ...range(10, 30),
    ]);
  });

  it('stands still on the last frame, which a player does not draw at the end of a composition', () => {
    const map = mapOf([
      { from: 0, to: 30, at: 0, speed: 1 },
      { from: 30, to: 40, at: 29, speed: 0 },
    ]);
    const document = sceneDocument([scene(numberedTemplate(30), { length: 40, map })], canvasOf(40));
    expect(draw(document, range(28, 40)).map(frameIn)).toEqual([28, ...range(0, 11).map(() => 29)]);
  });

  it('jumps on the first frame of each further pass of a loop', () => {
    const map = mapOf([
      { from: 0, to: 20, at: 0, speed: 1 },
      { from: 20, to: 30, at: 10, speed: 1 },
      { from: 30, to: 50, at: 10, speed: 1 },
    ]);
    const document = sceneDocument([scene(numberedTemplate(30), { length: 50, map })], canvasOf(50));
    expect(draw(document, range(0, 50)).map(frameIn)).toEqual([...range(0, 20), ...range(10, 20), ...range(10, 30)]);
  });

  it('is at every frame the frame that its pieces say, for all rates', () => {
    const lists = fc.array(
      fc.record({
        length: fc.integer({ min: 1, max: 20 }),
        time: fc.integer({ min: 0, max: 60 }),
        speed: fc.constantFrom(0, 0.5, 0.8, 1, 1.25, 2),
      }),
      { minLength: 1, maxLength: 5 },
    );
    fc.assert(
      fc.property(lists, fc.constantFrom(...RATES), fc.constantFrom(...RATES), (parts, rate, templateRate) => {
        let from = 0;
        const pieces = parts.map(({ length, time, speed }): Piece => {
          from += length;
          return { from: from - length, to: from, at: time, speed };
        });
        const animation = numberedTemplate(101, { rate: templateRate });
        const document = sceneDocument(
          [scene(animation, { length: from, map: mapOf(pieces), rate })],
          canvasOf(from, rate),
        );
        const expected = range(0, from).map((frame) => {
          const piece = pieces.find(({ to }) => frame < to)!;
          return Math.floor(piece.at + (frame - piece.from) * piece.speed + 1e-6);
        });
        expect(draw(document, range(0, from)).map(frameIn)).toEqual(expected);
      }),
      { numRuns: 100 },
    );
  });
});

describe('two scenes', () => {
  const OLD = '#300000';
  const NEW = '#600000';

  /** A template that stands still, in a colour. */
  function plain(hex: string, frames = 30): LottieDocument {
    const [width, height] = [SIZE, SIZE];
    const layer = { ty: 1, ind: 1, sw: width, sh: height, sc: hex, ip: 0, op: frames, st: 0, ks: IDENTITY };
    return { v: '5.7.0', w: width, h: height, fr: 30, ip: 0, op: frames, layers: [layer] };
  }

  function joined(
    transition: Partial<SceneTransition> & Pick<SceneTransition, 'type'>,
    at: 'start' | 'before' = 'start',
  ) {
    const whole = { frames: 8, easing: 'linear', direction: 'left', color: '#ff0000', ...transition } as const;
    const from = at === 'start' ? 30 : 30 - whole.frames;
    const scenes = [
      scene(withPrefix(numberedTemplate(30), 'a/'), { length: 30 }),
      scene(withPrefix(plain(NEW), 'b/'), { length: 30, start: 30, transition: { ...whole, from } }),
    ];
    return sceneDocument(scenes, canvasOf(60));
  }

  it('follow each other without a frame between them', () => {
    const scenes = [
      scene(withPrefix(numberedTemplate(30), 'a/'), { length: 20 }),
      scene(withPrefix(numberedTemplate(30), 'b/'), { length: 30, start: 20 }),
    ];
    const document = sceneDocument(scenes, canvasOf(50));
    expect(draw(document, range(0, 50)).map(frameIn)).toEqual([...range(0, 20), ...range(0, 30)]);
  });

  it.each(['fade', 'dip', 'slide', 'push', 'wipe', 'iris', 'zoom'] as const)(
    'keep the old scene on its last frame during a transition (%s), and show the new scene alone after it',
    (type) => {
      const document = joined({ type });
      const [before, first, after] = draw(document, [29, 30, 38]);
      expect(frameIn(before!)).toBe(29);
      expect(frameIn(first!)).toBe(29);
      expect(pixelAt(after!, [8, 8])).toEqual([0x60, 0, 0]);
    },
  );

  it.each(['fade', 'slide', 'push', 'wipe', 'iris', 'zoom'] as const)(
    'end a transition that lies before the cut (%s) on the first frame of the new scene',
    (type) => {
      const document = joined({ type }, 'before');
      const [before, first, cut] = draw(document, [21, 22, 30]);
      expect(frameIn(before!)).toBe(21);
      expect(frameIn(first!)).toBe(22);
      expect(pixelAt(cut!, [8, 8])).toEqual([0x60, 0, 0]);
    },
  );

  it('are half of each in the middle of a fade', () => {
    const scenes = [
      scene(withPrefix(plain(OLD), 'a/'), { length: 30 }),
      scene(withPrefix(plain(NEW), 'b/'), {
        length: 30,
        start: 30,
        transition: { type: 'fade', frames: 8, easing: 'linear', direction: 'left', color: '#000000', from: 30 },
      }),
    ];
    const [middle] = draw(sceneDocument(scenes, canvasOf(60)), [34]);
    expect(pixelAt(middle!, [8, 8])[0]).toBeGreaterThanOrEqual(0x47);
    expect(pixelAt(middle!, [8, 8])[0]).toBeLessThanOrEqual(0x49);
  });

  it.each([
    ['left', [2, 8], [13, 8]],
    ['right', [13, 8], [2, 8]],
    ['up', [8, 2], [8, 13]],
    ['down', [8, 13], [8, 2]],
  ] as const)('share the picture in the middle of a movement %s', (direction, oldPoint, newPoint) => {
    for (const type of ['slide', 'push', 'wipe'] as const) {
      const [middle] = draw(joined({ type, direction }), [34]);
      expect(pixelAt(middle!, oldPoint), type).toEqual([0, 2 * 29 + 20, 0]);
      expect(pixelAt(middle!, newPoint), type).toEqual([0x60, 0, 0]);
    }
  });

  it('are covered by the colour of a dip in its middle', () => {
    const [middle] = draw(joined({ type: 'dip', color: '#ffffff' }), [34]);
    expect(pixelAt(middle!, [8, 8])).toEqual([255, 255, 255]);
  });

  it('open from the centre with an iris', () => {
    const [middle] = draw(joined({ type: 'iris' }), [32]);
    expect(pixelAt(middle!, [8, 8])).toEqual([0x60, 0, 0]);
    expect(frameIn(middle!)).toBeNull();
    expect(pixelAt(middle!, [1, 1])).toEqual([0, 2 * 29 + 20, 0]);
  });

  it('keep assets of the same id apart', () => {
    const scenes = [
      scene(withPrefix(numberedTemplate(10), 'a/'), { length: 10 }),
      scene(withPrefix(numberedTemplate(10, { red: 0x40 }), 'b/'), { length: 10, start: 10 }),
    ];
    const [first, second] = draw(sceneDocument(scenes, canvasOf(20)), [3, 13]);
    expect(pixelAt(first!, [8, 8])).toEqual([0, 26, 0]);
    expect(pixelAt(second!, [8, 8])).toEqual([0x40, 26, 0]);
  });

  it('do not show through each other in a video without background', () => {
    const empty = { ...plain(NEW), layers: [] };
    for (const type of ['fade', 'slide', 'push', 'wipe', 'iris', 'zoom'] as const) {
      const transition = { type, frames: 8, easing: 'linear', direction: 'left', color: '#000000', from: 30 } as const;
      const scenes = [
        scene(withPrefix(plain(OLD), 'a/'), { length: 30 }),
        scene(withPrefix(empty, 'b/'), { length: 30, start: 30, transition }),
      ];
      const document = sceneDocument(scenes, { ...canvasOf(60), isTransparent: true });
      const [half, after] = draw(document, [34, 38]);
      // The blue behind the video is seen where the new scene is empty: at the right edge, in the middle, or through all of it.
      const point = type === 'iris' || type === 'fade' || type === 'zoom' ? ([8, 8] as const) : ([13, 8] as const);
      expect(pixelAt(half!, point)[2], type).toBeGreaterThan(100);
      expect(pixelAt(after!, [8, 8]), type).toEqual([0, 0, 255]);
    }
  });
});

describe('a scene of another size', () => {
  const wide = { ...numberedTemplate(10), w: SIZE * 2, h: SIZE };
  const wideScene = (fit: PlacedScene['fit'], background: string | null) => {
    const layer = { ty: 1, ind: 1, sw: SIZE * 2, sh: SIZE, sc: '#004000', ip: 0, op: 10, st: 0, ks: IDENTITY };
    return sceneDocument(
      [scene({ ...wide, assets: [], layers: [layer] }, { length: 10, fit, background })],
      canvasOf(10),
    );
  };

  it('covers the picture, or lies inside it on its background', () => {
    const [cover] = draw(wideScene('cover', '#400000'), [3]);
    expect(pixelAt(cover!, [8, 1])).toEqual([0, 0x40, 0]);
    const [contain] = draw(wideScene('contain', '#400000'), [3]);
    expect(pixelAt(contain!, [8, 8])).toEqual([0, 0x40, 0]);
    expect(pixelAt(contain!, [8, 1])).toEqual([0x40, 0, 0]);
  });
});
