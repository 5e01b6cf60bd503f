import { describe, expect, it } from 'vitest';
import { OUTPUT_FIELDS } from '../../../src/contract/fields/output-fields.ts';
import { TRANSFORM_FIELDS } from '../../../src/contract/fields/transform-fields.ts';
import { propertyAdvice } from '../../../src/reconciler/schema/property-advice.ts';

describe('propertyAdvice()', () => {
  it.each([
    [['output'], 'container', 'format', OUTPUT_FIELDS.format.values],
    [['outputs', '0'], 'Bit-Rate', 'quality', OUTPUT_FIELDS.quality.values],
    [['resources', 'hero'], 'object_fit', 'crop_strategy', TRANSFORM_FIELDS.video.crop_strategy.values],
  ])('names all values of the field for %j %s', (path, property, field, values) => {
    const hint = propertyAdvice(path, property, [field]);
    expect(hint).toBe(`Write ${field}: ${values.slice(0, -1).join(', ')} or ${values.at(-1)}`);
  });

  it('names the movements that zoom', () => {
    const hint = propertyAdvice(['resources', 'hero'], 'zoom', ['animate_strategy']);
    expect(hint).toBe('Write animate_strategy: zoom-in or zoom-out');
  });

  it('is silent about a field that the map does not have', () => {
    expect(propertyAdvice(['output'], 'container', ['height'])).toBeUndefined();
  });
});
