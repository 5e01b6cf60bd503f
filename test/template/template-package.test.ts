import { describe, expect, it } from 'vitest';
import { parseTemplatePackage } from '../../src/template/parse-template-package.ts';
import {
  SMALL_MANIFEST,
  smallAnimation,
  smallPackage,
  smallPackageFiles,
  solidPng,
  TEST_FONT,
} from '../support/small-package.ts';

function problems(changes: Parameters<typeof smallPackageFiles>[0]): string[] {
  const result = parseTemplatePackage('templates/small', smallPackageFiles(changes));
  return result.ok ? [] : result.diagnostics.map((diagnostic) => `${diagnostic.code}: ${diagnostic.message}`);
}

function digest(changes: Parameters<typeof smallPackageFiles>[0]): string {
  const result = parseTemplatePackage('templates/small', smallPackageFiles(changes));
  if (!result.ok) throw new Error(JSON.stringify(result.diagnostics));
  return result.value.digest;
}

describe('parseTemplatePackage()', () => {
  it('derives the specification in the form of the interface', () => {
    const { spec, digest: own } = smallPackage();
    expect(spec).toEqual({
      id: `tsv_${own.slice(0, 24)}`,
      editables: {
        t_01: {
          input_type: 'text',
          example_text: 'Hello',
          fonts: ['Test-Regular'],
          stillcut: 'stillcut_01',
          label: 'Headline',
          max_length: 20,
        },
        c_01: { input_type: 'color', example_text: '0000FF', fonts: [], stillcut: 'stillcut_01', label: 'Background' },
        '(Footage)/USER/photo.png': {
          input_type: 'image',
          stillcut: 'stillcut_01',
          label: 'Photo',
          required: false,
          width: 16,
          height: 16,
        },
      },
      fonts: ['Test-Regular'],
    });
    expect(Object.keys(spec.editables)).toEqual(['t_01', 'c_01', '(Footage)/USER/photo.png']);
  });

  it('reads the size, the length and the stills', () => {
    const { width, height, fps, frameCount, stills } = smallPackage();
    expect({ width, height, fps, frameCount, stills }).toEqual({
      width: 64,
      height: 36,
      fps: 10,
      frameCount: 10,
      stills: [{ name: 'stillcut_01', frame: 5 }],
    });
  });

  it('tells which files a package lacks', () => {
    expect(problems({ 'template.yaml': null, 'animation.json': null })).toEqual([
      'template_invalid: The template package templates/small has no template.yaml',
      'template_invalid: The template package templates/small has no animation.json',
    ]);
  });

  it('refuses an animation that is no JSON', () => {
    expect(problems({ 'animation.json': '{"w": 1,' })[0]).toMatch(/^template_invalid: The animation is not JSON/);
  });

  it('tells every editable that the animation does not have, and each in the wrong place', () => {
    const manifest = SMALL_MANIFEST.replace('  t_01:', '  t_02:').replace(
      'c_01: { label: Background, kind: color',
      'c_01: { label: Background, kind: text',
    );
    expect(problems({ 'template.yaml': manifest })).toEqual([
      'template_invalid: Nothing in animation.json is filled by t_02',
      'template_invalid: The key of a text must have the form of t_01',
      'template_invalid: The editable c_01 is a text, but in animation.json it fills property',
    ]);
  });

  it('points at the editable in template.yaml and names the nearest slot', () => {
    const result = parseTemplatePackage(
      'templates/small',
      smallPackageFiles({ 'template.yaml': SMALL_MANIFEST.replace('  t_01:', '  t_02:') }),
    );
    const diagnostic = result.ok ? undefined : result.diagnostics[0];
    expect(diagnostic?.at?.file).toBe('templates/small/template.yaml');
    expect(diagnostic?.hint).toContain('t_01');
  });

  it('tells fonts and images that the package lacks', () => {
    expect(problems({ 'fonts/Test-Regular.ttf': null, 'images/photo.png': null })).toEqual([
      'template_invalid: The font Test-Regular of the animation is not in the package',
      'template_invalid: The image images/photo.png of asset photo is not in the package',
    ]);
  });

  it.each([
    ['no font', Buffer.from('hello, I am no font at all')],
    ['an empty file', Buffer.alloc(0)],
    ['a font that is cut off', TEST_FONT.subarray(0, 5000)],
  ])('refuses %s, which would render as no text', (_, font) => {
    expect(problems({ 'fonts/Test-Regular.ttf': font })).toEqual([
      expect.stringMatching(/^template_invalid: The file is (?:no TrueType, OpenType or WOFF font|cut off)$/),
    ]);
  });

  it('refuses an animation shorter than a frame and an asset without a size', () => {
    const short = { ...smallAnimation(), op: 0.4 };
    expect(problems({ 'animation.json': JSON.stringify(short) })).toEqual([
      'template_invalid: The animation is shorter than one frame',
    ]);
    const flat = smallAnimation();
    Object.assign(flat.assets![0]!, { h: 0 });
    expect(problems({ 'animation.json': JSON.stringify(flat) })[0]).toMatch(/The asset photo is 16×0/);
  });

  it('does not follow an image path out of the package', () => {
    const animation = smallAnimation();
    Object.assign(animation.assets![0]!, { u: '../', p: 'secret.png' });
    expect(problems({ 'animation.json': JSON.stringify(animation), '../secret.png': solidPng('red') })).toEqual([
      'template_invalid: The image ../secret.png of asset photo is not in the package',
    ]);
  });
});

describe('packageDigest()', () => {
  const before = digest({});

  it('does not change with labels, length limits, comments or the formatting of the animation', () => {
    const manifest = `# A comment\n${SMALL_MANIFEST.replace('Headline', 'Title').replace('max_length: 20', 'max_length: 30')}`;
    expect(digest({ 'template.yaml': manifest })).toBe(before);
    expect(digest({ 'animation.json': JSON.stringify(smallAnimation(), null, 2) })).toBe(before);
    expect(digest({ 'README.md': 'For designers' })).toBe(before);
  });

  it('changes with everything that reaches a frame or a still', () => {
    const animation = smallAnimation();
    animation.op = 12;
    const changed = [
      digest({ 'animation.json': JSON.stringify(animation) }),
      digest({ 'fonts/Test-Regular.ttf': Buffer.concat([TEST_FONT, Buffer.from([0])]) }),
      digest({ 'images/photo.png': solidPng('#ff0000') }),
      digest({ 'template.yaml': SMALL_MANIFEST.replace('stillcut_01: 0.5', 'stillcut_01: 0.7') }),
    ];
    expect(new Set([before, ...changed]).size).toBe(5);
  });
});
