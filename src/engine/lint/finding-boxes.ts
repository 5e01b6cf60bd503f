import { DrawnLayers } from '../../template/lottie/drawn-layers.ts';
import { LAYER_TYPE } from '../../template/lottie/lottie-layers.ts';
import type { Scene } from '../../template/scene.ts';
import { animationFramesPerFrame } from '../frame-rate.ts';
import type { PictureBox } from './lint-finding.ts';
import { type Polygon, rectangle, TextGeometry, transformed, visibleArea } from './text-geometry.ts';

/** Finds where editables lie in the picture, by the layout of texts and the areas of images and clips. */
export class FindingBoxes {
  readonly #scene: Scene;
  readonly #texts: TextGeometry;
  readonly #pictures: DrawnLayers;

  /** @throws SceneError template_invalid for a font that is missing or unusable */
  static async open(scene: Scene): Promise<FindingBoxes> {
    return new FindingBoxes(scene, await TextGeometry.open(scene));
  }

  private constructor(scene: Scene, texts: TextGeometry) {
    this.#scene = scene;
    this.#texts = texts;
    this.#pictures = new DrawnLayers(scene.animation, ({ ty }) => ty === LAYER_TYPE.image);
  }

  /** Returns the box around all layers of an editable, within the picture. @param frame of the output */
  at(editable: string, frame: number): PictureBox | null {
    const texts = this.#texts
      .at(frame)
      .filter(({ laidOut }) => laidOut.layer.editable === editable)
      .flatMap(({ lines }) => lines);
    return boxAround([...texts, ...this.#areasOf(editable, frame)], visibleArea(this.#scene));
  }

  #areasOf(editable: string, frame: number): Polygon[] {
    const { images, clips, animation } = this.#scene;
    const filled = [...images, ...clips].filter(({ name }) => name === editable);
    if (filled.length === 0) return [];
    const sizes = new Map((animation.assets ?? []).map(({ id, w, h }) => [id, [Number(w), Number(h)] as const]));
    const perFrame = animationFramesPerFrame(this.#scene);
    return this.#pictures.at(frame * perFrame).flatMap(({ layer, matrix }) => {
      const id = String(layer.refId);
      const size = filled.some(({ assetId }) => assetId === id) ? sizes.get(id) : undefined;
      return size === undefined ? [] : [rectangle(0, 0, ...size).map(([x, y]) => transformed(matrix, x, y))];
    });
  }
}

/** @returns in shares of `picture`; null if nothing lies in it */
function boxAround(polygons: readonly Polygon[], [topLeft, , bottomRight]: Polygon): PictureBox | null {
  const [[left, top], [right, bottom]] = [topLeft!, bottomRight!];
  const corners = polygons.flat();
  const within = (axis: 0 | 1, least: number, most: number) => {
    const values = corners.map((corner) => corner[axis]);
    const [from, to] = [Math.max(least, Math.min(...values)), Math.min(most, Math.max(...values))];
    return { from: (from - least) / (most - least), length: (to - from) / (most - least) };
  };
  const [across, down] = [within(0, left, right), within(1, top, bottom)];
  if (corners.length === 0 || across.length <= 0 || down.length <= 0) return null;
  return { x: across.from, y: down.from, width: across.length, height: down.length };
}
