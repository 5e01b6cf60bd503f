import { describe, expect, it } from 'vitest';
import type { CaptionStyle } from '../../../src/contract/captions/caption-style.ts';
import { CAPTION_STYLES } from '../../../src/contract/captions/caption-styles.ts';
import type { Cue } from '../../../src/contract/captions/cue.ts';
import { lintVideo } from '../../../src/engine/lint/lint-video.ts';
import type { VideoInput } from '../../../src/template/render-input.ts';
import { captioned, spokenCue } from '../../support/captioned-inputs.ts';
import { sceneVideo } from '../../support/scene-videos.ts';
import { inputOf, rectangleLayer } from '../inputs.ts';
import { type Color, FPS, FRAMES, grey, H, W } from './case-inputs.ts';

const cue = (text: string, start = 0.2, end = 2.8): Cue => ({ start, end, text });

/** A picture of one colour, with layers above it. */
function picture(color: Color, layers: readonly object[] = [], document: object = {}) {
  const background = rectangleLayer(9, [0, 0, W, H], color);
  return inputOf([...layers, background], { width: W, height: H, fps: FPS, frameCount: FRAMES, ...document });
}

async function found(video: VideoInput, style: CaptionStyle, cues: readonly Cue[] = [cue('Light that lands')]) {
  const findings = await lintVideo(captioned(video, { cues, style }));
  return findings.flatMap((finding) => (finding.code === 'caption_low_contrast' ? [finding] : []));
}

const WHITE = grey(1);

describe('lintVideo() of the contrast of captions', () => {
  it.each<[string, Color, CaptionStyle, number]>([
    ['white on white', WHITE, {}, 1],
    ['white on yellow', [1, 0.9, 0.2], {}, 1.24],
    ['black on dark blue', [0, 0, 0.3], { color: '000000' }, 1.12],
    ['letters that are mostly transparent', grey(0), { color: 'FFFFFF40' }, 2.03],
    ['a box that is mostly transparent', WHITE, { background: '00000033' }, 1.6],
    ['an outline that is mostly transparent', WHITE, { outline: 8, outline_color: '00000033' }, 1.6],
    ['a shadow below the letters only', WHITE, { shadow: 10, shadow_color: '00000033' }, 1],
  ])('measures %s', async (_, color, style, ratio) => {
    const [finding, ...rest] = await found(picture(color), style);
    expect(rest).toEqual([]);
    expect(finding).toMatchObject({ caption: 'Light that lands', captions: 1, part: 'text', needed: 3 });
    expect(finding!.ratio).toBeCloseTo(ratio, 1);
  });

  it.each<[string, Color, CaptionStyle]>([
    ['white on black', grey(0), {}],
    ['an outline', WHITE, { outline: 6, outline_color: '000000' }],
    ['an outline in the colour of the picture', grey(0), { outline: 6, outline_color: 'FFFFFF' }],
    [
      'a shadow around the letters',
      WHITE,
      { outline: 2, outline_color: '000000', shadow_blur: 12, shadow_color: '000000' },
    ],
    ['a box', WHITE, { background: '000000CC' }],
  ])('accepts %s', async (_, color, style) => {
    expect(await found(picture(color), style)).toEqual([]);
  });

  it('accepts the built-in styles on every grey', async () => {
    const words = [spokenCue('Light that lands', 0.2, 0.8)];
    for (const style of Object.values(CAPTION_STYLES)) {
      for (const share of [0, 0.5, 1]) expect(await found(picture(grey(share)), style, words)).toEqual([]);
    }
  });

  it('measures the spoken word by itself', async () => {
    const style = { background: '000000', active_color: '222222' };
    const words = [spokenCue('Light that lands', 0.2, 0.8)];
    expect(await found(picture(WHITE), style, words)).toMatchObject([{ part: 'active_word' }]);
    expect(await found(picture(WHITE), style)).toEqual([]);
    expect(await found(picture(WHITE), { ...style, active_background: 'FFFFFF' }, words)).toEqual([]);
  });

  it('needs more contrast of small letters', async () => {
    // 3.5:1
    const color: Color = [0.54, 0.54, 0.54];
    expect(await found(picture(color), { size: 5 })).toEqual([]);
    expect(await found(picture(color), { size: 2 })).toMatchObject([{ needed: 4.5 }]);
  });

  it('reports the least of several captions, and their number', async () => {
    // Bright from the second caption on.
    const bright = { ...rectangleLayer(1, [0, 0, W, H], grey(0.95)), ip: 10, op: 20 };
    const white = { ...rectangleLayer(2, [0, 0, W, H], WHITE), ip: 20, op: 30 };
    const cues = [cue('one', 0, 0.9), cue('two', 1, 1.9), cue('three', 2, 2.9)];
    expect(await found(picture(grey(0), [bright, white]), {}, cues)).toMatchObject([{ caption: 'three', captions: 2 }]);
  });

  it('ignores a picture that is bright for a moment, and one that is bright elsewhere', async () => {
    const flash = { ...rectangleLayer(1, [0, 0, W, H], WHITE), ip: 14, op: 17 };
    expect(await found(picture(grey(0), [flash]), {})).toEqual([]);
    expect(await found(picture(grey(0), [rectangleLayer(1, [0, 0, W, H / 2], WHITE)]), {})).toEqual([]);
  });

  it('measures the picture of each scene, and names it', async () => {
    const video = sceneVideo([
      { id: 'dark', of: picture(grey(0)) },
      { id: 'light', of: picture(WHITE) },
    ]);
    const cues = [cue('one', 0.5, 2), cue('two', 4, 5.5)];
    const [finding, ...rest] = await found(video, {}, cues);
    expect(rest).toEqual([]);
    expect(finding).toMatchObject({ caption: 'two', scene: 'light', captions: 1 });
    expect(finding!.seconds).toBeGreaterThan(4);
  });

  it('does not judge what lies behind a transparent picture', async () => {
    const transparent = <Video extends VideoInput>(video: Video): Video => {
      return { ...video, output: { ...video.output, format: 'mov', codec: 'prores4444' } };
    };
    const size = { width: W, height: H, fps: FPS, frameCount: FRAMES };
    const empty = inputOf([rectangleLayer(9, [0, 0, W, 10], WHITE)], size);
    expect(await found(transparent(empty), { color: '000000' })).toEqual([]);
    expect(await found(transparent(picture(WHITE)), {})).toHaveLength(1);
    // Other formats are drawn over black.
    expect(await found(empty, { color: '000000' })).toHaveLength(1);
  });
});
