import { describe, expect, it } from 'vitest';
import { lintVideo } from '../../../src/engine/lint/lint-video.ts';
import type { RenderInput } from '../../../src/template/render-input.ts';
import { sceneVideo } from '../../support/scene-videos.ts';
import { embeddedFonts, imageLayer, inputOf, placed, rectangleLayer } from '../inputs.ts';
import { numberedClip } from '../media/media-files.ts';
import { BLACK, type Color, H, moving, text, W, WHITE } from './case-inputs.ts';

type Scenes = Parameters<typeof sceneVideo>[0];

const [FPS, FRAMES] = [10, 30];
const input = (layers: object[], changes: object = {}): RenderInput =>
  inputOf(layers, { width: W, height: H, fps: FPS, frameCount: FRAMES, ...changes });

/** A template of one colour. */
const filled = (color: Color, changes: object = {}): RenderInput =>
  input([rectangleLayer(1, [0, 0, W, H], color)], changes);

const worded = (options: Parameters<typeof text>[0]): RenderInput =>
  input([text(options), rectangleLayer(9, [0, 0, W, H], BLACK)], { document: { fonts: embeddedFonts() } });

/** A template whose bar moves until a frame, and then stands still. */
const sliding = (until: number): RenderInput =>
  input([
    rectangleLayer(1, [0, 0, 200, 200], WHITE, {
      ks: placed(0, 0, { p: moving([0, [0, 0, 0]], [until, [700, 0, 0]]) }),
    }),
    rectangleLayer(2, [0, 0, W, H], [0, 0, 0.4]),
  ]);

const fade = { type: 'fade', duration: 0.4 } as const;
const found = async (scenes: Scenes, ...codes: string[]): Promise<object[]> =>
  (await lintVideo(sceneVideo(scenes))).filter(({ code }) => codes.includes(code));

