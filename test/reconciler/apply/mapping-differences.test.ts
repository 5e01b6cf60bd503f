import { describe, expect, test } from 'vitest';
import type { RenderSession } from '../../../src/contract/wire/render-session.ts';
import { sha256 } from '../../../src/kernel/digest.ts';
import { mappingDifferences } from '../../../src/reconciler/apply/mapping-differences.ts';
import type { VideoResource } from '../../../src/reconciler/definition/video.ts';
import type { DesiredVideo } from '../../../src/reconciler/plan/desired-video.ts';
import { bareSession } from '../../../src/reconciler/service-client/read-answer.ts';

const DIGEST = '4f'.repeat(32);
const HERO = '(Footage)/USER/hero.jpg';
const LOGO = '(Footage)/USER/logo.png';

const resources = new Map<string, VideoResource>([
  ['t_01', { kind: 'text', text: 'Summer' }],
  ['c_01', { kind: 'color', color: 'EEADA7' }],
  [
    HERO,
    {
      kind: 'image',
      source: { kind: 'url', url: 'https://example.com/hero.jpg' },
      transform: { crop_strategy: 'contain', background: 'FFFFFF' },
    },
  ],
  [LOGO, { kind: 'image', source: { kind: 'file', path: 'logo.png' }, transform: { crop_strategy: 'cover' } }],
]);
const video = {
  styleVersions: { launch: 'tsv_1' },
  scenes: [{ id: 'launch', template: 'launch', resources, fonts: new Map(), audio: new Map() }],
  audio: new Map(),
  output: null,
  inputs: () => ({ [LOGO]: `sha256:${DIGEST}` }),
} as unknown as DesiredVideo;

const rendered: Record<string, unknown> = {
  t_01: { source: { text: 'Summer' } },
  c_01: { source: { text: 'EEADA7' } },
  [HERO]: {
    source: { remote_url: 'https://example.com/hero.jpg' },
    transform: { crop_strategy: 'contain', background: 'FFFFFF' },
  },
  [LOGO]: { source: { remote_url: `urn:sha256:${DIGEST}` }, transform: { crop_strategy: 'cover' } },
};

/** Returns a session with changes to the rendered values. */
function sessionOf(changed: Record<string, unknown> = {}, session: Record<string, unknown> = {}): RenderSession {
  const mapping = { id: 'm_1', template_style_version_id: 'tsv_1', resources: { ...rendered, ...changed } };
  return { ...bareSession('rs_1', 0), mapping, ...session } as unknown as RenderSession;
}

const fieldsIn = (session: RenderSession): string[] => mappingDifferences(video, session).map(({ field }) => field);

