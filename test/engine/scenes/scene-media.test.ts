import { describe, expect, it } from 'vitest';
import { exportLottie } from '../../../src/engine/export/lottie-file.ts';
import { renderSound } from '../../../src/engine/input-media.ts';
import { renderFile } from '../../../src/engine/render-file.ts';
import { renderStills } from '../../../src/engine/render-stills.ts';
import { drawingsOf } from '../../../src/engine/segments/drawings.ts';
import type { InputFont, RenderInput, ScenesInput, VideoInput } from '../../../src/template/render-input.ts';
import { sceneVideo } from '../../support/scene-videos.ts';
import { drawFrames } from '../../support/segment-frames.ts';
import { imageLayer, inputOf, placed, rectangleLayer } from '../inputs.ts';
import { numberedClip, numberIn } from '../media/media-files.ts';
import { everyScript, LATIN } from '../text/test-fonts.ts';
import { text, textAnimation } from '../text/text-input.ts';

async function drawVideo(video: VideoInput): Promise<Buffer[]> {
  const frames: Buffer[] = [];
  for (const { renderInput, ranges, span } of drawingsOf(video, [{ first: 0, end: video.frameCount }])) {
    const [{ first, end }] = ranges as [{ first: number; end: number }];
    frames.push(...(await drawFrames(renderInput, { first: first - span.offset, end: end - span.offset })).values());
  }
  return frames;
}

/** A template of 20 frames at 10 frames per second that shows a clip of 60 pictures from a frame on. */
async function playing(from = 0): Promise<RenderInput> {
  const bytes = await numberedClip(10, 60);
  const clip = { assetId: 'clip', width: 64, height: 36, bytes, transform: {}, name: 'clip.mp4' };
  const assets = [{ id: 'clip', w: 64, h: 36, u: '', p: 'clip.mp4', e: 0 }];
  const layer = { ...imageLayer(1, 'clip'), ip: from, st: from };
  return inputOf([layer], { fps: 10, frameCount: 20, clips: [clip], document: { assets } });
}

function range(first: number, end: number): number[] {
  return Array.from({ length: end - first }, (_, at) => first + at);
}

const seen = async (video: ScenesInput): Promise<number[]> => (await drawVideo(video)).map((frame) => numberIn(frame));

describe('a clip in a scene', () => {
  it('goes on while its template is held', async () => {
    const video = sceneVideo([{ id: 'a', of: await playing(), duration: 4, timing: [{ hold: 5 }] as never }]);
    expect(await seen(video)).toEqual(range(0, 40));
  });

  it('starts when its layer is shown, and goes on through the passes of a loop', async () => {
    const of = await playing(4);
    const video = sceneVideo([{ id: 'a', of, duration: 2.8, timing: [{ loop: [6, 14] }] as never }]);
    expect(await seen(video)).toEqual([0, 0, 0, 0, ...range(0, 24)]);
  });

  it('goes on while a transition shows the last frame, and starts with its scene after one before it', async () => {
    const cover = inputOf([rectangleLayer(1, [0, 0, 64, 1], [0, 0, 0])], { fps: 10, frameCount: 20 });
    // The new scene comes from the right and covers the lowest bit last.
    const slide = { type: 'slide', duration: 0.4 } as const;
    const left = sceneVideo([
      { id: 'a', of: await playing() },
      { id: 'b', of: cover, transition: slide },
    ]);
    expect((await seen(left)).slice(0, 22)).toEqual([...range(0, 20), 20, 21]);
    const awaited = sceneVideo([
      { id: 'a', of: cover },
      { id: 'b', of: await playing(), transition: { ...slide, at: 'before' } },
    ]);
    expect((await seen(awaited)).slice(16)).toEqual([0, 0, 0, 0, ...range(0, 20)]);
  });

  it('is examined by its own clock, under the name of its scene', async () => {
    const of = await playing();
    const named = { ...of, clips: of.clips.map((clip) => ({ ...clip, name: 'a.clip' })) };
    const video = sceneVideo([
      { id: 'a', of: named, duration: 8, timing: [{ hold: 5 }] as never },
      { id: 'b', of },
    ]);
    const { findings } = await renderSound(video, null);
    expect(findings).toMatchObject([
      { code: 'clip_ends_early', editable: 'a.clip', freezesAtSeconds: 6, neededSeconds: 8 },
      { code: 'clip_cut', editable: 'clip.mp4' },
    ]);
  });
});

