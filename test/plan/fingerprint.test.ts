import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../src/digest.ts';
import { fingerprint } from '../../src/plan/fingerprint.ts';
import {
  type Context,
  clip,
  color,
  context,
  file,
  font,
  sound,
  text,
  track,
  url,
  type VideoParts,
  video,
} from './videos.ts';

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

  test('has what stands beside the resources only where there is any, and stays as it was published with it', () => {
    const parts: VideoParts = {
      resources: { v_01: clip('a.mp4', { crop_strategy: 'cover', volume: 1 }), a_01: sound('a.mp3'), f_01: font('B') },
      audio: new Map([['main', { source: { kind: 'url', url: 'https://x.test/m.mp3' }, transform: { volume: 0.5 } }]]),
      fonts: new Map([['A', 'B']]),
      output: { format: 'webm', height: 720 },
    };
    const content =
      '{"audio_tracks":{"main":{"transform":{"volume":0.5},"url":"https://x.test/m.mp3"}},"font_changes":{"A":"B"},' +
      '"output":{"format":"webm","height":720},"render_epoch":1,"resources":{' +
      `"a_01":{"file":"${sha256('a.mp3')}","transform":{}},"f_01":{"font":"B"},` +
      `"v_01":{"file":"${sha256('a.mp4')}","transform":{"crop_strategy":"cover","volume":1}}},` +
      '"service":"embedded","style_version":"tsv_9c41"}';
    expect(of(parts)).toBe(`v1:${sha256(content)}`);
    expect(of(parts)).toMatchInlineSnapshot(`"v1:452ced1ef2333f883eea828aa30a7a10a9bff58f0ffbda7ac1815f390acb2b89"`);
    expect(of({ audio: new Map(), fonts: new Map(), output: null })).toBe(of());
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
    ['a font', of({ resources: { ...resources, f_01: font('A') } })],
    ['another font', of({ resources: { ...resources, f_01: font('B') } })],
    ['a text in place of a font', of({ resources: { ...resources, f_01: text('A') } })],
    ['a track', of({ audio: new Map([['main', track('a.mp3')]]) })],
    ['the name of a track', of({ audio: new Map([['other', track('a.mp3')]]) })],
    ['the file of a track', of({ audio: new Map([['main', track('b.mp3')]]) })],
    ['how a track is heard', of({ audio: new Map([['main', { ...track('a.mp3'), transform: { loop: true } }]]) })],
    ['a replaced font', of({ fonts: new Map([['A', 'B']]) })],
    ['another font in its place', of({ fonts: new Map([['A', 'C']]) })],
    ['the format', of({ output: { format: 'gif' } })],
    ['the height', of({ output: { height: 720 } })],
    ['the rate', of({ output: { fps: 25 } })],
    ['the quality', of({ output: { quality: 'high' } })],
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
