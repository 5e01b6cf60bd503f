import { describe, expect, it } from 'vitest';
import { valueSpan } from '../../../src/reconciler/definition/filled-cells.ts';
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
    expect(shown(resourceSpan('videos/a.yaml', TEXT, key))).toBe(`videos/a.yaml: ${text}`);
  });

  it('locates a value in a map that overrides scenes', () => {
    const override = 'extends: ./_base.yaml\nscenes: {end: {resources: {t_01: Bye}}}\n';
    const { start, end } = resourceSpan('videos/b.yaml', override, 'end.t_01');
    expect(override.slice(start, end)).toBe('Bye');
  });
});

describe('valueSpan()', () => {
  it('locates a value of a scene at the cell of its row', () => {
    const { videos, cells } = resolveScenes(files);
    const located = { cells, source: (file: string) => files[file] };
    const at = (key: string, part?: string): string => shown(valueSpan(videos[0]!.video, key, located, part));
    expect([...cells.get(videos[0]!.video.id)!.keys()]).toEqual([
      ...['product/lamp.t_01', 'product/lamp.t_02', 'product/sofa.t_01', 'product/sofa.t_02'],
    ]);
    expect(at('product/sofa.t_01')).toBe('data/rows.csv: Sofa');
    expect(at('product/sofa.t_02')).toBe('data/rows.csv: sofa,Sofa,99');
    expect(at('product/sofa.t_02', '99')).toBe('data/rows.csv: 99');
    expect(at('intro.t_01')).toBe('videos/a.yaml: Spring');
  });
});

describe('locateTimeline()', () => {
  const locate = locateTimeline('videos/a.yaml', TEXT);
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
