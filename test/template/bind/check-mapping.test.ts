import { describe, expect, it } from 'vitest';
import type { Resource } from '../../../src/contract/wire/mapping.ts';
import { checkMapping, type UncheckedMapping } from '../../../src/template/bind/check-mapping.ts';
import { CLIP, mediaPackage, VOICE } from '../../support/media-package.ts';
import { smallPackage } from '../../support/small-package.ts';

const { spec } = smallPackage();
const PHOTO = '(Footage)/USER/photo.png';
const valid: Record<string, Resource> = { t_01: { source: { text: 'Hi' } }, c_01: { source: { text: '#ff0000' } } };

/** @returns the problems of a mapping with only these resources */
function check(resources: Record<string, unknown>) {
  return checkMapping({ resources }, spec);
}

describe('checkMapping()', () => {
  it('accepts a full mapping without its optional editable', () => {
    expect(check(valid)).toEqual([]);
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
  ])('reports %s', (_, change, code, pointer) => {
    const resources = Object.fromEntries(
      Object.entries({ ...valid, ...change }).filter(([, value]) => value !== undefined),
    );
    expect(check(resources as Record<string, Resource>)).toMatchObject([{ code, pointer }]);
  });

  it('reports invalid numbers, points and gradients', () => {
    const slots = {
      ...spec,
      editables: {
        n_01: { input_type: 'number', stillcut: 's' },
        p_01: { input_type: 'point', stillcut: 's' },
        g_01: { input_type: 'gradient', stillcut: 's' },
      },
    } as const;
    const resources = (...values: unknown[]) =>
      Object.fromEntries(['n_01', 'p_01', 'g_01'].map((key, index) => [key, { source: { text: values[index] } }]));
    expect(checkMapping({ resources: resources('1.5', '1, 2', '#FF0000, #00FF00') }, slots)).toEqual([]);
    expect(checkMapping({ resources: resources('x', '1', '#FF0000 50%, #00FF00 20%') }, slots)).toMatchObject([
      { code: 'wrong_kind', pointer: '#/mapping/resources/n_01', detail: '"x" is not a number such as 12.5' },
      { code: 'wrong_kind', pointer: '#/mapping/resources/p_01' },
      { code: 'wrong_kind', pointer: '#/mapping/resources/g_01' },
    ]);
    expect(checkMapping({ resources: resources(1.5, '1, 2', null) }, slots)).toMatchObject([
      { code: 'wrong_kind', detail: 'an editable of kind number needs source.text' },
      { code: 'wrong_kind' },
    ]);
  });

  it('counts characters, not code units', () => {
    expect(check({ ...valid, t_01: { source: { text: '😀'.repeat(20) } } })).toEqual([]);
  });

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
  ])('reports %s in the entry of a text', (_, entry, code, pointer) => {
    expect(check({ ...valid, t_01: entry })).toMatchObject([{ code, pointer }]);
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
  ])('reports the transform %j', (transform, code, at) => {
    const problems = check({ ...valid, [PHOTO]: media(transform) });
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
  ])('rejects %s as a source', (url) => {
    const problems = check({ ...valid, [PHOTO]: media(undefined, url) });
    expect(problems).toMatchObject([{ code: 'invalid_url', pointer: `${AT}/source/remote_url` }]);
    expect(JSON.stringify(problems)).not.toContain('secret');
  });

  it('accepts every transform that the engine supports', () => {
    const crop = { crop_x: 0, crop_y: 0, crop_width: 10, crop_height: 10 };
    for (const transform of [
      {},
      { focus_x: 0, focus_y: 1 },
      { crop_strategy: 'contain', background: 'EEADA7' },
      { crop_strategy: 'fill' },
      { crop_strategy: 'manual', ...crop },
    ]) {
      expect(check({ ...valid, [PHOTO]: media(transform) })).toEqual([]);
    }
  });

  it('treats names of built-in object properties as ordinary keys', () => {
    const resources = JSON.parse('{"__proto__": {"source": {"text": "x"}}, "constructor": {"source": {"text": "x"}}}');
    const problems = check(Object.assign(Object.create(null), valid, { constructor: resources.constructor }));
    expect(problems).toMatchObject([{ code: 'unknown_editable', editable: 'constructor' }]);
    expect(check(resources).map(({ code }) => code)).toContain('unknown_editable');
  });
});

