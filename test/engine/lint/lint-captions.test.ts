import { describe, expect, it } from 'vitest';
import type { CaptionStyle } from '../../../src/contract/captions/caption-style.ts';
import type { Cue } from '../../../src/contract/captions/cue.ts';
import { lintVideo } from '../../../src/engine/lint/lint-video.ts';
import type { SafeAreaName } from '../../../src/template/lint-severities.ts';
import type { VideoInput } from '../../../src/template/render-input.ts';
import { captioned } from '../../support/captioned-inputs.ts';
import { sceneVideo } from '../../support/scene-videos.ts';
import { embeddedFonts, inputOf, rectangleLayer } from '../inputs.ts';
import { animator, BLACK, FPS, FRAMES, H, moving, still, type TextOptions, text, W } from './case-inputs.ts';

/** A template with a text. The captions stand at the bottom of the picture, or where their style has them. */
function template(options: TextOptions, [width, height] = [W, H]) {
  const layers = [text(options), rectangleLayer(9, [0, 0, width!, height!], BLACK)];
  return inputOf(layers, { width, height, fps: FPS, frameCount: FRAMES, document: { fonts: embeddedFonts() } });
}

const BOTTOM = { y: H - 50 };
const MIDDLE = { y: H / 2 };
const cue = (words: string, start = 0.5, end = 2): Cue => ({ start, end, text: words });

interface Captions {
  readonly cues?: readonly Cue[];
  readonly style?: CaptionStyle;
  readonly area?: SafeAreaName;
}

async function found(video: VideoInput, { cues = [cue('Light')], style = {}, area }: Captions = {}) {
  const count = 'scenes' in video ? video.scenes.length : 1;
  const areas = Array.from({ length: count }, () => area ?? null);
  const findings = await lintVideo(captioned(video, { cues, style }), areas);
  return findings.filter((finding) => 'caption' in finding);
}

