import type { InputSound, RenderInput } from '../../../src/template/render-input.ts';
import { placed } from '../inputs.ts';
import { numberedClip, stereoWav } from '../media/media-files.ts';
import {
  BLACK,
  block,
  type CaseTable,
  type Color,
  FPS,
  FRAMES,
  grey,
  H,
  type Layer,
  LOW,
  moving,
  NAVY,
  nested,
  OUTLINE,
  on,
  over,
  photo,
  picture,
  shadow,
  showing,
  stage,
  still,
  switched,
  text,
  toneClip,
  W,
  WHITE,
  withClip,
} from './case-inputs.ts';

const SOFT = ['image_too_small i_01'];
const FLASHES = ['flashes'];
const OUTSIDE = ['outside_safe_area t_01'];
const WHOLE = [0, 0, W, H] as const;

/** A photo that is bright from `from` pixels on and dark before. */
const halves = (from: number): Buffer =>
  picture(W, H, (context) => {
    context.fillStyle = '#101820';
    context.fillRect(0, 0, W, H);
    context.fillStyle = '#e8e4dc';
    context.fillRect(from, 0, W, H);
  });

const gradient = (left: string, right: string): Buffer =>
  picture(W, H, (context) => {
    const colors = context.createLinearGradient(0, 0, W, 0);
    colors.addColorStop(0, left);
    colors.addColorStop(1, right);
    context.fillStyle = colors;
    context.fillRect(0, 0, W, H);
  });

/** Black and white squares of 8 pixels. */
const noise = (): Buffer =>
  picture(W, H, (context) => {
    for (let x = 0; x < W; x += 8) {
      for (let y = 0; y < H; y += 8) {
        context.fillStyle = ((x * 7 + y * 13) / 8) % 3 < 1.5 ? '#000' : '#fff';
        context.fillRect(x, y, 8, 8);
      }
    }
  });

/** A rectangle with a linear gradient between two colours, from left to right. */
function gradientBlock(left: Color, right: Color): Layer {
  const layer = block(BLACK) as Layer & { shapes: { it: unknown[] }[] };
  layer.shapes[0]!.it[1] = {
    ty: 'gf',
    o: still(100),
    r: 1,
    t: 1,
    s: still([0, 0]),
    e: still([W, 0]),
    g: { p: 2, k: still([0, ...left, 1, ...right]) },
  };
  return layer;
}

/** An upright picture with a text whose left end and baseline are at a position. */
function upright(x: number, y: number, options: { key?: string | null; ks?: object } = {}): RenderInput {
  const size = { width: 540, height: 960 };
  const ground = block(NAVY, [0, 0, 540, 960]);
  return stage([text({ text: 'Reel', size: 36, x, y, ...options }), ground], { ...size, document: { w: 540, h: 960 } });
}

/** A rectangle that is shown from `frames[0]` to `frames[1]`, and so on, at 30 frames a second. */
function flashing(frames: readonly number[], color: Color, box: readonly [number, number, number, number] = WHOLE) {
  return block(color, box, { ks: placed(0, 0, switched(...frames)) });
}

/** Two seconds at 30 frames each. */
const quick = (...layers: Layer[]): RenderInput => stage(layers, { fps: 30, frameCount: 60 });

/** Ten seconds at ten frames each, over navy. */
const long = (...layers: Layer[]): RenderInput => stage([...layers, block(NAVY)], { frameCount: 100 });

/** Frames at which `count` flashes of two frames begin and end, `every` frames. */
const bursts = (count: number, every: number, from = 3): number[] =>
  Array.from({ length: count }, (_, index) => [from + index * every, from + index * every + 2]).flat();

/** Backgrounds, images, clips, safe areas and flashes. */
/** A track of silence that plays during the whole video. */
function silentTrack(seconds: number, transform: InputSound['transform'] = {}): InputSound {
  const bytes = stereoWav(8000, new Float32Array(seconds * 8000));
  return { bytes, name: 'audio_tracks.voice', startSeconds: 0, endSeconds: 3, optional: false, transform };
}

