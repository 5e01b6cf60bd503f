import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readPackageZip } from '../../../src/template/archive/read-package-zip.ts';
import { writePackageZip } from '../../../src/template/archive/write-zip.ts';
import { LATIN } from '../../engine/text/test-fonts.ts';
import {
  FONT_BYTES,
  FONTS,
  fill,
  lottie,
  rectangle,
  shapeLayer,
  TRANSFORM,
  textLayer,
} from '../../support/lottie-documents.ts';
import { makeFolder, makeRepository } from '../../support/repository.ts';
import { SMALL_MANIFEST, smallAnimation, smallPackageFiles, solidPng } from '../../support/small-package.ts';
import { reelform } from '../../support/test-io.ts';

const PROMO = JSON.stringify(lottie([textLayer('Headline', 'Hello')], { fonts: FONTS }));

function packageFolder(changes: Parameters<typeof smallPackageFiles>[0] = {}): string {
  const files = smallPackageFiles({ 'fonts/OFL.txt': 'A licence', ...changes });
  return makeFolder(Object.fromEntries([...files].map(([path, bytes]) => [`small/${path}`, bytes])));
}

describe('reelform template init', () => {
  it('creates a usable package and prints what it found', async () => {
    const root = makeFolder({ 'in/promo.json': PROMO, 'in/fonts/Test-Regular.ttf': FONT_BYTES });
    const { exitCode, stdout, stderr } = await reelform(root, [
      'template',
      'init',
      'in/promo.json',
      '--name',
      'Spring: promo',
    ]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toBe(`✓ templates/promo  200 × 100, 30 fps, 2 s

1 editable
  t_01  text  Headline  "Hello"  stillcut_01  10 characters  proposed

1 still
  stillcut_01  1 s  frame 30  chosen because most is visible there

Next
  Review templates/promo/template.yaml: labels, lengths and stillcuts are suggestions
  reelform template check templates/promo
  In reelform.yaml:  templates: {promo: ./templates/promo}
`);
    expect(readFileSync(join(root, 'templates/promo/template.yaml'), 'utf8')).toBe(`name: "Spring: promo"
description: "200 × 100, 30 frames per second, 2 seconds"
stillcuts:
  stillcut_01: 1
editables:
  t_01: { label: Headline, kind: text, stillcut: stillcut_01, max_length: 10, required: false }
`);
  });

  it('shows line breaks and colours, and lists what was left out because other layers are named', async () => {
    const paint = (color: readonly number[]) => [rectangle(9, 9, 9, 9), fill(color)];
    const layers = [
      textLayer('t_01 Headline', 'Good\rMorning'),
      textLayer('Subline', 'For you'),
      shapeLayer('Disc', paint([1, 0, 0])),
      shapeLayer('Bar', paint([1, 0, 0, 1])),
      shapeLayer('Ground', paint([0, 0, 1, 0.5])),
    ];
    const promo = JSON.stringify(lottie(layers, { fonts: FONTS }));
    const root = makeFolder({ 'promo.json': promo, 'Test-Regular.ttf': FONT_BYTES });
    const { stdout } = await reelform(root, ['template', 'init', 'promo.json', '--colors']);
    expect(stdout).toContain(`
2 editables
  t_01  text   Headline                    "Good\\nMorning"  stillcut_01  18 characters  by its name
  c_01  color  Colour #FF0000 (Disc, Bar)  #FF0000          stillcut_01                 proposed
`);
    expect(stdout).toContain(`
Not editable
  The text "Subline" has neither a slot nor a key in the name; to make one editable, name its layer "t_02 Subline"
  Colours: #0000FF of 1 layer; --colors 1 makes it editable
`);
  });

  it('refuses a non-empty folder without --force', async () => {
    const root = makeFolder({
      'promo.json': PROMO,
      'templates/promo/notes.txt': 'mine',
      'Test-Regular.ttf': FONT_BYTES,
    });
    const { exitCode, stderr } = await reelform(root, ['template', 'init', 'promo.json']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('folder_taken');
    expect((await reelform(root, ['template', 'init', 'promo.json', '--force'])).exitCode).toBe(0);
    expect(readFileSync(join(root, 'templates/promo/notes.txt'), 'utf8')).toBe('mine');
  });

  it('bakes expressions again with --force, and keeps a template.yaml that still fits', async () => {
    const turning = (speed: number) => {
      const ks = { ...TRANSFORM, r: { a: 0, k: 0, x: `var $bm_rt = time * ${speed};` } };
      return JSON.stringify(lottie([textLayer('t_01 Headline', 'Hello', { ks })], { fonts: FONTS }));
    };
    const root = makeFolder({ 'promo.json': turning(30), 'Test-Regular.ttf': FONT_BYTES });
    const path = (name: string) => join(root, 'templates/promo', name);
    await reelform(root, ['template', 'init', 'promo.json']);
    const manifest = readFileSync(path('template.yaml'), 'utf8').replace('label: Headline', 'label: My headline');
    writeFileSync(path('template.yaml'), manifest);
    // The source has changed.
    writeFileSync(join(root, 'promo.json'), turning(60));
    const again = await reelform(root, ['template', 'init', 'promo.json', '--force']);
    expect(again.stdout).toContain('Kept template.yaml');
    expect(readFileSync(path('template.yaml'), 'utf8')).toBe(manifest);
    const { layers } = JSON.parse(readFileSync(path('animation.json'), 'utf8'));
    expect(layers[0].ks.r).toMatchObject({ k: [{ s: [0] }, { t: 59, s: [118] }], baked: { expression: expect.stringContaining('60') } }); // biome-ignore format: one property
    // The package itself can be edited, too.
    const edited = readFileSync(path('animation.json'), 'utf8').replace('time * 60', 'time * 90');
    writeFileSync(path('animation.json'), edited);
    const own = ['template', 'init', 'templates/promo/animation.json', '--out', 'templates/promo', '--force'];
    expect((await reelform(root, own)).stdout).toContain('Kept template.yaml');
    expect(JSON.parse(readFileSync(path('animation.json'), 'utf8')).layers[0].ks.r.k[1].s).toEqual([177]);
    // A manifest with another editable does not fit.
    writeFileSync(path('template.yaml'), manifest.replace('t_01:', 't_07:'));
    expect((await reelform(root, own)).stdout).toContain('Replaced template.yaml');
    expect(readFileSync(path('template.yaml'), 'utf8')).toContain('t_01:');
  });

  it('lists the fonts to add, also as JSON', async () => {
    const root = makeFolder({ 'promo.json': PROMO });
    const { exitCode, stdout } = await reelform(root, ['template', 'init', 'promo.json', '--json', '--out', 'made']);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      format_version: '1.0',
      folder: 'made',
      ready: false,
      editables: [{ key: 't_01', kind: 'text', example_text: 'Hello', max_length: 10, origin: 'proposed' }],
      stillcuts: [{ name: 'stillcut_01', frame: 30, origin: 'chosen' }],
      files: ['template.yaml', 'animation.json'],
      needs: [{ kind: 'font', name: 'Test-Regular', path: 'fonts/Test-Regular.ttf', problem: null }],
    });
    const check = await reelform(root, ['template', 'check', 'made']);
    expect(check.exitCode).toBe(1);
    expect(check.stderr).toContain('The font Test-Regular of the animation is not in the package');
  });

  it('reads an animation and its images from a .lottie file, and lists its other animations', async () => {
    const animation = smallAnimation();
    animation.assets![0]!.u = '/i/';
    const text = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
    const manifest = { version: '2', animations: [{ id: 'one' }, { id: 'two' }] };
    const bytes = writePackageZip(
      new Map([
        ['manifest.json', text(manifest)],
        ['a/one.json', text({})],
        ['a/two.json', text(animation)],
        ['i/photo.png', solidPng('#00ff00')],
        ['f/Test-Regular.ttf', FONT_BYTES],
      ]),
    );
    const root = makeFolder({ 'promo.lottie': bytes });
    const args = ['template', 'init', 'promo.lottie', '--json', '--out', 'made'];
    expect((await reelform(root, args)).exitCode).toBe(1);
    const { exitCode, stdout } = await reelform(root, [...args, '--animation', 'two']);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ ready: true, other_animations: ['one'], needs: [] });
    expect(existsSync(join(root, 'made/images/photo.png'))).toBe(true);
    expect((await reelform(root, [...args, '--animation', 'three'])).stderr).toContain(
      'The file has no animation "three"',
    );
  });

  it('explains why it cannot create a package', async () => {
    const root = makeFolder({ 'no.json': '{"w":', 'empty.json': JSON.stringify(lottie([])) });
    for (const [file, message] of [
      ['no.json', 'The file is not a Lottie animation:'],
      ['empty.json', 'The animation has nothing to edit: no slot, static text, image or sound'],
      ['gone.json', 'gone.json cannot be read'],
    ]) {
      const { exitCode, stderr } = await reelform(root, ['template', 'init', file!]);
      expect(exitCode).toBe(1);
      expect(stderr).toContain(message);
    }
    expect(existsSync(join(root, 'templates'))).toBe(false);
  });
});

