import { describe, expect, it } from 'vitest';
import type { Resource } from '../../../src/contract/wire/mapping.ts';
import { bindMapping } from '../../../src/template/bind/bind-mapping.ts';
import { findSlotUses } from '../../../src/template/lottie/slots/lottie-slots.ts';
import type { LottieDocument } from '../../../src/template/render-input.ts';
import { smallPackage, solidPng, TEST_FONT } from '../../support/small-package.ts';

const PHOTO = '(Footage)/USER/photo.png';

function bind(resources: Record<string, Resource>, files: Record<string, Uint8Array> = {}) {
  return bindMapping(smallPackage(), { resources }, new Map(Object.entries(files)));
}

describe('bindMapping()', () => {
  it('writes texts with Lottie line breaks', () => {
    const { animation } = bind({ t_01: { source: { text: 'One\nTwo\r\nThree' } } });
    expect(JSON.stringify(animation.layers)).toContain('"t":"One\\rTwo\\rThree"');
  });

  it('writes colours as components', () => {
    const { animation } = bind({ c_01: { source: { text: 'FF8000' } } });
    expect(JSON.stringify(animation.layers)).toContain(`"c":{"a":0,"k":[1,${128 / 255},0,1]`);
  });

  it('passes images with their transform, cover by default', () => {
    const bytes = solidPng('#ff0000');
    const { images } = bind({ [PHOTO]: { source: { remote_url: 'https://example.com/a.png' } } }, { [PHOTO]: bytes });
    expect(images).toEqual([
      { assetId: 'photo', width: 16, height: 16, bytes, transform: { crop_strategy: 'cover' }, name: PHOTO },
    ]);
  });

  it("keeps the template's values for editables that are not filled", () => {
    const { animation, images } = bind({});
    expect(JSON.stringify(animation.layers)).toContain('"t":"Hello"');
    expect(images).toMatchObject([
      { assetId: 'photo', name: 'images/photo.png', transform: { crop_strategy: 'fill' } },
    ]);
  });

  it('removes all slots from the input and leaves the template unchanged', () => {
    const template = smallPackage();
    const before = JSON.stringify(template.animation);
    const renderInput = bindMapping(template, { resources: { t_01: { source: { text: 'New' } } } }, new Map());
    expect(findSlotUses(renderInput.animation).size).toBe(0);
    expect(JSON.stringify(template.animation)).toBe(before);
  });

  it('changes nothing of earlier inputs, and shares the parts of layers that no value changes', () => {
    const template = smallPackage();
    const inputOf = (text: string): LottieDocument =>
      bindMapping(template, { resources: { t_01: { source: { text } }, c_01: { source: { text } } } }, new Map())
        .animation;
    const first = inputOf('#FF8000');
    const text = JSON.stringify(first);
    const second = inputOf('#0080FF');
    expect(JSON.stringify(first)).toBe(text);
    expect(JSON.stringify(second)).toBe(
      text.replaceAll('#FF8000', '#0080FF').replaceAll(/\[1,0.50\d*,0,1\]/g, '[0,0.5019607843137255,1,1]'),
    );
    const transforms = [first, second].map(({ layers }) => (layers as { ks: object }[]).map(({ ks }) => ks));
    expect(transforms[0]!.every((transform, layer) => transform === transforms[1]![layer])).toBe(true);
  });

  it('passes the fonts', () => {
    expect(bind({}).fonts).toEqual([{ name: 'Test-Regular', bytes: TEST_FONT, isFallback: false }]);
  });

  it('marks the layers filled by an editable', () => {
    const { animation } = bind({ t_01: { source: { text: 'One' } } });
    expect(JSON.stringify(animation.layers)).toContain('"editable":"t_01"');
  });
});

describe('slots with a default value', () => {
  it('apply it to all their uses unless the mapping fills them', () => {
    const template = smallPackage();
    const animation = { ...template.animation, slots: { c_01: { p: { a: 0, k: [1, 0, 0, 1] } } } };
    const unfilled = bindMapping({ ...template, animation }, { resources: {} }, new Map());
    const filled = bindMapping(
      { ...template, animation },
      { resources: { c_01: { source: { text: '00FF00' } } } },
      new Map(),
    );
    expect(JSON.stringify(unfilled.animation.layers)).toContain('"k":[1,0,0,1]');
    expect(JSON.stringify(filled.animation.layers)).toContain('"k":[0,1,0,1]');
  });
});
