import { describe, expect, it } from 'vitest';
import type { Resource } from '../../src/service/wire.ts';
import { checkMapping } from '../../src/template/check-mapping.ts';
import { smallPackage } from '../support/small-package.ts';

const { spec } = smallPackage();
const valid: Record<string, Resource> = { t_01: { source: { text: 'Hi' } }, c_01: { source: { text: '#ff0000' } } };

describe('checkMapping()', () => {
  it('finds nothing wrong with a full mapping, nor with an optional editable left out', () => {
    expect(checkMapping(valid, spec)).toEqual([]);
  });

  it.each<[string, Record<string, unknown>, string, string]>([
    ['a missing editable', { t_01: undefined }, 'missing_editable', '#/mapping/resources'],
    ['an unknown editable', { t_09: { source: { text: 'x' } } }, 'unknown_editable', '#/mapping/resources/t_09'],
    ['a colour that is none', { c_01: { source: { text: 'red' } } }, 'invalid_color', '#/mapping/resources/c_01'],
    [
      'an image where a text belongs',
      { t_01: { source: { remote_url: 'https://x' } } },
      'wrong_kind',
      '#/mapping/resources/t_01',
    ],
    [
      'a text where an image belongs',
      { '(Footage)/USER/photo.png': { source: { text: 'x' } } },
      'wrong_kind',
      '#/mapping/resources/(Footage)~1USER~1photo.png',
    ],
    [
      'a text that is too long',
      { t_01: { source: { text: 'x'.repeat(21) } } },
      'text_too_long',
      '#/mapping/resources/t_01',
    ],
    [
      'inherited names as unknown',
      { toString: { source: { text: 'x' } } },
      'unknown_editable',
      '#/mapping/resources/toString',
    ],
  ])('tells %s', (_, change, code, pointer) => {
    const resources = Object.fromEntries(
      Object.entries({ ...valid, ...change }).filter(([, value]) => value !== undefined),
    );
    expect(checkMapping(resources as Record<string, Resource>, spec)).toMatchObject([{ code, pointer }]);
  });

  it('counts characters, not code units', () => {
    expect(checkMapping({ ...valid, t_01: { source: { text: '😀'.repeat(20) } } }, spec)).toEqual([]);
  });
});
