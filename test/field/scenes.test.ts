import { join } from 'node:path';
import { createCanvas, LottieAnimation } from '@napi-rs/canvas';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { templateInput } from '../../bench/template-input.ts';
import { decimal } from '../../src/contract/timeline/rational.ts';
import type { TimeMap } from '../../src/contract/timeline/time-map.ts';
import { composeAnimation } from '../../src/engine/raster/compose-animation.ts';
import { isRecord } from '../../src/kernel/json.ts';
import { LAYER_TYPE, withLayerLists } from '../../src/template/lottie/lottie-layers.ts';
import { type PlacedScene, sceneDocument } from '../../src/template/lottie/scenes/scene-document.ts';
import { timeRemap } from '../../src/template/lottie/scenes/time-remap.ts';
import type { SceneTransition } from '../../src/template/lottie/scenes/transitions.ts';
import { withPrefix } from '../../src/template/lottie/scenes/with-prefix.ts';
import type { LottieDocument } from '../../src/template/render-input.ts';
import { CHROMIUM, openLottieWeb, type Reference } from './lottie-web.ts';
import { comparedSize } from './measure.ts';
import { type Picture, pictureDifference } from './picture-difference.ts';

const GALLERY = join(import.meta.dirname, '../../gallery');
const RATE = 30;
/** Length of each scene, and of the transition between them, in frames. */
const LENGTH = 60;
const TRANSITION = 12;
/** Largest share of a frame in which both players may be seen to differ, as for a feature that is the same in both. */
const SAME = 0.005;

/** A template of the gallery with its examples, its images embedded, without its texts: players differ in animators of texts. */
async function galleryDocument(name: string): Promise<LottieDocument> {
  const composed = await composeAnimation(templateInput(join(GALLERY, name), {}));
  const document = JSON.parse(composed.toJson([], 'embedded')) as LottieDocument;
  const pictures = withLayerLists(document, (layers) => {
    return layers.filter((layer) => !isRecord(layer) || layer.ty !== LAYER_TYPE.text);
  });
  return withPrefix(pictures, `${name}/`);
}

/** @param segments first frame, frame after the last, frame of the template at the first, speed */
function mapOf(segments: readonly (readonly [number, number, number, number])[]): TimeMap {
  return segments.map((segment) => {
    const [from, to, at, speed] = segment.map(decimal);
    return { from: from!, to: to!, at: at!, speed: speed! };
  });
}

/** Draws frames of a document that needs no further preparation over black. */
function draw(
  document: LottieDocument,
  frames: readonly number[],
  { width, height }: Pick<Picture, 'width' | 'height'>,
): Picture[] {
  const animation = LottieAnimation.loadFromData(JSON.stringify(document));
  const context = createCanvas(width, height).getContext('2d');
  return frames.map((frame) => {
    context.fillRect(0, 0, width, height);
    animation.seekFrame(frame);
    animation.render(context, { x: 0, y: 0, width, height });
    return { width, height, rgba: context.getImageData(0, 0, width, height).data };
  });
}

describe.skipIf(CHROMIUM === null)('scenes, compared with lottie-web in Chromium', () => {
  let web: Reference;
  let sale: LottieDocument;
  let endCard: LottieDocument;
  beforeAll(async () => {
    web = await openLottieWeb();
    sale = await galleryDocument('sale');
    endCard = await galleryDocument('end-card');
  });
  afterAll(() => web.close());

  async function differences(document: LottieDocument, frames: readonly number[]): Promise<number[]> {
    const { width, height } = comparedSize(document);
    const ours = draw(document, frames, { width, height });
    const theirs = await web.draw(document, frames, width, height);
    return ours.map((picture, index) => pictureDifference(picture, theirs[index]!));
  }

  function scene(
    animation: LottieDocument,
    { map = mapOf([[0, LENGTH, 40, 1]]), ...fields }: Partial<PlacedScene> & { readonly map?: TimeMap },
  ): PlacedScene {
    const look = { fit: 'cover', background: '#000000', transition: null } as const;
    const remap = timeRemap(map, animation.ip, RATE);
    return { animation, start: 0, length: LENGTH, remap, ...look, ...fields };
  }

  const canvas = () => ({ width: sale.w, height: sale.h, rate: RATE, frames: 2 * LENGTH, isTransparent: false });

  const transitions: Pick<SceneTransition, 'type' | 'direction'>[] = [
    ...(['fade', 'dip', 'iris', 'zoom'] as const).map((type) => ({ type, direction: 'left' as const })),
    ...(['slide', 'push', 'wipe'] as const).flatMap((type) => {
      return (['left', 'right', 'up', 'down'] as const).map((direction) => ({ type, direction }));
    }),
  ];
  it.each(transitions)('join by $type $direction as lottie-web draws it', async ({ type, direction }) => {
    const transition = {
      type,
      direction,
      frames: TRANSITION,
      easing: 'ease-in-out',
      color: '#ffffff',
      from: LENGTH,
    } as const;
    const scenes = [scene(sale, {}), scene(endCard, { start: LENGTH, transition })];
    const frames = [LENGTH, LENGTH + TRANSITION / 2, LENGTH + TRANSITION];
    const measured = await differences(sceneDocument(scenes, canvas()), frames);
    expect(Math.max(...measured)).toBeLessThanOrEqual(SAME);
  });

  it('stand still, repeat and play at other speeds as lottie-web draws them', async () => {
    const map = mapOf([
      [0, 20, 20, 1],
      [20, 40, 40, 0],
      [40, 60, 40, 0.8],
      [60, 76, 40, 1],
      [76, 100, 56, 1.25],
    ]);
    const document = sceneDocument([scene(sale, { length: 100, map })], { ...canvas(), frames: 100 });
    const measured = await differences(document, [0, 19, 20, 39, 40, 59, 60, 61, 75, 76, 99]);
    expect(Math.max(...measured)).toBeLessThanOrEqual(SAME);
  });
});
