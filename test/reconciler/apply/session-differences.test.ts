import { describe, expect, it } from 'vitest';
import type { RenderSession } from '../../../src/contract/wire/render-session.ts';
import { answerContradictions, sessionDifferences } from '../../../src/reconciler/apply/session-differences.ts';
import { bareSession } from '../../../src/reconciler/service-client/read-answer.ts';

const request = {
  title: 'Berlin',
  render: 'preview',
  mapping: {
    template_style_version_id: 'tsv_1',
    resources: {
      t_01: { source: { text: 'Hello' } },
      'a/b.png': { source: { remote_url: 'https://x.test/a.png' }, transform: { crop_strategy: 'cover' } },
    },
  },
};
const body = JSON.stringify(request);
const session = (changes: object = {}): RenderSession =>
  ({ ...request, id: 's', mapping: { id: 'm', ...request.mapping }, ...changes }) as unknown as RenderSession;
const withResources = (resources: object): RenderSession =>
  session({ mapping: { ...request.mapping, resources: { ...request.mapping.resources, ...resources } } });

describe('sessionDifferences()', () => {
  it('finds none in an equivalent session, with added fields and in any order', () => {
    expect(sessionDifferences(body, session())).toEqual([]);
    const transform = { focus_x: 0.5, crop_strategy: 'cover' };
    const added = withResources({ 'a/b.png': { transform, source: { id: 1, remote_url: 'https://x.test/a.png' } } });
    expect(sessionDifferences(body, added)).toEqual([]);
  });

  it('finds differences in sounds, fonts and the output', () => {
    const audio_tracks = { main: { source: { remote_url: 'https://x.test/a.mp3' } } };
    const font_changes = { A: { source: { font: 'B' } } };
    const output = { format: 'webm' };
    const asked = JSON.stringify({ ...request, mapping: { ...request.mapping, audio_tracks, font_changes }, output });
    const fields = (changes: object): string[] => sessionDifferences(asked, session(changes)).map(({ field }) => field);
    expect(fields({ audio_tracks, font_changes, output: { ...output, quality: 'high' } })).toEqual([]);
    expect(fields({})).toEqual(['audio_tracks.main', 'font_changes.A', 'output']);
    expect(sessionDifferences(body, session({ output, audio_tracks })).map(({ field }) => field)).toEqual([
      'audio_tracks.main',
    ]);
  });

  it.each<[string, RenderSession, string[]]>([
    ['another title', session({ title: 'Rome' }), ['title']],
    [
      'another template',
      session({ mapping: { ...request.mapping, template_style_version_id: 'x' } }),
      ['template_style_version_id'],
    ],
    ['another text', withResources({ t_01: { source: { text: 'Hallo' } } }), ['t_01']],
    ['no transform', withResources({ 'a/b.png': { source: { remote_url: 'https://x.test/a.png' } } }), ['a/b.png']],
    ['one more', withResources({ t_02: { source: { text: '' } } }), ['t_02']],
    ['no mapping', session({ mapping: null }), ['template_style_version_id', 't_01', 'a/b.png']],
    [
      'a list for its resources',
      session({ mapping: { template_style_version_id: 'tsv_1', resources: [] } }),
      ['t_01', 'a/b.png'],
    ],
  ])('names the fields of a session with %s', (_, found, fields) => {
    expect(sessionDifferences(body, found).map(({ field }) => field)).toEqual(fields);
  });

  it('ignores inherited properties of objects', () => {
    const hostile = JSON.stringify({
      ...request,
      mapping: { ...request.mapping, resources: { toString: { source: {} } } },
    });
    expect(sessionDifferences(hostile, session({ mapping: { ...request.mapping, resources: {} } }))).toEqual([
      { field: 'toString', asked: '{"source":{}}', found: null },
    ]);
  });
});

