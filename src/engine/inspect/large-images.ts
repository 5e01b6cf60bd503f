import { DrawnImages } from '../../template/lottie/drawn-images.ts';
import type { TemplatePackage } from '../../template/template-package.ts';
import { readImageHeader } from '../images/image-header.ts';
import type { PackageFinding } from './package-finding.ts';

/** An image with more than twice the pixels that are drawn, in both directions, is larger than any screen needs. */
const MOST_SHRUNK = 2;
const HARMLESS_BYTES = 100_000;

/** The images of a package that are far larger than they are ever drawn. */
export function largeImages({ animation, images }: TemplatePackage): PackageFinding[] {
  const scales = new DrawnImages(animation).largest();
  return (animation.assets ?? []).flatMap((asset): PackageFinding[] => {
    const image = images.get(asset.id);
    const header = image === undefined ? undefined : readImageHeader(image.bytes);
    const scale = scales.get(asset.id);
    if (image === undefined || header === undefined || scale === undefined) return [];
    const drawnWidth = Math.ceil(Number(asset.w) * scale.x);
    const drawnHeight = Math.ceil(Number(asset.h) * scale.y);
    if (drawnWidth === 0 || drawnHeight === 0 || image.bytes.length < HARMLESS_BYTES) return [];
    const { width, height } = header;
    if (width <= drawnWidth * MOST_SHRUNK || height <= drawnHeight * MOST_SHRUNK) return [];
    const sizeBytes = image.bytes.length;
    return [{ kind: 'large_image', path: image.path, width, height, drawnWidth, drawnHeight, sizeBytes }];
  });
}
