import { describe, expect, it } from 'vitest';
import { timelineOf } from '../../../src/reconciler/definition/video-timeline.ts';
import { resolveScenes, scenesOf } from '../../support/resolve-scenes.ts';

const definition = (...lines: string[]) => ({ 'videos/a.yaml': `title: A\n${lines.join('\n')}\n` });
const only = (files: Record<string, string>) => {
  const videos = scenesOf(files);
  expect(videos).toHaveLength(1);
  return videos[0]!;
};
const PRODUCTS = 'slug,name,campaign\nlamp,Lamp,spring\nsofa,Sofa,autumn;spring\nbed,Bed,autumn\n';

describe('a list of scenes', () => {
  it('reads every property of scenes and of their video', () => {
    const files = {
      ...definition(
        'size: [1280, 720]',
        'rate: 25',
        'transition: {type: fade, duration: 0.2}',
        'poster: card.stillcut_01',
        'audio: {music: {source: sounds/spring.mp3, loop: true}}',
        'resources: {logo: images/logo.png}',
        'scenes:',
        '  - {template: intro, resources: {t_01: Spring}}',
        '  - template: card',
        '    resources: {t_01: Lamp}',
        '    fonts: {Inter: Roboto}',
        '    audio: {voice: voice/en.mp3}',
        '    duration: {content: true, min: 3, max: 8, tail: exit}',
        '    transition: {type: dip, duration: 0.4, color: FFAA00, easing: linear}',
        '    background: "#ff0000"',
        '    shorten: cut',
        '  - {id: last, template: plain, transition: cut}',
        '  - {id: end, template: tall, fit: contain, duration: 6}',
      ),
    };
    const { scenes, ...video } = only(files);
    expect(video).toMatchObject({
      size: [1280, 720],
      rate: 25,
      poster: 'card.stillcut_01',
      softTransitions: ['end'],
      audio: new Map([['music', { source: { kind: 'file', path: 'sounds/spring.mp3' }, transform: { loop: true } }]]),
    });
    expect(scenes.map(({ id, template }) => [id, template])).toEqual([
      ['intro', 'intro'],
      ['card', 'card'],
      ['last', 'plain'],
      ['end', 'tall'],
    ]);
    const logo = {
      kind: 'image',
      source: { kind: 'file', path: 'images/logo.png' },
      transform: { crop_strategy: 'cover' },
    };
    expect(scenes[0]).toEqual({
      id: 'intro',
      template: 'intro',
      resources: new Map<string, unknown>([
        ['t_01', { kind: 'text', text: 'Spring' }],
        ['logo', logo],
      ]),
      fonts: new Map(),
      audio: new Map(),
    });
    expect(scenes[1]).toMatchObject({
      resources: new Map<string, unknown>([
        ['t_01', { kind: 'text', text: 'Lamp' }],
        ['logo', logo],
      ]),
      fonts: new Map([['Inter', 'Roboto']]),
      audio: new Map([['voice', { source: { kind: 'file', path: 'voice/en.mp3' }, transform: {} }]]),
      duration: { content: true, min: 3, max: 8, tail: 'exit' },
      transition: { type: 'dip', duration: 0.4, color: 'FFAA00', easing: 'linear' },
      background: 'FF0000',
      shorten: 'cut',
    });
    expect(scenes[2]).not.toHaveProperty('transition');
    expect(scenes[3]).toMatchObject({ fit: 'contain', duration: 6, transition: { type: 'fade', duration: 0.2 } });
  });

  it('repeats a scene for the rows that pass, with the columns of both rows', () => {
    const files = {
      ...definition(
        'each: {from: ./shops.csv, id: "${city}"}',
        'scenes:',
        '  - {template: intro, resources: {t_01: "${city}"}}',
        '  - id: product',
        '    template: card',
        '    each: {from: "data/${country}.csv", where: {campaign: "${campaign}"}, id: "${slug}"}',
        '    resources: {t_01: "${name}, ${city}", logo: "images/${slug}.png", clip: "${folder}/clip.mp4"}',
      ),
      'videos/shops.csv': 'city,country,campaign,folder\nBerlin,de,spring,./x\nRom,it,autumn,./y\n',
      'data/de.csv': PRODUCTS,
      'data/it.csv': PRODUCTS,
    };
    const { diagnostics, videos } = resolveScenes(files);
    expect(diagnostics.map(({ code, severity }) => [code, severity])).toEqual([['column_hidden', 'warning']]);
    const shown = videos.map(({ video }) => [
      video.id,
      ...video.scenes.map(({ id, resources }) => [id, (resources.get('t_01') as { text: string }).text]),
    ]);
    expect(shown).toEqual([
      ['a/Berlin', ['intro', 'Berlin'], ['product/lamp', 'Lamp, Berlin'], ['product/sofa', 'Sofa, Berlin']],
      ['a/Rom', ['intro', 'Rom'], ['product/sofa', 'Sofa, Rom'], ['product/bed', 'Bed, Rom']],
    ]);
    expect(videos.map(({ video }) => video.filteredScenes?.())).toEqual([
      [{ id: 'product/bed', reason: 'campaign is "autumn"' }],
      [{ id: 'product/lamp', reason: 'campaign is "spring"' }],
    ]);
    // A path that starts with a column is relative to the file of that column.
    expect(videos[0]!.files.map(({ path }) => path)).toEqual([
      'images/lamp.png',
      'videos/x/clip.mp4',
      'images/sofa.png',
      'videos/x/clip.mp4',
    ]);
  });

  it('names no filtered scene whose id another row has or that is not valid', () => {
    const { scenes, filteredScenes } = only(
      definition(
        'scenes:',
        '  - id: p',
        '    template: plain',
        '    each: {from: [{s: a, on: x}, {s: A, on: y}, {s: "b c", on: y}, {s: d, on: y}], where: {on: x}, id: "${s}"}',
        '    resources: {t_01: "${s}"}',
      ),
    );
    expect(scenes.map(({ id }) => id)).toEqual(['p/a']);
    expect(filteredScenes?.()).toEqual([{ id: 'p/d', reason: 'on is "y"' }]);
  });

  it('reads inline rows', () => {
    const { scenes } = only(
      definition(
        'scenes:',
        '  - id: p',
        '    template: plain',
        '    each: {from: [{s: a, t: One}, {s: b, t: Two}], id: "${s}"}',
        '    resources: {t_01: "${t}"}',
      ),
    );
    expect(scenes.map(({ id }) => id)).toEqual(['p/a', 'p/b']);
  });

  it('leaves out scenes, tracks, optional values and videos, with the reason', () => {
    const files = {
      ...definition(
        'each: {from: ./rows.csv, id: "${id}", where: {state: {not: draft}}}',
        'when: {shown: [yes, maybe]}',
        'scenes:',
        '  - {template: intro, when: "${offer}", resources: {t_01: "${offer}"}}',
        '  - template: plain',
        '    resources: {t_01: {source: {text: "${offer}"}, when: "${offer}"}}',
        '    audio: {voice: {source: a.mp3, when: {voice: en}}}',
        '  - {template: card, when: {kind: [big]}, resources: {t_01: x}}',
      ),
      'videos/rows.csv':
        'id,shown,offer,voice,kind,state\na,yes,-20 %,en,big;new,live\nb,maybe, ,de,small,live\nc,no,,,,live\nd,yes,,,,draft\n',
    };
    const { videos, leftOut, diagnostics, invalid } = resolveScenes(files);
    expect([diagnostics, invalid]).toEqual([[], []]);
    const path = 'videos/a.yaml';
    expect(leftOut).toEqual([
      { id: 'a/c', path, reason: 'shown is "no"' },
      { id: 'a/d', path, reason: 'its row does not pass "where": state is "draft"', byWhere: true },
    ]);
    expect(videos.map(({ video }) => [video.id, video.leftOut ?? []])).toEqual([
      ['a/a', []],
      [
        'a/b',
        [
          { scene: 'intro', reason: 'offer is empty' },
          { scene: 'card', reason: 'kind is "small"' },
          { scene: 'plain', name: 't_01', reason: 'offer is empty' },
          { scene: 'plain', name: 'audio_tracks.voice', reason: 'voice is "de"' },
        ],
      ],
    ]);
    expect(videos[1]!.video.scenes).toEqual([
      { id: 'plain', template: 'plain', resources: new Map(), fonts: new Map(), audio: new Map() },
    ]);
  });

  it('takes size and rate from the first scene as written, also if it is left out', () => {
    const scenes = (when: string) =>
      only(
        definition('scenes:', `  - {template: tall, when: "${when}", fit: cover}`, '  - {template: film, fit: cover}'),
      );
    expect(scenes('no')).toMatchObject({ size: [1080, 1920], rate: 30 });
    expect(scenes('yes').size).toBeUndefined();
  });

  it('is the same video as a template if it has one scene', () => {
    const values = [
      'resources: {t_01: Hi, logo: a.png}',
      'audio: {voice: a.mp3}',
      'duration: 6',
      'background: "112233"',
    ];
    const template = only(definition('template: card', 'fonts: {Inter: Roboto}', ...values));
    const scene = (...more: string[]) =>
      only(
        definition(
          'scenes:',
          '  - template: card',
          ...more,
          '    fonts: {Inter: Roboto}',
          ...values.map((line) => `    ${line}`),
        ),
      );
    expect(scene()).toEqual(template);
    expect(scene('    id: x')).toEqual({ ...template, scenes: [{ ...template.scenes[0], id: 'x' }] });
    // Values, tracks and the length of the definition.
    const [resources, audio, duration, background] = values;
    const shared = definition(
      resources!,
      audio!,
      duration!,
      'fonts: {Inter: Roboto}',
      'scenes:',
      '  - template: card',
      `    ${background}`,
    );
    expect(only(shared)).toEqual(template);
  });

  it('gives tracks of the same name in an only scene and its video different names', () => {
    const { audio, scenes } = only(
      definition('audio: {a: x.mp3}', 'scenes:', '  - {template: plain, audio: {a: y.mp3, b: z.mp3}}'),
    );
    expect([...audio].map(([name, { source }]) => [name, (source as { path: string }).path])).toEqual([
      ['a', 'x.mp3'],
      ['a-2', 'y.mp3'],
      ['b', 'z.mp3'],
    ]);
    expect(scenes[0]!.audio.size).toBe(0);
  });

  it('overrides scenes of a fragment by id, and lets a scene extend a fragment', () => {
    const files = {
      'videos/_base.yaml':
        'scenes:\n  - {template: intro, resources: {t_01: One}}\n  - {id: two, extends: ./_card.yaml, resources: {t_02: Two}}\n',
      'videos/_card.yaml':
        'template: card\nresources: {t_01: Card, t_02: Card}\ntransition: {type: fade, duration: 0.5}\n',
      'videos/a.yaml':
        'title: A\nextends: ./_base.yaml\nscenes:\n  two: {resources: {t_01: New}, transition: {type: slide, duration: 1}, duration: 6}\n  intro: {when: "yes"}\n',
    };
    const { scenes } = only(files);
    expect(scenes.map(({ id }) => id)).toEqual(['intro', 'two']);
    expect([...scenes[1]!.resources.values()].map((value) => (value as { text: string }).text)).toEqual(['New', 'Two']);
    expect(scenes[1]).toMatchObject({ duration: 6, transition: { type: 'slide', duration: 1 } });
    const replaced = { ...files, 'videos/a.yaml': 'title: A\nextends: ./_base.yaml\nscenes: [{template: plain}]\n' };
    expect(only(replaced).scenes.map(({ id }) => id)).toEqual(['plain']);
  });

  it('reads lengths of one-template videos', () => {
    expect(only(definition('template: card', 'resources: {t_01: x}', 'duration: 6')).scenes[0]).toMatchObject({
      duration: 6,
    });
    const content = only(definition('template: plain', 'duration: content', 'audio: {voice: a.mp3}'));
    expect(content.scenes[0]).toMatchObject({ duration: 'content' });
    const facts = {
      width: 1920,
      height: 1080,
      fps: 30,
      frameCount: 150,
      stills: [],
      spec: { id: 'x', editables: {}, fonts: [] },
    };
    const made = timelineOf(content, new Map([['plain', facts]]), () => ({ samples: 48_000 * 6, rate: 48_000 }));
    expect(made?.timeline?.frames).toBe(195);
  });
});
