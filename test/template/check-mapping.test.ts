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

  const PHOTO = '(Footage)/USER/photo.png';
  const AT = '#/mapping/resources/(Footage)~1USER~1photo.png';
  const media = (transform: unknown, remote_url = 'https://example.com/a.png') => ({
    source: { remote_url },
    transform,
  });

  it.each<[string, unknown, string, string]>([
    ['an unknown field', { source: { text: 'x' }, txt: 1 }, 'unknown_property', '#/mapping/resources/t_01/txt'],
    [
      'a field beside the text',
      { source: { text: 'x', size: 1 } },
      'unknown_property',
      '#/mapping/resources/t_01/source/size',
    ],
    [
      'a transform of a text',
      { source: { text: 'x' }, transform: {} },
      'unknown_property',
      '#/mapping/resources/t_01/transform',
    ],
    ['null', null, 'wrong_kind', '#/mapping/resources/t_01'],
    ['a list', [], 'wrong_kind', '#/mapping/resources/t_01'],
    ['a number as text', { source: { text: 1 } }, 'wrong_kind', '#/mapping/resources/t_01'],
  ])('tells %s in the entry of a text', (_, entry, code, pointer) => {
    expect(checkMapping({ ...valid, t_01: entry }, spec)).toMatchObject([{ code, pointer }]);
  });

  it.each<[unknown, string, string]>([
    [{ crop_strategy: 'stretch' }, 'definition_invalid', '/crop_strategy'],
    [{ crop_strategy: 'manual' }, 'definition_invalid', ''],
    [{ crop_x: 1 }, 'definition_invalid', '/crop_x'],
    [{ focus_x: 2 }, 'definition_invalid', '/focus_x'],
    [{ focus_x: '0.5' }, 'definition_invalid', '/focus_x'],
    [{ crop_strategy: 'contain', background: 'red' }, 'definition_invalid', '/background'],
    [{ crop_strateg: 'cover' }, 'unknown_property', '/crop_strateg'],
    ['cover', 'definition_invalid', ''],
  ])('tells the transform %j', (transform, code, at) => {
    const problems = checkMapping({ ...valid, [PHOTO]: media(transform) }, spec);
    expect(problems[0]).toMatchObject({ code, pointer: `${AT}/transform${at}` });
  });

  it.each([
    'ftp://example.com/a.png',
    'file:///etc/passwd',
    'data:image/png;base64,AAAA',
    '/etc/passwd',
    'https://user:secret@example.com/a.png',
    'https://exa mple.com/',
    'urn:sha256:abc',
    `https://example.com/${'a'.repeat(9000)}`,
  ])('does not take %s as a source', (url) => {
    const problems = checkMapping({ ...valid, [PHOTO]: media(undefined, url) }, spec);
    expect(problems).toMatchObject([{ code: 'invalid_url', pointer: `${AT}/source/remote_url` }]);
    expect(JSON.stringify(problems)).not.toContain('secret');
  });

  it('finds nothing wrong with any transform that the engine has', () => {
    const crop = { crop_x: 0, crop_y: 0, crop_width: 10, crop_height: 10 };
    for (const transform of [
      {},
      { focus_x: 0, focus_y: 1 },
      { crop_strategy: 'contain', background: 'EEADA7' },
      { crop_strategy: 'fill' },
      { crop_strategy: 'manual', ...crop },
    ]) {
      expect(checkMapping({ ...valid, [PHOTO]: media(transform) }, spec)).toEqual([]);
    }
  });

  it('takes keys that objects have of themselves for what they are', () => {
    const resources = JSON.parse('{"__proto__": {"source": {"text": "x"}}, "constructor": {"source": {"text": "x"}}}');
    const problems = checkMapping(
      Object.assign(Object.create(null), valid, { constructor: resources.constructor }),
      spec,
    );
    expect(problems).toMatchObject([{ code: 'unknown_editable', editable: 'constructor' }]);
    expect(checkMapping(resources, spec).map(({ code }) => code)).toContain('unknown_editable');
  });
});
