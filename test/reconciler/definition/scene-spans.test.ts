import { describe, expect, it } from 'vitest';
import type { Span } from '../../../src/kernel/diagnostic.ts';
import { valueSpan } from '../../../src/reconciler/definition/filled-values.ts';
import { locateTimeline, resourceSpan } from '../../../src/reconciler/definition/scene-spans.ts';
import { resolveScenes } from '../../support/resolve-scenes.ts';

const TEXT = `title: A
transition: {type: fade, duration: 1}
resources: {logo: shared.png}
audio: {music: root.mp3}
scenes:
  - {template: intro, resources: {t_01: Spring}, audio: {music: scene.mp3}, duration: 5}
  - id: product
    template: card
    each: {from: data/rows.csv, id: "\${slug}"}
    resources: {t_01: "\${name}", t_02: "Only \${price} at \${name}"}
`;
const ROWS = 'slug,name,price\nlamp,Lamp,9\nsofa,Sofa,99\n';
const files: Record<string, string> = { 'videos/a.yaml': TEXT, 'data/rows.csv': ROWS };

const shown = ({ file, start, end }: { file: string; start: number; end: number }): string =>
  `${file}: ${files[file]?.slice(start, end) ?? ''}`;

describe('resourceSpan()', () => {
  it.each([
    ['intro.t_01', 'Spring'],
    ['intro.audio_tracks.music', 'scene.mp3'],
    ['audio_tracks.music', 'scene.mp3'],
    ['intro.logo', 'shared.png'],
    ['product/lamp.t_01', '"${name}"'],
    ['product/lamp.logo', 'shared.png'],
    ['other.t_01', ''],
    [null, ''],
  ])('locates the value of %s', (key, text) => {
    expect(shown(resourceSpan('videos/a.yaml', (file) => files[file], key))).toBe(`videos/a.yaml: ${text}`);
  });

  it('locates a value in a map that overrides scenes', () => {
    const override = 'extends: ./_base.yaml\nscenes: {end: {resources: {t_01: Bye}}}\n';
    const source = (file: string) => (file === 'videos/b.yaml' ? override : undefined);
    const { start, end } = resourceSpan('videos/b.yaml', source, 'end.t_01');
    expect(override.slice(start, end)).toBe('Bye');
  });

  it('locates an inherited value in the fragment of the definition or of the scene', () => {
    const inherited: Record<string, string> = {
      'videos/c.yaml': 'extends: ./_base.yaml\nscenes: {end: {resources: {t_01: Bye}}}\n',
      'videos/_base.yaml':
        'resources: {logo: base.png}\nscenes:\n  - {template: intro, extends: ./_intro.yaml, duration: 5}\n  - {id: end, template: plain, resources: {t_02: See you}}\n',
      'videos/_intro.yaml': 'resources: {t_01: Hi}\naudio: {voice: hi.mp3}\ntransition: cut\n',
    };
    const source = (file: string): string | undefined => inherited[file];
    const text = ({ file, start, end }: Span): string => `${file}: ${inherited[file]!.slice(start, end)}`;
    const at = (key: string): string => text(resourceSpan('videos/c.yaml', source, key));
    expect([at('end.t_01'), at('end.t_02'), at('end.logo')]).toEqual([
      'videos/c.yaml: Bye',
      'videos/_base.yaml: See you',
      'videos/_base.yaml: base.png',
    ]);
    expect([at('intro.t_01'), at('intro.audio_tracks.voice')]).toEqual([
      'videos/_intro.yaml: Hi',
      'videos/_intro.yaml: hi.mp3',
    ]);
    const locate = locateTimeline('videos/c.yaml', source);
    expect([text(locate('intro', 'duration')), text(locate('intro', 'transition'))]).toEqual([
      'videos/_base.yaml: 5',
      'videos/_intro.yaml: cut',
    ]);
  });
});

describe('valueSpan()', () => {
  it('locates a value of a scene at the cell of its row', () => {
    const { videos, filled } = resolveScenes(files);
    const located = { filled, source: (file: string) => files[file] };
    const at = (key: string, part?: string): string => shown(valueSpan(videos[0]!.video, key, located, part));
    expect([...filled.get(videos[0]!.video.id)!.cells.keys()]).toEqual([
      ...['product/lamp.t_01', 'product/lamp.t_02', 'product/sofa.t_01', 'product/sofa.t_02'],
    ]);
    expect(at('product/sofa.t_01')).toBe('data/rows.csv: Sofa');
    expect(at('product/sofa.t_02')).toBe('data/rows.csv: sofa,Sofa,99');
    expect(at('product/sofa.t_02', '99')).toBe('data/rows.csv: 99');
    expect(at('intro.t_01')).toBe('videos/a.yaml: Spring');
  });
});

describe('locateTimeline()', () => {
  const locate = locateTimeline('videos/a.yaml', (file) => files[file]);
  it.each([
    ['intro', 'duration', undefined, '5'],
    ['intro', 'audio', 'music', 'scene.mp3'],
    ['product/lamp', 'transition', undefined, 'transition'],
    ['product/lamp', 'duration', undefined, 'id'],
    [null, 'audio', 'music', 'root.mp3'],
    ['gone', 'duration', undefined, ''],
  ] as const)('locates %s %s %s', (scene, property, name, text) => {
    expect(shown(locate(scene, property, name))).toBe(`videos/a.yaml: ${text}`);
  });
});
