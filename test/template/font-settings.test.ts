import { describe, expect, it } from 'vitest';
import { segmentKey } from '../../src/engine/segments/segment.ts';
import { bindMapping } from '../../src/template/bind/bind-mapping.ts';
import { mergeSettings, settingsOfStyle } from '../../src/template/font-settings.ts';
import { fontUses } from '../../src/template/font-uses.ts';
import { parseTemplatePackage } from '../../src/template/parse-template-package.ts';
import type { RenderInput } from '../../src/template/render-input.ts';
import type { TemplatePackage } from '../../src/template/template-package.ts';
import { VARIABLE } from '../engine/text/test-fonts.ts';
import { SMALL_MANIFEST, smallPackageFiles } from '../support/small-package.ts';

const FILES = { 'fonts/Test-Regular.ttf': null, 'fonts/Geist.woff2': VARIABLE.bytes };

function manifest(fonts: string, text = ''): string {
  return `${SMALL_MANIFEST.replace('max_length: 20', `max_length: 20${text}`)}fonts:\n  Test-Regular: ${fonts}\n`;
}

function parse(text: string): ReturnType<typeof parseTemplatePackage> {
  return parseTemplatePackage('small', smallPackageFiles({ ...FILES, 'template.yaml': text }));
}

function template(text: string): TemplatePackage {
  const parsed = parse(text);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.diagnostics));
  return parsed.value;
}

function problems(text: string): string[] {
  const parsed = parse(text);
  return parsed.ok ? [] : parsed.diagnostics.map(({ message }) => message);
}

const inputOf = (text: string): RenderInput => bindMapping(template(text), { resources: {} }, new Map());
const BOLD = '{ file: Geist, axes: { wght: 700 }, features: { tnum: 1 } }';

describe('fonts of template.yaml', () => {
  it('give an input the file under the name that texts use, with its settings', () => {
    const renderInput = inputOf(manifest(BOLD));
    expect(renderInput.fonts).toEqual([
      {
        name: 'Test-Regular',
        bytes: VARIABLE.bytes,
        isFallback: false,
        axes: { wght: 700 },
        features: { tnum: 1 },
      },
      { name: 'Geist', bytes: VARIABLE.bytes, isFallback: true },
    ]);
  });

  it('change the digest of the package and the keys of its segments', () => {
    const manifests = [
      manifest('{ file: Geist }'),
      manifest(BOLD),
      manifest(BOLD.replace('700', '701')),
      manifest(BOLD.replace('tnum: 1', 'tnum: 0')),
      manifest(BOLD, ', axes: { wght: 300 }'),
      manifest(BOLD, ', features: { liga: 0 }'),
    ];
    expect(new Set(manifests.map((text) => template(text).digest)).size).toBe(manifests.length);
    const keys = manifests.map((text) => segmentKey(inputOf(text), { first: 0, end: 5 }, 'build'));
    expect(keys).not.toContain(null);
    expect(new Set(keys).size).toBe(manifests.length);
  });

  it('are located and reported all at once', () => {
    const wrong =
      '{ file: Geit, axes: { wght: heavy, weight: 700, wdth: 40000 }, features: { tnum: 1.5, liga: -1 }, size: 3 }';
    const parsed = parse(manifest(wrong, ', axes: 700'));
    expect(problems(manifest(wrong, ', axes: 700'))).toEqual([
      'axes of t_01 must be a map of at most 64 tags',
      'the font Test-Regular has no property size',
      'wght in axes of the font Test-Regular must be a number from -32767 to 32767',
      'weight in axes of the font Test-Regular is not a tag: a tag has four characters',
      'wdth in axes of the font Test-Regular must be a number from -32767 to 32767',
      'tnum in features of the font Test-Regular must be 0 (off), 1 (on) or the number of an alternate',
      'liga in features of the font Test-Regular must be 0 (off), 1 (on) or the number of an alternate',
    ]);
    for (const { at } of parsed.ok ? [] : parsed.diagnostics) expect(at).toMatchObject({ file: 'small/template.yaml' });
    expect(problems(manifest('{ file: Geit }'))).toEqual([
      'The font Test-Regular of fonts needs the file fonts/Geit.ttf, which is not in the package',
    ]);
    expect(problems(`${SMALL_MANIFEST.replace('kind: color', 'kind: color, axes: { wght: 1 }')}`)).toContain(
      'c_01 has axes, which is only for the kind text, captions or font',
    );
  });
});