describe('lintVideo() of drawn captions', () => {
  it('finds a caption over a text of an editable, when both are seen', async () => {
    const [finding, ...rest] = await found(template({ ...BOTTOM, align: 2, x: W / 2 }));
    expect(rest).toEqual([]);
    expect(finding).toMatchObject({
      ...{ code: 'caption_over_text', editable: null, caption: 'Light', captions: 1 },
      ...{ other: 't_01', otherText: 'Reelform' },
    });
    expect(finding!.frame).toBeGreaterThanOrEqual(5);
    expect(finding!.frame).toBeLessThan(20);
    expect(finding!.box!.y).toBeGreaterThan(0.7);
  });

  it('finds a caption over a fixed text', async () => {
    const video = template({ ...BOTTOM, key: null, align: 2, x: W / 2 });
    expect(await found(video)).toMatchObject([{ code: 'caption_over_text', other: null, otherText: 'Reelform' }]);
  });

  it.each<[string, TextOptions, Captions]>([
    ['beside the text', MIDDLE, {}],
    ['at another edge', { ...BOTTOM, align: 2, x: W / 2 }, { style: { position: 'top' } }],
    ['before the text appears', { ...BOTTOM, align: 2, x: W / 2, layer: { ip: 25 } }, {}],
    [
      'over a text that has almost faded',
      { ...BOTTOM, align: 2, x: W / 2, ks: { o: moving([0, [30]], [30, [30]]) } },
      {},
    ],
    [
      'over a text that passes by',
      { ...BOTTOM, align: 2, ks: { p: moving([10, [W / 2, H - 50, 0]], [12, [W / 2, -200, 0]]) } },
      { cues: [cue('Light', 0.8, 3)] },
    ],
  ])('finds nothing in a caption %s', async (_, options, captions) => {
    expect(await found(template(options), captions)).toEqual([]);
  });

  it.each([
    ['has risen', { sh: 2, o: still(100) }, 1],
    ['has risen during the first samples', { sh: 2, o: moving([0, [-100]], [7, [100]]) }, 1],
    ['rises', { sh: 2, o: moving([0, [-100]], [30, [100]]) }, 0],
    ['has come from the other end', { sh: 3, o: still(-100) }, 1],
    ['has a selector that is at its other end', { sh: 3, o: still(100) }, 0],
    ['was passed by a range', { o: still(100) }, 1],
    ['is moved as a whole', {}, 0],
    ['has an animator without an amount', { a: still(0) }, 1],
    ['has a range of some characters', { r: 2, o: still(4) }, 0],
  ])('compares a caption with a text whose animator is at rest: it %s', async (_, range, count) => {
    const raised = animator({ p: still([0, 200, 0]) }, range);
    const video = template({ ...BOTTOM, align: 2, x: W / 2, t: { a: [raised] } });
    const covered = (await found(video)).filter(({ code }) => code === 'caption_over_text');
    expect(covered).toHaveLength(count);
  });

  it('reports a text once, with the number of captions over it', async () => {
    const cues = [cue('Light', 0, 0.8), cue('that lands', 1, 1.8), cue('softly', 2, 3)];
    const video = template({ ...BOTTOM, align: 2, x: W / 2 });
    expect(await found(video, { cues })).toMatchObject([{ caption: 'Light', captions: 3 }]);
  });

  it('finds captions outside a safe area, and the edges that they cross', async () => {
    const upright = template(MIDDLE, [540, 960]);
    expect(await found(upright, { area: 'instagram-reels' })).toMatchObject([
      { code: 'caption_outside_safe_area', area: 'instagram-reels', edges: ['bottom'], captions: 1 },
    ]);
    expect(await found(upright, { area: 'instagram-reels', style: { margin: 40 } })).toEqual([]);
    expect(await found(template(MIDDLE), { area: 'instagram-reels' })).toEqual([]);
    expect(await found(template(MIDDLE), { area: 'broadcast', style: { margin: 1 } })).toMatchObject([
      { edges: ['bottom'] },
    ]);
    expect(await found(upright)).toEqual([]);
  });

  it('finds characters that no font has, and texts that are too long for their style', async () => {
    const long = 'Light that lands softly on every room and every table '.repeat(4).trim();
    const findings = await found(template({ y: 60 }), { cues: [cue('Light \u{12000}', 0, 1), cue(long, 1, 3)] });
    expect(findings).toMatchObject([
      { code: 'glyph_missing', caption: 'Light \u{12000}', characters: ['\u{12000}'] },
      { code: 'text_overflow', caption: long, beyond: 'box' },
    ]);
  });

  it('finds captions over the texts of a scene where the video shows them, and names the scene', async () => {
    const clean = template(MIDDLE);
    const covered = template({ ...BOTTOM, align: 2, x: W / 2 });
    const cues = [cue('Light', 0.5, 2), cue('that lands', 4, 5.5)];
    const video = sceneVideo([
      { id: 'a', of: clean },
      { id: 'b', of: covered },
    ]);
    const [finding, ...rest] = await found(video, { cues });
    expect(rest).toEqual([]);
    expect(finding).toMatchObject({ code: 'caption_over_text', caption: 'that lands', captions: 1, scene: 'b' });
    expect(finding!.frame).toBeGreaterThanOrEqual(40);
    expect(finding!.frame).toBeLessThan(55);
  });

  it('compares captions with the texts of a scene that is fitted into the picture', async () => {
    // A square picture stands in the middle of a wide one, where its bottom meets the captions.
    const square = template({ y: 910, x: 480, align: 2 }, [960, 960]);
    const video = sceneVideo([
      { id: 'a', of: template(MIDDLE) },
      { id: 'b', of: square, fit: 'contain' },
    ]);
    const cues = [cue('Light that lands', 4, 5.5)];
    expect(await found(video, { cues })).toMatchObject([{ code: 'caption_over_text', scene: 'b' }]);
    const moved = sceneVideo([
      { id: 'a', of: template(MIDDLE) },
      { id: 'b', of: template({ y: 480, x: 480, align: 2 }, [960, 960]), fit: 'contain' },
    ]);
    expect(await found(moved, { cues })).toEqual([]);
  });

  it.each([
    ['fade', 'a.t_01'],
    ['wipe', 'a.t_01'],
    // Only the new scene moves.
    ['slide', 'a.t_01'],
    ['push', null],
  ] as const)('compares a caption within a transition with the texts that do not move: %s', async (type, other) => {
    const of = template({ ...BOTTOM, align: 2, x: W / 2 });
    const video = sceneVideo([
      { id: 'a', of },
      { id: 'b', of: template(MIDDLE), transition: { type, duration: 2 } },
    ]);
    const findings = await found(video, { cues: [cue('Light', 3.1, 3.7)] });
    expect(findings.map((finding) => finding.code === 'caption_over_text' && finding.other)).toEqual(
      other === null ? [] : [other],
    );
  });

  it('leaves a caption that is shown longer than a transition to the scenes beside it', async () => {
    const of = template({ ...BOTTOM, align: 2, x: W / 2 });
    const video = sceneVideo([
      { id: 'a', of },
      { id: 'b', of: template(MIDDLE), transition: { type: 'fade', duration: 1 } },
    ]);
    expect(await found(video, { cues: [cue('Light', 3.1, 5)] })).toEqual([]);
  });
});
