import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { OUTPUT_DEFAULTS, TRANSFORM_DEFAULTS } from '../../../src/contract/wire/defaults.ts';
import type { Transform } from '../../../src/contract/wire/mapping.ts';
import type { OutputRequest } from '../../../src/contract/wire/output.ts';
import { sha256 } from '../../../src/kernel/digest.ts';
import type { VideoResource } from '../../../src/reconciler/definition/video.ts';
import { contentKey, type RenderingContext } from '../../../src/reconciler/plan/desired-video.ts';
import {
  clip,
  color,
  desired,
  file,
  font,
  lasting,
  sound,
  text,
  track,
  url,
  type VideoParts,
  versions,
} from './videos.ts';

const digest = (content: string): string => `sha256:${sha256(content)}`;
const transformed = (resource: VideoResource, transform: Transform): VideoResource => ({
  ...(resource as ReturnType<typeof file> & { kind: 'image' }),
  transform,
});
const address = `https://example.com/${'a'.repeat(300)}.jpg`;

describe('desiredVideo()', () => {
  const inputs: [string, VideoResource, string][] = [
    ['a text', text('Hello\nWorld'), 'Hello\nWorld'],
    ['an empty text', text(''), ''],
    ['a text of 200 characters', text('x'.repeat(200)), 'x'.repeat(200)],
    ['a text of 201 characters', text('x'.repeat(201)), digest('x'.repeat(201))],
    ['a text that looks like a digest', text(digest('a')), digest(digest('a'))],
    ['a colour', color('EEADA7'), 'EEADA7'],
    ['a local file', file('images/hero.jpg'), digest('images/hero.jpg')],
    ['a URL of any length', url(address), address],
    [
      'a transform',
      transformed(file('a.jpg'), { crop_strategy: 'contain', background: '0A0A0A' }),
      `${digest('a.jpg')} background=0A0A0A crop_strategy=contain`,
    ],
    [
      'cover with a focus',
      transformed(url('https://example.com/a.jpg'), { focus_y: 0.25, crop_strategy: 'cover' }),
      'https://example.com/a.jpg crop_strategy=cover focus_y=0.25',
    ],
    ['a clip', clip('a.mp4'), digest('a.mp4')],
    [
      'a part of a clip',
      clip('a.mp4', { crop_strategy: 'cover', trim_strategy: 'manual', trim_start_time: 1.5 }),
      `${digest('a.mp4')} crop_strategy=cover trim_start_time=1.5 trim_strategy=manual`,
    ],
    ['a sound', sound('a.mp3'), digest('a.mp3')],
    ['a sound that fades', sound('a.mp3', { fade_out: 2, loop: true }), `${digest('a.mp3')} fade_out=2 loop=true`],
    ['a font', font('Inter-Bold'), 'Inter-Bold'],
  ];
  test.each(inputs)('records %s', (_, resource, recorded) => {
    expect(desired('berlin', { resources: { key: resource } }).inputs()).toEqual({ key: recorded });
  });

  test('records tracks, fonts and the output after the editables', () => {
    const parts = {
      resources: { t_01: text('Hello') },
      audio: new Map([['main', track('a.mp3', { volume: 0.5 })]]),
      fonts: new Map([['Montserrat-Regular', 'Inter-Regular']]),
      output: { format: 'webm', height: 720 } as const,
    };
    expect(Object.entries(desired('berlin', parts).inputs())).toEqual([
      ['t_01', 'Hello'],
      ['audio.main', `${digest('a.mp3')} volume=0.5`],
      ['fonts.Montserrat-Regular', 'Inter-Regular'],
      ['output', 'format=webm height=720'],
    ]);
  });

  test('keeps the order of the specification', () => {
    const resources = { t_02: text('b'), c_01: color('000000'), t_01: text('a') };
    expect(Object.keys(desired('berlin', { resources }).inputs())).toEqual(['t_02', 'c_01', 't_01']);
  });

  test('accepts an editable named __proto__', () => {
    const { inputs } = desired('berlin', { resources: Object.fromEntries([['__proto__', text('a')]]) });
    expect(Object.entries(inputs())).toEqual([['__proto__', 'a']]);
  });
});

const hero = '(Footage)/USER/hero.jpg';
const resources = { t_01: text('Hello'), c_01: color('EEADA7'), [hero]: file('images/hero.jpg') };
const of = (parts: VideoParts = {}, changes: Partial<RenderingContext> = {}, id = 'berlin'): string =>
  desired(id, { resources, ...parts }, changes).fingerprint;

