import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writePackageZip } from '../../../src/template/archive/write-zip.ts';
import { startServer, type TestServer } from '../../support/http-server.ts';
import {
  FONT_BYTES,
  FONTS,
  fill,
  imageLayer,
  lottie,
  rectangle,
  shapeLayer,
  textLayer,
} from '../../support/lottie-documents.ts';
import { makeFolder, makeRepository } from '../../support/repository.ts';
import { smallPackageFiles, solidPng } from '../../support/small-package.ts';
import { type Ran, reelform, type TestIoOptions } from '../../support/test-io.ts';

const json = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const square = (color: readonly number[], changes: object = {}) =>
  shapeLayer('Square', [rectangle(50, 50, 60, 60), fill(color)], changes);
const ARIAL = { list: [{ fName: 'ArialMT', fFamily: 'Arial', fStyle: 'Regular', ascent: 75, origin: 0 }] };
const arial = textLayer('Headline', 'Hello', {}, { f: 'ArialMT', fc: [0, 0, 0] });

interface Added {
  readonly name: string;
  readonly editables: readonly { key: string; kind: string; example_text: string | null }[];
  readonly transparent: boolean;
  readonly background: string | null;
  readonly text: string | null;
  readonly fonts: readonly { name: string; origin: string; from: string; same_widths: boolean | null }[];
  readonly placeholders: readonly string[];
  readonly other_animations: readonly string[];
  readonly definition: string;
  readonly themes: readonly string[];
  readonly notes: readonly { message: string }[];
  readonly files: readonly string[];
}

async function add(root: string, args: readonly string[], options: TestIoOptions = {}): Promise<Ran> {
  return reelform(root, ['template', 'add', ...args], options);
}

async function added(root: string, ...args: string[]): Promise<Added> {
  const { exitCode, stdout, stderr } = await add(root, [...args, '--json']);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout) as Added;
}

const fontsOf = (root: string, name: string): string[] => readdirSync(join(root, 'templates', name, 'fonts')).sort();

