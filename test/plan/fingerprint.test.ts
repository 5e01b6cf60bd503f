import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../src/digest.ts';
import { fingerprint } from '../../src/plan/fingerprint.ts';
import { type Context, color, context, file, text, url, type VideoParts, video } from './videos.ts';

const hero = '(Footage)/USER/hero.jpg';
const resources = { t_01: text('Hello'), c_01: color('EEADA7'), [hero]: file('images/hero.jpg') };
const of = (parts: VideoParts = {}, changes: Partial<Context> = {}, id = 'berlin'): string =>
  fingerprint(video(id, { resources, ...parts }), { ...context, ...changes });

describe('fingerprint()', () => {
  test('is the digest of canonical JSON, written out here', () => {
    const content =
      `{"render_epoch":1,"resources":{"(Footage)/USER/hero.jpg":{"file":"${sha256('images/hero.jpg')}",` +
      '"transform":{"crop_strategy":"cover"}},"c_01":{"color":"EEADA7"},"t_01":{"text":"Hello"}},' +
      '"service":"embedded","style_version":"tsv_9c41"}';
    expect(of()).toBe(`v1:${sha256(content)}`);
  });

  test('stays as it was published', () => {
    expect(of()).toMatchInlineSnapshot(`"v1:d68f13b15a068fe7e0b792e2d9d4fda9c03f5feb54693385b16b3d55813f88a4"`);
  });

  const same: [string, string][] = [
    ['id', of({}, {}, 'paris')],
    ['path', of({ path: 'videos/elsewhere.yaml' })],
    ['title', of({ title: 'Other' })],
    ['description', of({ description: 'Other' })],
    ['labels', of({ labels: { region: 'eu' } })],
    ['protection', of({ protect: true })],
    ['template name', of({ template: 'renamed' })],
    ['order of the values', of({ resources: Object.fromEntries(Object.entries(resources).reverse()) })],
    [
      'name of a local file',
      of({ resources: { ...resources, [hero]: file('b.jpg') } }, { assetDigest: () => sha256('images/hero.jpg') }),
    ],
    ['length, which follows from the template', of({}, { durationSeconds: 3 })],
  ];
  test.each(same)('does not depend on the %s', (_, other) => {
    expect(other).toBe(of());
  });

  const image = (transform: object) => ({ ...file('images/hero.jpg'), transform }) as ReturnType<typeof file>;
  const other: [string, string][] = [
    ['service', of({}, { service: 'https://api.example.com' })],
    ['style version', of({}, { styleVersion: 'tsv_2' })],
    ['render epoch', of({}, { renderEpoch: 2 })],
    ['absence of a render epoch', of({}, { renderEpoch: null })],
    ['text', of({ resources: { ...resources, t_01: text('hello') } })],
    ['text by white space', of({ resources: { ...resources, t_01: text('Hello ') } })],
    ['colour', of({ resources: { ...resources, c_01: color('EEADA8') } })],
    ['kind of a value', of({ resources: { ...resources, c_01: text('EEADA7') } })],
    ['key of a value', of({ resources: { t_02: text('Hello'), c_01: color('EEADA7'), [hero]: resources[hero]! } })],
    ['absence of a value', of({ resources: { t_01: text('Hello'), c_01: color('EEADA7') } })],
    ['bytes of a file', of({}, { assetDigest: () => sha256('other bytes') })],
    ['source of an image', of({ resources: { ...resources, [hero]: url('https://example.com/hero.jpg') } })],
    ['URL of an image', of({ resources: { ...resources, [hero]: url('https://example.com/other.jpg') } })],
    ['crop', of({ resources: { ...resources, [hero]: image({ crop_strategy: 'contain' }) } })],
    ['focus', of({ resources: { ...resources, [hero]: image({ crop_strategy: 'cover', focus_x: 0.2 }) } })],
  ];
  test.each(other)('depends on the %s', (_, changed) => {
    expect(changed).not.toBe(of());
  });

  test('is different for every one of these', () => {
    expect(new Set(other.map(([, value]) => value)).size).toBe(other.length);
  });

  test('is the same for the same values in any order, and only for them', () => {
    const values = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }));
    fc.assert(
      fc.property(values, values, (a, b) => {
        const ofTexts = (texts: Record<string, string>): string =>
          of({ resources: Object.fromEntries(Object.entries(texts).map(([key, value]) => [key, text(value)])) });
        const sorted = (texts: Record<string, string>): string => JSON.stringify(Object.entries(texts).sort());
        expect(ofTexts(a) === ofTexts(b)).toBe(sorted(a) === sorted(b));
        expect(ofTexts(Object.fromEntries(Object.entries(a).reverse()))).toBe(ofTexts(a));
      }),
    );
  });
});
