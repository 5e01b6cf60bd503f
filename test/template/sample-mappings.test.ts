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

  it.each(['landscape', 'portrait'] as const)('has a frame, a checkerboard and a disc: %s', async (shape) => {
    const { loadImage, createCanvas } = await import('@napi-rs/canvas');
    const image = await loadImage(sampleImage(shape));
    const context = createCanvas(image.width, image.height).getContext('2d');
    context.drawImage(image, 0, 0);
    const colorAt = (x: number, y: number): number[] => [...context.getImageData(x, y, 1, 1).data.subarray(0, 3)];
    const [middleX, middleY] = [image.width / 2, image.height / 2];
    const [edge, disc] = [colorAt(0, 0), colorAt(middleX, middleY)];
    const [first, second] = [colorAt(40, 40), colorAt(120, 40)];
    expect(new Set([edge, disc, first, second].map(String)).size).toBe(4);
    for (const x of [0, 12, image.width - 13]) expect(colorAt(x, middleY)).toEqual(edge);
    for (const y of [0, 12, image.height - 13]) expect(colorAt(middleX, y)).toEqual(edge);
    for (const [x, y] of [
      [95, 0],
      [-95, 0],
      [0, 95],
      [0, -95],
      [60, 60],
    ] as const) {
      expect(colorAt(middleX + x, middleY + y)).toEqual(disc);
    }
    for (const [x, y] of [
      [97, 0],
      [0, -97],
      [75, 75],
    ] as const) {
      expect([first, second]).toContainEqual(colorAt(middleX + x, middleY + y));
    }
    for (const [x, y] of [
      [40, 120],
      [120, 200],
      [200, 280],
    ] as const)
      expect(colorAt(x, y)).toEqual(second);
    for (const [x, y] of [
      [120, 120],
      [40, 200],
      [200, 200],
    ] as const)
      expect(colorAt(x, y)).toEqual(first);
  });
});