describe('mappingDifferences()', () => {
  test.each<[string, RenderSession]>([
    ['the same', sessionOf()],
    ['a differently spelled colour', sessionOf({ c_01: { source: { text: '#eeada7ff' } } })],
    [
      'a transform in another order and spelling, with null and unknown fields',
      sessionOf({
        [HERO]: {
          id: 'r_1',
          source: { remote_url: 'https://EXAMPLE.com:443/hero.jpg', id: 's_1' },
          transform: { focus_x: null, background: '#ffffff', crop_strategy: 'contain' },
        },
      }),
    ],
    ['an omitted default', sessionOf({ [LOGO]: { source: { remote_url: `urn:sha256:${DIGEST}` } } })],
    [
      'a file whose digest the session reports',
      sessionOf(
        { [LOGO]: { source: { remote_url: 'https://cdn.example.com/1' } } },
        { source_uploads: [{ key: LOGO, remote_url: 'https://cdn.example.com/1', sha256: DIGEST }] },
      ),
    ],
    ['an output that only repeats defaults', sessionOf({}, { output: { format: 'mp4', quality: 'high' } })],
    [
      'explicit defaults',
      sessionOf({
        [LOGO]: { source: { remote_url: `urn:sha256:${DIGEST}` }, transform: { focus_x: 0.5, focus_y: 0.5 } },
      }),
    ],
  ])('finds none in %s', (_, session) => {
    expect(mappingDifferences(video, session)).toEqual([]);
  });

  test.each<[string, RenderSession, string]>([
    ['a text', sessionOf({ t_01: { source: { text: 'summer' } } }), 't_01'],
    ['a colour', sessionOf({ c_01: { source: { text: 'EEADA8' } } }), 'c_01'],
    ['a missing value', sessionOf({ t_01: undefined }), 't_01'],
    ['an additional value', sessionOf({ t_02: { source: { text: '' } } }), 't_02'],
    ['a source', sessionOf({ [HERO]: { ...(rendered[HERO] as object), source: { remote_url: 'x' } } }), HERO],
    ['a transform', sessionOf({ [HERO]: { source: { remote_url: 'https://example.com/hero.jpg' } } }), HERO],
    ['a file of other bytes', sessionOf({ [LOGO]: { source: { remote_url: `urn:sha256:${'0'.repeat(64)}` } } }), LOGO],
    ['a file behind a URL', sessionOf({ [LOGO]: { source: { remote_url: 'https://cdn.example.com/1' } } }), LOGO],
    [
      'the digest of another URL',
      sessionOf(
        { [LOGO]: { source: { remote_url: 'https://cdn.example.com/1' } } },
        { source_uploads: [{ key: LOGO, remote_url: 'https://cdn.example.com/2', sha256: DIGEST }] },
      ),
      LOGO,
    ],
    ['sound', sessionOf({}, { audio_tracks: { main: {} } }), 'audio_tracks.main'],
    ['fonts', sessionOf({}, { font_changes: { 'Inter-Bold': {} } }), 'font_changes.Inter-Bold'],
    ['the output', sessionOf({}, { output: { format: 'gif' } }), 'output'],
    ['the size', sessionOf({}, { output: { height: 360 } }), 'output'],
  ])('finds a difference in %s', (_, session, field) => {
    expect(fieldsIn(session)).toEqual([field]);
  });

  test('treats a session without a mapping as different in every field', () => {
    for (const mapping of [undefined, null, 'x', {}]) {
      expect(fieldsIn(sessionOf({}, { mapping }))).toEqual(['template_style_version_id', ...resources.keys()]);
    }
  });

  test('returns both sides', () => {
    expect(mappingDifferences(video, sessionOf({ t_01: { source: { text: 'Winter' } } }))).toEqual([
      { field: 't_01', asked: '"Summer"', found: '"Winter"' },
    ]);
  });
});

test('mappingDifferences() ignores what only the finished files of outputs have', () => {
  const several = { ...video, outputs: [{ name: 'main' }, { name: 'small', height: 90 }] } as unknown as DesiredVideo;
  const finished = {
    video_url: 'https://cdn.example.com/1.mp4',
    bytes: 9,
    video_sha256: DIGEST,
    measured_loudness: { integrated: -14, true_peak: -1 },
  };
  const outputs = [
    { name: 'main', ...finished },
    { name: 'small', height: 90, ...finished },
  ];
  expect(mappingDifferences(several, sessionOf({}, { outputs }))).toEqual([]);
});

describe('mappingDifferences() of captions and loudness', () => {
  const cues = [{ start: 0.5, end: 2, text: 'Light' }];
  const captioned = {
    ...video,
    captions: { cues, style: { size: 6 }, lang: 'en' },
    loudness: { target: -14, true_peak: -1 },
  } as unknown as DesiredVideo;
  const text = 'WEBVTT\n\n00:00:00.500 --> 00:00:02.000\nLight\n';
  const remote_url = 'https://cdn.example.com/en.vtt';
  const captionsOf = (source: object) => ({ source, lang: 'en', style: { size: 6 } });
  const fields = (more: object): string[] =>
    mappingDifferences(captioned, sessionOf({}, { loudness: { target: -14 }, ...more })).map(({ field }) => field);

  test('finds none in the same text, in an upload of it, and in a file of its digest', () => {
    expect(fields({ captions: captionsOf({ text }) })).toEqual([]);
    expect(fields({ captions: captionsOf({ remote_url: `urn:sha256:${sha256(text)}` }) })).toEqual([]);
    const source_uploads = [{ key: 'captions', remote_url, sha256: sha256(text) }];
    expect(fields({ captions: captionsOf({ remote_url }), source_uploads })).toEqual([]);
  });

  test('finds other texts, styles and loudness', () => {
    expect(fields({})).toEqual(['captions']);
    expect(fields({ captions: captionsOf({ text: text.replace('Light', 'Shade') }) })).toEqual(['captions']);
    expect(fields({ captions: captionsOf({ remote_url }) })).toEqual(['captions']);
    expect(fields({ captions: { ...captionsOf({ text }), style: { size: 7 } } })).toEqual(['captions']);
    expect(fields({ captions: captionsOf({ text }), loudness: { target: -16 } })).toEqual(['loudness']);
    expect(fieldsIn(sessionOf({}, { captions: captionsOf({ text }) }))).toEqual(['captions']);
  });
});