describe('checkMapping() of videos, sounds and fonts', () => {
  const media = mediaPackage().spec;
  const remote = (transform: unknown) => ({ source: { remote_url: 'https://example.com/x' }, transform });
  const crop = { crop_strategy: 'manual', crop_x: 0, crop_y: 0, crop_width: 10, crop_height: 10 };
  const resource = (key: string, entry: unknown) => ({ resources: { [key]: entry } });
  const track = (entry: unknown) => ({ resources: {}, audio_tracks: { main: entry } });
  const change = (font: string, replacement: string) => ({
    resources: {},
    font_changes: { [font]: { source: { font: replacement } } },
  });

  it.each<[string, UncheckedMapping]>([
    ['a clip', resource(CLIP, remote({ trim_strategy: 'manual', trim_start_time: 1.5, volume: 4, focus_x: 0 }))],
    ['a clip that is trimmed without more ado', resource(CLIP, remote({ trim_start_time: 1.5 }))],
    ['an image that moves', resource(CLIP, remote({ animate_strategy: 'zoom-in', animate_speed: 'fast' }))],
    ['a cut that does not move', resource(CLIP, remote({ ...crop, animate_strategy: 'none' }))],
    ['a sound', resource(VOICE, remote({ trim_start_time: 1, volume: 0.5, fade_in: 1, fade_out: 0, loop: true }))],
    ['a font', resource('f_01', { source: { font: 'Spare-Italic' } })],
    ['a track', track(remote({ loop: false }))],
    ['another font', change('Test-Regular', 'Wide-Regular')],
  ])('accepts %s', (_, mapping) => expect(checkMapping(mapping, media)).toEqual([]));

  const AT_CLIP = '#/mapping/resources/(Footage)~1USER~1clip.mp4/transform';
  const AT_VOICE = '#/mapping/resources/(Footage)~1USER~1voice.mp3';
  it.each<[string, UncheckedMapping, string, string]>([
    [
      'a cut that moves',
      resource(CLIP, remote({ ...crop, animate_strategy: 'zoom-in' })),
      'definition_invalid',
      `${AT_CLIP}/animate_strategy`,
    ],
    [
      'a move that there is not',
      resource(CLIP, remote({ animate_strategy: 'spin' })),
      'definition_invalid',
      `${AT_CLIP}/animate_strategy`,
    ],
    [
      'a time that does not count',
      resource(CLIP, remote({ trim_strategy: 'none', trim_start_time: 1 })),
      'definition_invalid',
      `${AT_CLIP}/trim_start_time`,
    ],
    [
      'a time before the start',
      resource(CLIP, remote({ trim_start_time: -1 })),
      'definition_invalid',
      `${AT_CLIP}/trim_start_time`,
    ],
    ['too loud a clip', resource(CLIP, remote({ volume: 5 })), 'definition_invalid', `${AT_CLIP}/volume`],
    [
      'a sound that is cropped',
      resource(VOICE, remote({ crop_strategy: 'cover' })),
      'unknown_property',
      `${AT_VOICE}/transform/crop_strategy`,
    ],
    [
      'a sound that is cropped by hand, without asking for the rectangle',
      resource(VOICE, remote({ crop_strategy: 'manual' })),
      'unknown_property',
      `${AT_VOICE}/transform/crop_strategy`,
    ],
    [
      'a slip in a sound',
      resource(VOICE, remote({ fade_inn: 1 })),
      'unknown_property',
      `${AT_VOICE}/transform/fade_inn`,
    ],
    ['a text as a sound', resource(VOICE, { source: { text: 'x' } }), 'wrong_kind', AT_VOICE],
    [
      'a font that is not carried',
      resource('f_01', { source: { font: 'Spare-Italics' } }),
      'font_missing',
      '#/mapping/resources/f_01/source/font',
    ],
    [
      'a font that is not allowed',
      resource('f_01', { source: { font: 'Wide-Regular' } }),
      'definition_invalid',
      '#/mapping/resources/f_01/source/font',
    ],
    [
      'a font with a transform',
      resource('f_01', { source: { font: 'Spare-Italic' }, transform: {} }),
      'unknown_property',
      '#/mapping/resources/f_01/transform',
    ],
    ['a track of nothing', track(null), 'wrong_kind', '#/mapping/audio_tracks/main'],
    [
      'a track from a file',
      track({ source: { remote_url: 'file:///x' } }),
      'invalid_url',
      '#/mapping/audio_tracks/main/source/remote_url',
    ],
    [
      'a loop that is a word',
      track(remote({ loop: 'yes' })),
      'definition_invalid',
      '#/mapping/audio_tracks/main/transform/loop',
    ],
    [
      'a track without a name',
      { resources: {}, audio_tracks: { '': remote({}) } },
      'definition_invalid',
      '#/mapping/audio_tracks',
    ],
    [
      'a change of a font that no text has',
      change('Spare-Italic', 'Test-Regular'),
      'font_missing',
      '#/mapping/font_changes/Spare-Italic',
    ],
    [
      'a change to a font that is not carried',
      change('Test-Regular', 'Arial'),
      'font_missing',
      '#/mapping/font_changes/Test-Regular/source/font',
    ],
  ])('reports %s', (_, mapping, code, pointer) => {
    expect(checkMapping(mapping, media)).toMatchObject([{ code, pointer }]);
  });

  it('suggests the closest font name', () => {
    const mapping = change('Test-Regular', 'Wide-Regula');
    expect(checkMapping(mapping, media)[0]!.detail).toContain('did you mean Wide-Regular?');
  });

  it('rejects fields of videos on an image', () => {
    const [problem] = checkMapping({ resources: { ...valid, [PHOTO]: remote({ volume: 1 }) } }, spec);
    expect(problem).toMatchObject({
      code: 'unknown_property',
      detail: 'volume can only be used with a source of kind video or audio',
    });
  });

  it('rejects more than 16 tracks', () => {
    const tracks = Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`t${at}`, remote({})]));
    expect(checkMapping({ resources: {}, audio_tracks: tracks }, media)).toMatchObject([
      { code: 'definition_invalid', pointer: '#/mapping/audio_tracks' },
    ]);
  });
});