describe('reelform template check', () => {
  it('counts editables and stills, and warns of weaknesses', async () => {
    const animation = smallAnimation();
    Object.assign(animation.layers[2]!, { mb: true });
    const manifest =
      'name: Small\nstillcuts:\n  a: 0.5\n  b: 0\neditables:\n  c_01: { label: Ground, kind: color, stillcut: a }\n';
    const padded = Buffer.concat([solidPng('#00ff00', 300, 300), Buffer.alloc(120_000, 7)]);
    const root = packageFolder({
      'animation.json': JSON.stringify(animation),
      'template.yaml': manifest,
      'images/photo.png': padded,
      'fonts/OFL.txt': null,
    });
    const { exitCode, stdout, stderr } = await reelform(root, ['template', 'check', 'small']);
    expect({ exitCode, stdout: stdout.slice(0, 41) }).toEqual({
      exitCode: 0,
      stdout: '✓ small  64 × 36, 1 editable, 2 stills  t',
    });
    for (const code of ['template_unsupported', 'template_unseen', 'image_too_large', 'font_unlicensed']) {
      expect(stderr).toContain(code);
    }
    expect(stderr).toContain('Motion blur is not rendered: motion blur of "background" (/layers/2)');
    expect((await reelform(root, ['template', 'check', 'small', '--strict'])).exitCode).toBe(1);
  });

  it('shows the possible lengths of a template with timing', async () => {
    const root = packageFolder({ 'template.yaml': `${SMALL_MANIFEST}timing:\n  - { hold: 0.9, max: 2 }\n` });
    const { stdout } = await reelform(root, ['template', 'check', 'small']);
    expect(stdout).toContain('✓ small  64 × 36, 3 editables, 1 still, 1 to 3 s  tsv_');
    const json = await reelform(root, ['template', 'check', 'small', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ valid: true, lengths: { min: 1, max: 3 } });
  });

  it('reports a hold at which the picture moves in its line, with the severity of lint', async () => {
    const document = smallAnimation();
    const [, photo] = document.layers as [unknown, { ks: object }];
    photo.ks = {
      ...photo.ks,
      r: {
        a: 1,
        k: [
          { t: 0, s: [0] },
          { t: 30, s: [180] },
        ],
      },
    };
    const check = async (manifest: string, config?: string) => {
      const root = packageFolder({ 'template.yaml': manifest, 'animation.json': JSON.stringify(document) });
      if (config !== undefined) writeFileSync(join(root, 'reelform.yaml'), `templates: {small: ./small}\n${config}`);
      const { exitCode, stdout } = await reelform(root, ['template', 'check', 'small', '--json']);
      const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; severity: string; line: number }[] };
      const found = diagnostics.filter(({ code }) => code === 'hold_moves');
      return [exitCode, ...found.map(({ severity, line }) => `${severity} ${line}`)];
    };
    expect(await check(SMALL_MANIFEST)).toEqual([0, 'warning 1']);
    const timed = `${SMALL_MANIFEST}timing:\n  - { hold: 0.3 }\n`;
    expect(await check(timed)).toEqual([0, 'warning 9']);
    expect(await check(`${timed}lint: { hold_moves: error }\n`)).toEqual([1, 'error 9']);
    expect(await check(`${timed}lint: { hold_moves: off }\n`)).toEqual([0]);
    expect(await check(`${timed}lint: { hold_moves: error }\n`, 'lint: { hold_moves: off }')).toEqual([0]);
  });

  it('reports a wrong place of timing in its line', async () => {
    const root = packageFolder({ 'template.yaml': `${SMALL_MANIFEST}timing:\n  - { hold: 0.9 }\n  - { hold: 3 }\n` });
    const { exitCode, stderr } = await reelform(root, ['template', 'check', 'small']);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('small/template.yaml:10:5')]);
  });

  it('reports fonts that cannot be set as template.yaml says, at their entry', async () => {
    const text = `${SMALL_MANIFEST}fonts:\n  Test-Regular: { axes: { wght: 700 }, features: { ss42: 1 } }\n`;
    const root = packageFolder({ 'template.yaml': text });
    const { exitCode, stderr } = await reelform(root, ['template', 'check', 'small']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('small/template.yaml:9:3');
    expect(stderr).toContain('it has no axis wght');
    expect(stderr).toContain('it has no feature ss42');
  });

  it('reports a font with another weight than the animation asks for', async () => {
    const animation = smallAnimation();
    Object.assign(animation, { fonts: { list: [{ fName: 'Test-Regular', fFamily: 'Test', fStyle: 'Black' }] } });
    const root = packageFolder({ 'animation.json': JSON.stringify(animation) });
    const { stderr } = await reelform(root, ['template', 'check', 'small']);
    expect(stderr).toContain('font_weight');
    expect(stderr).toContain('asks for Test-Regular with the weight 900 (/fonts/list/0), but its file has 500');
  });

  it('reports the expressions that template init could not evaluate', async () => {
    const ks = { ...TRANSFORM, r: { a: 0, k: 0, x: 'var $bm_rt = thisLayer.missing.width;' } };
    const promo = JSON.stringify(lottie([textLayer('Headline', 'Hello', { ks })], { fonts: FONTS }));
    const root = makeFolder({ 'promo.json': promo, 'Test-Regular.ttf': FONT_BYTES });
    const { stdout: report } = await reelform(root, ['template', 'init', 'promo.json']);
    expect(report).toContain('An expression of the layer "Headline" stays');
    const { stdout } = await reelform(root, ['template', 'check', 'templates/promo', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      valid: true,
      unsupported: [{ feature: 'expression', what: expect.stringContaining("'width' of undefined"), layer: 'Headline', pointer: '/layers/0/ks/r' }], // biome-ignore format: one finding
    });
  });

  it('reports the errors of a package with their locations as JSON', async () => {
    const root = packageFolder();
    writeFileSync(
      join(root, 'small/template.yaml'),
      'name: Small\nstillcuts:\n  a: 0\neditables:\n  t_09: { label: X, kind: text, stillcut: a }\n',
    );
    const { exitCode, stdout } = await reelform(root, ['template', 'check', 'small', '--json']);
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      valid: false,
      style_version: null,
      diagnostics: [{ code: 'template_invalid', severity: 'error', file: 'small/template.yaml', line: 5, column: 3 }],
    });
  });
});

