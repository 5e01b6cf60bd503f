import { describe, expect, it } from 'vitest';
import { dropHiddenImages } from '../../../src/report/preview/reduce-input.ts';
import type { RenderInput } from '../../../src/template/render-input.ts';
import { imageLayer, inputOf } from '../../engine/inputs.ts';
import { solidPng } from '../../support/small-package.ts';

const IDS = ['early', 'late', 'hidden', 'nowhere'];

/** Creates an input with an image per id; `early` is visible up to frame 10, `late` from frame 20 on. */
function renderInput(): RenderInput {
  const bytes = solidPng('#123456', 8, 8);
  const shown = (id: string, ip: number, op: number, rest = {}) => ({
    ...imageLayer(IDS.indexOf(id) + 1, id),
    ip,
    op,
    ...rest,
  });
  return inputOf([shown('early', 0, 10), shown('late', 20, 40), shown('hidden', 20, 40, { hd: true })], {
    frameCount: 40,
    images: IDS.map((id) => ({ assetId: id, width: 8, height: 8, bytes, transform: {}, name: id })),
    document: { op: 40, assets: IDS.map((id) => ({ id, w: 8, h: 8, u: '', p: 'x.png' })) },
  });
}

describe('dropHiddenImages()', () => {
  const whole = (frames: readonly number[]): string[] =>
    dropHiddenImages(renderInput(), frames).images.flatMap(({ assetId, width }) => (width === 8 ? [assetId] : []));

  it('keeps images that may be visible in a frame, and undecidable ones', () => {
    expect(whole([5])).toEqual(['early', 'hidden', 'nowhere']);
    expect(whole([15])).toEqual(['hidden', 'nowhere']);
    expect(whole([5, 30])).toEqual(IDS);
    // Visibility is undecidable next to the first frame of a layer.
    expect(whole([20])).toEqual(['late', 'hidden', 'nowhere']);
  });

  it('replaces all other images by a pixel', () => {
    const [, late] = dropHiddenImages(renderInput(), [5]).images;
    expect(late).toMatchObject({ assetId: 'late', width: 1, height: 1 });
  });
});
