import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../support/full-run.ts';
import { DEFINITION, type Files, placed, problemsOf, RESOURCES, resolve, videosOf } from '../../support/resolve.ts';

const one = (text: string, others: Files = {}): Files => ({ 'videos/a.yaml': text, ...others });
const HERO = '(Footage)/USER/hero.jpg';

describe('resolveDefinitions()', () => {
  it('reads a definition with every property', () => {
    const text = `# a comment
template: launch
title: 2026
id: de/berlin
description: For the shop
labels: {team: 7, on: yes}
protect: true
resources:
  ${HERO}:
    source: {remote_url: https://example.com/Hero.jpg?w=1}
    transform: {crop_strategy: contain, background: "#eeada7"}
  c_01: {source: {text: '00ff00aa'}}
  t_02: "1.10"
  t_01: 1.10
`;
    expect(videosOf(one(text))).toEqual([
      {
        id: 'de/berlin',
        path: 'videos/a.yaml',
        title: '2026',
        description: 'For the shop',
        labels: { team: '7', on: 'yes' },
        protect: true,
        scenes: [
          {
            id: 'launch',
            template: 'launch',
            resources: new Map<string, unknown>([
              ['t_01', { kind: 'text', text: '1.10' }],
              ['t_02', { kind: 'text', text: '1.10' }],
              ['c_01', { kind: 'color', color: '00FF00AA' }],
              [
                HERO,
                {
                  kind: 'image',
                  source: { kind: 'url', url: 'https://example.com/Hero.jpg?w=1' },
                  transform: { crop_strategy: 'contain', background: 'EEADA7' },
                },
              ],
            ]),
            fonts: new Map(),
            audio: new Map(),
          },
        ],
        audio: new Map(),
        output: null,
        deliver: [],
      },
    ]);
  });

  it('names the videos that have a problem, or their definitions if the ids are unknown', () => {
    const files = {
      'videos/_base.yaml': 'template: [',
      'videos/base.yaml': `extends: ./_base.yaml\n${DEFINITION}`,
      'videos/good.yaml': DEFINITION,
      'videos/rows.yaml': `${DEFINITION}each: {from: ./rows.csv, id: "\${n}"}\n`,
      'videos/rows.csv': 'n,extra\n1,a\n2,b\n2,c\n',
      'videos/lost.yaml': `${DEFINITION}each: {from: ./lost.csv, id: "\${n}"}\n`,
      'videos/unknown.yaml': `id: "\${n}"\n${DEFINITION}`,
      'videos/typo.yaml': `${DEFINITION}titel: x\n`,
    };
    const { invalid, videos } = resolve(files);
    expect(videos.map(({ video }) => video.id)).toEqual(['good', 'rows/1']);
    const named = invalid.map(({ id, path }) => `${path} ${id ?? '?'}`);
    expect(named.sort()).toEqual([
      ...['videos/base.yaml ?', 'videos/lost.yaml ?', 'videos/rows.yaml rows/2', 'videos/rows.yaml rows/2'],
      ...['videos/typo.yaml typo', 'videos/unknown.yaml ?'],
    ]);
  });

  it('orders resources like the template', () => {
    const [video] = videosOf(one(DEFINITION));
    expect([...video!.scenes[0]!.resources.keys()]).toEqual(['t_01', 'c_01', HERO]);
  });

  it.each([
    ['000000', '000000'],
    ['112233', '112233'],
    ['12E456', '12E456'],
    ['"#eeada7"', 'EEADA7'],
    ['eeada780', 'EEADA780'],
  ])('reads the colour %s from its text', (written, color) => {
    const [video] = videosOf(one(DEFINITION.replace('"#EEADA7"', written)));
    expect(video!.scenes[0]!.resources.get('c_01')).toEqual({ kind: 'color', color });
  });

  it('resolves paths from the file that contains them, or from the root', () => {
    const files = {
      'videos/de/_brand.yaml': `resources: {"${HERO}": ./logo.jpg}`,
      'videos/a.yaml': `extends: ./de/_brand.yaml\ntemplate: launch\ntitle: A\nresources: {t_01: Hi, c_01: 000000}`,
      'videos/b.yaml': DEFINITION.replace('images/hero.jpg', '../images/./hero.jpg'),
    };
    const paths = resolve(files).videos.map(({ files: [use] }) => use?.path);
    expect(paths).toEqual(['videos/de/logo.jpg', 'images/hero.jpg']);
  });

  it.each([
    ['', ['definition_empty videos/a.yaml:1:1']],
    ['- a', ['definition_invalid videos/a.yaml:1:1']],
    ['text', ['definition_invalid videos/a.yaml:1:1']],
    ['title: a: b', ['yaml_syntax videos/a.yaml:1:8']],
    ['{}', ['missing_property videos/a.yaml:1:1', 'missing_property videos/a.yaml:1:1']],
    [DEFINITION.replace('title: Summer\n', ''), ['missing_property videos/a.yaml:1:1']],
    [`${DEFINITION}tittle: x\n`, ['unknown_property videos/a.yaml:7:1']],
    [DEFINITION.replace('Summer', ''), ['definition_invalid videos/a.yaml:2:1']],
    [DEFINITION.replace('Summer', 'x'.repeat(256)), ['definition_invalid videos/a.yaml:2:8']],
    [`${DEFINITION}protect: maybe\n`, ['definition_invalid videos/a.yaml:7:10']],
    [`${DEFINITION}labels: {a: [b]}\n`, ['definition_invalid videos/a.yaml:7:13']],
    [`${DEFINITION}extends: {}\n`, ['definition_invalid videos/a.yaml:7:1']],
    [`${DEFINITION}each: rows.csv\n`, ['definition_invalid videos/a.yaml:7:7']],
    [`${DEFINITION}each: {from: rows.csv}\n`, ['missing_property videos/a.yaml:7:1']],
    ['template: launch\ntitle: x\nresources: text', ['definition_invalid videos/a.yaml:3:12']],
    [DEFINITION.replace('launch', 'lunch'), ['unknown_template videos/a.yaml:1:11']],
    [DEFINITION.replace('launch', () => '$${launch}'), ['unknown_template videos/a.yaml:1:11']],
    ['template: unpulled\ntittle: x', ['unknown_property videos/a.yaml:2:1']],
    [`${DEFINITION}  t_1: x\n`, ['unknown_editable videos/a.yaml:7:3']],
    [`${DEFINITION}  toString: x\n`, ['unknown_editable videos/a.yaml:7:3']],
    [DEFINITION.replace('  t_01: Hello\n', ''), ['missing_editable videos/a.yaml:3:1']],
    ['template: launch\ntitle: x', Array(3).fill('missing_editable videos/a.yaml:1:1')],
    [DEFINITION.replace('Hello', '[a]'), ['wrong_kind videos/a.yaml:4:9']],
    [DEFINITION.replace('Hello', ''), ['wrong_kind videos/a.yaml:4:3']],
    [DEFINITION.replace('Hello', '{source: {remote_url: x}}'), ['wrong_kind videos/a.yaml:4:19']],
    [DEFINITION.replace('Hello', '{text: x}'), ['unknown_property videos/a.yaml:4:10']],
    [DEFINITION.replace('Hello', '{source: {}}'), ['missing_property videos/a.yaml:4:10']],
    [DEFINITION.replace('"#EEADA7"', '#EEADA7'), ['wrong_kind videos/a.yaml:5:3']],
    [DEFINITION.replace('"#EEADA7"', '"#EEADA"'), ['invalid_color videos/a.yaml:5:9']],
    [DEFINITION.replace('"#EEADA7"', 'red'), ['invalid_color videos/a.yaml:5:9']],
    [`${DEFINITION}  h_01: x.mp4\n`, ['wrong_kind videos/a.yaml:7:9']],
    [DEFINITION.replace('Hello', 'x'.repeat(21)), ['text_too_long videos/a.yaml:4:9']],
    [DEFINITION.replace('images/hero.jpg', 'ftp://x/a.jpg'), ['invalid_url videos/a.yaml:6:28']],
    [DEFINITION.replace('images/hero.jpg', 'file:///etc/passwd'), ['invalid_url videos/a.yaml:6:28']],
    [DEFINITION.replace('images/hero.jpg', 'https://'), ['invalid_url videos/a.yaml:6:28']],
    [DEFINITION.replace('images/hero.jpg', '"https://a b/c.jpg"'), ['invalid_url videos/a.yaml:6:28']],
    [DEFINITION.replace('images/hero.jpg', 'https://me:secret@host/a.jpg'), ['invalid_url videos/a.yaml:6:28']],
    [DEFINITION.replace('images/hero.jpg', '../../x.jpg'), ['path_outside videos/a.yaml:6:28']],
    [DEFINITION.replace('images/hero.jpg', '/x.jpg'), ['path_outside videos/a.yaml:6:28']],
    [DEFINITION.replace('images/hero.jpg', 'a\\b.jpg'), ['definition_invalid videos/a.yaml:6:28']],
    [`${DEFINITION}id: a b\n`, ['invalid_id videos/a.yaml:7:5']],
    [`${DEFINITION}id: ../a\n`, ['invalid_id videos/a.yaml:7:5']],
    [DEFINITION.replace('Hello', '${city}'), ['unknown_variable videos/a.yaml:4:9']],
    [DEFINITION.replace('Summer', '${city}'), ['unknown_variable videos/a.yaml:2:8']],
    [DEFINITION.replace('launch', '${city}'), ['unknown_variable videos/a.yaml:1:11']],
  ])('refuses %j', (text, expected) => {
    expect(problemsOf(one(text))).toEqual(expected);
    expect(resolve(one(text)).videos).toEqual([]);
  });

  it.each([
    ['{crop_strategy: conver}', 'definition_invalid'],
    ['{crop_strategy: manual, crop_x: 0, crop_y: 0, crop_width: 1}', 'missing_property'],
    ['{crop_strategy: manual, crop_x: 0, crop_y: 0, crop_width: 0, crop_height: 1}', 'definition_invalid'],
    ['{crop_x: 1}', 'definition_invalid'],
    ['{focus_x: 1.1}', 'definition_invalid'],
    ['{focus_x: left}', 'definition_invalid'],
    ['{crop_strategy: contain, focus_x: 0.5}', 'definition_invalid'],
    ['{crop_strategy: contain, background: white}', 'invalid_color'],
    ['{background: 000000}', 'definition_invalid'],
    ['{volume: 1}', 'unknown_property'],
    ['cover', 'definition_invalid'],
  ])('refuses the transform %s', (transform, code) => {
    const entry = `{source: {remote_url: a.jpg}, transform: ${transform}}`;
    const problems = problemsOf(one(DEFINITION.replace('images/hero.jpg', entry)));
    expect(problems.map((problem) => problem.split(' ')[0])).toEqual([code]);
  });

  it('accepts a crop, a focus and a background where they apply', () => {
    const transforms = [
      { crop_strategy: 'manual', crop_x: 0, crop_y: 1.5, crop_width: 10, crop_height: 20 },
      { crop_strategy: 'cover', focus_x: 0, focus_y: 1 },
      { crop_strategy: 'contain', background: '00FF00' },
      { crop_strategy: 'fill' },
    ];
    for (const transform of transforms) {
      const entry = JSON.stringify({ source: { remote_url: 'a.jpg' }, transform });
      const [video] = videosOf(one(DEFINITION.replace('images/hero.jpg', entry)));
      expect(video!.scenes[0]!.resources.get(HERO)).toMatchObject({ transform });
    }
  });

  it('suggests the closest editable, by key or label', () => {
    const hint = (key: string): string | undefined => resolve(one(`${DEFINITION}  ${key}: x\n`)).diagnostics[0]?.hint;
    expect(hint('t_03')).toBe('Did you mean t_01 (Headline)?');
    expect(hint('headlin')).toBe('Did you mean t_01 (Headline)?');
    expect(hint('(Footage)/USER/hero.png')).toBe('Did you mean (Footage)/USER/hero.jpg (Hero picture)?');
    expect(hint('x_01'), 'another kind').toMatch(/^It has t_01, t_02, /);
    expect(hint('zzzzzzzz')).toMatch(/^It has t_01, t_02, /);
  });

  it.each([
    ['resource', DEFINITION.replace('resources:', 'resource:'), 'Did you mean resources?'],
    ['titel', DEFINITION.replace('title:', 'titel:'), 'Did you mean title?'],
    ['length', `${DEFINITION}length: 5\n`, 'Write duration: seconds'],
    ['slides', `${DEFINITION}slides: []\n`, 'Write scenes: a list of maps'],
    ['subtitles', `${DEFINITION}subtitles: [a]\n`, 'Write captions: {from: ./captions/en.vtt}'],
    ['width', `${DEFINITION}output: {width: 1280}\n`, 'Write height; the width follows'],
    ['start', `${DEFINITION}  v_01: {source: a.mp4, start: 2}\n`, 'Write trim_start_time, in seconds'],
    ['music', `${DEFINITION}music: a.mp3\n`, 'Write sounds as tracks: audio:'],
    [
      'blub',
      `${DEFINITION}blub: 1\n`,
      'It has template, resources, title, description, labels, protect, audio, captions, fonts, output, outputs, deliver, duration, transition, fit, background, shorten, size, rate, loudness, poster, when, id, extends, each, scenes',
    ],
  ])('answers the unknown property %s with one error and a hint', (property, text, hint) => {
    const { diagnostics } = resolve(one(text));
    expect(diagnostics.map(({ code, message }) => [code, message])).toEqual([
      ['unknown_property', expect.stringContaining(`"${property}" is not a property of`)],
    ]);
    expect(diagnostics[0]!.hint).toContain(hint);
  });

  it('suggests quotes for a colour that YAML read as a comment', () => {
    const { diagnostics } = resolve(one(DEFINITION.replace('"#EEADA7"', '#EEADA7')));
    expect(diagnostics[0]?.hint).toContain('quote "#EEADA7"');
  });

  it('never repeats a password in a URL', () => {
    for (const url of ['https://me:secret@host/a.jpg', 'ftp://me:secret@host/', '"https://me:secret@ho st/"']) {
      const { diagnostics } = resolve(one(DEFINITION.replace('images/hero.jpg', url)));
      expect(JSON.stringify(diagnostics)).not.toContain('secret');
    }
  });

  it('reports all errors of all files at once', () => {
    const files = {
      'videos/b.yaml': DEFINITION.replace('launch', 'lunch').replace('Hello', '${x}'),
      'videos/a.yaml': 'template: launch\nresources:\n  t_9999: x\n  c_01: red\n',
      'videos/c.yaml': 'a: b: c',
      'videos/good.yaml': DEFINITION,
    };
    expect(problemsOf(files)).toEqual([
      'missing_property videos/a.yaml:1:1',
      'missing_editable videos/a.yaml:2:1',
      'missing_editable videos/a.yaml:2:1',
      'unknown_editable videos/a.yaml:3:3',
      'invalid_color videos/a.yaml:4:9',
      'unknown_template videos/b.yaml:1:11',
      'unknown_variable videos/b.yaml:4:9',
      'yaml_syntax videos/c.yaml:1:4',
    ]);
    expect(resolve(files).videos.map(({ video }) => video.id)).toEqual(['good']);
  });

  it('refuses two videos with the same id, ignoring case', () => {
    const files = {
      'videos/a.yaml': DEFINITION,
      'videos/b.yaml': `id: a\n${DEFINITION}`,
      'videos/c.yaml': `id: A\n${DEFINITION}`,
      'videos/d.yaml': DEFINITION,
    };
    expect(problemsOf(files)).toEqual(['duplicate_id videos/b.yaml:1:5', 'duplicate_id videos/c.yaml:1:5']);
    expect(resolve(files).videos.map(({ video }) => video.id)).toEqual(['d']);
  });

  it('returns the files that a video uses, even if it has other errors', () => {
    const { videos, otherFiles } = resolve({
      'videos/a.yaml': DEFINITION,
      'videos/b.yaml': `${DEFINITION}tittle: x\n`,
    });
    expect(videos.flatMap(({ files }) => files).map(({ path }) => path)).toEqual(['images/hero.jpg']);
    expect(otherFiles.map(({ path }) => path)).toEqual(['images/hero.jpg']);
  });
});

