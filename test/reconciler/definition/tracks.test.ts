import { describe, expect, it } from 'vitest';
import type { Code } from '../../../src/kernel/diagnostic.ts';
import { readWords, speechOf } from '../../../src/reconciler/definition/words-file.ts';
import { printedProblems, resolveScenes } from '../../support/resolve-scenes.ts';

const VTT = `WEBVTT

1
00:00.500 --> 00:02.000 align:start
<v Anna>Light <00:01.000>that <00:01.400>lands

00:04.000 --> 00:05.000
softly.
`;
const WORDS = JSON.stringify({ words: [{ text: 'Hello', start: 0.2, end: 0.6 }] });

function filesOf(lines: readonly string[]): Record<string, string> {
  const files = {
    'voice/a.vtt': VTT,
    'voice/a.json': WORDS,
    'voice/bad.vtt': 'WEBVTT\n\n00:02.000 --> 00:01.000\nx\n',
  };
  return { 'videos/a.yaml': `title: A\n${lines.join('\n')}\n`, ...files };
}

const resolve = (lines: readonly string[]) => resolveScenes(filesOf(lines));

const SCENES = (voice: string): string[] => [
  'scenes:',
  `  - {template: plain, audio: {voice: ${voice}}}`,
  '  - {id: two, template: plain}',
];
const MUSIC = 'audio: {music: {source: m.mp3, loop: true, duck: {under: voice, depth: 12}}}';

describe('tracks', () => {
  it('have a place, a level and ducking', () => {
    const { videos } = resolve([
      ...SCENES('{source: v.mp3, start: 0.8, level: -16, overrun: true, words: voice/a.vtt}'),
      MUSIC,
      'loudness: -14',
    ]);
    const [video] = videos.map(({ video: found }) => found);
    expect(video!.scenes[0]!.audio.get('voice')).toEqual({
      source: { kind: 'file', path: 'v.mp3' },
      transform: { start: 0.8, level: -16, overrun: true },
      speech: [
        [0.5, 2],
        [4, 5],
      ],
    });
    expect(video!.audio.get('music')!.transform).toEqual({ loop: true, duck_under: 'voice', duck_depth: 12 });
    expect(video!.loudness).toEqual({ target: -14, true_peak: -1 });
  });

  it.each([
    ['-16', { target: -16, true_peak: -1 }],
    ['ebu-r128', { target: -23, true_peak: -1 }],
    ['a85', { target: -24, true_peak: -2 }],
    ['{target: -18, true_peak: -3}', { target: -18, true_peak: -3 }],
  ])('a video has the loudness %s', (written, loudness) => {
    const [found] = resolve(['template: plain', 'resources: {}', `loudness: ${written}`]).videos;
    expect(found!.video.loudness).toEqual(loudness);
  });

  it('drops the times of words that no track follows', () => {
    const [found] = resolve(SCENES('{source: v.mp3, words: voice/a.json}')).videos;
    expect(found!.video.scenes[0]!.audio.get('voice')).toEqual({
      source: { kind: 'file', path: 'v.mp3' },
      transform: {},
    });
  });

  it('depend on the file of their words', () => {
    const { origins } = resolve([...SCENES('{source: v.mp3, words: voice/a.json}'), MUSIC]);
    expect(origins.get('videos/a.yaml')).toContain('voice/a.json');
  });

  it.each<[string, Code, string[]]>([
    ['level and volume', 'definition_invalid', SCENES('{source: v.mp3, level: -16, volume: 0.5}')],
    [
      'a duck without under',
      'missing_property',
      [...SCENES('v.mp3'), 'audio: {music: {source: m.mp3, duck: {depth: 3}}}'],
    ],
    ['a level out of range', 'definition_invalid', SCENES('{source: v.mp3, level: 3}')],
    ['a misspelt field', 'unknown_property', SCENES('{source: v.mp3, strat: 1}')],
    [
      'a track that is not there',
      'track_unknown',
      [...SCENES('v.mp3'), 'audio: {music: {source: m.mp3, duck: {under: [voise]}}}'],
    ],
    [
      'an overrun of the whole video',
      'overrun_useless',
      [...SCENES('v.mp3'), 'audio: {music: {source: m.mp3, overrun: true}}'],
    ],
    ['words that end before they start', 'words_invalid', SCENES('{source: v.mp3, words: voice/bad.vtt}')],
    ['words that are missing', 'missing_file', SCENES('{source: v.mp3, words: voice/none.vtt}')],
    ['an unknown profile', 'definition_invalid', ['template: plain', 'resources: {}', 'loudness: spotify']],
    [
      'a loudness of a platform that is too high',
      'definition_invalid',
      ['template: plain', 'resources: {}', 'loudness: 2'],
    ],
  ])('report %s', (_, code, lines) => {
    expect(resolve(lines).diagnostics.map((problem) => problem.code)).toEqual([code]);
    expect(printedProblems(filesOf(lines))).toMatchSnapshot();
  });
});

describe('readWords()', () => {
  it('reads the times of words in cues, and cues without them', () => {
    expect(readWords('a.vtt', VTT)).toEqual({
      ok: true,
      value: [
        { text: 'Light', start: 0.5, end: 1 },
        { text: 'that', start: 1, end: 1.4 },
        { text: 'lands', start: 1.4, end: 2 },
        { text: 'softly.', start: 4, end: 5 },
      ],
    });
  });

  it('reads a byte order mark, CRLF, hours and commas', () => {
    const text = '\uFEFFWEBVTT\r\n\r\n00:00:01,000 --> 01:00:02.500\r\nHi\r\nthere\r\n';
    expect(readWords('a.VTT', text)).toEqual({ ok: true, value: [{ text: 'Hi there', start: 1, end: 3602.5 }] });
  });

  it('locates every line that is wrong', () => {
    const read = readWords('a.vtt', 'WEBVTT\n\n00:02.000 --> 00:01.000\nx\n\n1:2 --> 3\ny\n');
    expect(read.ok ? [] : read.diagnostics.map(({ message, at }) => [message, at!.start])).toEqual([
      ['A cue ends before it starts', 8],
      ['The times of a cue cannot be read', 35],
    ]);
  });

  it.each(['{', '{"words": 1}', '[{"text": "a", "start": 2, "end": 1}]', '[1]'])('refuses %s', (text) => {
    expect(readWords('a.json', text).ok).toBe(false);
  });

  it('joins words without a long pause', () => {
    const words = [0, 0.5, 1.25, 2.5].map((start) => ({ text: 'a', start, end: start + 0.25 }));
    expect(speechOf(words)).toEqual([
      [0, 1.5],
      [2.5, 2.75],
    ]);
  });
});