describe('fonts with damaged compressed content', () => {
  const damaged = new Uint8Array(LATIN.bytes).fill(7, 3_000);
  const told = [
    { code: 'template_invalid', severity: 'error', message: 'The font Spare.woff2 is a damaged WOFF2 file' },
  ];

  it('are found by template check even if no text uses them', async () => {
    const root = packageFolder({ 'fonts/Spare.woff2': damaged });
    const { exitCode, stdout } = await reelform(root, ['template', 'check', 'small', '--json']);
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout).diagnostics).toMatchObject([{ ...told[0], file: 'small/fonts/Spare.woff2' }]);
  });

  it('are found by validate', async () => {
    const root = makeRepository({ 'templates/small/fonts/Spare.woff2': damaged });
    const { exitCode, stdout } = await reelform(root, ['validate', '--json']);
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout).diagnostics).toEqual(expect.arrayContaining([expect.objectContaining(told[0])]));
  });
});

describe('reelform template pack', () => {
  it('packs a package into a file that a repository can use instead', async () => {
    const root = makeRepository();
    await reelform(root, ['pull']);
    const before = JSON.parse((await reelform(root, ['plan', '--json'])).stdout) as { plan_id: string };
    const packed = await reelform(root, ['template', 'pack', 'templates/small', '--out', 'small.lottie', '--json']);
    expect(JSON.parse(packed.stdout)).toMatchObject({ file: 'small.lottie', files: 4 });
    const config = readFileSync(join(root, 'reelform.yaml'), 'utf8');
    writeFileSync(join(root, 'reelform.yaml'), config.replace('./templates/small', './small.lottie'));
    rmSync(join(root, 'templates'), { recursive: true });
    const after = JSON.parse((await reelform(root, ['plan', '--json'])).stdout) as { plan_id: string };
    expect(after.plan_id).toBe(before.plan_id);

    // A changed file is detected, and an invalid package is reported.
    const files = readPackageZip(readFileSync(join(root, 'small.lottie')));
    const changed = new Map(files.ok ? files.value : []);
    changed.set('i/photo.png', solidPng('#123456'));
    writeFileSync(join(root, 'small.lottie'), writePackageZip(changed));
    const other = JSON.parse((await reelform(root, ['plan', '--json'])).stdout) as { plan_id: string };
    expect(other.plan_id).not.toBe(before.plan_id);
    changed.delete('reelform/template.yaml');
    writeFileSync(join(root, 'small.lottie'), writePackageZip(changed));
    const { exitCode, stderr } = await reelform(root, ['plan']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('Create a package from it with reelform template init');
  });

  it('includes a font of the repository that the animation references, as check does', async () => {
    const root = packageFolder({ 'fonts/Test-Regular.ttf': null });
    mkdirSync(join(root, 'shared/other'), { recursive: true });
    writeFileSync(join(root, 'shared/Test-Regular.ttf'), FONT_BYTES);
    writeFileSync(join(root, 'shared/other/Other.ttf'), FONT_BYTES);
    writeFileSync(join(root, 'reelform.yaml'), 'fonts: ./shared\ntemplates: {small: ./small}\n');
    const check = await reelform(root, ['template', 'check', 'small', '--json']);
    expect(JSON.parse(check.stdout)).toMatchObject({ valid: true });
    expect((await reelform(root, ['template', 'pack', 'small'])).stderr).toBe('');
    const packed = readPackageZip(readFileSync(join(root, 'small.lottie')));
    expect(packed.ok && [...packed.value.keys()].filter((path) => path.endsWith('.ttf'))).toEqual([
      'f/Test-Regular.ttf',
    ]);
  });

  it('refuses an invalid package', async () => {
    const root = packageFolder({ 'fonts/Test-Regular.ttf': null });
    const { exitCode, stderr } = await reelform(root, ['template', 'pack', 'small']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('template_invalid');
    expect(existsSync(join(root, 'small.lottie'))).toBe(false);
  });
});
