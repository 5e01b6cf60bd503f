import { describe, expect, test } from 'vitest';
import type { VideoResource } from '../../src/definition/video.ts';
import { sha256 } from '../../src/digest.ts';
import type { Transform } from '../../src/wire/mapping.ts';
import { clip, color, desired, file, font, sound, text, track, url } from './videos.ts';

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
    expect(desired('berlin', { resources: { key: resource } }).inputs).toEqual({ key: recorded });
  });

  test('records tracks, fonts and the output after the editables', () => {
    const parts = {
      resources: { t_01: text('Hello') },
      audio: new Map([['main', track('a.mp3', { volume: 0.5 })]]),
      fonts: new Map([['Montserrat-Regular', 'Inter-Regular']]),
      output: { format: 'webm', height: 720 } as const,
    };
    expect(Object.entries(desired('berlin', parts).inputs)).toEqual([
      ['t_01', 'Hello'],
      ['audio.main', `${digest('a.mp3')} volume=0.5`],
      ['fonts.Montserrat-Regular', 'Inter-Regular'],
      ['output', 'format=webm height=720'],
    ]);
  });

  test('keeps the order of the specification', () => {
    const resources = { t_02: text('b'), c_01: color('000000'), t_01: text('a') };
    expect(Object.keys(desired('berlin', { resources }).inputs)).toEqual(['t_02', 'c_01', 't_01']);
  });

  test('accepts an editable named __proto__', () => {
    const { inputs } = desired('berlin', { resources: Object.fromEntries([['__proto__', text('a')]]) });
    expect(Object.entries(inputs)).toEqual([['__proto__', 'a']]);
  });
});
