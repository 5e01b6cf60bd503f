import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { templateInput } from '../../bench/template-input.ts';
import { decimal } from '../../src/contract/timeline/rational.ts';
import { type TimeMapJson, timeMapJson } from '../../src/contract/timeline/time-map.ts';
import type { RenderInput, ScenesInput, TransitionStyle, VideoInput } from '../../src/template/render-input.ts';
import { sceneVideo } from '../support/scene-videos.ts';
import { exportDifferences, saveComparedFrames } from './export-differences.ts';
import { CHROMIUM, openLottieWeb, type Reference } from './lottie-web.ts';

const GALLERY = join(import.meta.dirname, '../../gallery');
const RATE = 30;
/** Length of each scene, and of the transition between them, in frames. */
const LENGTH = 60;
const TRANSITION = 12;
/** Largest share of a frame in which both players may be seen to differ, as for a feature that is the same in both. */
const SAME = 0.005;

/** @param segments first frame, frame after the last, frame of the template at the first, speed */
function mapOf(segments: readonly (readonly [number, number, number, number])[]): TimeMapJson {
  return timeMapJson(
    segments.map((segment) => {
      const [from, to, at, speed] = segment.map(decimal);
      return { from: from!, to: to!, at: at!, speed: speed! };
    }),
  );
}

describe.skipIf(CHROMIUM === null)('exported Lottie documents, compared with lottie-web in Chromium', () => {
  let web: Reference;
  let sale: RenderInput;
  let endCard: RenderInput;
  beforeAll(async () => {
    web = await openLottieWeb();
    sale = templateInput(join(GALLERY, 'sale'), {});
    endCard = templateInput(join(GALLERY, 'end-card'), {});
  });
  afterAll(() => web.close());

  /** Compares all pictures, and keeps them as files if REELFORM_PICTURES names a folder. */
  async function expectSame(name: string, video: VideoInput, frames: readonly number[]): Promise<void> {
    const compared = await exportDifferences(video, web, frames);
    await saveComparedFrames(name, compared);
    expect(Math.max(...compared.map(({ share }) => share))).toBeLessThanOrEqual(SAME);
  }

  const templates = [
    'audiogram',
    'countdown',
    'end-card',
    'job-offer',
    'listing',
    'lower-third',
    'product-grid',
    'recipe',
    'review',
    'sale',
    'weekly-numbers',
  ];
  it.each(templates)('show the template %s with its texts', async (name) => {
    const input = templateInput(join(GALLERY, name), {});
    await expectSame(name, input, [Math.floor(input.frameCount * 0.2), Math.floor(input.frameCount * 0.7)]);
  });

  /** Two scenes of which the second begins with a transition; both play their templates from frame 40 on. */
  function joined(style: Pick<TransitionStyle, 'type' | 'direction'>, at?: 'before'): ScenesInput {
    const seconds = LENGTH / RATE;
    const video = sceneVideo([
      { id: 'sale', of: sale, duration: seconds, shorten: 'cut' },
      {
        id: 'end',
        of: endCard,
        fit: 'cover',
        duration: seconds,
        shorten: 'cut',
        transition: { ...style, duration: TRANSITION / RATE, easing: 'ease-in-out', ...(at && { at }) },
      },
    ]);
    const map = mapOf([[0, LENGTH, 40, 1]]);
    return { ...video, scenes: video.scenes.map((scene) => ({ ...scene, map })) };
  }

  const transitions: Pick<TransitionStyle, 'type' | 'direction'>[] = [
    ...(['fade', 'dip', 'iris', 'zoom'] as const).map((type) => ({ type, direction: 'left' as const })),
    ...(['slide', 'push', 'wipe'] as const).flatMap((type) => {
      return (['left', 'right', 'up', 'down'] as const).map((direction) => ({ type, direction }));
    }),
  ];
  it.each(transitions)('join scenes by $type $direction', async ({ type, direction }) => {
    const frames = [LENGTH, LENGTH + TRANSITION / 2, LENGTH + TRANSITION - 1, LENGTH + TRANSITION];
    await expectSame(`${type}-${direction}`, joined({ type, direction }), frames);
  });

  it('join scenes by a cut, and by a push before the start of a scene', async () => {
    const cut = joined({ type: 'fade', direction: 'left' });
    const scenes = cut.scenes.map((scene) => ({ ...scene, transition: null }));
    const times = cut.timeline.scenes.map((scene) => ({ ...scene, transition: null }));
    await expectSame('cut', { ...cut, scenes, timeline: { ...cut.timeline, scenes: times } }, [LENGTH - 1, LENGTH]);
    const before = joined({ type: 'push', direction: 'up' }, 'before');
    await expectSame('before', before, [LENGTH - TRANSITION, LENGTH - TRANSITION / 2, LENGTH - 1, LENGTH]);
  });

  it('stand still, repeat and play at other speeds', async () => {
    const map = mapOf([
      [0, 20, 20, 1],
      [20, 40, 40, 0],
      [40, 60, 40, 0.8],
      [60, 76, 40, 1],
      [76, 100, 56, 1.25],
    ]);
    const video = sceneVideo([{ id: 'sale', of: sale, duration: 100 / RATE, shorten: 'cut' }]);
    const retimed = { ...video, scenes: video.scenes.map((scene) => ({ ...scene, map })) };
    await expectSame('retimed', retimed, [0, 19, 20, 39, 40, 59, 60, 61, 75, 76, 99]);
  });
});
