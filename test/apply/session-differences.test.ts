import { describe, expect, it } from 'vitest';
import { sessionDifferences } from '../../src/apply/session-differences.ts';
import type { RenderSession } from '../../src/wire/render-session.ts';

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