describe('clips, sounds and fonts', () => {
  const withResource = (line: string): Files => one(`${DEFINITION}  ${line}\n`);
  const read = (line: string): unknown => {
    const [video] = videosOf(withResource(line));
    return video!.scenes[0]!.resources.get(line.slice(0, 4));
  };
  const file = (path: string) => ({ kind: 'file', path });
  const cover = { crop_strategy: 'cover' };

  it.each<[string, unknown]>([
    ['v_01: clips/a.mp4', { kind: 'video', source: file('clips/a.mp4'), transform: cover }],
    [
      'v_01: {source: {remote_url: a.mp4}, transform: {trim_start_time: 1.50, volume: 0, crop_strategy: fill}}',
      {
        kind: 'video',
        source: file('a.mp4'),
        transform: { crop_strategy: 'fill', trim_strategy: 'manual', trim_start_time: 1.5, volume: 0 },
      },
    ],
    [
      'v_01: {source: {remote_url: a.jpg}, transform: {animate_strategy: zoom-in, animate_speed: fast}}',
      {
        kind: 'video',
        source: file('a.jpg'),
        transform: { ...cover, animate_strategy: 'zoom-in', animate_speed: 'fast' },
      },
    ],
    [
      'v_01: {source: ./a.mp4, transform: {volume: 0.5}}',
      { kind: 'video', source: file('videos/a.mp4'), transform: { ...cover, volume: 0.5 } },
    ],
    [
      'v_01: {source: ./a.mp4, volume: 0.5, trim_start_time: 2, background: "#ffffff", crop_strategy: contain}',
      {
        kind: 'video',
        source: file('videos/a.mp4'),
        transform: {
          crop_strategy: 'contain',
          background: 'FFFFFF',
          trim_strategy: 'manual',
          trim_start_time: 2,
          volume: 0.5,
        },
      },
    ],
    ['v_01: {source: "https://x.test/a.mp4"}', { kind: 'video', source: { kind: 'url', url: 'https://x.test/a.mp4' }, transform: cover }], // biome-ignore format: one line
    [
      'a_01: {source: a.mp3, transform: {volume: 0.5}}',
      { kind: 'audio', source: file('a.mp3'), transform: { volume: 0.5 } },
    ],
    ['a_01: a.mp3', { kind: 'audio', source: file('a.mp3'), transform: {} }],
    [
      'a_01: {source: a.mp3, volume: 0.5, loop: true}',
      { kind: 'audio', source: file('a.mp3'), transform: { volume: 0.5, loop: true } },
    ],
    [
      'a_01: {source: {remote_url: "https://x.test/a.mp3"}, transform: {fade_in: 1, fade_out: 2.5}}',
      {
        kind: 'audio',
        source: { kind: 'url', url: 'https://x.test/a.mp3' },
        transform: { fade_in: 1, fade_out: 2.5 },
      },
    ],
    ['f_01: Inter-Regular', { kind: 'font', font: 'Inter-Regular' }],
    ['f_02: {source: {font: Inter-Black}}', { kind: 'font', font: 'Inter-Black' }],
  ])('reads %s', (line, resource) => {
    expect(read(line)).toEqual(resource);
  });

  it.each([
    ['v_01: {source: [./a.mp4]}', ['wrong_kind 7:18']],
    ['v_01: {source: "ftp://x.test/a.mp4"}', ['invalid_url 7:18']],
    ['v_01: {source: ./a.mp4, volume: 5}', ['definition_invalid 7:35']],
    ['v_01: {source: ./a.mp4, fade_in: 1}', ['unknown_property 7:27']],
    ['v_01: {source: ./a.mp4, volume: 1, transform: {crop_strategy: fill}}', ['unknown_property 7:27']],
    ['v_01: {source: ./a.mp4, focus_x: 0, crop_strategy: contain}', ['definition_invalid 7:27']],
    ['a_01: {source: a.mp3, volume: 1, transform: {loop: true}}', ['unknown_property 7:25']],
    ['v_01: {source: {font: x}}', ['wrong_kind 7:19']],
    ['v_01: ftp://x/a.mp4', ['invalid_url 7:9']],
    ['v_01: {source: {remote_url: a}, transform: {volume: 5}}', ['definition_invalid 7:55']],
    ['v_01: {source: {remote_url: a}, transform: {trim_start_time: -1}}', ['definition_invalid 7:64']],
    [
      'v_01: {source: {remote_url: a}, transform: {trim_strategy: none, trim_start_time: 1}}',
      ['definition_invalid 7:68'],
    ],
    ['v_01: {source: {remote_url: a}, transform: {fade_in: 1}}', ['unknown_property 7:47']],
    ['v_01: {source: {remote_url: a}, transform: {animate_strategy: zoomin}}', ['definition_invalid 7:65']],
    ['v_01: {source: {remote_url: a}, transform: {animate_speed: fast}}', ['definition_invalid 7:47']],
    [
      'v_01: {source: {remote_url: a}, transform: {crop_strategy: manual, crop_x: 0, crop_y: 0, crop_width: 1, crop_height: 1, animate_strategy: zoom-in}}',
      ['definition_invalid 7:123'],
    ],
    ['a_01: [a.mp3]', ['wrong_kind 7:9']],
    ['a_01: {source: a.mp3, volum: 1}', ['unknown_property 7:25']],
    ['a_01: {source: {remote_url: a.mp3}, volume: 1}', ['unknown_property 7:39']],
    ['a_01: {volume: 1}', ['missing_property 7:3']],
    ['a_01: {source: a.mp3, loop: 1}', ['definition_invalid 7:31']],
    ['a_01: {source: ../../a.mp3}', ['path_outside 7:18']],
    ['f_01: Inter-Blod', ['unknown_font 7:9']],
    ['f_01: Inter-Black', ['unknown_font 7:9']],
    ['f_02: Inter-Blod', ['unknown_font 7:9']],
    ['f_02: {source: {text: Inter-Bold}}', ['wrong_kind 7:19']],
    ['f_02: ', ['wrong_kind 7:3']],
  ])('refuses %s', (line, expected) => {
    expect(problemsOf(withResource(line))).toEqual(expected.map((problem) => problem.replace(' ', ' videos/a.yaml:')));
  });

  it('suggests the closest font and lists the accepted values', () => {
    const told = (line: string): string => {
      const [diagnostic] = resolve(withResource(line)).diagnostics;
      return `${diagnostic?.message}. ${diagnostic?.hint}`;
    };
    expect(told('f_01: Inter-Blod')).toBe(
      'f_01 (Headline font) must be one of the fonts Inter-Bold, Inter-Regular, not "Inter-Blod". Did you mean Inter-Bold?',
    );
    expect(told('f_02: Inter-Blak')).toBe('The template has no font "Inter-Blak". Did you mean Inter-Black?');
    expect(told('a_01: {source: a.mp3, volume: 5}')).toBe(
      'volume of a_01 (Voice) must be a number from 0 to 4, not 5. undefined',
    );
  });
});