describe('texts of a transition', () => {
  /** A template of 30 frames with a word. */
  function worded(word: string, fonts: readonly InputFont[]): RenderInput {
    const animation = textAnimation([text(word, {}, { editable: 't_01' })]);
    return { ...inputOf([], { width: 400, height: 200, fps: 30, frameCount: 30 }), animation, fonts };
  }

  it('use the fallback fonts of their scene only', async () => {
    const transition = { type: 'fade', duration: 0.4 } as const;
    const scenes = [
      { id: 'a', of: worded('س', [LATIN, ...everyScript()]) },
      { id: 'b', of: worded('س', [LATIN]), transition },
    ];
    const [, fading] = drawingsOf(sceneVideo(scenes), [{ first: 0, end: 60 }]);
    const { findings } = await (await import('../../../src/engine/raster/rasterizer.ts')).openRasterizer(
      fading!.renderInput,
    );
    expect(findings).toMatchObject([{ code: 'glyph_missing', editable: 't_01', scene: 0 }]);
  });

  it('name their scene where a font is missing', async () => {
    const transition = { type: 'fade', duration: 0.4 } as const;
    const scenes = [
      { id: 'a', of: worded('One', [LATIN]) },
      { id: 'product/lamp', of: worded('Two', []), transition },
    ];
    const missing = /^In the scene product\/lamp: The font .* of a text has no file$/;
    const stills = [{ name: 'last', frame: 59 }];
    await expect(renderStills(sceneVideo(scenes, { stills }))).rejects.toThrow(missing);
    await expect(exportLottie(sceneVideo(scenes))).rejects.toThrow(missing);
    const rendering = renderFile(sceneVideo(scenes));
    await expect(rendering).rejects.toThrow('In the scenes a and product/lamp: The font');
  });
});

describe('pictures of scenes', () => {
  const white = (width: number, height: number): RenderInput =>
    inputOf([rectangleLayer(1, [0, 0, width, height], [1, 1, 1])], { width, height, fps: 10, frameCount: 10 });
  const pixel = (frame: Buffer, x: number, y: number): number[] => [
    ...frame.subarray((y * 64 + x) * 4, (y * 64 + x) * 4 + 4),
  ];

  it('fill a video of another shape, or lie in it over their background', async () => {
    const sizes = { size: [64, 36] as const };
    const scene = { id: 'a', of: white(36, 36), background: '#ff0000' } as const;
    const [covering] = await drawVideo(sceneVideo([{ ...scene, fit: 'cover' }], sizes));
    const [contained] = await drawVideo(sceneVideo([{ ...scene, fit: 'contain' }], sizes));
    expect(pixel(covering!, 1, 1)).toEqual([255, 255, 255, 255]);
    expect([pixel(contained!, 1, 1), pixel(contained!, 32, 1)]).toEqual([
      [255, 0, 0, 255],
      [255, 255, 255, 255],
    ]);
  });

  it('are transparent where the output is, and never shine through each other', async () => {
    const half = inputOf([rectangleLayer(1, [0, 0, 32, 36], [1, 1, 1])], { fps: 10, frameCount: 10 });
    const output = { format: 'webp', quality: 'high', fingerprint: null } as const;
    const fade = { type: 'fade', duration: 0.4 } as const;
    const faded = await drawVideo(
      sceneVideo(
        [
          { id: 'a', of: half, background: '#ff0000' },
          { id: 'b', of: white(64, 36), transition: fade },
        ],
        { output },
      ),
    );
    expect(pixel(faded[0]!, 50, 10)).toEqual([0, 0, 0, 0]);
    // Half of the time: the old scene at 50 % under the new one at 50 %.
    expect(pixel(faded[12]!, 50, 10)[3]).toBeCloseTo(128, -1);
    expect(pixel(faded[12]!, 10, 10)[3]).toBeCloseTo(191, -1);
    const wipe = await drawVideo(
      sceneVideo(
        [
          { id: 'a', of: white(64, 36) },
          { id: 'b', of: half, transition: { type: 'wipe', duration: 0.4 } },
        ],
        { output },
      ),
    );
    expect([pixel(wipe[12]!, 10, 10)[3], pixel(wipe[12]!, 50, 10)[3]]).toEqual([255, 0]);
  });

  it('keep each scene in its own coordinates', async () => {
    const moved = inputOf([rectangleLayer(1, [0, 0, 8, 8], [0, 1, 0], { ks: placed(10, 10) })], {
      fps: 10,
      frameCount: 10,
    });
    const [frame] = await drawVideo(sceneVideo([{ id: 'a', of: moved, duration: 2 }], {}));
    expect(pixel(frame!, 12, 12)).toEqual([0, 255, 0, 255]);
  });
});
