import { describe, expect, it } from 'vitest';
import type { BindRequest } from '../../../src/template/bind/bind-mapping.ts';
import { bindMapping } from '../../../src/template/bind/bind-mapping.ts';
import { colorsGif } from '../../support/colors-gif.ts';
import { CLIP, mediaPackage, VOICE } from '../../support/media-package.ts';
import { smallPackage, solidPng } from '../../support/small-package.ts';
import { toneWav } from '../../support/tone.ts';

const TEMPLATE = mediaPackage();
const URL = { source: { remote_url: 'https://example.com/x' } };
const GIF = colorsGif([[255, 0, 0]]);

function bind(request: Partial<BindRequest>, files: Record<string, Uint8Array> = {}) {
  return bindMapping(TEMPLATE, { resources: {}, ...request }, new Map(Object.entries(files)));
}

describe('bindMapping() of a video', () => {
  it('replaces the image by a silent clip', () => {
    const transform = { crop_strategy: 'contain', trim_start_time: 2 } as const;
    const { clips, images, sounds } = bind({ resources: { [CLIP]: { ...URL, transform } } }, { [CLIP]: GIF });
    expect(clips).toEqual([{ assetId: 'clip', width: 32, height: 18, bytes: GIF, transform, name: CLIP }]);
    expect(images.map(({ assetId }) => assetId)).toEqual(['photo']);
    expect(sounds.map(({ name }) => name)).toEqual(['audio/music.wav']);
  });

  it('passes a still image with its movement', () => {
    const png = solidPng('#ff0000');
    const transform = { animate_strategy: 'zoom-in', animate_speed: 'slow' } as const;
    const { clips, images } = bind({ resources: { [CLIP]: { ...URL, transform } } }, { [CLIP]: png });
    expect(clips).toEqual([]);
    expect(images.find(({ assetId }) => assetId === 'clip')).toMatchObject({
      bytes: png,
      transform: { crop_strategy: 'cover', ...transform },
    });
  });

  it("shows the template's image without a value", () => {
    expect(bind({}).images).toMatchObject([
      { assetId: 'photo' },
      { assetId: 'clip', name: 'images/poster.png', transform: { crop_strategy: 'fill' } },
    ]);
  });

  it('plays its sound at the given volume from its start time to the end of its layer', () => {
    const transform = { trim_start_time: 2, volume: 0.5 };
    const { sounds } = bind({ resources: { [CLIP]: { ...URL, transform } } }, { [CLIP]: GIF });
    expect(sounds[0]).toEqual({
      bytes: GIF,
      name: CLIP,
      startSeconds: 0.3,
      endSeconds: 0.9,
      transform: { trim_start_time: 2, volume: 0.5 },
      optional: true,
    });
  });

  it('plays its sound once when several layers show it at the same time', () => {
    const animation = structuredClone(TEMPLATE.animation);
    const layers = animation.layers as Record<string, unknown>[];
    const shown = layers.find(({ nm }) => nm === 'clip')!;
    layers.push({ ...shown, ind: 7, ip: 0, op: 4 }, { ...shown, ind: 8, st: 5 });
    const request = { resources: { [CLIP]: { ...URL, transform: { volume: 1 } } } };
    const { sounds } = bindMapping({ ...TEMPLATE, animation }, request, new Map([[CLIP, GIF]]));
    expect(sounds.map(({ name, startSeconds, endSeconds }) => [name, startSeconds, endSeconds])).toEqual([
      [CLIP, 0.3, 0.9],
      [CLIP, 0.5, 0.9],
      ['audio/music.wav', 0, 1],
    ]);
  });
});