describe('audio, fonts and output', () => {
  it('reads all forms, sorted by name', () => {
    const [video] = videosOf(
      one(`${DEFINITION}audio:
  voice: {source: ./v.wav, volume: 1.5}
  main: ../music.mp3
  hum: {source: {remote_url: "https://x.test/h.ogg"}, transform: {loop: true}}
fonts: {Inter-Bold: {source: {font: Inter-Black}}}
output: {quality: low, height: 720, format: webm}
`),
    );
    expect([...video!.audio]).toEqual([
      ['hum', { source: { kind: 'url', url: 'https://x.test/h.ogg' }, transform: { loop: true } }],
      ['main', { source: { kind: 'file', path: 'music.mp3' }, transform: {} }],
      ['voice', { source: { kind: 'file', path: 'videos/v.wav' }, transform: { volume: 1.5 } }],
    ]);
    expect([...video!.scenes[0]!.fonts]).toEqual([['Inter-Bold', 'Inter-Black']]);
    expect(JSON.stringify(video!.output)).toBe('{"format":"webm","height":720,"quality":"low"}');
  });

  it('includes the files of tracks and clips in the files of the video', () => {
    const { videos } = resolve(one(`${DEFINITION}  v_01: clip.mp4\naudio: {main: {source: ./music.mp3}}\n`));
    expect(videos[0]!.files.map(({ path }) => path)).toEqual(['images/hero.jpg', 'clip.mp4', 'videos/music.mp3']);
  });

  it('merges extended values and fills in columns', () => {
    const files = {
      'videos/_brand.yaml': `${DEFINITION}audio: {main: {source: ./brand.mp3, fade_out: 2}}\noutput: {height: 720}\n`,
      'rows.csv': 'slug,volume,fps,loop,font\na,0.5,25,true,Inter-Black\nb,1,30,false,Inter-Regular\n',
      'videos/a.yaml': [
        'extends: ./_brand.yaml',
        'each: {from: rows.csv, id: "${slug}"}',
        'audio: {main: {volume: "${volume}", loop: "${loop}"}, own: "./${slug}.mp3"}',
        'fonts: {Inter-Bold: "${font}"}',
        'output: {fps: "${fps}"}',
      ].join('\n'),
    };
    const [video] = videosOf(files);
    expect([...video!.audio]).toEqual([
      [
        'main',
        { source: { kind: 'file', path: 'videos/brand.mp3' }, transform: { fade_out: 2, volume: 0.5, loop: true } },
      ],
      ['own', { source: { kind: 'file', path: 'videos/a.mp3' }, transform: {} }],
    ]);
    expect(video!.scenes[0]!.fonts).toEqual(new Map([['Inter-Bold', 'Inter-Black']]));
    expect(video!.output).toEqual({ height: 720, fps: 25 });
  });

  it('reads several outputs, the first of which is the output', () => {
    const outputs =
      'outputs:\n  - {name: master, quality: low, format: mp4}\n  - {name: 007, height: 360, format: gif}\n';
    const [video] = videosOf(one(`${DEFINITION}${outputs}`));
    expect(JSON.stringify([video!.output, video!.outputs])).toBe(
      '[{"quality":"low"},[{"name":"master","quality":"low"},{"name":"007","format":"gif","height":360}]]',
    );
    const fragment = { 'videos/_all.yaml': 'outputs: [{name: a}, {name: b, format: png}]\n' };
    const [extended] = videosOf({ ...fragment, 'videos/a.yaml': `extends: ./_all.yaml\n${DEFINITION}` });
    expect(extended!.outputs).toEqual([{ name: 'a' }, { name: 'b', format: 'png' }]);
  });

  it('returns null for an output that only repeats defaults', () => {
    expect(videosOf(one(`${DEFINITION}output: {format: mp4}\n`))[0]!.output).toBeNull();
    expect(videosOf(one(`${DEFINITION}output: {}\n`))[0]!.output).toBeNull();
  });

  it.each([
    ['audio: music.mp3', ['definition_invalid 7:8']],
    ['audio: {"my track": a.mp3}', ['definition_invalid 7:9']],
    ['audio: {_main: a.mp3}', ['definition_invalid 7:9']],
    ['audio: {main: }', ['wrong_kind 7:9']],
    ['audio: {main: {source: a.mp3, volume: loud}}', ['definition_invalid 7:39']],
    ['audio: {main: {source: "https://x y/a.mp3"}}', ['invalid_url 7:24']],
    ['audio: {main: ftp://x}', ['invalid_url 7:15']],
    ['fonts: {Inter-Blod: Inter-Black}', ['unknown_font 7:9']],
    ['fonts: {Inter-Bold: Arial}', ['unknown_font 7:21']],
    ['fonts: [Inter-Bold]', ['definition_invalid 7:8']],
    ['outputs: []', ['definition_invalid 7:10']],
    ['outputs: [{format: gif}]', ['missing_property 7:1']],
    ['outputs: [{name: a/b}, {name: b, hieght: 3}]', ['definition_invalid 7:', 'unknown_property 7:']],
    ['outputs: [{name: a}, {name: A, height: 4000}]', ['definition_invalid 7:', 'definition_invalid 7:']],
    ['output: {}\noutputs: [{name: a}]', ['definition_invalid 8:1']],
    ['output: webm', ['definition_invalid 7:9']],
    ['output: {format: wbem, height: 721, fps: 0, quality: best}', Array(4).fill('definition_invalid 7:')],
    ['output: {hieght: 720}', ['unknown_property 7:10']],
    ['output: {height: 4000}', ['definition_invalid 7:18']],
    ['ouput: {height: 720}', ['unknown_property 7:1']],
    [
      'audio: {main: {source: a.mp3, volume: 9}, b: ../../x.mp3}\nfonts: {Inter-Bold: Arial}\noutput: {fps: x}',
      ['path_outside 7:46', 'unknown_font 8:21', 'definition_invalid 9:15', 'definition_invalid 7:39'].sort(),
    ],
  ])('refuses %s', (lines, expected) => {
    const problems = problemsOf(one(`${DEFINITION}${lines}\n`));
    const shortened = problems.map((problem) => problem.replace('videos/a.yaml:', ''));
    expect(shortened.sort()).toEqual(expected.map((one) => expect.stringMatching(new RegExp(`^${one}`))));
  });
});