export const GROUND_CASES: CaseTable = {
  'photos and gradients behind texts': [
    ['a dark photo', () => over(gradient('#203040', '#102030'), text()), []],
    ['a bright photo', () => over(gradient('#e0e8f0', '#d0c8b8'), text()), LOW],
    ['the dark half of a photo', () => over(halves(700), text()), []],
    ['the bright half of a photo', () => over(halves(200), text()), LOW],
    ['over both halves of a photo', () => over(halves(440), text()), LOW],
    ['over both halves, with an outline', () => over(halves(440), text({ size: 90, style: OUTLINE })), []],
    [
      'over both halves, with a dark glow',
      () => over(halves(440), text({ size: 90, layer: shadow(BLACK, 0, 14) })),
      [],
    ],
    [
      'a bright photo below a dark veil',
      () =>
        over(
          gradient('#e0e8f0', '#d0c8b8'),
          text(),
          block(BLACK, [0, 0, W, H], { ks: placed(0, 0, { o: still(75) }) }),
        ),
      [],
    ],
    [
      'a bright photo below a thin veil',
      () =>
        over(
          gradient('#e0e8f0', '#d0c8b8'),
          text(),
          block(BLACK, [0, 0, W, H], { ks: placed(0, 0, { o: still(15) }) }),
        ),
      LOW,
    ],
    ['noise', () => over(noise(), text()), LOW],
    ['noise below a plate', () => over(noise(), text(), block(NAVY, [250, 180, 460, 150])), []],
    ['the dark end of a gradient', () => stage([text({ x: 60 }), gradientBlock([0, 0, 0.2], WHITE)]), []],
    ['the bright end of a gradient', () => stage([text({ x: 620 }), gradientBlock([0, 0, 0.2], WHITE)]), LOW],
    ['a white glow around white', () => on(WHITE, text({ size: 90, layer: shadow(WHITE, 0, 14) })), LOW],
    [
      'a black text outlined in white on black',
      () => on(BLACK, text({ size: 90, color: BLACK, style: { ...OUTLINE, sc: WHITE } })),
      [],
    ],
    ['a dark clip', async () => withClip(await toneClip(() => 40), [text(), showing('clip')]), []],
    [
      'a clip that turns bright half-way',
      async () => withClip(await toneClip((frame) => (frame < 15 ? 30 : 230)), [text(), showing('clip')]),
      LOW,
    ],
    [
      'a clip that is bright for a moment',
      async () => withClip(await toneClip((frame) => (frame === 20 ? 230 : 30)), [text(), showing('clip')]),
      [],
    ],
    [
      'a second of a bright picture between dark ones',
      () => long(text(), block(WHITE, WHOLE, { ip: 22, op: 32 })),
      LOW,
    ],
    ['a quarter of a second of a bright picture', () => long(text(), block(WHITE, WHOLE, { ip: 22, op: 24 })), []],
    [
      'a bright shape that crosses it slowly',
      () =>
        long(text(), block(WHITE, [-250, 0, 200, H], { ks: placed(0, 0, { p: moving([60, [0, 0]], [90, [W, 0]]) }) })),
      LOW,
    ],
    [
      'a bright shape that passes quickly',
      () =>
        long(
          text(),
          block(WHITE, [-250, 0, 200, H], { ks: placed(0, 0, { p: moving([64, [0, 0]], [68, [1400, 0]]) }) }),
        ),
      [],
    ],
    [
      'a fade to black at the end',
      () => long(block(BLACK, WHOLE, { ks: placed(0, 0, { o: moving([70, [0]], [99, [100]]) }) }), text()),
      [],
    ],
    [
      'a transparent picture',
      () => stage([text({ color: BLACK })], { output: { format: 'webm', quality: 'high', fingerprint: null } }),
      [],
    ],
    [
      'a plate in a transparent picture',
      () =>
        stage([text(), block(WHITE, [250, 180, 460, 150])], {
          output: { format: 'webm', quality: 'high', fingerprint: null },
        }),
      LOW,
    ],
  ],
  'images and clips in layers': [
    [
      'turned, at its size',
      () => photo({ file: [400, 300], asset: [400, 300], ks: { r: still(30), p: still([300, 50, 0]) } }),
      [],
    ],
    [
      'mirrored',
      () => photo({ file: [400, 300], asset: [400, 300], ks: { s: still([-100, 100, 100]), p: still([600, 50, 0]) } }),
      [],
    ],
    [
      'contained, with room beside it',
      () => photo({ file: [200, 300], asset: [400, 300], transform: { crop_strategy: 'contain' } }),
      [],
    ],
    [
      'moved slowly',
      () =>
        photo({
          file: [800, 600],
          asset: [800, 600],
          transform: { animate_strategy: 'zoom-in', animate_speed: 'fast' },
        }),
      [],
    ],
    [
      'stretched in one direction',
      () => photo({ file: [400, 300], asset: [400, 300], ks: { s: still([100, 200, 100]) } }),
      SOFT,
    ],
    [
      'largest where it is transparent',
      () =>
        photo({
          file: [400, 300],
          asset: [400, 300],
          ks: { s: moving([0, [100, 100]], [10, [100, 100]], [20, [400, 400]]), o: moving([8, [100]], [10, [0]]) },
        }),
      [],
    ],
    [
      'enlarged by its parent',
      () => {
        const renderInput = photo({ file: [400, 300], asset: [400, 300] });
        const [image, ...rest] = renderInput.animation.layers as Layer[];
        const parent = { ty: 3, ind: 902, ip: 0, op: 999, st: 0, ks: placed(0, 0, { s: still([250, 250, 100]) }) };
        return {
          ...renderInput,
          animation: { ...renderInput.animation, layers: [{ ...image, parent: 902 }, parent, ...rest] },
        };
      },
      SOFT,
    ],
    [
      'a clip enlarged by its composition',
      async () => {
        const inside = { id: 'inside', layers: [showing('clip')] };
        const renderInput = withClip(
          await numberedClip(FPS, FRAMES),
          [showing('inside', { ty: 0, w: 64, h: 36, ks: placed(0, 0, { s: still([500, 500, 100]) }) }), block(NAVY)],
          [64, 36],
        );
        return {
          ...renderInput,
          animation: { ...renderInput.animation, assets: [...renderInput.animation.assets!, inside] },
        };
      },
      ['image_too_small v_01'],
    ],
    [
      'a clip that ends early',
      async () => withClip(await numberedClip(FPS, 20), [showing('clip'), block(NAVY)], [64, 36]),
      ['clip_ends_early v_01'],
    ],
    [
      'a clip that ends with its layer',
      async () => withClip(await numberedClip(FPS, 20), [showing('clip', { op: 20 }), block(NAVY)], [64, 36]),
      [],
    ],
    [
      'a clip that ends a frame early',
      async () => withClip(await numberedClip(FPS, 29), [showing('clip'), block(NAVY)], [64, 36]),
      [],
    ],
    [
      'a clip longer than its layer',
      async () => withClip(await numberedClip(FPS, 50), [showing('clip'), block(NAVY)], [64, 36]),
      ['clip_cut v_01'],
    ],
    [
      'a sound longer than the video',
      () => stage([text(), block(NAVY)], { sounds: [silentTrack(6)] }),
      ['sound_cut audio_tracks.voice'],
    ],
    ['a sound as long as the video', () => stage([text(), block(NAVY)], { sounds: [silentTrack(3)] }), []],
    [
      'a long sound with a fade-out',
      () => stage([text(), block(NAVY)], { sounds: [silentTrack(6, { fade_out: 1 })] }),
      [],
    ],
    [
      'a muted sound',
      () => stage([text(), block(NAVY)], { sounds: [silentTrack(3, { volume: 0 })] }),
      ['sound_unused audio_tracks.voice'],
    ],
    ['a tag in a text', () => stage([text({ text: 'Two<br>lines' }), block(NAVY)]), ['text_leftover t_01']],
    ['a tag in a fixed text', () => stage([text({ text: 'Two<br>lines', key: null }), block(NAVY)]), []],
    [
      'a sound cut off',
      () => {
        const bytes = stereoWav(8000, new Float32Array(24_000)).subarray(0, 40_000);
        const sound = { bytes, name: 'a_01', startSeconds: 0, endSeconds: 3, optional: false, transform: {} };
        return stage([text(), block(NAVY)], { sounds: [sound] });
      },
      ['media_truncated a_01'],
    ],
  ],
  'safe areas': [
    ['inside that of TikTok', () => upright(100, 400), [], { area: 'tiktok' }],
    ['below the buttons of TikTok', () => upright(420, 500), OUTSIDE, { area: 'tiktok' }],
    ['a fixed text outside', () => upright(420, 500, { key: null }), [], { area: 'tiktok' }],
    [
      'comes from outside and rests inside',
      () => upright(0, 0, { ks: { p: moving([0, [-300, 400]], [8, [120, 400]]) } }),
      [],
      { area: 'instagram-reels' },
    ],
    [
      'rests outside and leaves',
      () => upright(0, 0, { ks: { p: moving([0, [120, 900]], [20, [120, 900]], [28, [120, 1200]]) } }),
      OUTSIDE,
      { area: 'instagram-reels' },
    ],
    ['a wide picture for upright apps', () => stage([text({ x: 8 }), block(NAVY)]), [], { area: 'youtube-shorts' }],
    [
      'a corner beyond the edge of old screens',
      () => stage([text({ x: 30, y: 200, size: 40, ks: { r: still(-35) } }), block(NAVY)]),
      OUTSIDE,
      { area: 'broadcast' },
    ],
  ],
  'flashes in inputs': [
    ['three flashes in a second', () => quick(flashing(bursts(3, 8), WHITE), block(BLACK)), []],
    ['four flashes in a second', () => quick(flashing(bursts(4, 7), WHITE), block(BLACK)), FLASHES],
    ['six flashes over the change of a second', () => quick(flashing(bursts(6, 5, 20), WHITE), block(BLACK)), FLASHES],
    ['two flashes each second', () => quick(flashing(bursts(4, 15), WHITE), block(BLACK)), []],
    [
      'a strobe around a text on a plate',
      () => quick(text(), block(NAVY, [250, 180, 460, 150]), flashing(bursts(12, 5), WHITE), block(BLACK)),
      FLASHES,
    ],
    [
      'a small light that blinks',
      () => quick(text(), flashing(bursts(12, 5), WHITE, [860, 40, 60, 60]), block(NAVY)),
      [],
    ],
    [
      'small lights in turn in different places',
      () =>
        quick(
          flashing(bursts(6, 10), WHITE, [40, 40, 120, 100]),
          flashing(bursts(6, 10, 8), WHITE, [800, 400, 120, 100]),
          block(BLACK),
        ),
      [],
    ],
    ['flashes that hardly change the light', () => quick(flashing(bursts(12, 5), grey(0.34)), block(grey(0.25))), []],
    [
      'red and blue light in turn',
      () => quick(flashing(bursts(12, 5), [1, 0, 0]), block([0, 0, 1])),
      ['flashes', 'flashes'],
    ],
    ['a dark red light on blue', () => quick(flashing(bursts(12, 5), [0.5, 0, 0]), block([0, 0, 0.6])), FLASHES],
    [
      'a clip that flickers',
      async () => withClip(await toneClip((frame) => (frame % 2 === 0 ? 20 : 230)), [showing('clip')]),
      FLASHES,
    ],
    [
      'a text that changes its colour ten times a second',
      () =>
        quick(
          text({ t: { a: [] } }),
          text({ key: null, ks: switched(...bursts(12, 5)), color: [1, 0.8, 0] }),
          block(NAVY),
        ),
      [],
    ],
    [
      'a composition that blinks',
      () =>
        nested([block(WHITE, [100, 100, 700, 350])], {
          ks: placed(0, 0, switched(...Array.from({ length: 28 }, (_, index) => index + 1))),
        }),
      FLASHES,
    ],
  ],
};
