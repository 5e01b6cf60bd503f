import { describe, expect, it } from 'vitest';
import type { SpecCaptions } from '../../../src/contract/captions/caption-style.ts';
import { CAPTION_STYLES } from '../../../src/contract/captions/caption-styles.ts';
import type { Code } from '../../../src/kernel/diagnostic.ts';
import { printedProblems, resolveScenes } from '../../support/resolve-scenes.ts';

const FILES = {
  'captions/a.vtt': 'WEBVTT\n\n00:00.500 --> 00:02.000\nHello\n\n00:02.500 --> 00:04.000\nworld\n',
  'captions/a.srt': '1\n00:00:00,500 --> 00:00:02,000\n<i>Hello</i>\n',
  'captions/odd.vtt': 'WEBVTT\n\n00:02.000 --> 00:01.000\nNo\n\n00:03.000 --> 00:04.000\n<b>Yes</b>\n',
  'captions/none.vtt': 'WEBVTT\n',
  'voice/a.json': JSON.stringify([
    { text: 'Hello', start: 0.2, end: 0.6 },
    { text: 'world.', start: 0.7, end: 1.2 },
    { text: 'Again', start: 2, end: 2.5 },
  ]),
};

function filesOf(lines: readonly string[]): Record<string, string> {
  return { 'videos/a.yaml': `title: A\n${lines.join('\n')}\n`, ...FILES };
}

const resolve = (lines: readonly string[]) => resolveScenes(filesOf(lines));
const videoOf = (lines: readonly string[]) => {
  const { videos, diagnostics } = resolve(lines);
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  return videos[0]!.video;
};
const textsOf = (captions: SpecCaptions | undefined) =>
  captions?.cues.map(({ start, end, text }) => [start, end, text]);

const ONE = ['template: plain', 'resources: {}'];
const VOICE = '{source: v.mp3, words: voice/a.json}';