describe('reelform template add', () => {
  it('makes a folder with an animation a repository whose video renders', async () => {
    const root = makeFolder({ 'hello.json': json(lottie([arial], { fonts: ARIAL })) });
    const { exitCode, stdout, stderr } = await add(root, ['hello.json']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain('A background in #FFFFFF, because the animation is transparent');
    expect(stdout).toContain('Arimo-Regular in place of the font ArialMT; all characters have the same width');
    expect(readFileSync(join(root, 'reelform.yaml'), 'utf8')).toContain('templates:\n  hello: ./templates/hello\n');
    expect(
      readFileSync(join(root, 'videos/hello.yaml'), 'utf8'),
    ).toBe(`# yaml-language-server: $schema=../schemas/hello.schema.json
template: hello
title: "Hello"
output: { height: 1080 }  # the animation has 200 × 100 pixels
resources:
  t_01: "Hello"  # Headline
  c_01: "#FFFFFF"  # Background
`);
    expect(fontsOf(root, 'hello')).toContain('OFL-Arimo.txt');
    expect(await reelform(root, ['validate'])).toMatchObject({ exitCode: 0, stderr: '' });
    expect(existsSync(join(root, 'renders/looks/hello.look.png'))).toBe(true);
    const frame = await reelform(root, ['render', 'hello', '--frame', '30', '--json']);
    expect(JSON.parse(frame.stdout)).toMatchObject({ width: 2160, height: 1080 });
  });

  it('keeps the glyph outlines of texts that are not editable when a substitute replaces their font', async () => {
    const text = (name: string): object => textLayer(name, 'I', {}, { f: 'ArialMT', fc: [0, 0, 0] });
    const chars = [{ ch: 'I', fFamily: 'Arial', style: 'Regular', size: 100, w: 30, data: { shapes: [] } }];
    const root = makeFolder({ 'ad.json': json(lottie([text('t_01'), text('legal')], { fonts: ARIAL, chars })) });
    const { fonts, notes } = await added(root, 'ad.json');
    expect(fonts).toMatchObject([{ name: 'ArialMT', origin: 'substitute' }]);
    const kept = 'Texts in ArialMT that are not editable keep their glyph outlines, because the font is missing';
    expect(notes.map(({ message }) => message)).toContain(kept);
    const animation = JSON.parse(readFileSync(join(root, 'templates/ad/animation.json'), 'utf8'));
    expect(animation).toMatchObject({ chars, fonts: { list: [{ fName: 'ArialMT-Outlines' }, { fName: 'ArialMT' }] } });
    expect(await reelform(root, ['template', 'check', 'templates/ad'])).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('chooses a dark background for a light animation, and none for an opaque one', async () => {
    const root = makeFolder({
      'light.json': json(lottie([square([1, 1, 1])])),
      'full.json': json(lottie([shapeLayer('Ground', [rectangle(100, 50, 200, 100), fill([1, 0, 0])])])),
    });
    expect(await added(root, 'light.json')).toMatchObject({ transparent: true, background: '111827' });
    const full = await added(root, 'full.json');
    expect(full).toMatchObject({ transparent: false, background: null });
    // An animation without texts offers its colours.
    expect(full.editables).toMatchObject([{ key: 'c_01', kind: 'color', example_text: 'FF0000' }]);
  });

  it('obeys --background and --text, and asks for both on a terminal', async () => {
    const root = makeFolder({ 'mark.json': json(lottie([square([1, 0, 0])])) });
    const below = await added(root, 'mark.json', '--text', 'bottom', '--background', '#00ff00', '--name', 'below');
    expect(below).toMatchObject({ background: '00FF00', text: 'bottom' });
    expect(below.editables.map(({ example_text }) => example_text)).toContain('Your headline');
    const { layers } = JSON.parse(readFileSync(join(root, 'templates/below/animation.json'), 'utf8')) as {
      layers: { nm: string; ks: { s: { k: number[] } } }[];
    };
    expect(layers.map(({ nm }) => nm)).toEqual(['Headline', 'Caption', 'Animation', 'Background']);
    expect(layers[2]!.ks.s.k[0]).toBeLessThan(70);
    expect((await added(root, 'mark.json', '--background', 'none', '--name', 'bare')).background).toBeNull();
    const questions: string[] = [];
    const asked = await add(root, ['mark.json', '--name', 'asked'], {
      interactive: true,
      keysFor(question) {
        questions.push(question);
        return question.includes('Background') ? '#123456\r' : 'center\r';
      },
    });
    expect(questions).toHaveLength(2);
    expect(asked.stdout).toContain('A background in #123456');
    expect(asked.stdout).toContain('"Your headline"');
  });

  it('offers the other texts of a file with slots, and turns themes into fragments', async () => {
    const slot = textLayer('Title', 'Slot', {}, { fc: [0, 0, 0] }) as { t: { d: object } };
    slot.t.d = { ...slot.t.d, sid: 'title' };
    const disc = square([1, 0, 0]) as { ks: object; shapes: [{ it: object[] }] };
    (disc.shapes[0].it[1] as { c: object }).c = { a: 0, k: [1, 0, 0, 1], sid: 'accent' };
    const ks = { o: { a: 0, k: 100, sid: 'faded' }, p: { a: 0, k: [0, 0, 0], sid: 'middle' } };
    disc.ks = { ...disc.ks, ...ks };
    const stops = { a: 0, k: [0, 1, 1, 1, 1, 0, 0, 0] };
    const points = { t: 1, o: { a: 0, k: 100 }, s: { a: 0, k: [0, 0] }, e: { a: 0, k: [90, 0] } };
    const glow = shapeLayer('Glow', [
      rectangle(50, 20, 90, 20),
      { ty: 'gf', ...points, g: { p: 2, k: stops, sid: 'glow' } },
    ]);
    const layers = [slot, glow, textLayer('Second', 'Other', {}, { fc: [0, 0, 0] }), disc];
    const animation = lottie(layers, { fonts: FONTS, slots: {} });
    const rules = [
      { id: 'accent', type: 'Color', value: [0, 0, 1] },
      { id: 'unknown', type: 'Color', value: [0, 0, 1] },
      { id: 'faded', type: 'Scalar', value: 40 },
      { id: 'middle', type: 'Position', value: [50, 60.25] },
      {
        id: 'glow',
        type: 'Gradient',
        value: [
          { color: [1, 0, 0, 1], offset: 0 },
          { color: [0, 0, 1, 0.5], offset: 1 },
        ],
      },
    ];
    const files = {
      'manifest.json': json({ version: '2', animations: [{ id: 'main' }, { id: 'loop' }], themes: [{ id: 'Night' }] }),
      'a/main.json': json(animation),
      'a/loop.json': json(animation),
      't/Night.json': json({ rules }),
      'f/Test-Regular.ttf': FONT_BYTES,
    };
    const root = makeFolder({ 'brand.lottie': writePackageZip(new Map(Object.entries(files))) });
    const report = await added(root, 'brand.lottie');
    expect(report.editables.filter(({ kind }) => kind === 'text')).toMatchObject([
      { key: 't_01', example_text: 'Slot' },
      { key: 't_02', example_text: 'Other' },
    ]);
    expect(report).toMatchObject({ other_animations: ['loop'], themes: ['videos/_brand-night.yaml'], fonts: [] });
    expect(readFileSync(join(root, report.themes[0]!), 'utf8')).toContain(
      'resources:\n  c_01: "#0000FF"\n  n_01: "40"\n  p_01: "50, 60.25"\n  g_01: "#FF0000 0%, #0000FF80 100%"\n',
    );
    expect(report.notes.map(({ message }) => message)).toContain(
      'The theme "Night" also sets "unknown", as values that change over time, or of slots that are not editable',
    );
    const definition = readFileSync(join(root, report.definition), 'utf8');
    expect(definition).toContain('  n_01: "100"  # faded\n  p_01: "0, 0"  # middle\n');
    writeFileSync(
      join(root, 'videos/night.yaml'),
      `extends: ./${report.themes[0]!.slice('videos/'.length)}\n${definition.split('  n_01')[0]}`,
    );
    expect(await reelform(root, ['validate'])).toMatchObject({ exitCode: 0 });
    const look = await reelform(root, ['render', 'night', '--frame', '1', '--out', 'night.png']);
    expect(look).toMatchObject({ exitCode: 0 });
    const wrong = ['n_01: fast', 'p_01: 12', 'g_01: "#FF0000"'].map((line) => `  ${line}\n`).join('');
    writeFileSync(join(root, 'videos/wrong.yaml'), `template: brand\ntitle: Wrong\nresources:\n  t_01: A\n${wrong}`);
    writeFileSync(
      join(root, 'videos/order.yaml'),
      'template: brand\ntitle: Order\nresources:\n  t_01: A\n  g_01: "#FF0000 9%, #00FF00 5%"\n',
    );
    const { stderr, stdout } = await reelform(root, ['validate']);
    const problems = `${stdout}${stderr}`;
    expect(problems.match(/wrong_kind/g)).toHaveLength(4);
    expect(problems).toContain('n_01 (faded) must be a number below a million with at most six decimals, not "fast"');
    expect(problems).toContain('p_01 (middle) must be two numbers with a comma between them, not "12"');
    expect(problems).toContain('g_01 (glow) must be 2 to 32 colours with a position for each, or none, not "#FF0000"');
    expect(problems).toContain('The positions of the gradient do not ascend from 0% to 100%');
  });

  it('reads a zip with images, and puts a placeholder where one is missing', async () => {
    const assets = ['one', 'two'].map((id) => ({ id, w: 20, h: 20, u: 'images/', p: `${id}.png`, e: 0 }));
    const animation = lottie([imageLayer('First', 'one'), imageLayer('Second', 'two')], { assets });
    const files = { 'export/data.json': json(animation), 'export/images/one.png': solidPng('#ff0000') };
    const root = makeFolder({ 'card.zip': writePackageZip(new Map(Object.entries(files))) });
    expect(await added(root, 'card.zip')).toMatchObject({ placeholders: ['images/two.png'] });
    expect(readdirSync(join(root, 'templates/card/images'))).toEqual(['one.png', 'two.png']);
  });

  it('names an image that cannot be drawn, in an animation and in a package', async () => {
    const damaged = solidPng('#ff0000').subarray(0, 60);
    const assets = [{ id: 'one', w: 20, h: 20, u: 'images/', p: 'one.png', e: 0 }];
    const animation = lottie([imageLayer('First', 'one')], { assets });
    const zip = { 'data.json': json(animation), 'images/one.png': damaged };
    const own = Object.fromEntries([...smallPackageFiles()].map(([path, bytes]) => [`in/own/${path}`, bytes]));
    const root = makeFolder({
      'card.zip': writePackageZip(new Map(Object.entries(zip))),
      ...own,
      'in/own/images/photo.png': damaged,
    });
    const refused = await add(root, ['card.zip']);
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain('error  images/one.png: The file is truncated or damaged  template_invalid');
    expect(existsSync(join(root, 'templates'))).toBe(false);
    const undrawn = await add(root, ['in/own']);
    expect(undrawn.exitCode).toBe(1);
    expect(undrawn.stderr).toContain('images/photo.png: The file is truncated or damaged');
    expect(undrawn.stderr).toContain('Run reelform template look own once that is solved');
  });

  it('takes fonts from --font, the repository and an npm package', async () => {
    const layers = [textLayer('Headline', 'Hello'), arial];
    const animation = lottie(layers, { fonts: { list: [...FONTS.list, ...ARIAL.list] } });
    const root = makeRepository({
      'in/one.json': json(animation),
      'mine.ttf': FONT_BYTES,
      'npm/package.json': '{"name":"@fontsource/arial","version":"1.0.0"}',
      'npm/LICENSE': 'Open',
      'npm/files/arial-latin-400-normal.woff2': readFileSync('starter/fonts/Tinos-Regular.woff2'),
      'npm/files/arial-cyrillic-400-normal.woff2': readFileSync('starter/fonts/Tinos-Regular-cyrillic.woff2'),
    });
    const { fonts } = await added(root, 'in/one.json', '--font', 'ArialMT=mine.ttf', '--name', 'first');
    expect(fonts).toMatchObject([
      { name: 'Test-Regular', origin: 'repository', from: 'Test-Regular.ttf' },
      { name: 'ArialMT', origin: 'given', from: 'mine.ttf' },
    ]);
    const second = await added(root, 'in/one.json', '--font', `Test-Regular=npm:${root}/npm`, '--name', 'second');
    expect(second.fonts).toMatchObject([{ origin: 'npm' }, { name: 'ArialMT', origin: 'repository' }]);
    expect(fontsOf(root, 'second')).toEqual([
      'ArialMT.ttf',
      'LICENSE-npm.txt',
      'Test-Regular-cyrillic.woff2',
      'Test-Regular.woff2',
    ]);
    const wrong = await add(root, ['in/one.json', '--name', 'third', '--font', 'Nothing=mine.ttf']);
    expect(wrong.stderr).toContain('The animation lacks Test-Regular, ArialMT');
    expect(existsSync(join(root, 'templates/third'))).toBe(false);
  });

  it('adds an existing package, and refuses names that are taken', async () => {
    const files = Object.fromEntries([...smallPackageFiles()].map(([path, bytes]) => [`elsewhere/own/${path}`, bytes]));
    const definition = 'template: own\ntitle: Mine\nresources: { t_01: Mine }\n';
    const root = makeRepository({ ...files, 'elsewhere/own/definition.yaml': definition });
    expect(await added(root, 'elsewhere/own')).toMatchObject({ name: 'own', definition: 'videos/own.yaml' });
    expect(readFileSync(join(root, 'videos/own.yaml'), 'utf8')).toBe(definition);
    expect(existsSync(join(root, 'templates/own/definition.yaml'))).toBe(false);
    const { exitCode, stderr } = await add(root, ['elsewhere/own']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('folder_taken');
    expect((await add(root, ['elsewhere/own', '--force'])).exitCode).toBe(0);
  });

  it.each([
    ['no file', ['none.json'], 'missing_file'],
    ['no animation', ['text.json'], 'template_invalid'],
    ['a wrong colour', ['text.json', '--background', 'red'], 'invalid_color'],
    ['no file of a package', ['npm:left-pad'], 'template_invalid'],
    ['a folder without a package', ['.'], 'template_invalid'],
  ])('refuses %s', async (_, args, code) => {
    const root = makeFolder({ 'text.json': '{"a":1}' });
    const { exitCode, stderr } = await add(root, args);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(code);
    expect(readdirSync(root)).toEqual(['text.json']);
  });
});

describe('reelform template add from elsewhere', () => {
  let server: TestServer;
  const assets = [{ id: 'one', w: 20, h: 20, u: 'images/', p: 'one.png', e: 0 }];
  const animation = json(lottie([imageLayer('Photo', 'one')], { assets }));

  beforeAll(async () => {
    server = await startServer((request, response) => {
      const files: Record<string, Uint8Array> = {
        '/x/photo.json': animation,
        '/x/images/one.png': solidPng('#ff0000'),
      };
      const bytes = files[request.url ?? ''];
      response.writeHead(bytes === undefined ? 404 : 200).end(bytes);
    });
  });
  afterAll(() => server.close());

  it('fetches a URL and the images beside it', async () => {
    const root = makeFolder({});
    expect(await added(root, `${server.url}/x/photo.json`)).toMatchObject({ name: 'photo', placeholders: [] });
    const missing = await add(root, [`${server.url}/none.json`]);
    expect(missing.exitCode).toBe(1);
    expect(missing.stderr).toContain('missing_file');
  });

  it('reads a file of an installed npm package', async () => {
    const root = makeFolder({
      'node_modules/@icons/set/anim/photo.json': animation,
      'node_modules/@icons/set/anim/images/one.png': solidPng('#ff0000'),
    });
    expect(await added(root, 'npm:@icons/set/anim/photo.json')).toMatchObject({ name: 'photo', placeholders: [] });
  });
});
