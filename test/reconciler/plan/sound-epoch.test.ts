import { describe, expect, test } from 'vitest';
import { clip, desired, lockOf, plan, sound, text, track, type VideoParts } from './videos.ts';

const make = (parts: VideoParts, epoch: number, isInTemplate = false) =>
  desired('a', parts, { sound: { epoch, isInTemplate } });
const actionOf = (parts: VideoParts, isInTemplate = false) =>
  plan([make(parts, 1, isInTemplate)], lockOf(make(parts, 0, isInTemplate))).changes[0]!;
const gif = { format: 'gif' } as const;
const music = new Map([['main', track('a.mp3')]]);
const cover = { crop_strategy: 'cover' } as const;

describe('a raised sound epoch', () => {
  test.each<[string, VideoParts, boolean?]>([
    ['the sound of its template', {}, true],
    ['a track', { audio: music }],
    ['a filled sound', { resources: { a_01: sound('a.mp3') } }],
    ['a clip with a volume', { resources: { v_01: clip('a.mp4', { ...cover, volume: 0.5 }) } }],
    ['a second file with sound', { audio: music, output: gif, outputs: [{ name: 'a', ...gif }, { name: 'b' }] }],
  ])('renders a video with %s again', (_, parts, isInTemplate) => {
    expect(actionOf(parts, isInTemplate)).toMatchObject({ action: 'update', reason: 'engine_changed' });
  });

  test.each<[string, VideoParts, boolean?]>([
    ['without sounds', { resources: { t_01: text('Hello') } }],
    ['with a clip of the default volume', { resources: { v_01: clip('a.mp4') } }],
    ['with a clip of volume 0', { resources: { v_01: clip('a.mp4', { ...cover, volume: 0 }) } }],
    ['of a format without sound', { audio: music, output: gif }, true],
  ])('keeps a video %s', (_, parts, isInTemplate) => {
    expect(actionOf(parts, isInTemplate)).toMatchObject({ action: 'noop' });
  });

  test('leaves fingerprints unchanged while it is 0', () => {
    expect(make({ audio: music }, 0).fingerprint).toBe(desired('a', { audio: music }).fingerprint);
  });
});