describe('texts with line breaks', () => {
  const withText = (value: string) => desired('berlin', { resources: { t_01: text(value) } });

  test('keep the fingerprint that earlier versions recorded for CR LF', () => {
    const { fingerprint: own, formerFingerprint } = withText('one\ntwo');
    expect(formerFingerprint).toBe(withText('one\r\ntwo').fingerprint);
    expect(own).not.toBe(formerFingerprint);
    expect(withText('one').formerFingerprint).toBeUndefined();
  });
});

describe('fingerprint', () => {
  test('is the digest of the canonical JSON written out here', () => {
    const content =
      `{"render_epoch":1,"resources":{"(Footage)/USER/hero.jpg":{"file":"${sha256('images/hero.jpg')}",` +
      '"transform":{"crop_strategy":"cover"}},"c_01":{"color":"EEADA7"},"t_01":{"text":"Hello"}},' +
      '"service":"embedded","style_version":"tsv_9c41"}';
    expect(of()).toBe(`v1:${sha256(content)}`);
  });

  test('includes the files beside the main one, and no name of the main one', () => {
    const single = of({ output: { quality: 'low' } });
    const main = (name: string) => ({ name, quality: 'low' as const });
    const output = { quality: 'low' as const };
    expect(of({ output, outputs: [main('a')] })).toBe(single);
    const poster = { name: 'poster', format: 'png' as const };
    const several = of({ output, outputs: [main('a'), poster] });
    expect(several).not.toBe(single);
    expect(of({ output, outputs: [main('b'), poster] })).toBe(several);
    expect(of({ output, outputs: [main('a'), { ...poster, quality: 'high' }] })).toBe(several);
    expect(of({ output, outputs: [main('a'), { ...poster, name: 'still' }] })).not.toBe(several);
    expect(of({ output, outputs: [main('a'), { ...poster, height: 360 }] })).not.toBe(several);
  });

  test('equals the published value', () => {
    expect(of()).toMatchInlineSnapshot(`"v1:d68f13b15a068fe7e0b792e2d9d4fda9c03f5feb54693385b16b3d55813f88a4"`);
  });

  test('includes fields besides resources only if present, and equals the published value with them', () => {
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
    ['length, which follows from the template and its values', of({}, lasting(3))],
  ];
  test.each(same)('does not depend on the %s', (_, other) => {
    expect(other).toBe(of());
  });

  const measured = { measures: { width: 1920, height: 1080, rate: 25, frames: 250 } };
  const clipOf = (transform: object): string => of({ resources: { v_01: clip('a.mp4', transform) } }, measured);
  const soundOf = (transform: object): string =>
    of({ resources: { a_01: sound('a.mp3', transform) }, audio: new Map([['main', track('a.mp3', transform)]]) });
  const pictureOf = (transform: object): string => of({ resources: { [hero]: image(transform) } });
  const outputOf = (output: OutputRequest | null): string => of({ output }, measured);
  const cover = { crop_strategy: 'cover' };
  const moving = { ...cover, animate_strategy: 'zoom-in' };

  /** Every field with a default: the function that fingerprints it, the other fields, the default, another value. */
  const defaults: [string, (fields: object) => string, object, unknown, unknown][] = [
    ['crop_strategy', pictureOf, {}, 'cover', 'fill'],
    ['focus_x', pictureOf, cover, 0.5, 0],
    ['focus_y', pictureOf, cover, 0.5, 1],
    ['crop_strategy', clipOf, {}, 'cover', 'contain'],
    ['focus_x', clipOf, cover, 0.5, 0.25],
    ['focus_y', clipOf, cover, 0.5, 0.25],
    ['trim_strategy', clipOf, { ...cover, trim_start_time: 0 }, 'none', undefined],
    ['trim_start_time', clipOf, { ...cover, trim_strategy: 'manual' }, 0, 3],
    ['volume', clipOf, cover, 0, 1],
    ['animate_strategy', clipOf, cover, 'none', 'zoom-out'],
    ['animate_speed', clipOf, moving, 'moderate', 'fast'],
    ['trim_start_time', soundOf, {}, 0, 2],
    ['volume', soundOf, {}, 1, 0.5],
    ['fade_in', soundOf, {}, 0, 1],
    ['fade_out', soundOf, {}, 0, 1],
    ['loop', soundOf, {}, false, true],
    ['start', soundOf, {}, 0, 1],
    ['overrun', soundOf, {}, false, true],
    ['duck_depth', soundOf, { duck_under: 'voice' }, 10, 6],
    ['duck_attack', soundOf, { duck_under: 'voice' }, 0.15, 0],
    ['duck_hold', soundOf, { duck_under: 'voice' }, 0.2, 1],
    ['duck_release', soundOf, { duck_under: 'voice' }, 0.5, 1],
    ['format', outputOf, {}, 'mp4', 'webm'],
    ['quality', outputOf, {}, 'high', 'medium'],
    ['codec', outputOf, {}, 'h264', 'hevc'],
    ['codec', outputOf, { format: 'mov' }, 'prores422', 'prores4444'],
    ['height', outputOf, {}, 1080, 720],
    ['fps', outputOf, {}, 25, 30],
  ];

  test.each(defaults)('does not depend on a repeated default: %s (%#)', (name, print, rest, value, other) => {
    expect(print({ ...rest, [name]: value })).toBe(print(rest));
    if (other !== undefined) expect(print({ ...rest, [name]: other })).not.toBe(print(rest));
  });

  test('covers every default of transforms and outputs', () => {
    const { image, video, audio } = TRANSFORM_DEFAULTS;
    const namesOf = (print: unknown): string[] => defaults.filter((one) => one[1] === print).map(([name]) => name);
    expect(namesOf(pictureOf)).toEqual(Object.keys(image));
    expect(namesOf(clipOf)).toEqual(Object.keys(video));
    expect(namesOf(soundOf)).toEqual(Object.keys(audio));
    expect([...new Set(namesOf(outputOf))].sort()).toEqual(
      [...Object.keys(OUTPUT_DEFAULTS), 'codec', 'height', 'fps'].sort(),
    );
  });

  test('does not depend on any combination of repeated defaults', () => {
    const names = Object.entries(TRANSFORM_DEFAULTS.video);
    fc.assert(
      fc.property(fc.subarray(names), fc.subarray(Object.entries(TRANSFORM_DEFAULTS.audio)), (ofClip, ofSound) => {
        expect(clipOf({ ...cover, ...Object.fromEntries(ofClip) })).toBe(clipOf(cover));
        expect(soundOf(Object.fromEntries(ofSound))).toBe(soundOf({}));
      }),
    );
  });

  test('includes the height and frame rate if the template is unknown', () => {
    expect(of({ output: { height: 1080 } })).not.toBe(of());
    expect(of({ output: { fps: 25 } })).not.toBe(of());
  });

  test('ignores the alpha of an opaque colour', () => {
    const colored = (digits: string): string => of({ resources: { ...resources, c_01: color(digits) } });
    expect(colored('EEADA7FF')).toBe(of());
    expect(colored('EEADA7FE')).not.toBe(of());
    const ground = (background: string): string => pictureOf({ crop_strategy: 'contain', background });
    expect(ground('000000FF')).toBe(ground('000000'));
  });

  const image = (transform: object) => ({ ...file('images/hero.jpg'), transform }) as ReturnType<typeof file>;
  const other: [string, string][] = [
    ['service', of({}, { service: 'https://api.example.com' })],
    ['style version', of({}, { styleVersions: versions('tsv_2') })],
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
    ['the quality', of({ output: { quality: 'low' } })],
    ['focus', of({ resources: { ...resources, [hero]: image({ crop_strategy: 'cover', focus_x: 0.2 }) } })],
  ];
  test.each(other)('depends on the %s', (_, changed) => {
    expect(changed).not.toBe(of());
  });

  test('is different for each of these changes', () => {
    expect(new Set(other.map(([, value]) => value)).size).toBe(other.length);
  });

  test('is the same exactly for the same values in any order', () => {
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

describe('contentKey()', () => {
  const { fingerprint } = desired('berlin');
  const voice = 'https://example.com/voice.wav';

  test('is the fingerprint of a video without remote sounds that decide its length', () => {
    expect(contentKey({ fingerprint })).toBe(fingerprint);
    expect(contentKey({ fingerprint, contentLengths: { 'audio/voice.wav': { samples: 8000, rate: 8000 } } })).toBe(
      fingerprint,
    );
  });

  test('depends on the lengths of remote sounds', () => {
    const keys = [null, { samples: 8000, rate: 8000 }, { samples: 16_000, rate: 8000 }].map((length) =>
      contentKey({ fingerprint, contentLengths: { [voice]: length } }),
    );
    expect(new Set([fingerprint, ...keys]).size).toBe(4);
    for (const key of keys) expect(key).not.toContain(' ');
  });
});