describe('extends', () => {
  const brand = { 'brand.yaml': `template: launch\nlabels: {a: 1, b: 1}\n${RESOURCES}` };

  it('merges values deeply; later ones win', () => {
    const files = {
      ...brand,
      'videos/_b.yaml': 'extends: brand.yaml\nlabels: {b: 2, c: 2}\nprotect: true',
      'videos/a.yaml': 'extends: ./_b.yaml\ntitle: A\nlabels: {c: 3}\nresources: {t_01: Mine}',
    };
    expect(videosOf(files)).toMatchObject([{ title: 'A', protect: true, labels: { a: '1', b: '2', c: '3' } }]);
    expect(videosOf(files)[0]!.scenes[0]!.resources.get('t_01')).toEqual({ kind: 'text', text: 'Mine' });
  });

  it('accepts several files, of which the last has precedence', () => {
    const files = {
      ...brand,
      'x.yaml': 'title: X\nresources: {t_01: X}',
      'videos/a.yaml': 'extends: [brand.yaml, x.yaml]',
    };
    expect(videosOf(files)).toMatchObject([{ id: 'a', title: 'X' }]);
  });

  it('merges the full form of a resource', () => {
    const files = {
      ...brand,
      'x.yaml': `extends: brand.yaml\nresources: {"${HERO}": {source: {remote_url: a.jpg}, transform: {crop_strategy: fill}}}`,
      'videos/a.yaml': `extends: x.yaml\ntitle: A\nresources: {"${HERO}": {source: {remote_url: b.jpg}}}`,
    };
    expect(videosOf(files)[0]!.scenes[0]!.resources.get(HERO)).toEqual({
      kind: 'image',
      source: { kind: 'file', path: 'b.jpg' },
      transform: { crop_strategy: 'fill' },
    });
  });

  it('does not inherit id and each', () => {
    const files = {
      'rows.csv': 'n\n1\n',
      'videos/a.yaml': `${DEFINITION}id: first\neach: {from: rows.csv, id: "\${n}"}`,
      'videos/b.yaml': 'extends: ./a.yaml\ntitle: B',
    };
    expect(videosOf(files).map(({ id }) => id)).toEqual(['b', 'first/1']);
  });

  it('locates a wrong value in the file that contains it, once for all definitions that extend it', () => {
    const files = {
      'brand.yaml': `${DEFINITION.replace('"#EEADA7"', 'red')}tittle: x`,
      'videos/a.yaml': 'extends: brand.yaml',
      'videos/b.yaml': 'extends: brand.yaml',
    };
    expect(problemsOf(files)).toEqual(['invalid_color brand.yaml:5:9', 'unknown_property brand.yaml:7:1']);
  });

  it('locates a missing value in the definition if no file contains it', () => {
    const files = {
      'brand.yaml': 'template: launch',
      'videos/a.yaml': 'extends: brand.yaml\ntitle: A\nresources: {t_01: x}',
    };
    expect(problemsOf(files)).toEqual(Array(2).fill('missing_editable videos/a.yaml:3:1'));
  });

  const launch = { 'videos/_launch.yaml': `# shared\ntemplate: launch\nlabels: {brand: x}\n${RESOURCES}` };

  it.each<[string, Files, string[]]>([
    ['a title', { 'videos/a.yaml': 'extends: ./_launch.yaml\nlabels: {}' }, ['missing_property videos/a.yaml:2:1']],
    ['all but extends', { 'videos/a.yaml': '# A\nextends: ./_launch.yaml' }, ['missing_property videos/a.yaml:2:1']],
    [
      'a title behind two fragments',
      { 'videos/_b.yaml': 'extends: ./_launch.yaml', 'videos/a.yaml': 'extends: ./_b.yaml\nlabels: {a: b}' },
      ['missing_property videos/a.yaml:2:1'],
    ],
    [
      'a title, each on its own',
      { 'videos/a.yaml': 'extends: ./_launch.yaml', 'videos/b.yaml': 'extends: ./_launch.yaml' },
      ['missing_property videos/a.yaml:1:1', 'missing_property videos/b.yaml:1:1'],
    ],
    [
      'an editable, without resources of its own',
      {
        'videos/_launch.yaml': launch['videos/_launch.yaml'].replace('  t_01: Hello\n', ''),
        'videos/a.yaml': 'extends: ./_launch.yaml\ntitle: A',
      },
      ['missing_editable videos/a.yaml:2:1'],
    ],
    [
      'a title in every row',
      {
        'rows.csv': 'slug\na\nb\n',
        'videos/a.yaml': 'extends: ./_launch.yaml\neach: {from: rows.csv, id: "${slug}"}',
      },
      ['missing_property videos/a.yaml:1:1'],
    ],
  ])('locates the missing value in the definition that lacks %s, not in the fragment', (_, files, expected) => {
    expect(problemsOf({ ...launch, ...files })).toEqual(expected);
  });

  it('names the fragments to which a missing value could also be added', () => {
    const files = { 'videos/_b.yaml': 'extends: ./_launch.yaml', 'videos/a.yaml': 'extends: ./_b.yaml' };
    const hintsOf = (more: Files): unknown[] => resolve({ ...launch, ...more }).diagnostics.map(({ hint }) => hint);
    expect(hintsOf(files)).toEqual(['Add title: …, or add it to videos/_b.yaml or videos/_launch.yaml']);
    expect(hintsOf({ 'videos/a.yaml': `template: launch\n${RESOURCES}` })).toEqual(['Add title: …']);
  });

  it('locates a missing nested value in the fragment if only the fragment sets the outer value', () => {
    const entry = `${launch['videos/_launch.yaml']}audio: {main: {volume: 1}}\n`;
    const files = { 'videos/_launch.yaml': entry, 'videos/a.yaml': 'extends: ./_launch.yaml\ntitle: A' };
    expect(problemsOf(files)).toEqual(['missing_property videos/_launch.yaml:8:9']);
    const mine = { ...files, 'videos/a.yaml': 'extends: ./_launch.yaml\ntitle: A\naudio: {main: {volume: 2}}' };
    expect(problemsOf(mine)).toEqual(['missing_property videos/a.yaml:3:9']);
  });

  it('reports the second of two definitions whose ids differ only in case', () => {
    const files = {
      'videos/a.yaml': 'extends: ./_launch.yaml\ntitle: A',
      'videos/B.yaml': 'extends: ./_launch.yaml\ntitle: A',
    };
    expect(problemsOf({ ...launch, ...files, 'videos/b.yaml': 'extends: ./_launch.yaml\ntitle: B' })).toEqual([
      'duplicate_id videos/b.yaml:1:1',
    ]);
  });

  it('names both definitions when the id of a row is taken', () => {
    const each = (id: string): string =>
      `extends: ./_launch.yaml\ntitle: A\nid: ${id}\neach: {from: rows.csv, id: "\${n}"}`;
    const files = { ...launch, 'rows.csv': 'n\n1\n', 'videos/a.yaml': each('x'), 'videos/b.yaml': each('X') };
    expect(problemsOf(files)).toEqual(['duplicate_id rows.csv:2:1']);
    expect(resolve(files).diagnostics[0]?.message).toBe(
      'videos/b.yaml creates the video "X/1", but videos/a.yaml already has a video "x/1", which differs from "X/1" only in case',
    );
  });

  it('names the row that has the id of a later row', () => {
    const definition = 'extends: ./_launch.yaml\ntitle: A\neach: {from: rows.csv, id: "${n}"}';
    const files = { ...launch, 'rows.csv': 'n\n1\n2\n1\n', 'videos/a.yaml': definition };
    expect(problemsOf(files)).toEqual(['duplicate_id rows.csv:4:1']);
    expect(resolve(files).diagnostics[0]?.message).toBe('rows.csv line 2 already has a video "a/1"');
  });

  it('locates an error in the row whose value fills a fragment', () => {
    const files = {
      'videos/_launch.yaml': launch['videos/_launch.yaml'].replace('Hello', '${city}'),
      'videos/a.yaml': 'extends: ./_launch.yaml\ntitle: A\neach: {from: rows.csv, id: "${slug}"}',
      'rows.csv': `slug,city\na,A\nb,${'x'.repeat(21)}\n`,
    };
    expect(problemsOf(files)).toEqual(['text_too_long rows.csv:3:1']);
    expect(problemsOf({ ...files, 'rows.csv': 'slug\na\nb\n' })).toEqual(['unknown_variable videos/_launch.yaml:5:9']);
  });

  it.each([
    ['./nope.yaml', {}, ['missing_file videos/a.yaml:1:10']],
    ['../../x.yaml', {}, ['path_outside videos/a.yaml:1:10']],
    ['./a.yaml', {}, ['extends_cycle videos/a.yaml:1:10']],
    ['b.yaml', { 'b.yaml': 'extends: c.yaml', 'c.yaml': 'extends: b.yaml' }, ['extends_cycle c.yaml:1:10']],
    ['b.yaml', { 'b.yaml': 'a: b: c' }, ['yaml_syntax b.yaml:1:4']],
    ['b.yaml', { 'b.yaml': '' }, ['definition_empty b.yaml:1:1']],
  ])('refuses %s with %j', (path, others, expected) => {
    expect(problemsOf(one(`extends: ${path}\n`, others))).toEqual(expected);
  });

  it('reports a circle once, whichever of its files is read', () => {
    const circle = {
      'videos/c.yaml': 'extends: ./b.yaml',
      'videos/b.yaml': 'extends: ./d.yaml',
      'videos/d.yaml': 'extends: ./c.yaml',
    };
    const files = { ...circle, 'videos/a.yaml': 'extends: ./d.yaml', 'videos/e.yaml': 'extends: ./e.yaml' };
    expect(resolve(files).diagnostics.map(({ message }) => message)).toEqual([
      'The file extends itself: videos/b.yaml → videos/d.yaml → videos/c.yaml → videos/b.yaml',
      'The file extends itself: videos/e.yaml → videos/e.yaml',
    ]);
  });

  it('checks a fragment that no definition extends', () => {
    expect(problemsOf({ 'videos/_part.yaml': 'tittle: x' })).toEqual(['unknown_property videos/_part.yaml:1:1']);
    expect(resolve({ 'videos/_part.yaml': 'title: x' })).toMatchObject({ videos: [], diagnostics: [] });
  });
});

