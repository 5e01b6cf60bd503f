import { largestScale } from '../../template/lottie/largest-scale.ts';
import { layerLists } from '../../template/lottie/layer-lists.ts';
import { layerSpans } from '../../template/lottie/layer-spans.ts';
import type { LottieNode } from '../../template/lottie/lottie-node.ts';
import type { TemplatePackage } from '../../template/template-package.ts';
import { readImageHeader } from '../images/image-header.ts';
import type { PackageFinding } from './package-finding.ts';

/** An image with more than twice the pixels that are drawn, in both directions, is larger than any screen needs. */
const MOST_SHRUNK = 2;
const HARMLESS_BYTES = 100_000;

/** The images of a package that are far larger than they are ever drawn. */
export function largeImages({ animation, images }: TemplatePackage): PackageFinding[] {
  const siblings = new Map<LottieNode, readonly LottieNode[]>();
  for (const layers of layerLists(animation)) for (const layer of layers) siblings.set(layer, layers);
  const scales = new Map<unknown, number>();
  for (const span of layerSpans(animation)) {
    const { refId } = span.layer;
    if (refId !== undefined) scales.set(refId, Math.max(scales.get(refId) ?? 0, largestScale(span, siblings)));
  }
  return (animation.assets ?? []).flatMap((asset): PackageFinding[] => {
    const image = images.get(asset.id);
    const header = image === undefined ? undefined : readImageHeader(image.bytes);
    const scale = scales.get(asset.id) ?? 0;
    if (image === undefined || header === undefined || scale === 0 || image.bytes.length < HARMLESS_BYTES) return [];
    const drawnWidth = Math.ceil(Number(asset.w) * scale);
    const drawnHeight = Math.ceil(Number(asset.h) * scale);
    const { width, height } = header;
    if (width <= drawnWidth * MOST_SHRUNK || height <= drawnHeight * MOST_SHRUNK) return [];
    const sizeBytes = image.bytes.length;
    return [{ kind: 'large_image', path: image.path, width, height, drawnWidth, drawnHeight, sizeBytes }];
  });
}
