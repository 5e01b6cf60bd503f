import { describe, expect, it } from 'vitest';
import { loadProject } from '../../../src/reconciler/project/load-project.ts';
import { testFont } from '../../engine/text/test-fonts.ts';
import { CONFIG, definition, makeRepository, NO_LINT } from '../../support/repository.ts';
import { smallAnimation } from '../../support/small-package.ts';
import { makeSpeakingRepository, speaking } from '../../support/speaking-repository.ts';
import { reelform } from '../../support/test-io.ts';

const LOCALES = 'locales: {source: en, targets: [de, ja, ar]}\n';

/** Writes a catalogue of texts by context: [source, translation]. */
function catalogue(texts: Readonly<Record<string, readonly [string, string]>>): string {
  const entries = Object.entries(texts).map(
    ([context, [source, target]]) => `\nmsgctxt "${context}"\nmsgid "${source}"\nmsgstr "${target}"\n`,
  );
  return `msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n${entries.join('')}`;
}

const CATALOGUES = {
  'locales/de.po': catalogue({ 'rome#@title': ['Rome', 'Rom'], 'rome#t_01': ['Rome', 'Ewige Stadt am Meer'] }),
  'locales/ja.po': catalogue({ 'rome#@title': ['Rome', 'ローマ'], 'rome#t_01': ['Rome', 'ローマ'] }),
  'locales/ar.po': catalogue({ 'rome#@title': ['Rome', 'روما'], 'rome#t_01': ['Rome', 'روما'] }),
};