describe('each', () => {
  const each = (from: string, id = '${slug}'): string =>
    `template: launch\ntitle: Store \${city}\neach: {from: ${from}, id: "${id}"}\nlabels: {city: "\${city}"}\n${RESOURCES.replace('Hello', '${city}').replace('images/hero.jpg', 'images/${slug}.jpg')}`;
  const rows = 'slug,city\nberlin,Berlin\nnyc,"New York"\n';

  it('creates one video per row', () => {
    const videos = videosOf(one(each('rows.csv'), { 'rows.csv': rows }));
    expect(videos).toMatchObject([
      { id: 'a/berlin', title: 'Store Berlin', labels: { city: 'Berlin' } },
      { id: 'a/nyc', title: 'Store New York' },
    ]);
    expect(videos[1]!.scenes[0]!.resources.get('t_01')).toEqual({ kind: 'text', text: 'New York' });
    expect(videos[1]!.scenes[0]!.resources.get(HERO)).toMatchObject({ source: { path: 'images/nyc.jpg' } });
  });

  it('fills in the id and the template', () => {
    const text = `${each('rows.csv').replace('template: launch', 'template: ${template}')}id: \${slug}\n`;
    const videos = videosOf(one(text, { 'rows.csv': 'slug,city,template\nx,X,launch\n' }));
    expect(videos).toMatchObject([{ id: 'x/x', scenes: [{ template: 'launch' }] }]);
  });

  it('fills in numbers and booleans', () => {
    const entry = '{source: {remote_url: a.jpg}, transform: {focus_x: "${x}"}}';
    const text = `${each('rows.csv').replace('images/${slug}.jpg', entry)}protect: \${keep}\n`;
    const videos = videosOf(one(text, { 'rows.csv': 'slug,city,x,keep\na,A,0.25,true\n' }));
    expect(videos).toMatchObject([{ protect: true }]);
    expect(videos[0]!.scenes[0]!.resources.get(HERO)).toMatchObject({ transform: { focus_x: 0.25 } });
  });

  it('resolves a path from the data file that contains it', () => {
    const text = each('data/rows.csv').replace('images/${slug}.jpg', '${photo}');
    const files = one(text, { 'data/rows.csv': 'slug,city,photo\na,A,./a.jpg\nb,B,images/b.jpg\n' });
    expect(resolve(files).videos.map(({ files: [use] }) => use?.path)).toEqual(['data/a.jpg', 'images/b.jpg']);
  });

  it('uses the value of a column literally', () => {
    const text = each('rows.json');
    const json = JSON.stringify([{ slug: 'a', city: '${slug} $${x}' }]);
    expect(videosOf(one(text, { 'rows.json': json }))[0]!.title).toBe('Store ${slug} $${x}');
  });

  it.each([
    ['nope.csv', {}, ['missing_file videos/a.yaml:3:14']],
    ['../../rows.csv', {}, ['path_outside videos/a.yaml:3:14']],
    ['rows.txt', { 'rows.txt': rows }, ['data_invalid videos/a.yaml:3:14']],
    ['rows.csv', { 'rows.csv': 'slug,city\na\n' }, ['data_invalid rows.csv:2:1']],
    ['rows.csv', { 'rows.csv': 'slug,city\na,A\na,B\n' }, ['duplicate_id rows.csv:3:1']],
    ['rows.csv', { 'rows.csv': 'slug,city\nSão Paulo,A\n' }, ['invalid_id videos/a.yaml:3:28']],
    [
      'rows.csv',
      { 'rows.csv': 'slug\na\nb\n' },
      ['title', 'label', 'text'].map((_, i) => `unknown_variable videos/a.yaml:${[2, 4, 6][i]}:${[8, 16, 9][i]}`),
    ],
    ['rows.csv', { 'rows.csv': `slug,city\na,${'x'.repeat(21)}\nb,B\n` }, ['text_too_long videos/a.yaml:6:9']],
  ])('refuses %s with %j', (from, others, expected) => {
    expect(problemsOf(one(each(from), others))).toEqual(expected);
  });

  it('reports an empty cell of a required editable at its row', () => {
    const optional = '  t_02: ${date}\n  v_01: {source: "${clip}", volume: 0.5}\n  f_02: {source: {font: "${font}"}}\n';
    const more = 'audio: {voice: {source: "${clip}", volume: 0.5}, main: "${main}"}\nfonts: {Inter-Bold: "${font}"}\n';
    const text = `${each('rows.csv')}${optional}${more}`;
    const header = 'slug,city,date,clip,font,main';
    const { diagnostics } = resolve(one(text, { 'rows.csv': `${header}\na, ,,,,\nb,B,,,,\n` }));
    expect(diagnostics.map((found) => [placed(found, () => `${header}\na, ,,,,\n`), found.message])).toEqual([
      ['missing_editable rows.csv:2:1', 't_01 (Headline) has no value: its cell is empty (rows.csv line 2)'],
    ]);
    expect(diagnostics[0]!.hint).toContain('write "required: false" for t_01');
    // An optional value is the template's own.
    const [video] = videosOf(one(text, { 'rows.csv': `${header}\nb,B,,,,\n` }));
    expect([...video!.scenes[0]!.resources.keys()]).toEqual(['t_01', 'c_01', HERO]);
    expect([video!.audio.size, video!.scenes[0]!.fonts.size]).toEqual([0, 0]);
    const [full] = videosOf(one(text, { 'rows.csv': `${header}\nb,B,May,a.mp4,Inter-Black,a.mp3\n` }));
    expect([full!.scenes[0]!.resources.size, full!.audio.size, full!.scenes[0]!.fonts.size]).toEqual([6, 2, 1]);
  });

  it.each(['images/${slug}.jpg', '{source: "${slug}"}', '{source: {remote_url: "${slug}"}}'])(
    'reports an empty cell once for %s',
    (written) => {
      const text = each('rows.csv', '${city}').replace(
        'images/${slug}.jpg',
        written.replace('images/${slug}.jpg', '${slug}'),
      );
      expect(problemsOf(one(text, { 'rows.csv': 'slug,city\n,B\n' }))).toEqual(['missing_editable rows.csv:2:1']);
      const color = each('rows.csv', '${city}').replace('"#EEADA7"', '${slug}').replace('images/${slug}.jpg', 'a.jpg');
      expect(problemsOf(one(color, { 'rows.csv': 'slug,city\n,B\n' }))).toEqual(['missing_editable rows.csv:2:1']);
    },
  );

  it('keeps a text that is written as empty', () => {
    const [video] = videosOf(one(DEFINITION.replace('Hello', '""')));
    expect(video!.scenes[0]!.resources.get('t_01')).toEqual({ kind: 'text', text: '' });
  });

  it.each(['each: {from: rows.csv, id: "${n}"}', 'id: own'])(
    'refuses %s in a fragment, which defines no video',
    (own) => {
      const files = {
        'rows.csv': 'n\n1\n',
        'videos/_base.yaml': `${DEFINITION}${own}\n`,
        'videos/a.yaml': 'extends: ./_base.yaml\ntitle: A',
        'videos/b.yaml': 'extends: ./_base.yaml\ntitle: B',
      };
      expect(problemsOf(files)).toEqual(['definition_invalid videos/_base.yaml:7:1']);
    },
  );

  it('refuses a column in extends', () => {
    const files = one(`${each('rows.csv')}extends: ./\${slug}.yaml\n`, { 'rows.csv': rows });
    expect(resolve(files).diagnostics.map(({ code, message }) => [code, message])).toEqual([
      ['unknown_variable', '"extends" cannot contain a column: files are extended before rows are read'],
    ]);
  });

  it('names the row that causes an error', () => {
    const { diagnostics } = resolve(one(each('rows.csv'), { 'rows.csv': `slug,city\na,${'x'.repeat(21)}\nb,B\n` }));
    expect(diagnostics[0]?.message).toContain('(rows.csv line 2)');
  });

  it('returns the videos of the other rows', () => {
    const { videos } = resolve(one(each('rows.csv'), { 'rows.csv': `slug,city\na,${'x'.repeat(21)}\nb,B\n` }));
    expect(videos.map(({ video }) => video.id)).toEqual(['a/b']);
  });

  it('reports an error that affects every row once', () => {
    const text = `${each('rows.csv')}  t_3: x\n`;
    expect(problemsOf(one(text, { 'rows.csv': rows }))).toEqual(['unknown_editable videos/a.yaml:9:3']);
  });
});