describe('captions of a definition', () => {
  it('are read from a file', () => {
    const { captions } = videoOf([...ONE, 'captions: {from: captions/a.vtt, lang: en, embed: true}']);
    expect(captions).toEqual({
      cues: [
        { start: 0.5, end: 2, text: 'Hello' },
        { start: 2.5, end: 4, text: 'world' },
      ],
      style: {},
      lang: 'en',
      embed: true,
    });
  });

  it('are written in the definition', () => {
    const { captions, captionOrigins } = videoOf([
      ...ONE,
      'captions:',
      '  from:',
      '    - {start: 2, end: 3.5, text: 007}',
      '    - {start: 0.5, end: 1.5, text: "Two\\nlines", speaker: Anna}',
    ]);
    expect(captions!.cues).toEqual([
      { start: 0.5, end: 1.5, text: 'Two\nlines', speaker: 'Anna' },
      { start: 2, end: 3.5, text: '007' },
    ]);
    expect(captionOrigins!.get('')!.map(({ file }) => file)).toEqual(['videos/a.yaml', 'videos/a.yaml']);
  });

  it('are made from the words of a track, from where it is heard', () => {
    const track = '{source: v.mp3, words: voice/a.json, start: 1, trim_start_time: 0.5}';
    const { captions } = videoOf([...ONE, `audio: {voice: ${track}}`, 'captions: {from: {track: voice}}']);
    expect(textsOf(captions)).toEqual([
      [1.2, 2.5, 'world.'],
      [2.5, 3.5, 'Again'],
    ]);
  });

  it('of a track are those of each scene that has it', () => {
    const { captions, scenes } = videoOf([
      'scenes:',
      `  - {template: plain, audio: {voice: ${VOICE}}}`,
      '  - {id: two, template: plain}',
      `  - {id: three, template: plain, audio: {voice: ${VOICE}}}`,
      'captions: {from: {track: voice}, style: box, files: [srt, vtt, srt], rules: social}',
    ]);
    expect(captions).toBeUndefined();
    expect(scenes.map((scene) => textsOf(scene.captions))).toEqual([
      [
        [0.2, 2, 'Hello world.'],
        [2, 3, 'Again'],
      ],
      undefined,
      [
        [0.2, 2, 'Hello world.'],
        [2, 3, 'Again'],
      ],
    ]);
    expect(scenes[0]!.captions!.style).toMatchObject({ background: CAPTION_STYLES.box.background });
  });

  it('of a scene begin with it, and take their style from the video', () => {
    const video = videoOf([
      'scenes:',
      '  - {template: plain}',
      '  - {id: two, template: plain, captions: {from: captions/a.srt}}',
      '  - {id: three, template: plain, captions: {from: captions/a.srt, burn: false, style: clean}}',
      'captions: {style: {extends: box, size: 8}, files: [vtt], rules: bbc, lang: de}',
    ]);
    expect(video.captions).toBeUndefined();
    expect(video.scenes[1]!.captions).toMatchObject({
      lang: 'de',
      style: { background: CAPTION_STYLES.box.background, size: 8 },
    });
    expect(video.scenes[2]!.captions!.style).toBeUndefined();
    expect([video.captionFiles, video.captionRules]).toEqual([['vtt'], 'bbc']);
    expect([...video.captionOrigins!.keys()]).toEqual(['two', 'three']);
  });

  it('of an only scene are those of the video', () => {
    const { captions, scenes } = videoOf([
      'scenes: [{template: plain, captions: {from: captions/a.srt}}]',
      'captions: {style: clean}',
    ]);
    expect(textsOf(captions)).toEqual([[0.5, 2, 'Hello']]);
    expect(scenes[0]!.captions).toBeUndefined();
  });

  it('decide how long a scene with duration: content is', () => {
    const { diagnostics, videos } = resolve([
      'scenes: [{template: plain, duration: {content: true, tail: 0}, captions: {from: captions/a.srt}}, {id: two, template: plain}]',
    ]);
    expect(diagnostics.map(({ code }) => code)).toEqual(['captions_changed']);
    expect(videos[0]!.video.scenes[0]!.captions!.cues[0]!.end).toBe(2);
  });

  it('depend on their file', () => {
    expect([...resolve([...ONE, 'captions: {from: captions/a.vtt}']).origins.get('videos/a.yaml')!]).toContain(
      'captions/a.vtt',
    );
  });

  it.each([
    ['nothing to come from', ['missing_property'], 'captions: {style: clean}'],
    ['a file that is missing', ['missing_file'], 'captions: {from: captions/b.vtt}'],
    ['a file of another kind', ['captions_invalid'], 'captions: {from: captions/a.txt}'],
    ['a file without cues', ['captions_invalid'], 'captions: {from: captions/none.vtt}'],
    ['cues that are dropped or changed', ['cue_dropped', 'captions_changed'], 'captions: {from: captions/odd.vtt}'],
    ['a style that is not there', ['caption_style_unknown'], 'captions: {from: captions/a.vtt, style: cleam}'],
    ['a base that is not there', ['caption_style_unknown'], 'captions: {from: captions/a.vtt, style: {extends: boxx}}'],
    ['a field of a style out of range', ['definition_invalid'], 'captions: {from: captions/a.vtt, style: {size: 90}}'],
    ['a misspelt field of a style', ['unknown_property'], 'captions: {from: captions/a.vtt, style: {colour: FFFFFF}}'],
    ['a misspelt property', ['unknown_property'], 'captions: {source: captions/a.vtt}'],
    ['subtitles', ['unknown_property'], 'subtitles: captions/a.vtt'],
    ['a language that is none', ['definition_invalid'], 'captions: {from: captions/a.vtt, lang: english language}'],
    ['rules that are not there', ['definition_invalid'], 'captions: {from: captions/a.vtt, rules: fcc}'],
    ['a format that is not there', ['definition_invalid'], 'captions: {from: captions/a.vtt, files: [ass]}'],
    ['a track that is not there', ['track_unknown'], 'captions: {from: {track: voice}}'],
    ['a track without words', ['words_missing'], 'audio: {voice: v.mp3}\ncaptions: {from: {track: voice}}'],
    ['a cue without an end', ['missing_property'], 'captions: {from: [{start: 1, text: a}]}'],
    ['a cue that ends before it starts', ['cue_dropped'], 'captions: {from: [{start: 1, end: 1, text: a}]}'],
    [
      'cues that overlap',
      ['cues_overlap'],
      'captions: {from: [{start: 0, end: 2, text: a}, {start: 1, end: 3, text: b}]}',
    ],
    ['a cue after the end', ['cue_cut'], 'captions: {from: [{start: 1, end: 100, text: a}]}'],
  ] as [string, Code[], string][])('report %s', (_, codes, line) => {
    const lines = [...ONE, line];
    expect(resolve(lines).diagnostics.map(({ code }) => code)).toEqual(codes);
    expect(printedProblems(filesOf(lines))).toMatchSnapshot();
  });

  it.each([
    ['files of a scene', ['definition_invalid'], '{template: plain, captions: {from: captions/a.vtt, files: [vtt]}}'],
    [
      'a cue after the end of a scene',
      ['cue_cut'],
      '{template: plain, captions: {from: [{start: 1, end: 99, text: a}]}}',
    ],
  ] as [string, Code[], string][])('report %s', (_, codes, scene) => {
    const lines = ['scenes:', `  - ${scene}`, '  - {id: two, template: plain}'];
    expect(resolve(lines).diagnostics.map(({ code }) => code)).toEqual(codes);
    expect(printedProblems(filesOf(lines))).toMatchSnapshot();
  });

  it('are shown in the text of a template that has one, unless they have a style', () => {
    const from = 'from: [{start: 0, end: 2, text: a}]';
    const captionsOf = (fields: string) =>
      videoOf(['template: captioned', 'resources: {}', `captions: {${from}${fields}}`]).captions;
    const cues = [{ start: 0, end: 2, text: 'a' }];
    expect(captionsOf('')).toEqual({ cues, layer: true });
    expect(captionsOf(', burn: false')).toEqual({ cues });
    expect(captionsOf(', style: {size: 6}')).toEqual({ cues, style: { size: 6 } });
  });

  it.each([
    [
      'a style and a text of the template',
      ['caption_layer'],
      ['template: captioned', 'captions: {style: bold, from: captions/a.vtt}'],
    ],
    [
      'a scene whose template has no text for captions',
      ['caption_layer'],
      ['scenes: [{template: captioned}, {template: plain}]', 'captions: {from: captions/a.vtt}'],
    ],
    [
      'a value for the text of captions',
      ['wrong_kind'],
      ['template: captioned', 'resources: {s_01: Hello}', 'captions: {from: captions/a.vtt}'],
    ],
  ] as [string, Code[], string[]][])('report %s', (_, codes, lines) => {
    expect(resolve(lines).diagnostics.map(({ code }) => code)).toEqual(codes);
    expect(printedProblems(filesOf(lines))).toMatchSnapshot();
  });

  it('of a scene are shown in the text of its template', () => {
    const own = 'captions: {from: captions/a.vtt}';
    const { scenes } = videoOf(['scenes:', `  - {template: captioned, ${own}}`, `  - {template: plain, ${own}}`]);
    expect(scenes.map(({ captions }) => [captions?.layer, captions?.style])).toEqual([
      [true, undefined],
      [undefined, {}],
    ]);
  });
});