describe('settings of a text', () => {
  it('take precedence over those of its font', () => {
    const { animation } = inputOf(manifest(BOLD, ', axes: { wght: 300 }, features: { liga: 0 }'));
    expect(JSON.stringify(animation)).toContain('"font_settings":{"axes":{"wght":300},"features":{"liga":0}}');
    expect(mergeSettings({ axes: { wght: 700 }, features: { tnum: 1 } }, { axes: { wght: 300 } })).toEqual({
      axes: { wght: 300 },
      features: { tnum: 1 },
    });
  });

  it('come only from template.yaml, not from the animation', () => {
    const hostile = { axes: { wght: 'x', toolong: 1, wdth: Infinity, opsz: 9 }, features: [1], other: {} };
    expect(settingsOfStyle({ font_settings: hostile })).toEqual({ axes: { opsz: 9 } });
    expect(settingsOfStyle({ font_settings: 'wght' })).toEqual({});
  });
});

/** Adds an editable with settings that chooses the font of the text. */
const CHOSEN = (font: string, text = ''): string =>
  manifest(BOLD, text).replace(
    'fonts:\n',
    `  f_01: { label: Font, kind: font, stillcut: stillcut_01, replaces: Test-Regular${font} }\nfonts:\n`,
  );

describe('settings of a font editable', () => {
  const boundWith = (text: string, resources: Parameters<typeof bindMapping>[1]['resources']): string =>
    JSON.stringify(bindMapping(template(text), { resources }, new Map()).animation);
  const geist = { f_01: { source: { font: 'Geist' } } };

  it('apply to the chosen font, after those of the text', () => {
    const font = ', axes: { wght: 250 }, features: { tnum: 1 }';
    expect(boundWith(CHOSEN(font), geist)).toContain('"font_settings":{"axes":{"wght":250},"features":{"tnum":1}}');
    expect(boundWith(CHOSEN(font, ', axes: { wght: 800 }'), geist)).toContain(
      '"font_settings":{"axes":{"wght":800},"features":{"tnum":1}}',
    );
    expect(boundWith(CHOSEN(font), {})).not.toContain('font_settings');
  });

  it('change the digest of the package', () => {
    const digests = ['', ', axes: { wght: 250 }', ', axes: { wght: 251 }'].map((font) => template(CHOSEN(font)).digest);
    expect(new Set(digests).size).toBe(3);
  });

  it('are checked with every font that it allows', () => {
    const found = (font: string, text = '') =>
      fontUses(template(CHOSEN(font, text)))
        .filter(({ at }) => at !== null)
        .map(({ name, axes }) => `${name} ${axes?.wght}`);
    expect(found(', axes: { wght: 250 }')).toEqual(['Test-Regular 700', 'Test-Regular 250', 'Geist 250']);
    expect(found(', axes: { wght: 250 }, allowed_fonts: [Geist]')).toEqual(['Test-Regular 700', 'Geist 250']);
    // The settings of a text apply to any font that is chosen for it.
    expect(found(', allowed_fonts: [Geist]', ', axes: { wght: 300 }')).toEqual([
      'Test-Regular 700',
      'Test-Regular 300',
      'Geist 300',
    ]);
  });
});

describe('fontUses()', () => {
  it('returns each font, and the settings of each text with the position of its editable', () => {
    const withSettings = template(manifest(BOLD, ', axes: { wght: 300 }'));
    expect(fontUses(withSettings).map(({ name, axes, at }) => ({ name, axes, at: at?.start ?? null }))).toEqual([
      { name: 'Test-Regular', axes: { wght: 700 }, at: withSettings.manifest.fonts.get('Test-Regular')!.at.start },
      { name: 'Geist', axes: undefined, at: null },
      { name: 'Test-Regular', axes: { wght: 300 }, at: withSettings.manifest.editables.get('t_01')!.at.start },
    ]);
  });
});
