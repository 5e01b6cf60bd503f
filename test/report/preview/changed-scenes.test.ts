import { describe, expect, it } from 'vitest';
import { compareStills } from '../../../src/engine/stills/compare-stills.ts';
import { compareInputs } from '../../../src/report/preview/changed-scenes.ts';
import { chooseMoments } from '../../../src/report/preview/choose-moments.ts';
import type { PreviewStill, VideoPreview } from '../../../src/report/preview/plan-preview.ts';
import { previewVideo } from '../../../src/report/preview/preview-video.ts';
import { bindMapping } from '../../../src/template/bind/bind-mapping.ts';
import type { RenderInput, ScenesInput } from '../../../src/template/render-input.ts';
import { sceneVideo, type TestScene } from '../../support/scene-videos.ts';
import { smallPackage } from '../../support/small-package.ts';

const template = smallPackage();

/** One second at 10 fps of a colour. */
function shown(color: string): RenderInput {
  const resources = { t_01: { source: { text: 'x' } }, c_01: { source: { text: color } } };
  return bindMapping(template, { resources: resources as never }, new Map());
}

const scene = (id: string, color: string, more: Partial<TestScene> = {}): TestScene => ({
  id,
  of: shown(color),
  ...more,
});
const film = (...scenes: TestScene[]): ScenesInput => sceneVideo(scenes);
const red = scene('red', 'FF0000');
const green = scene('green', '00FF00');
const blue = scene('blue', '0000FF');
const white = scene('white', 'FFFFFF');

const draw = {
  compare: (comparison: Parameters<typeof compareStills>[0]) => compareStills(comparison),
  video: () => Promise.reject(new Error('no videos here')),
};

/** Returns stills as text: the scene, its change, the times and the share of changed pixels. */
async function previewOf(before: ScenesInput, after: ScenesInput, editables: readonly string[] = []) {
  const preview: VideoPreview = await previewVideo({ before, after, editables }, draw);
  const words = ({ scene, change, timeSeconds, beforeSeconds = timeSeconds, changedShare }: PreviewStill): string =>
    `${scene} ${change ?? ''} ${timeSeconds} ${beforeSeconds} ${changedShare === null ? 'new' : changedShare > 0.5 ? 'differs' : changedShare}`;
  return { ...preview, stills: preview.stills.map(words) };
}

describe('the preview of a video of several scenes', () => {
  it('shows the scene whose value changed, also if it begins at another time', async () => {
    const before = film(red, green, blue);
    const after = film(scene('red', 'FF0000', { duration: 2 }), green, scene('blue', '112233'));
    expect(await previewOf(before, after, ['blue.c_01'])).toMatchObject({
      stills: ['blue  3.5 2.5 differs'],
      isVisible: true,
      unseen: ['duration'],
    });
    expect(chooseMoments(after, { editables: ['blue.c_01', 'red.c_01'], most: 3 })).toEqual([
      { timeSeconds: 0.5, editables: ['red.c_01'], scene: 'red' },
      { timeSeconds: 3.5, editables: ['blue.c_01'], scene: 'blue' },
    ]);
  });

  it('shows added, removed and moved scenes', async () => {
    expect((await previewOf(film(red, blue), film(red, green, blue))).stills).toEqual(['green added 1.5 1.5 new']);
    expect((await previewOf(film(red, green, blue), film(red, blue))).stills).toEqual([
      'green removed 1.5 1.5 differs',
    ]);
    expect((await previewOf(film(red, green), film(red))).isVisible).toBe(true);
    expect((await previewOf(film(red, green, blue), film(blue, red, green))).stills).toEqual([
      'blue moved 0.5 0.5 differs',
    ]);
  });

  it('shows the middle of a transition that changed', async () => {
    const faded = scene('green', '00FF00', { transition: { type: 'fade', duration: 0.4 } });
    expect((await previewOf(film(red, green), film(red, faded))).stills).toEqual(['green  1.2 1.2 differs']);
    expect((await previewOf(film(red, faded), film(red, green))).stills).toEqual(['green  1.2 1.2 differs']);
  });

  it('compares the same moments of a scene that is only longer', async () => {
    const longer = scene('green', '00FF00', { duration: 2.5 });
    expect(await previewOf(film(red, green, blue), film(red, longer, blue))).toMatchObject({
      isVisible: false,
      unseen: ['duration'],
    });
    const { beforeAt, changed } = compareInputs(film(red, longer, blue), film(red, green, blue));
    expect(changed).toEqual([]);
    expect([0, 12, 25].map(beforeAt)).toEqual([0, 1.2, 4]);
  });

  it('compares nothing with a new scene, and equal times of a video that had one template', async () => {
    const was = film(red, { ...green, id: 'a' }, white);
    const is = film(red, { ...blue, id: 'b' }, white);
    expect((await previewOf(was, is)).stills).toEqual(['b added 1.5 1.5 new']);
    expect(compareInputs(was, is).beforeAt(15)).toBeNull();
    const plain = shown('FF0000');
    expect(compareInputs(plain, is)).toMatchObject({ changed: [] });
    expect(compareInputs(plain, is).beforeAt(15)).toBe(1.5);
  });
});
