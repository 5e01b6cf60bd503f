import { describe, expect, it } from 'vitest';
import { resolveTimeline } from '../../../src/contract/timeline/resolve-timeline.ts';
import type { SceneInput, TimelineInput } from '../../../src/contract/timeline/timeline.ts';
import { bindMapping } from '../../../src/template/bind/bind-mapping.ts';
import { bindScenes, type SceneValues } from '../../../src/template/bind/bind-scenes.ts';
import type { InputSound, ScenesInput } from '../../../src/template/render-input.ts';
import type { TemplatePackage } from '../../../src/template/template-package.ts';
import { smallPackage, solidPng } from '../../support/small-package.ts';

const PHOTO = '(Footage)/USER/photo.png';

/** The small template with a sound of its own from frame 6 on. */
function withSound(): TemplatePackage {
  const template = smallPackage();
  const { animation } = template;
  const layer = { ty: 6, ind: 9, ip: 6, op: 10, st: 6, refId: 'tone', au: { lv: { a: 0, k: [100, 100] } } };
  return {
    ...template,
    animation: {
      ...animation,
      assets: [...animation.assets!, { id: 'tone', u: 'sounds/', p: 'tone.wav', e: 0 }],
      layers: [...animation.layers, layer],
    },
    sounds: new Map([['tone', { path: 'sounds/tone.wav', bytes: new Uint8Array([1]) }]]),
  };
}

/** The small template has 10 frames at 10 frames per second, and a stillcut at frame 5. */
function bind(
  scenes: readonly (Omit<SceneInput, 'template'> & { readonly values?: Partial<SceneValues> })[],
  video: Partial<TimelineInput> = {},
  template = smallPackage(),
) {
  const { width, height, fps, frameCount } = template;
  const stillcuts = Object.fromEntries(template.stills.map(({ name, frame }) => [name, frame]));
  const small = { width, height, rate: fps, frames: frameCount, stillcuts };
  const listed = scenes.map(({ values: _, ...scene }) => ({ ...scene, template: 'small' }));
  const { timeline, findings } = resolveTimeline({ templates: { small }, scenes: listed, ...video });
  if (timeline === null) throw new Error(JSON.stringify(findings));
  const values = scenes.map((scene) => ({ template, resources: {}, fetched: new Map(), ...scene.values }));
  return bindScenes({ timeline, scenes: values, fetched: new Map() });
}

function soundTimes(input: { readonly sounds: readonly InputSound[] }) {
  return input.sounds.map(({ name, startSeconds, endSeconds, endFadeSeconds }) => {
    return { name, startSeconds, endSeconds, endFadeSeconds };
  });
}

describe('bindScenes()', () => {
  it('returns the input of the template for one scene that shows it unchanged', () => {
    const resources = { t_01: { source: { text: 'New' } } };
    expect(bind([{ id: 'a', values: { resources } }])).toEqual(bindMapping(smallPackage(), { resources }, new Map()));
  });

  it('names the scene whose template lacks a font', () => {
    const template = { ...smallPackage(), fonts: new Map() };
    expect(() => bind([{ id: 'a', duration: 2, values: { template } }])).toThrow(
      /^In the scene a: The template has no font /,
    );
  });

  it('keeps scenes of another length, rate or size apart from their template', () => {
    expect(bind([{ id: 'a', duration: 2 }])).toHaveProperty('timeline');
    expect(bind([{ id: 'a' }], { rate: 20 })).toHaveProperty('timeline');
    expect(bind([{ id: 'a' }], { size: [128, 72] })).toHaveProperty('timeline');
  });

  it('names images and stills by their scene', () => {
    const fetched = new Map([[PHOTO, solidPng('#ff0000')]]);
    const input = bind([{ id: 'a' }, { id: 'b/c', values: { fetched } }]) as ScenesInput;
    expect(input.scenes.map(({ images }) => images[0]!.name)).toEqual(['a.images/photo.png', `b/c.${PHOTO}`]);
    expect(input.stills).toEqual([
      { name: 'a.stillcut_01', frame: 5 },
      { name: 'b/c.stillcut_01', frame: 15 },
    ]);
  });

  it('takes stills from frames that no transition covers', () => {
    const fade = { type: 'fade', duration: 0.8 };
    const input = bind([{ id: 'a' }, { id: 'b', duration: 2, transition: fade }]) as ScenesInput;
    // Frame 5 of the template is held from 1.5 s on for a second; the transition ends at 1.8 s.
    expect(input.stills).toEqual([
      { name: 'a.stillcut_01', frame: 5 },
      { name: 'b.stillcut_01', frame: 18 },
    ]);
  });

  it("starts a template's sound when its layer is shown, after a hold", () => {
    const input = bind([{ id: 'a' }, { id: 'b', duration: 3 }], {}, withSound());
    expect(soundTimes(input as ScenesInput)).toEqual([
      { name: 'a.sounds/tone.wav', startSeconds: 0.6, endSeconds: 1, endFadeSeconds: 0.01 },
      { name: 'b.sounds/tone.wav', startSeconds: 3.6, endSeconds: 4, endFadeSeconds: undefined },
    ]);
  });

  it("fades a template's sound while a transition shows the last frame", () => {
    const transition = { type: 'fade', duration: 0.4 };
    const [first] = soundTimes(bind([{ id: 'a' }, { id: 'b', transition }], {}, withSound()) as ScenesInput);
    expect(first).toEqual({ name: 'a.sounds/tone.wav', startSeconds: 0.6, endSeconds: 1.4, endFadeSeconds: 0.4 });
  });

  it('ends the tracks of a scene with the scene', () => {
    const audio_tracks = { voice: { source: { remote_url: 'https://example.com/a.mp3' } } };
    const fetched = new Map([['audio_tracks.voice', new Uint8Array([1])]]);
    const scenes = [{ id: 'a' }, { id: 'b', values: { audio_tracks, fetched } }, { id: 'c' }];
    expect(soundTimes(bind(scenes) as ScenesInput)).toEqual([
      { name: 'b.audio_tracks.voice', startSeconds: 1, endSeconds: 2, endFadeSeconds: 0.01 },
    ]);
  });
});
