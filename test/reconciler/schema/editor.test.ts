import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StyleVersion } from '../../../src/contract/wire/style-version.ts';
import { scenesSchemaFile, schemaFiles } from '../../../src/reconciler/project/schema-files.ts';
import { LAUNCH_SPEC } from '../../support/launch-spec.ts';
import { writeFiles } from '../../support/temporary-repository.ts';
import { YamlEditor } from '../../support/yaml-editor.ts';

const MODELINE = '# yaml-language-server: $schema=../schemas/launch.schema.json';

const SCENES_MODELINE = '# yaml-language-server: $schema=../schemas/_scenes.schema.json';
const INTRO_SPEC = {
  id: 'intro',
  editables: { s_01: { input_type: 'text', stillcut: 'stillcut_01', label: 'Slogan', max_length: 10 } },
  fonts: ['Lora'],
} as const satisfies StyleVersion;
const TEMPLATES = [
  { name: 'launch', spec: LAUNCH_SPEC },
  { name: 'intro', spec: { ...INTRO_SPEC, fonts: [...INTRO_SPEC.fonts] } },
];

let root: string;
let editor: YamlEditor;

beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'reelform-')));
  const files = [...schemaFiles('launch', LAUNCH_SPEC), scenesSchemaFile(TEMPLATES)];
  writeFiles(root, Object.fromEntries(files.map(({ path, text }) => [path, text])));
  editor = await YamlEditor.open(root);
});

afterAll(async () => {
  await editor.close();
  rmSync(root, { recursive: true, force: true });
});

const text = (...lines: string[]): string => `${[MODELINE, ...lines].join('\n')}\n`;

