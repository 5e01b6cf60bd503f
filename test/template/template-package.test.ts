import { describe, expect, it } from 'vitest';
import { canonicalJson, type Json, sha256 } from '../../src/kernel/digest.ts';
import { parseTemplatePackage } from '../../src/template/parse-template-package.ts';
import {
  CLIP,
  MEDIA_MANIFEST,
  mediaAnimation,
  mediaPackage,
  mediaPackageFiles,
  VOICE,
} from '../support/media-package.ts';
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
  it('sets the severity of lint findings without changing the digest', () => {
    const lint = (text: string): string => `${SMALL_MANIFEST}lint: ${text}\n`;
    const manifest = lint('{ low_contrast: error, image_too_small: off }');
    const result = parseTemplatePackage('templates/small', smallPackageFiles({ 'template.yaml': manifest }));
    expect(result.ok && result.value.manifest.lint).toEqual({ low_contrast: 'error', image_too_small: 'off' });
    expect(digest({ 'template.yaml': manifest })).toBe(digest({}));
    expect(problems({ 'template.yaml': lint('{ low_contrast: bad, contrast: error }') })).toEqual([
      'template_invalid: lint has no property contrast',
      'template_invalid: low_contrast of lint must be one of error, warning, off',
    ]);
    expect(problems({ 'template.yaml': lint('error') })).toHaveLength(1);
    const upright = parseTemplatePackage(
      'templates/small',
      smallPackageFiles({ 'template.yaml': lint('{ safe_area: tiktok }') }),
    );
    expect(upright.ok && upright.value.manifest.lint).toEqual({ safe_area: 'tiktok' });
    expect(problems({ 'template.yaml': lint('{ safe_area: cinema }') })).toEqual([
      expect.stringContaining('safe_area of lint must be one of broadcast, '),
    ]);
  });

  it('derives the specification of the interface', () => {
    const { spec, digest: originalDigest } = smallPackage();
    expect(spec).toEqual({
      id: `tsv_${originalDigest.slice(0, 24)}`,
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

  it('reads size, length and stills', () => {
    const { width, height, fps, frameCount, stills } = smallPackage();
    expect({ width, height, fps, frameCount, stills }).toEqual({
      width: 64,
      height: 36,
      fps: 10,
      frameCount: 10,
      stills: [{ name: 'stillcut_01', frame: 5 }],
    });
  });

  it('reports missing files', () => {
    expect(problems({ 'template.yaml': null, 'animation.json': null })).toEqual([
      'template_invalid: The template package templates/small has no template.yaml',
      'template_invalid: The template package templates/small has no animation.json',
    ]);
  });

  it('rejects an animation that is not JSON', () => {
    expect(problems({ 'animation.json': '{"w": 1,' })[0]).toMatch(/^template_invalid: The animation is not valid JSON/);
  });

  it('reports each editable that is missing from the animation or of the wrong kind', () => {
    const manifest = SMALL_MANIFEST.replace('  t_01:', '  t_02:').replace(
      'c_01: { label: Background, kind: color',
      'c_01: { label: Background, kind: text',
    );
    expect(problems({ 'template.yaml': manifest })).toEqual([
      'template_invalid: No element of animation.json has the "sid" t_02',
      'template_invalid: The key of a text must have the form of t_01',
      'template_invalid: The editable c_01 is a text, but in animation.json it fills a property',
    ]);
  });

  it('reports a number that fills a value of another form', () => {
    const manifest = SMALL_MANIFEST.replace('kind: color', 'kind: number').replaceAll('c_01', 'n_01');
    const animation = JSON.stringify(smallPackage().animation).replaceAll('c_01', 'n_01');
    expect(problems({ 'template.yaml': manifest, 'animation.json': animation })).toEqual([
      'template_invalid: The editable n_01 is a number, but the value that it fills in animation.json is not',
    ]);
  });

  it('points to the editable in template.yaml and suggests the closest slot', () => {
    const result = parseTemplatePackage(
      'templates/small',
      smallPackageFiles({ 'template.yaml': SMALL_MANIFEST.replace('  t_01:', '  t_02:') }),
    );
    const diagnostic = result.ok ? undefined : result.diagnostics[0];
    expect(diagnostic?.at?.file).toBe('templates/small/template.yaml');
    expect(diagnostic?.hint).toContain('t_01');
  });

  it('reports missing fonts and images', () => {
    expect(problems({ 'fonts/Test-Regular.ttf': null, 'images/photo.png': null })).toEqual([
      'template_invalid: The font Test-Regular of the animation is not in the package',
      'template_invalid: The image images/photo.png of asset photo is not in the package',
    ]);
  });

  it.each([
    ['no font', Buffer.from('hello, I am no font at all')],
    ['an empty file', Buffer.alloc(0)],
    ['a font that is truncated', TEST_FONT.subarray(0, 5000)],
  ])('rejects %s, which would render no text', (_, font) => {
    expect(problems({ 'fonts/Test-Regular.ttf': font })).toEqual([
      expect.stringMatching(
        /^template_invalid: The file is (?:(?:empty, |a text, )?not a TrueType, OpenType or WOFF font|truncated)$/,
      ),
    ]);
  });

  it('rejects an animation shorter than one frame and an asset without a size', () => {
    const short = { ...smallAnimation(), op: 0.4 };
    expect(problems({ 'animation.json': JSON.stringify(short) })).toEqual([
      'template_invalid: The animation is shorter than one frame',
    ]);
    const flat = smallAnimation();
    Object.assign(flat.assets![0]!, { h: 0 });
    expect(problems({ 'animation.json': JSON.stringify(flat) })[0]).toMatch(/The asset photo is 16×0/);
  });

  it('rejects an image path outside the package', () => {
    const animation = smallAnimation();
    Object.assign(animation.assets![0]!, { u: '../', p: 'secret.png' });
    expect(problems({ 'animation.json': JSON.stringify(animation), '../secret.png': solidPng('#ff0000') })).toEqual([
      'template_invalid: The image ../secret.png of asset photo is not in the package',
    ]);
  });
});

describe('packageDigest()', () => {
  const before = digest({});

  it('is unchanged by labels, length limits, comments and formatting', () => {
    const manifest = `# A comment\n${SMALL_MANIFEST.replace('Headline', 'Title').replace('max_length: 20', 'max_length: 30')}`;
    expect(digest({ 'template.yaml': manifest })).toBe(before);
    expect(digest({ 'animation.json': JSON.stringify(smallAnimation(), null, 2) })).toBe(before);
    expect(digest({ 'README.md': 'For designers' })).toBe(before);
  });

  it('changes with everything that affects a frame or a still', () => {
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

describe('parseTemplatePackage() of videos, sounds and fonts', () => {
  const mediaProblems = (changes: Parameters<typeof mediaPackageFiles>[0]): string[] => {
    const result = parseTemplatePackage('templates/media', mediaPackageFiles(changes));
    return result.ok ? [] : result.diagnostics.map(({ message, hint }) => [message, hint ?? []].flat().join('. '));
  };
  const manifest = (from: string, to: string) => ({ 'template.yaml': MEDIA_MANIFEST.replace(from, to) });

  it('derives their editables', () => {
    const { editables, fonts, available_fonts } = mediaPackage().spec;
    const shared = { stillcut: 'stillcut_01', required: false };
    expect(editables[CLIP]).toEqual({
      input_type: 'video',
      ...shared,
      label: 'Clip',
      width: 32,
      height: 18,
      duration: 0.6,
    });
    expect(editables[VOICE]).toEqual({ input_type: 'audio', ...shared, label: 'Voice', duration: 0.8 });
    expect(editables.f_01).toEqual({
      input_type: 'font',
      ...shared,
      label: 'Font',
      fonts: ['Test-Regular'],
      allowed_fonts: ['Test-Regular', 'Spare-Italic'],
    });
    expect({ fonts, available_fonts }).toEqual({
      fonts: ['Test-Regular'],
      available_fonts: ['Test-Regular', 'Spare-Italic', 'Wide-Regular'],
    });
  });

  it('allows every font of the package where no list is given', () => {
    const result = parseTemplatePackage(
      '',
      mediaPackageFiles(manifest(', allowed_fonts: [Test-Regular, Spare-Italic]', '')),
    );
    expect(result.ok && result.value.spec.editables.f_01!.allowed_fonts).toEqual([
      'Test-Regular',
      'Spare-Italic',
      'Wide-Regular',
    ]);
  });

  it('orders fallback fonts by template.yaml first and then by name', () => {
    const { fallbackFonts } = mediaPackage();
    expect(fallbackFonts).toEqual(['Wide-Regular', 'Spare-Italic']);
  });

  it.each<[string, Parameters<typeof mediaPackageFiles>[0], string]>([
    [
      'a field that goes with fonts',
      manifest('label: Clip,', 'label: Clip, replaces: Test-Regular,'),
      `${CLIP} has replaces, which is only for the kind font`,
    ],
    [
      'a font that stands in for none',
      manifest(' replaces: Test-Regular,', ''),
      'f_01 needs "replaces", the name of the font that it replaces',
    ],
    [
      'a font that no text has',
      manifest('replaces: Test-Regular', 'replaces: Test-Regula'),
      'f_01 replaces Test-Regula, but no text of the animation uses it. Did you mean Test-Regular?',
    ],
    [
      'texts that are none',
      manifest('replaces: Test-Regular', 'replaces: Test-Regular, texts: [t_011]'),
      'f_01 refers to the text t_011, which is not an editable. Did you mean t_01?',
    ],
    [
      'one text where a list belongs',
      manifest('replaces: Test-Regular', 'replaces: Test-Regular, texts: t_01'),
      'texts must be a list of texts, like [a, b]',
    ],
    [
      'a font to choose that is missing',
      manifest('Spare-Italic]', 'Spare-Italics]'),
      'f_01 allows the font Spare-Italics, which is not in the package. Did you mean Spare-Italic?',
    ],
    [
      'a fallback that is missing',
      manifest('[Wide-Regular]', '[Noto]'),
      'The font Noto of fallback_fonts is not in the package. Add fonts/Noto.ttf (or .otf, .woff2, .woff)',
    ],
    [
      'a spare font that is none',
      { 'fonts/Wide-Regular.ttf': 'no font at all' },
      'The file is a text, not a TrueType, OpenType or WOFF font. Replace the font file',
    ],
    ['a key of another form', manifest('f_01:', 'font:'), 'The key of a font must have the form of f_01'],
    [
      'music that is missing',
      { 'audio/music.wav': null },
      'The sound audio/music.wav of asset music is not in the package',
    ],
    [
      'an image where a sound belongs',
      manifest(`${CLIP}: { label: Clip, kind: video`, `${CLIP}: { label: Clip, kind: audio`),
      `The editable ${CLIP} is an audio, but in animation.json it fills an image. A sound must be an asset that a layer of type 6 plays`,
    ],
  ])('rejects %s', (_, changes, message) => expect(mediaProblems(changes)).toEqual([message]));

  it('accepts an empty list of fallback fonts', () => {
    expect(mediaProblems(manifest('[Wide-Regular]', '[]'))).toEqual([]);
  });

  it('points to the unknown fallback font in template.yaml', () => {
    const files = mediaPackageFiles(manifest('[Wide-Regular]', '[Noto]'));
    const result = parseTemplatePackage('templates/media', files);
    const [diagnostic] = result.ok ? [] : result.diagnostics;
    const text = new TextDecoder().decode(files.get('template.yaml'));
    expect(text.slice(diagnostic!.at!.start, diagnostic!.at!.end)).toBe('Noto');
  });

  it('accepts an embedded sound and rejects an empty one that nothing fills', () => {
    const animation = mediaAnimation();
    Object.assign(animation.assets!.find(({ id }) => id === 'music')!, { u: '', p: 'data:audio/wav;base64,UklGRg==' });
    const inside = parseTemplatePackage('', mediaPackageFiles({ 'animation.json': JSON.stringify(animation) }));
    expect(inside.ok && Buffer.from(inside.value.sounds.get('music')!.bytes).toString()).toBe('RIFF');
    Object.assign(animation.assets!.find(({ id }) => id === 'music')!, { p: '' });
    expect(mediaProblems({ 'animation.json': JSON.stringify(animation) })).toEqual([
      'The asset music has neither a sound nor an editable',
    ]);
  });
});

describe('packageDigest() of newer features', () => {
  it('is unchanged for a package without them', () => {
    const { animation, fonts, images, stills } = smallPackage();
    const digests = (files: ReadonlyMap<string, { bytes: Uint8Array }>) =>
      Object.fromEntries([...files].map(([name, { bytes }]) => [name, sha256(bytes)]));
    const before = {
      animation,
      fonts: digests(fonts),
      images: digests(images),
      stills,
      editables: {
        t_01: { kind: 'text', required: true },
        c_01: { kind: 'color', required: true },
        '(Footage)/USER/photo.png': { kind: 'image', required: false },
      },
    };
    expect(smallPackage().digest).toBe(sha256(canonicalJson(before as unknown as Json)));
  });

  it('changes with a correction of the picture, and only where it applies', () => {
    const animated = (layer: object): string => {
      const animation = smallAnimation();
      animation.layers = [...animation.layers, layer];
      return JSON.stringify(animation);
    };
    const withoutRepairs = (text: string): string => {
      const animation = JSON.parse(text) as object;
      const { fonts, images, stills, manifest } = smallPackage();
      const files = (map: ReadonlyMap<string, { bytes: Uint8Array }>) =>
        Object.fromEntries([...map].map(([name, { bytes }]) => [name, sha256(bytes)]));
      const editables = Object.fromEntries(
        [...manifest.editables].map(([key, { kind, required }]) => [key, { kind, required }]),
      );
      return sha256(
        canonicalJson({ animation, fonts: files(fonts), images: files(images), stills, editables } as unknown as Json),
      );
    };
    const solid = { ty: 1, ind: 90, ip: 0, op: 9, st: 0, ks: {}, sw: 9, sh: 9 };
    const [right, wrong] = [animated({ ...solid, sc: '#ff0000' }), animated({ ...solid, sc: '' })];
    expect(digest({ 'animation.json': right })).toBe(withoutRepairs(right));
    expect(digest({ 'animation.json': wrong })).not.toBe(withoutRepairs(wrong));
  });

  it('changes with extra fonts, their order, replacements and sounds, but not with allowed fonts', () => {
    const mediaDigest = (changes: Parameters<typeof mediaPackageFiles>[0]) => {
      const result = parseTemplatePackage('', mediaPackageFiles(changes));
      if (!result.ok) throw new Error(JSON.stringify(result.diagnostics));
      return result.value.digest;
    };
    const manifest = (from: string, to: string) => ({ 'template.yaml': MEDIA_MANIFEST.replace(from, to) });
    const digests = [
      mediaDigest({}),
      mediaDigest({ 'fonts/Spare-Italic.ttf': null, ...manifest(', Spare-Italic]', ']') }),
      mediaDigest(manifest('[Wide-Regular]', '[Spare-Italic]')),
      mediaDigest(manifest('replaces: Test-Regular', 'replaces: Test-Regular, texts: [t_01]')),
      mediaDigest({ 'audio/music.wav': 'RIFF' }),
    ];
    expect(new Set(digests).size).toBe(digests.length);
    expect(mediaDigest(manifest(', Spare-Italic]', ', Wide-Regular]'))).toBe(digests[0]);
  });
});