describe('bindMapping() of sounds', () => {
  const tone = toneWav(0.1);

  it("plays a sound during its layer, from the corresponding offset and at the layer's volume", () => {
    const transform = { trim_start_time: 1, fade_in: 0.1 };
    const { sounds } = bind({ resources: { [VOICE]: { ...URL, transform } } }, { [VOICE]: tone });
    expect(sounds[0]).toEqual({
      bytes: tone,
      name: VOICE,
      skipSeconds: expect.closeTo(0.2, 6),
      startSeconds: 0.4,
      endSeconds: 1,
      transform: { trim_start_time: 1.2, fade_in: 0.1, volume: 0.5 },
      optional: false,
    });
  });

  it("plays tracks over the whole video together with the template's music", () => {
    const track = { ...URL, transform: { loop: true } };
    const { sounds } = bind({ audio_tracks: { main: track } }, { 'audio_tracks.main': tone });
    expect(sounds).toMatchObject([
      { name: 'audio/music.wav', startSeconds: 0, endSeconds: 1, transform: {} },
      { name: 'audio_tracks.main', startSeconds: 0, endSeconds: 1, transform: { loop: true }, optional: false },
    ]);
  });

  it('removes sound layers and assets from the drawn animation', () => {
    const { animation } = bind({});
    expect(animation.assets!.map(({ id }) => id)).toEqual(['photo', 'clip']);
    expect(animation.layers.some((layer) => (layer as { ty: number }).ty === 6)).toBe(false);
  });
});

describe('bindMapping() of fonts', () => {
  const choice = { source: { font: 'Spare-Italic' } };
  const fontsOf = (request: Partial<BindRequest>) => {
    const { animation, fonts } = bind(request);
    const text = JSON.stringify(animation.layers);
    return { used: [...text.matchAll(/"f":"([^"]+)"/g)].map(([, name]) => name), animation, fonts };
  };

  it('passes its own fonts first and then the fallback fonts in order', () => {
    expect(bind({}).fonts.map(({ name, isFallback }) => [name, isFallback])).toEqual([
      ['Test-Regular', false],
      ['Wide-Regular', true],
      ['Spare-Italic', true],
    ]);
  });

  it('sets texts in the font chosen by an editable and lists that font', () => {
    const { used, animation, fonts } = fontsOf({ resources: { f_01: choice } });
    expect(used).toEqual(['Spare-Italic']);
    expect((animation.fonts as { list: unknown[] }).list[1]).toEqual({
      fName: 'Spare-Italic',
      fFamily: 'Spare',
      fStyle: 'Italic',
      ascent: 75,
      origin: 3,
    });
    expect(fonts.find(({ name }) => name === 'Spare-Italic')!.bytes).toBe(
      TEMPLATE.extraFonts.get('Spare-Italic')!.bytes,
    );
  });

  it('changes a font everywhere by font_changes unless an editable chooses it', () => {
    expect(fontsOf({ font_changes: { 'Test-Regular': choice } }).used).toEqual(['Spare-Italic']);
    const both = {
      resources: { f_01: choice },
      font_changes: { 'Test-Regular': { source: { font: 'Wide-Regular' } } },
    };
    expect(fontsOf(both).used).toEqual(['Spare-Italic']);
  });

  it('rejects an unknown font', () => {
    expect(() => bind({ font_changes: { 'Test-Regular': { source: { font: 'Gone' } } } })).toThrow(
      'The template has no font Gone',
    );
  });
});

describe('bindMapping() of an output', () => {
  it('takes size, rate and format from it and the rest from the template', () => {
    const renderInput = bind({ output: { format: 'gif', height: 18, fps: 5, quality: 'low' }, fingerprint: 'v1:00' });
    expect(renderInput).toMatchObject({
      output: { format: 'gif', quality: 'low', fingerprint: 'v1:00' },
      width: 32,
      height: 18,
      fps: 5,
      frameCount: 5,
      stills: [{ name: 'stillcut_01', frame: 3 }],
    });
    expect(bindMapping(smallPackage(), { resources: {} }, new Map())).toMatchObject({
      output: { format: 'mp4', quality: 'high', fingerprint: null },
      width: 64,
      height: 36,
      fps: 10,
      frameCount: 10,
    });
  });
});