describe('the videos of a definition in several locales', () => {
  it('are selected by locale and by variant', async () => {
    const root = makeRepository({
      'reelform.yaml': `${CONFIG}${LOCALES}`,
      ...CATALOGUES,
      'videos/rome.yaml': `${definition('Rome')}locales: all\nvariants: {wide: {}, tall: {resources: {c_01: "#202040"}}}\n`,
    });
    const ids = async (...args: string[]): Promise<string[]> => {
      const { stdout } = await reelform(root, [...args, '--json']);
      const { changes, videos = changes } = JSON.parse(stdout) as Record<string, { id: string }[]>;
      return videos!.map(({ id }) => id);
    };
    expect(await ids('plan', '--target', 'rome/**/de')).toEqual(['rome/tall/de', 'rome/wide/de']);
    expect(await ids('plan', '--target', '*/tall/*', '--exclude', '**/{en,de}')).toEqual([
      'rome/tall/ar',
      'rome/tall/ja',
    ]);
    expect(await ids('list', 'rome/wide/ja')).toEqual(['rome/wide/ja']);
  });

  it('are checked in their language: glyphs, room and direction', async () => {
    const animation = smallAnimation();
    const [headline] = animation.layers as { ks: object }[];
    headline!.ks = { ...headline!.ks, p: { a: 0, k: [4, 16, 0] } };
    const files = {
      'reelform.yaml': `${CONFIG.replace(NO_LINT, 'lint: {low_contrast: off}\n')}${LOCALES}`,
      ...CATALOGUES,
      'templates/small/animation.json': JSON.stringify(animation),
      'videos/rome.yaml': `${definition('Rome')}locales: all\n`,
    };
    const found = async (root: string) => {
      const { stdout } = await reelform(root, ['lint', 'rome/*', '--json']);
      const { diagnostics } = JSON.parse(stdout) as { diagnostics: Record<string, string>[] };
      return diagnostics
        .filter(({ code }) => code !== 'schema_outdated')
        .map(({ code, file, line, message }) => `${code} ${file}:${line} ${message}`);
    };
    expect(await found(makeRepository(files))).toMatchInlineSnapshot(`
      [
        "glyph_missing locales/ar.po:8 No font contains ر و م ا of t_01 in rome/ar, at 0.5 s (stillcut_01)",
        "text_overflow locales/de.po:8 t_01 of rome/de is cut off at the edge of the frame, at 0.5 s (stillcut_01)",
        "glyph_missing locales/ja.po:8 No font contains ロ マ of t_01 in rome/ja, at 0.5 s (stillcut_01)",
        "glyph_missing locales/ja.po:8 No font contains ー of t_01 in rome/ja, at 0.5 s (stillcut_01)",
      ]
    `);
    // With its font, the Arabic text is laid out: it fits, and a longer one does not.
    const withFont = (text: string): string =>
      makeRepository({
        ...files,
        'reelform.yaml': `${files['reelform.yaml']}fonts: ./fonts\n`,
        'fonts/NotoSansArabic-Regular.woff2': testFont('noto-sans-arabic', 'arabic').bytes,
        'locales/ar.po': files['locales/ar.po'].replaceAll('روما', text),
      });
    const ofArabic = async (root: string) => (await found(root)).filter((finding) => finding.includes('rome/ar'));
    expect(await ofArabic(withFont('روما'))).toEqual([]);
    expect(await ofArabic(withFont('شمس وصيف وسماء صافية'))).toMatchInlineSnapshot(`
      [
        "text_overflow locales/ar.po:8 t_01 of rome/ar is cut off at the edge of the frame, at 0.5 s (stillcut_01)",
      ]
    `);
  });

  const text = 'Ewige Stadt am Meer';
  it.each([
    ['po', CATALOGUES['locales/de.po'], 'msgctxt "rome#t_01"'],
    [
      'xlf',
      `<xliff version="2.0" xmlns="urn:oasis:names:tc:xliff:document:2.0" srcLang="en" trgLang="de"><file id="f">
<unit id="1" name="rome#@title"><segment><source>Rome</source><target>Rom</target></segment></unit>
<unit id="2" name="rome#t_01"><segment><source>Rome</source><target>${text}</target></segment></unit>
</file></xliff>\n`,
      '<unit id="2"',
    ],
    ['csv', `context,source,target\nrome#@title,Rome,Rom\nrome#t_01,Rome,${text}\n`, text],
  ])('have findings at the entry of a catalogue, as .%s', async (extension, catalogue, place) => {
    const animation = smallAnimation();
    const [headline] = animation.layers as { ks: object }[];
    headline!.ks = { ...headline!.ks, p: { a: 0, k: [4, 16, 0] } };
    const root = makeRepository({
      'reelform.yaml': `${CONFIG.replace(NO_LINT, 'lint: {low_contrast: off}\n')}locales: {source: en, targets: [de], files: "texts/{locale}.${extension}"}\n`,
      [`texts/de.${extension}`]: catalogue,
      'templates/small/animation.json': JSON.stringify(animation),
      'videos/rome.yaml': `${definition('Rome')}locales: all\n`,
    });
    const { stdout } = await reelform(root, ['lint', 'rome/*', '--json']);
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; file: string; line: number; column: number }[] }; // biome-ignore format: one line
    const found = diagnostics.filter(({ code }) => code === 'text_overflow');
    expect(found.map(({ file }) => file)).toEqual([`texts/de.${extension}`]);
    const [{ line, column }] = found as [(typeof found)[0]];
    expect(catalogue.split('\n')[line - 1]!.slice(column - 1)).toMatch(new RegExp(`^${place}`));
  });

  it('have the captions of their language: its file, its language and its translated speech', async () => {
    const vtt = (text: string): string => `WEBVTT\n\n00:00.000 --> 00:00.800\n${text}\n`;
    const { root } = makeSpeakingRepository(
      {
        ...CATALOGUES,
        'locales/ja.po': catalogue({ 'rome#@title': ['Rome', 'ローマ'], 'rome#t_01': ['Rome', 'ローマ'] }),
        'captions/x.en.vtt': vtt('Hello'),
        'captions/x.de.vtt': vtt('Hallo'),
        'captions/x.ja.vtt': vtt('やあ'),
        'captions/x.ar.vtt': vtt('مرحبا'),
        'videos/rome.yaml': `${definition('Rome')}locales: all
captions: {from: "captions/x.\${locale}.vtt", burn: false, embed: true, rules: netflix}
`,
        'videos/oslo.yaml': `${speaking('Oslo', 'doctor Ann', ', caption: Dr. Ann')}locales: [en, de]
captions: {from: {track: voice}, burn: false, embed: true}
`,
        'locales/de.po': catalogue({
          'rome#@title': ['Rome', 'Rom'],
          'rome#t_01': ['Rome', 'Rom'],
          'oslo#@title': ['Oslo', 'Oslo'],
          'oslo#t_01': ['Oslo', 'Oslo'],
          'oslo#@audio.voice': ['doctor Ann', 'Doktor Anna'],
          'oslo#@audio.voice.caption': ['Dr. Ann', 'Dr. Anna'],
        }),
      },
      undefined,
      LOCALES,
    );
    expect((await reelform(root, ['speak'])).exitCode).toBe(0);
    const project = await loadProject({ cwd: root });
    expect(project.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    const shown = project.videos.map(({ id, captions }) => [
      id,
      captions?.lang,
      captions?.cues.map(({ text }) => text),
    ]);
    expect(shown.filter(([id]) => id !== 'berlin')).toEqual([
      ['oslo/de', 'de', ['Dr. Anna']],
      // Captions of the source language stay as they were before `locales`.
      ['oslo/en', undefined, ['Dr. Ann']],
      ['rome/ar', 'ar', ['مرحبا']],
      ['rome/de', 'de', ['Hallo']],
      ['rome/en', undefined, ['Hello']],
      ['rome/ja', 'ja', ['やあ']],
    ]);
  });
});