describe('mappingDifferences() of clips, sounds, fonts and an output', () => {
  const clip: VideoResource = {
    kind: 'video',
    source: { kind: 'file', path: 'clip.mp4' },
    transform: { crop_strategy: 'cover', trim_strategy: 'manual', trim_start_time: 3, volume: 1 },
  };
  const whole = {
    styleVersions: { launch: 'tsv_1' },
    scenes: [
      {
        id: 'launch',
        template: 'launch',
        resources: new Map<string, VideoResource>([
          ['v_01', clip],
          ['f_01', { kind: 'font', font: 'Inter-Bold' }],
        ]),
        fonts: new Map([['Inter-Bold', 'Inter-Black']]),
        audio: new Map(),
      },
    ],
    audio: new Map([['main', { source: { kind: 'file', path: 'music.mp3' }, transform: { volume: 1, fade_out: 2 } }]]),
    output: { format: 'webm', height: 720 },
    inputs: () => ({ v_01: `sha256:${DIGEST} volume=1`, 'audio.main': `sha256:${'a'.repeat(64)} fade_out=2` }),
  } as unknown as DesiredVideo;
  const mapping = {
    id: 'm',
    template_style_version_id: 'tsv_1',
    resources: {
      v_01: {
        source: { remote_url: `urn:sha256:${DIGEST}` },
        transform: { trim_start_time: 3, volume: 1, animate_strategy: 'none' },
      },
      f_01: { source: { font: 'Inter-Bold' } },
    },
  };
  const audio_tracks = { main: { source: { remote_url: 'https://cdn/1' }, transform: { fade_out: 2, loop: false } } };
  const more = {
    source_uploads: [{ key: 'audio_tracks.main', remote_url: 'https://cdn/1', sha256: 'a'.repeat(64) }],
    audio_tracks,
    font_changes: { 'Inter-Bold': { source: { font: 'Inter-Black', id: 1 } } },
    output: { height: 720, format: 'webm' },
  };
  const session = (changes: object = {}): RenderSession =>
    ({ ...bareSession('rs_1', 0), mapping, ...more, ...changes }) as unknown as RenderSession;
  const fields = (changes: object): string[] => mappingDifferences(whole, session(changes)).map(({ field }) => field);

  test('finds none if values are beside the mapping, in it, or in both, with or without defaults', () => {
    expect(fields({})).toEqual([]);
    const { font_changes } = more;
    expect(fields({ mapping: { ...mapping, audio_tracks, font_changes } })).toEqual([]);
    expect(fields({ mapping: { ...mapping, audio_tracks, font_changes }, audio_tracks: {}, font_changes: {} })).toEqual(
      [],
    );
  });

  test.each<[string, object, string[]]>([
    [
      'tracks and fonts are missing',
      { audio_tracks: {}, font_changes: {} },
      ['audio_tracks.main', 'font_changes.Inter-Bold'],
    ],
    ['a track has other bytes', { source_uploads: [] }, ['audio_tracks.main']],
    ['the two places differ', { mapping: { ...mapping, audio_tracks: { main: {} } } }, ['audio_tracks.main']],
    ['a track is added', { audio_tracks: { ...audio_tracks, b: audio_tracks.main } }, ['audio_tracks.b']],
    [
      'another font replaces it',
      { font_changes: { 'Inter-Bold': { source: { font: 'x' } } } },
      ['font_changes.Inter-Bold'],
    ],
    ['the output differs', { output: { height: 720 } }, ['output']],
    ['the output is missing', { output: undefined }, ['output']],
    ['resources differ', { mapping: { ...mapping, resources: {} } }, ['v_01', 'f_01']],
  ])('finds one when %s', (_, changes, expected) => {
    expect(fields(changes)).toEqual(expected);
  });
});