describe('videos of definitions', () => {
  const text = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
    .filter((one) => !/[\x00-\x1f\x7f-\x9f]/.test(one) && [...one].length <= 20);
  const fields = fc.record({ title: text, t_01: text, t_02: text, note: text });
  const escaped = (value: string): string => JSON.stringify(value.replaceAll('${', '$${'));
  const lines = ({
    title,
    t_01,
    t_02,
  }: {
    title: string;
    t_01: string;
    t_02: string;
  }): { top: string[]; resources: string[] } => ({
    top: ['template: launch', `title: ${escaped(title)}`, 'protect: false'],
    resources: [`t_01: ${escaped(t_01)}`, `t_02: ${escaped(t_02)}`, 'c_01: "#EEADA7"', `${HERO}: images/hero.jpg`],
  });

  it('do not depend on the order of the files', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(['a', 'b', 'c', 'd', 'e'], { minLength: 5 }), (names) => {
        const entries = names.map((name) => [`videos/${name}.yaml`, `${DEFINITION}id: ${name === 'e' ? 'a' : name}\n`]);
        const { videos, diagnostics } = resolve(Object.fromEntries(entries));
        expect(videos.map(({ video }) => video.id)).toEqual(['b', 'c', 'd']);
        expect(diagnostics).toMatchObject([{ code: 'duplicate_id', at: { file: 'videos/e.yaml' } }]);
      }),
    );
  });

  it('do not depend on the order of keys, comments or white space', () => {
    fc.assert(
      fc.property(fields, fc.infiniteStream(fc.nat(100)), (values, numbers) => {
        const shuffle = <T>(items: readonly T[]): T[] =>
          items
            .map((item) => [numbers.next().value, item] as const)
            .sort((a, b) => a[0] - b[0])
            .map(([, item]) => item);
        const plain = lines(values);
        const note = `# ${values.note.replaceAll(/[\r\n\u0085\u2028\u2029]/g, ' ')}`;
        const resources = ['resources:', ...shuffle(plain.resources).map((line) => `      ${line}   ${note}`)].join(
          `\n\n${note}\n`,
        );
        const shuffled = shuffle([...plain.top, resources]).join(`\n${note}\n`);
        const ordered = [...plain.top, 'resources:', ...plain.resources.map((line) => `  ${line}`)].join('\n');
        expect(videosOf(one(shuffled))).toEqual(videosOf(one(ordered)));
      }),
    );
  });

  it('contain every text unchanged', () => {
    fc.assert(
      fc.property(fields, (values) => {
        const { top, resources } = lines(values);
        const [video] = videosOf(one([...top, 'resources:', ...resources.map((line) => `  ${line}`)].join('\n')));
        expect(video).toMatchObject({ title: values.title });
        expect(video!.scenes[0]!.resources.get('t_01')).toEqual({ kind: 'text', text: values.t_01 });
      }),
    );
  });

  it('are resolved without throwing, for any text', () => {
    const words = fc.constantFrom(
      'template',
      'launch',
      'title',
      'resources',
      'each',
      'extends',
      'from',
      'id',
      't_01',
      'c_01',
      HERO,
      'source',
      'text',
      '${x}',
      '$${',
      '#',
      './a.yaml',
      'rows.csv',
      ': ',
      '\n',
      '\n  ',
      '{',
      '}',
      '[',
      ']',
      '- ',
      '&a ',
      '*a',
      '"',
      '1e400',
    );
    fc.assert(
      fc.property(fc.array(words, { maxLength: 40 }), fc.string({ unit: 'binary' }), (parts, data) => {
        resolve({ 'videos/a.yaml': parts.join(''), 'rows.csv': data });
      }),
      { numRuns: runs(1_000) },
    );
  });
});