describe('answerContradictions()', () => {
  const asked = JSON.stringify({
    ...request,
    mapping: {
      ...request.mapping,
      resources: {
        ...request.mapping.resources,
        c_01: { source: { text: 'EEADA7' } },
        'clip.mp4': { source: { remote_url: 'https://x.test/c.mp4' }, transform: { volume: 0, trim_start_time: 1.5 } },
      },
      audio_tracks: { main: { source: { remote_url: 'urn:sha256:00' } } },
    },
  });
  const fields = (found: object): string[] =>
    answerContradictions(asked, found as RenderSession).map(({ field }) => field);
  const resources = (found: object): string[] => fields(session({ mapping: { resources: found } }));

  it.each<[string, object]>([
    ['nothing but an id', { id: 's' }],
    ['no values', { title: '', mapping: { template_style_version_id: '', resources: {} } }],
    ['values of another form', { title: null, mapping: { resources: { t_01: 'Hello', c_01: [] } } }],
    ['a cut title', { title: 'Berlin' }],
    [
      'white space and letter case',
      { title: ' BERLIN ', mapping: { resources: { t_01: { source: { text: ' hello\n' } } } } },
    ],
    ['a color with #', { mapping: { resources: { c_01: { source: { text: '#eeada7' } } } } }],
    ['a color with an alpha channel', { mapping: { resources: { c_01: { source: { text: 'EEADA7FF' } } } } }],
    ['a copy of a file', { mapping: { resources: { 'a/b.png': { source: { remote_url: 'https://cdn.test/1' } } } } }],
    [
      'a URL without its query',
      { mapping: { resources: { 'a/b.png': { source: { remote_url: 'https://x.test/a.png?' } } } } },
    ],
    ['an uploaded file', { audio_tracks: { main: { source: { remote_url: 'https://cdn.test/2' } } } }],
    [
      'numbers as text',
      { mapping: { resources: { 'clip.mp4': { transform: { volume: '0.0', trim_start_time: 1.5 } } } } },
    ],
    [
      'defaults',
      { mapping: { resources: { 'a/b.png': { transform: { anchor: 'center', crop_strategy: 'COVER' } } } } },
    ],
    ['more editables', { mapping: { resources: { t_02: { source: { text: 'default' } } } } }],
  ])('finds none in an answer with %s', (_, found) => {
    expect(fields(found)).toEqual([]);
  });

  it('finds another title, template, text, color, file and transform', () => {
    expect(fields(session({ title: 'Berlin 2' }))).toEqual(['title']);
    expect(fields(session({ mapping: { template_style_version_id: 'tsv_2' } }))).toEqual(['template_style_version_id']);
    expect(resources({ t_01: { source: { text: 'Hallo' } } })).toEqual(['t_01']);
    expect(resources({ c_01: { source: { text: 'EEADA8' } } })).toEqual(['c_01']);
    expect(resources({ 'a/b.png': { source: { remote_url: 'https://x.test/b.png' } } })).toEqual(['a/b.png']);
    expect(resources({ 'clip.mp4': { transform: { volume: 1 } } })).toEqual(['clip.mp4']);
  });

  it('accepts a cut title only if it is long', () => {
    const title = 'Product '.repeat(12);
    const long = JSON.stringify({ ...request, title });
    const cut = (length: number): number =>
      answerContradictions(long, session({ title: title.slice(0, length) })).length;
    expect([cut(8), cut(63), cut(65), cut(80)]).toEqual([1, 1, 0, 0]);
  });
});

describe('answers to a request with scenes', () => {
  const scene = (id: string, text: string) => ({
    id,
    mapping: { template_style_version_id: 'tsv_1', resources: { t_01: { source: { text } } } },
    seconds: 6.8,
    timing: [{ hold: 93 }],
    transition: { type: 'fade' as const, duration: 0.4 },
  });
  const scenes = [scene('intro', 'Spring'), scene('product/lamp', 'Lamp')];
  const body = JSON.stringify({ title: 'Spring', render: 'preview', scenes, size: [1920, 1080], rate: 30 });
  const answer = (list: typeof scenes) => ({ ...bareSession('rs_1', 0), title: 'Spring', scenes: list });

  it('are compared scene by scene, and nothing else of a service that has only mappings', () => {
    expect(sessionDifferences(body, answer(scenes))).toEqual([]);
    expect(answerContradictions(body, { ...bareSession('rs_1', 0), title: 'Spring' })).toEqual([]);
    expect(sessionDifferences(body, { ...bareSession('rs_1', 0), title: 'Spring' })[0]).toMatchObject({ found: null });
  });

  it('name the scene of a difference', () => {
    const other = answer([scenes[0]!, { ...scene('product/lamp', 'Chair'), seconds: 5 }]);
    const fields = ['product/lamp.t_01', 'product/lamp.seconds'];
    expect(sessionDifferences(body, other).map(({ field }) => field)).toEqual(fields);
    expect(answerContradictions(body, other).map(({ field }) => field)).toEqual(fields);
    expect(answerContradictions(body, answer([scenes[1]!, scenes[0]!]))).toMatchObject([
      { field: 'scenes', asked: '"intro product/lamp"', found: '"product/lamp intro"' },
    ]);
  });
});