describe('lintVideo() of scenes', () => {
  it('checks each scene against its own safe area, and names it', async () => {
    const of = worded({ y: H - 10 });
    const video = sceneVideo([
      { id: 'a', of },
      { id: 'b', of },
    ]);
    const outside = async (...areas: ('broadcast' | null)[]): Promise<unknown[]> =>
      (await lintVideo(video, areas)).flatMap(({ code, editable, scene }) =>
        code === 'outside_safe_area' ? [[editable, scene]] : [],
      );
    expect(await outside('broadcast', null)).toEqual([['a.t_01', 'a']]);
    expect(await outside(null, 'broadcast')).toEqual([['b.t_01', 'b']]);
    expect(await outside()).toEqual([]);
  });

  it('names the values of an only scene like its definition', async () => {
    const of = worded({ text: 'A &amp; B' });
    expect(await found([{ id: 'card', of, duration: 4 }], 'text_leftover')).toMatchObject([
      { editable: 't_01', scene: 'card' },
    ]);
  });

  it('finds a hold at which the picture moves, at the frame where it stops', async () => {
    const held = (of: RenderInput, hold: number, duration = 4): Promise<object[]> =>
      found(
        [
          { id: 'a', of: filled(WHITE) },
          { id: 'b', of, duration, timing: [{ hold }] as never },
        ],
        'hold_moves',
      );
    expect(await held(sliding(20), 10)).toMatchObject([
      { scene: 'b', editable: null, frame: 30 + 10, seconds: 4, heldSeconds: 1, changedShare: expect.any(Number) },
    ]);
    expect(await held(sliding(8), 10)).toEqual([]);
    // Too short to be seen.
    expect(await held(sliding(20), 10, 3.1)).toEqual([]);
  });

  it('leaves the last frame of a loop to the timeline, and clips in a hold play on', async () => {
    const looped = { id: 'a', of: sliding(20), duration: 3.6, timing: [{ loop: [5, 15] }] } as never;
    expect(await found([looped], 'hold_moves')).toEqual([]);
    const bytes = await numberedClip(10, 60);
    const clip = { assetId: 'clip', width: 64, height: 36, bytes, transform: {}, name: 'a.clip' };
    const document = { assets: [{ id: 'clip', w: 64, h: 36, u: '', p: 'clip.mp4', e: 0 }] };
    const of = inputOf([imageLayer(1, 'clip')], { fps: 10, frameCount: 20, clips: [clip], document });
    expect(await found([{ id: 'a', of, duration: 4, timing: [{ hold: 5 }] as never }], 'hold_moves')).toEqual([]);
  });

  it('finds a transition from a scene that ends with an empty picture', async () => {
    const layers = [rectangleLayer(1, [0, 0, 200, 200], WHITE, { op: 25 })];
    const gone = input([...layers, rectangleLayer(2, [0, 0, W, H], [0, 0, 0.4])]);
    const to = (of: RenderInput, transition: object | undefined): Promise<object[]> =>
      found(
        [
          { id: 'a', of },
          { id: 'b', of: filled(WHITE), ...(transition && { transition: transition as never }) },
        ],
        'transition_from_empty',
      );
    expect(await to(gone, fade)).toMatchObject([{ scene: 'b', before: 'a', frame: 30, seconds: 3 }]);
    expect(await to(gone, { ...fade, at: 'before' })).toEqual([]);
    expect(await to(gone, undefined)).toEqual([]);
    expect(await to(sliding(20), fade)).toEqual([]);
  });

  it('finds flashes of cuts and dips, which no scene has alone', async () => {
    const short = { fps: 30, frameCount: 3 };
    const cuts = Array.from({ length: 12 }, (_, at) => ({
      id: `scene-${at}`,
      of: filled(at % 2 === 0 ? WHITE : BLACK, short),
    }));
    expect(await found(cuts, 'flashes')).toMatchObject([
      { code: 'flashes', kind: 'general', scene: 'scene-1', editable: null },
    ]);
    const slow = cuts.map(({ id }, at) => ({
      id,
      of: filled(at % 2 === 0 ? WHITE : BLACK, { fps: 30, frameCount: 12 }),
    }));
    expect(await found(slow, 'flashes')).toEqual([]);
    const dipped = Array.from({ length: 5 }, (_, at) => ({
      id: `scene-${at}`,
      of: filled(WHITE, { fps: 30, frameCount: 30 }),
      transition: { type: 'dip', duration: 0.1, color: '#000000' } as const,
    }));
    expect(await found(dipped, 'flashes')).toHaveLength(0);
    const quick = dipped.map(({ id, transition }) => ({
      id,
      transition,
      of: filled(WHITE, { fps: 30, frameCount: 5 }),
    }));
    expect(
      await found([...quick, ...quick.map((scene) => ({ ...scene, id: `${scene.id}-b` }))], 'flashes'),
    ).toMatchObject([{ kind: 'general' }]);
  });

  it('finds a clip that the length of its scene cuts', async () => {
    const bytes = await numberedClip(10, 30);
    const clip = { assetId: 'clip', width: 64, height: 36, bytes, transform: {}, name: 'a.clip' };
    const document = { assets: [{ id: 'clip', w: 64, h: 36, u: '', p: 'clip.mp4', e: 0 }] };
    const of = inputOf([imageLayer(1, 'clip')], { fps: 10, frameCount: 30, clips: [clip], document });
    const other = inputOf([rectangleLayer(1, [0, 0, 64, 36], WHITE)], { fps: 10, frameCount: 30 });
    const at = (duration: number): Promise<object[]> =>
      found(
        [
          { id: 'b', of: other },
          { id: 'a', of, duration, timing: [{ stretch: [0, 30], min: 5 }] as never },
        ],
        'clip_cut',
        'clip_ends_early',
      );
    expect(await at(3)).toEqual([]);
    expect(await at(2)).toMatchObject([
      {
        code: 'clip_cut',
        editable: 'a.clip',
        scene: 'a',
        frame: 49,
        lengthSeconds: 3,
        playedSeconds: 2,
        box: expect.any(Object),
      },
    ]);
    expect(await at(4)).toMatchObject([{ code: 'clip_ends_early', editable: 'a.clip', freezesAtSeconds: 6 }]);
  });
});
