import { describe, expect, it } from 'vitest';
import type { Editable } from '../../src/contract/wire/style-version.ts';
import { readImageHeader } from '../../src/engine/images/image-header.ts';
import { SAMPLE_NAMES, sampleImage, sampleMappings } from '../../src/template/sample-mappings.ts';

const text: Editable = { input_type: 'text', stillcut: 's', example_text: 'Summer sale', max_length: 24 };
const image: Editable = { input_type: 'image', stillcut: 's', width: 10, height: 10 };

describe('sampleMappings()', () => {
  it('gives every sample for texts and images, in order', () => {
    const samples = sampleMappings({ editables: { t_01: text, photo: image } });
    expect(samples.map(({ name }) => name)).toEqual(SAMPLE_NAMES);
    expect(samples.map(({ texts }) => texts.get('t_01'))).toEqual([
      undefined,
      'Everything you need for',
      '',
      '夏の新作コレ',
      'مجموعة الصي',
      '🌞 Summe',
      undefined,
      undefined,
    ]);
    expect(samples.flatMap(({ images }) => images.get('photo') ?? [])).toEqual(['landscape', 'portrait']);
  });

  it('stays within the limit of each text', () => {
    for (const max_length of [1, 2, 5, 20, 300]) {
      for (const { texts } of sampleMappings({ editables: { t_01: { ...text, max_length } } })) {
        expect([...(texts.get('t_01') ?? '')].length).toBeLessThanOrEqual(max_length);
      }
    }
  });

  it('omits samples that would change nothing', () => {
    expect(sampleMappings({ editables: { c_01: { input_type: 'color', stillcut: 's' } } })).toHaveLength(1);
  });
});

describe('sampleImage()', () => {
  it('is a PNG of the shape', () => {
    expect(readImageHeader(sampleImage('landscape'))).toMatchObject({ type: 'png', width: 1280, height: 720 });
    expect(readImageHeader(sampleImage('portrait'))).toMatchObject({ width: 720, height: 1280 });
  });
});