describe('the generated schema in an editor', () => {
  it('accepts a complete definition', async () => {
    const definition = text(
      'template: launch',
      'title: Summer',
      'labels: {team: 7}',
      'resources:',
      '  t_01: 1.10',
      '  c_01: "#EEADA7"',
      '  (Footage)/USER/hero.jpg:',
      '    source: {remote_url: https://example.com/hero.jpg}',
      '    transform: {crop_strategy: manual, crop_x: 0, crop_y: 0, crop_width: 10, crop_height: 10.5}',
    );
    expect(await editor.problems('videos/good.yaml', definition)).toEqual([]);
  });

  it('accepts a definition with extends or each, and a fragment', async () => {
    const extending = text('extends: ./_brand.yaml', 'template: launch', 'title: Summer');
    const each = text(
      'template: launch',
      'title: Hello ${city}',
      'each: {from: data/stores.csv, id: "${slug}"}',
      'resources:',
      '  t_01: Hello in ${city}, the most beautiful of all',
      '  c_01: ${color}',
      '  (Footage)/USER/hero.jpg: {source: {remote_url: "images/${slug}.jpg"}, transform: {focus_x: "${x}"}}',
    );
    const part = text('template: launch', 'resources:', '  c_01: 000000');
    expect(await editor.problems('videos/extending.yaml', extending)).toEqual([]);
    expect(await editor.problems('videos/each.yaml', each)).toEqual([]);
    expect(await editor.problems('videos/_part.yaml', part)).toEqual([]);
  });

  it('locates an unknown editable, a bad colour, a long text, a wrong kind and a missing editable', async () => {
    const definition = text(
      'template: launch',
      'title: Summer',
      'resources:',
      '  t_11: Hello',
      '  t_01: A headline that does not fit',
      '  c_01: "#EEADA"',
      '  t_02: {source: {remote_url: x.jpg}}',
    );
    const problems = await editor.problems('videos/bad.yaml', definition);
    const lines = problems
      .map(({ message, range }) => `${range.start.line}:${range.start.character} ${message}`)
      .sort();
    expect(lines).toEqual([
      expect.stringMatching(/^3:0 Missing property "\(Footage\)\/USER\/hero.jpg"/),
      '4:2 Property t_11 is not allowed.',
      '5:8 String is longer than the maximum length of 20.',
      '6:8 A colour must have 6 or 8 hexadecimal digits: "#EEADA7"',
      expect.stringMatching(/^7:/),
      expect.stringMatching(/^7:/),
    ]);
  });

  it.concurrent.each([
    ...['a b', '../a', 'a//b', './a', 'a/.', 'é', 'a\\b', `"${'x'.repeat(201)}"`].map(
      (id) =>
        [
          'id',
          id,
          'An id may contain letters A–Z, digits, ".", "_" and "-", with "/" between segments; at most 200 characters',
        ] as const,
    ),
    ...['12345', '1234567', '123456789', '123456.5', '-123456', '012345', '"12345"', 'red', '0x1234', 'true'].map(
      (color) => ['color', color, 'A colour must have 6 or 8 hexadecimal digits'] as const,
    ),
  ])('reports an invalid %s: %s', async (field, value, message) => {
    const line = field === 'id' ? `id: ${value}` : `resources: {c_01: ${value}}`;
    const problems = await editor.problems(
      `videos/${field}-${encodeURIComponent(value)}.yaml`,
      text('template: launch', line),
    );
    expect(problems.map((problem) => problem.message)).toEqual([expect.stringContaining(message)]);
  });

  it.concurrent.each([
    ...['de/berlin', '2026', '1.10', 'a.b_c-d', '...', '${slug}', 'de/${city name}', 'yes', `"${'x'.repeat(200)}"`].map(
      (id) => `id: ${id}`,
    ),
    ...['000000', '00000000', '112233', '11223344', '"012345"', '"#eeada7"', 'eeada780', 'EEADA7', '"${color}"'].map(
      (color) => `resources: {c_01: ${color}}`,
    ),
    'resources: {c_01: {source: {text: 000000}}}',
  ])('accepts %s', async (line) => {
    const path = `videos/fine-${encodeURIComponent(line)}.yaml`;
    expect(await editor.problems(path, text('template: launch', line))).toEqual([]);
  });

  it('completes editables with their labels', async () => {
    const definition = text('template: launch', 'title: Summer', 'resources:', '  ');
    await editor.problems('videos/new.yaml', definition);
    const proposals = await editor.proposals('videos/new.yaml', { line: 4, character: 2 });
    const docs = new Map(proposals.map(({ label, documentation }) => [label, JSON.stringify(documentation)]));
    expect([...docs.keys()]).toEqual(expect.arrayContaining(['t_01', 't_02', 'c_01', '(Footage)/USER/hero.jpg']));
    expect(docs.get('t_01')).toContain('Headline');
    expect(docs.get('t_01')).toContain('at most 20 characters');
    expect(docs.get('(Footage)/USER/hero.jpg')).toContain('1920 × 1080');
  });

  const scenes = (...lines: string[]): string => `${[SCENES_MODELINE, 'title: Spring', ...lines].join('\n')}\n`;

  it('accepts scenes of several templates, with lengths, transitions, rows and conditions', async () => {
    const definition = scenes(
      'when: {campaign: [spring, summer]}',
      'each: {from: data/shops.csv, id: "${slug}", where: {state: {not: draft}}}',
      'size: [1280, 720]',
      'rate: 25',
      'duration: 30',
      'transition: {type: fade, duration: 0.4}',
      'resources: {t_01: Shared, s_01: Shared}',
      'scenes:',
      '  - {template: intro, resources: {s_01: Hello}, duration: 5, transition: cut, fit: cover, background: 112233}',
      '  - id: product',
      '    template: launch',
      '    each: {from: [{slug: a}], id: "${slug}"}',
      '    when: "${offer}"',
      '    resources: {t_01: {source: {text: "${name}"}, when: {kind: big}}, c_01: "#EEADA7"}',
      '    duration: {content: true, min: 3, max: "${max}", tail: exit}',
      '    transition: {type: slide, direction: up, duration: 1, easing: linear, at: before}',
      '    audio: {voice: {source: a.mp3, fade_out: 1, when: "${voice}"}}',
      '    shorten: speed',
      '  - {id: rest, template: intro, duration: fill, transition: {type: dip, color: ff0000, duration: "${d}"}}',
    );
    expect(await editor.problems('videos/scenes.yaml', definition)).toEqual([]);
    const override = scenes('extends: ./_base.yaml', 'scenes:', '  product: {duration: content}');
    expect(await editor.problems('videos/override.yaml', override)).toEqual([]);
    // The schema of a template accepts scenes too.
    const own = text(
      'title: A',
      'scenes: [{template: launch, resources: {t_01: x}}, {template: other, resources: {a: b}}]',
    );
    expect(await editor.problems('videos/own.yaml', own)).toEqual([]);
  });

  it('locates mistakes in scenes', async () => {
    const definition = scenes(
      'scenes:',
      '  - {template: intro, resources: {s_01: More than ten}}',
      '  - {template: launch, resources: {s_01: x}}',
      '  - {template: intro, duration: contents}',
      '  - {template: intro, titel: x}',
      '  - {template: intro, transition: {type: fade}}',
    );
    const problems = await editor.problems('videos/bad-scenes.yaml', definition);
    expect(problems.map(({ range }) => range.start.line).sort()).toEqual(expect.arrayContaining([3, 4, 5, 6, 7]));
    expect(problems.map(({ message }) => message).join()).toContain('Property s_01 is not allowed');
  });

  it('completes the values of a scene by its template', async () => {
    const definition = scenes('scenes:', '  - template: intro', '    resources:', '      ');
    await editor.problems('videos/new-scene.yaml', definition);
    const proposals = await editor.proposals('videos/new-scene.yaml', { line: 5, character: 6 });
    const docs = new Map(proposals.map(({ label, documentation }) => [label, JSON.stringify(documentation)]));
    expect(docs.get('s_01')).toContain('Slogan');
    expect(docs.has('t_01')).toBe(false);
    const fields = scenes('scenes:', '  - template: intro', '    ');
    await editor.problems('videos/new-field.yaml', fields);
    const names = await editor.proposals('videos/new-field.yaml', { line: 4, character: 4 });
    expect(names.map(({ label }) => label)).toEqual(
      expect.arrayContaining(['duration', 'transition', 'when', 'resources']),
    );
  });

  it('accepts all forms of clips, sounds, fonts and outputs', async () => {
    const definition = text(
      'template: launch',
      'title: Summer ${city}',
      'each: {from: data/stores.csv, id: "${slug}"}',
      'resources:',
      '  v_01: {source: {remote_url: a.mp4}, transform: {trim_start_time: 1.5, volume: "${volume}"}}',
      '  (Footage)/USER/hero.jpg: {source: "./${slug}.jpg", transform: {crop_strategy: contain}}',
      '  a_01: {source: a.mp3, fade_out: 2}',
      '  f_01: ${font}',
      '  f_02: Inter-Black',
      'audio:',
      '  main: ./${slug}.mp3',
      '  voice: {source: v.wav, loop: true}',
      '  hum: {source: {remote_url: h.ogg}, transform: {volume: 0.2}}',
      '  low: {source: l.ogg, transform: {volume: 0.2}}',
      'fonts: {Inter-Bold: Inter-Black}',
      'output: {format: webm, height: 720, fps: "${fps}"}',
    );
    expect(await editor.problems('videos/more.yaml', definition)).toEqual([]);
  });

  it('locates errors in them', async () => {
    const definition = text(
      'template: launch',
      'resources:',
      '  f_01: Inter-Black',
      '  v_01: {source: {remote_url: a.mp4}, transform: {volume: 9}}',
      'audio: {main: {source: a.mp3, volum: 1}}',
      'fonts: {Inter-Blod: Inter-Black}',
      'output: {format: wbem, height: 721}',
    );
    const problems = await editor.problems('videos/wrong.yaml', definition);
    const places = problems.map(({ range }) => `${range.start.line}:${range.start.character}`).sort();
    expect(places).toEqual(['3:8', '4:58', '5:30', '6:8', '7:17', '7:31']);
  });

  it.concurrent.each([
    ['formats', ['template: launch', 'output:', '  format: '], ['mp4', 'webm', 'png_sequence']],
    ['fields of a track', ['template: launch', 'audio:', '  main:', '    '], ['source', 'volume', 'fade_out', 'loop']],
    ['fonts to replace', ['template: launch', 'fonts:', '  '], ['Inter-Bold']],
    ['allowed fonts', ['template: launch', 'resources:', '  f_01: '], ['Inter-Bold', 'Inter-Regular']],
    [
      'how an image moves',
      ['template: launch', 'resources:', '  v_01:', '    transform:', '      animate_strategy: '],
      ['zoom-in', 'slide-to-left'],
    ],
  ])('completes %s', async (name, lines, expected) => {
    const path = `videos/${name.replaceAll(' ', '-')}.yaml`;
    await editor.problems(path, text(...lines));
    const proposals = await editor.proposals(path, { line: lines.length, character: lines.at(-1)!.length });
    expect(proposals.map(({ label }) => label.replace(/:.*$/, ''))).toEqual(expect.arrayContaining(expected));
  });

  it('completes crop strategies', async () => {
    const lines = [
      'template: launch',
      'resources:',
      '  (Footage)/USER/hero.jpg:',
      '    transform:',
      '      crop_strategy: ',
    ];
    await editor.problems('videos/crop.yaml', text(...lines));
    const proposals = await editor.proposals('videos/crop.yaml', { line: 5, character: 21 });
    expect(proposals.map(({ label }) => label)).toEqual(expect.arrayContaining(['cover', 'contain', 'fill', 'manual']));
  });

  it('offers a complete definition in an empty file', async () => {
    await editor.problems('videos/empty.yaml', text(''));
    const proposals = await editor.proposals('videos/empty.yaml', { line: 1, character: 0 });
    const snippet = proposals.find(({ label }) => label === 'new launch video');
    expect(snippet?.insertText).toContain('template: launch');
    expect(snippet?.insertText).toContain('c_01: "#EEADA7"');
  });

  it('shows the description of an editable', async () => {
    await editor.problems('videos/hover.yaml', text('template: launch', 'resources:', '  t_01: Hello'));
    const hover = await editor.hover('videos/hover.yaml', { line: 3, character: 4 });
    expect(hover).toContain('Headline');
    expect(hover).toContain('Summer Collection');
  });
});
