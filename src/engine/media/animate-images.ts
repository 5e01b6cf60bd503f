import { TRANSFORM_DEFAULTS } from '../../contract/wire/defaults.ts';
import { isRecord } from '../../kernel/json.ts';
import {
  IDENTITY_TRANSFORM,
  LAYER_TYPE,
  type LottieNode,
  withLayerLists,
} from '../../template/lottie/lottie-layers.ts';
import { layerSpans } from '../../template/lottie/visibility/layer-spans.ts';
import type { InputDocument, InputImage, LottieDocument } from '../../template/render-input.ts';

/** How far a moving image slides, as a share of its area's side; for a zoom, its largest enlargement. */
const AMOUNTS = { slow: 0.08, moderate: 0.16, fast: 0.28 } as const;

interface Travel {
  /** Size of the image relative to its area; 1 for a side without movement. */
  readonly width: number;
  readonly height: number;
  /** Position of the image's upper left corner, as a share of the area, and its scale. */
  readonly from: { readonly x: number; readonly y: number; readonly scale: number };
  readonly to: { readonly x: number; readonly y: number; readonly scale: number };
}

type MovingImages = Pick<InputDocument, 'animation' | 'images'>;

/**
 * Animates images whose transform requests it. The movement is linear and lasts as long as a layer shows the image; each layer
 * that shows the image moves separately. The image is enlarged by the distance that it moves, so that its edges are never visible.
 *
 * @returns the animation with each such image replaced by a composition, and all images that it needs
 */
export function animateImages(renderInput: MovingImages): MovingImages {
  const moving = renderInput.images.filter(isMoving);
  if (moving.length === 0) return { animation: renderInput.animation, images: renderInput.images };
  const times = visibleRanges(renderInput.animation);
  const images = renderInput.images.filter((image) => !isMoving(image));
  const assets: { id: string; [field: string]: unknown }[] = [];
  const movements = new Map<string, { image: InputImage; travel: Travel; pictureId: string }>();
  for (const image of moving) {
    const travel = travelOf(image);
    const width = Math.ceil(image.width * travel.width);
    const height = Math.ceil(image.height * travel.height);
    const pictureId = `reelform/moving/${image.assetId}`;
    // The result requests no movement, so that animating it again changes nothing.
    const transform = { ...image.transform, animate_strategy: 'none' as const };
    images.push({ ...image, assetId: pictureId, width, height, transform });
    assets.push({ id: pictureId, w: width, h: height, u: '', p: '', e: 0 });
    movements.set(image.assetId, { image, travel, pictureId });
  }
  const layerCounts = new Map<InputImage, number>();
  const kept = (renderInput.animation.assets ?? []).filter(({ id }) => !movements.has(id));
  const animation = withLayerLists({ ...renderInput.animation, assets: kept }, (layers) =>
    layers.map((layer) => {
      if (!isRecord(layer) || layer.ty !== LAYER_TYPE.image) return layer;
      const movement = movements.get(String(layer.refId));
      if (movement === undefined) return layer;
      const { image, travel, pictureId } = movement;
      const [start, end] = times.get(layer) ?? [0, 1];
      const count = (layerCounts.get(image) ?? 0) + 1;
      layerCounts.set(image, count);
      const id = `${pictureId}/${count}`;
      assets.push({ id, w: image.width, h: image.height, layers: [movingLayer(image, travel, pictureId, start, end)] });
      const { tm: _remapping, ...rest } = layer;
      return { ...rest, ty: LAYER_TYPE.precomposition, refId: id, w: image.width, h: image.height };
    }),
  );
  return { animation: { ...animation, assets: [...animation.assets, ...assets] }, images };
}

/** Returns whether the transform of an image animates it. */
export function isMoving({ transform }: Pick<InputImage, 'transform'>): boolean {
  const { animate_strategy } = { ...TRANSFORM_DEFAULTS.video, ...transform };
  return animate_strategy !== 'none';
}

/** Returns the range in which each layer is shown, in frames of the layer's own time. */
function visibleRanges(animation: LottieDocument): Map<LottieNode, [number, number]> {
  const times = new Map<LottieNode, [number, number]>();
  for (const { layer, from, to, clock } of layerSpans(animation)) {
    // Inside a remapped layer, only the layer's own in and out points are known.
    const [start, end] = clock === null ? ownTimes(layer) : [from, to].map((at) => (at - clock.start) / clock.stretch);
    const [earliest, latest] = times.get(layer) ?? [Infinity, -Infinity];
    times.set(layer, [Math.min(earliest, start!), Math.max(latest, end!)]);
  }
  return times;
}

function ownTimes({ ip, op, st, sr }: LottieNode): [number, number] {
  const [from, to, start, stretch] = [Number(ip ?? 0), Number(op ?? 1), Number(st ?? 0), Number(sr ?? 1) || 1];
  return [(from - start) / stretch, (to - start) / stretch];
}

function travelOf({ transform }: InputImage): Travel {
  const { animate_speed, focus_x, focus_y } = { ...TRANSFORM_DEFAULTS.video, ...transform };
  const amount = AMOUNTS[animate_speed];
  const still = { x: 0, y: 0, scale: 1 };
  const away = { x: -amount, y: 0, scale: 1 };
  const above = { x: 0, y: -amount, scale: 1 };
  const near = { x: -amount * focus_x, y: -amount * focus_y, scale: 1 };
  const far = { x: 0, y: 0, scale: 1 / (1 + amount) };
  switch (transform.animate_strategy) {
    case 'slide-to-left':
      return { width: 1 + amount, height: 1, from: still, to: away };
    case 'slide-to-right':
      return { width: 1 + amount, height: 1, from: away, to: still };
    case 'slide-to-top':
      return { width: 1, height: 1 + amount, from: still, to: above };
    case 'slide-to-bottom':
      return { width: 1, height: 1 + amount, from: above, to: still };
    case 'zoom-out':
      return { width: 1 + amount, height: 1 + amount, from: near, to: far };
    default:
      return { width: 1 + amount, height: 1 + amount, from: far, to: near };
  }
}

/** @param start of the movement in frames, as is `end` */
function movingLayer(image: InputImage, travel: Travel, refId: string, start: number, end: number): object {
  const { width, height } = image;
  const keyframes = (from: readonly number[], to: readonly number[]) => ({
    a: 1,
    k: [
      { t: start, s: from, i: { x: 1, y: 1 }, o: { x: 0, y: 0 } },
      { t: end, s: to },
    ],
  });
  const position = ({ x, y }: Travel['from']) => [x * width, y * height, 0];
  const scale = ({ scale: share }: Travel['from']) => [share * 100, share * 100, 100];
  const transform = {
    ...IDENTITY_TRANSFORM,
    p: keyframes(position(travel.from), position(travel.to)),
    s: keyframes(scale(travel.from), scale(travel.to)),
  };
  return { ty: 2, ind: 1, ip: start - 1, op: end + 1, st: 0, refId, ks: transform };
}
