import { describe, expect, it } from 'vitest';
import type { Span } from '../../../src/kernel/diagnostic.ts';
import { valueSpan } from '../../../src/reconciler/definition/filled-values.ts';
import type { Video } from '../../../src/reconciler/definition/video.ts';
import type { LocaleSettings } from '../../../src/reconciler/locales/locale-settings.ts';
import type { Files } from '../../support/resolve.ts';
import { printedProblems, resolveScenes } from '../../support/resolve-scenes.ts';

const LOCALES: LocaleSettings = {
  source: 'en',
  targets: ['de', 'pt-BR', 'pt'],
  files: 'locales/{locale}.po',
  missing: 'skip',
  columns: ['claim'],
  ids: 'all',
};

const header = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n';
const entry = (context: string, source: string, target: string, flag = ''): string =>
  `\n${flag === '' ? '' : `#, ${flag}\n`}msgctxt ${JSON.stringify(context)}\nmsgid ${JSON.stringify(source)}\nmsgstr ${JSON.stringify(target)}\n`;

const DEFINITION = `title: Spring
locales: [en, de]
variants:
  wide: {}
  tall: {scenes: {card: {resources: {t_01: Short}}}}
scenes:
  - {template: intro, resources: {t_01: "Hello \${locale}"}}
  - {template: card, resources: {t_01: Light that lands softly., t_02: "12.50", logo: logo.png}}
`;

const shown = ({ id, title, scenes }: Video): string => {
  const texts = scenes.flatMap(({ resources }) =>
    [...resources.values()].flatMap((value) => (value.kind === 'text' ? [value.text] : [])),
  );
  return `${id}: ${[title, ...texts].join(' | ')}`;
};

function resolved(
  files: Files,
  settings: Partial<LocaleSettings> = {},
): { videos: string[]; texts: string[]; codes: string[] } {
  const { videos, texts, diagnostics } = resolveScenes(files, { ...LOCALES, ...settings });
  return {
    videos: videos.map(({ video }) => shown(video)),
    texts: texts.map(({ id, untranslated, stale, fallbacks, waits, first }) => `${id} ${untranslated} ${stale} ${fallbacks}${waits ? ' waits' : ''} ${first.name} ${first.used} ${first.at.file}`), // biome-ignore format: one template
    codes: diagnostics.map(({ code, at }) => `${code} ${at?.file}`),
  };
}

const GERMAN = [
  entry('a#@title', 'Spring', 'Frühling'),
  entry('a#intro.t_01', 'Hello ${locale}', 'Hallo ${locale}'),
  entry('a#card.t_01', 'Light that lands softly.', 'Licht, das sanft landet.'),
  entry('a/tall#card.t_01', 'Short', 'Kurz'),
];

describe('catalogues', () => {
  it('translate titles and texts, with columns; a text of a variant is a text of its own', () => {
    const files = { 'videos/a.yaml': DEFINITION, 'locales/de.po': header + GERMAN.join('') };
    expect(resolved(files)).toEqual({
      videos: [
        'a/tall/de: Frühling | Hallo de | Kurz | 12.50',
        'a/tall/en: Spring | Hello en | Short | 12.50',
        'a/wide/de: Frühling | Hallo de | Licht, das sanft landet. | 12.50',
        'a/wide/en: Spring | Hello en | Light that lands softly. | 12.50',
      ],
      texts: [],
      codes: [],
    });
  });

  it('hold back a video whose texts are not translated, are stale or marked, and say what it lacks', () => {
    const changed = [GERMAN[0]!, entry('a#intro.t_01', 'Hi ${locale}', 'Hallo'), entry('a#card.t_01', 'Light that lands softly.', 'Licht', 'fuzzy')]; // biome-ignore format: one list
    const { videos, texts } = resolved({ 'videos/a.yaml': DEFINITION, 'locales/de.po': header + changed.join('') });
    expect(videos).toHaveLength(2);
    expect(texts).toEqual([
      'a/tall/de 1 1 0 waits intro.t_01 en videos/a.yaml',
      'a/wide/de 0 2 0 waits intro.t_01 en videos/a.yaml',
    ]);
    expect(resolved({ 'videos/a.yaml': DEFINITION }).texts).toEqual([
      'a/tall/de 3 0 0 waits @title en videos/a.yaml',
      'a/wide/de 3 0 0 waits @title en videos/a.yaml',
    ]);
  });

  it('fall back to parent locales and the source, and are errors, as missing says', () => {
    const definition = 'template: card\ntitle: "12"\nlocales: [pt-BR]\nresources: {t_01: Hello, t_02: World}\n';
    const files = { 'videos/a.yaml': definition, 'locales/pt.po': header + entry('a#t_01', 'Hello', 'Olá') };
    expect(resolved(files, { missing: 'fallback' })).toEqual({
      videos: ['a/pt-BR: 12 | Olá | World'],
      texts: ['a/pt-BR 2 0 0 t_01 pt locales/pt.po'],
      codes: [],
    });
    expect(resolved(files, { missing: 'error' }).codes).toEqual(['text_untranslated videos/a.yaml', 'text_untranslated videos/a.yaml']); // biome-ignore format: one line
  });

  it('translate the named columns of rows, of the definition and of scenes', () => {
    const files = {
      'videos/a.yaml': `title: "\${slug}"
each: {from: ./rows.csv, id: "\${slug}"}
locales: [de]
scenes:
  - {template: plain, resources: {t_01: "\${claim}"}}
  - {template: card, each: {from: [{name: x, claim: Inner}], id: "\${name}"}, resources: {t_01: "\${claim}"}}
`,
      'videos/rows.csv': 'slug,claim,claim_pt\nlamp,Light,\nsofa,Sit,\nrug,"12",\n',
      'locales/de.po': `${header}${entry('a/lamp#${claim}', 'Light', 'Licht')}${entry('a/lamp#card/x.${claim}', 'Inner', 'Innen')}${entry('a/sofa#${claim}', 'Old', 'Alt')}${entry('a/rug#card/x.${claim}', 'Inner', 'Innen')}`, // biome-ignore format: one text
    };
    const { videos, texts, codes } = resolved(files);
    expect(resolveScenes(files, LOCALES).fallbacks.map(({ message }) => message)).toEqual(['de has no claim_de; claim is used']); // biome-ignore format: one expectation
    expect(codes).toEqual(['column_hidden videos/a.yaml']);
    expect(videos).toEqual(['a/lamp/de: lamp | Licht | Innen', 'a/rug/de: rug | 12 | Innen']);
    // The data has columns of locales for the claim, so that its number comes from another language, too.
    expect(texts).toEqual([
      'a/rug/de 0 0 1 claim claim videos/rows.csv',
      'a/sofa/de 1 1 0 waits claim claim videos/rows.csv',
    ]);
  });

  it('leave out what is written for the locale, marked with translate: false, or left out by a condition', () => {
    const definition = `title: "12"
locales: {de: {scenes: {card: {resources: {t_01: Geschrieben}}}}}
scenes:
  - {template: intro, resources: {t_01: {source: {text: Olune}, translate: false}}}
  - {template: card, resources: {t_01: Written}}
  - {template: plain, when: {locale: en}, resources: {t_01: Only English}}
`;
    expect(resolved({ 'videos/a.yaml': definition })).toEqual({
      videos: ['a/de: 12 | Olune | Geschrieben'],
      texts: [],
      codes: [],
    });
  });

  it('are located in messages about their texts', () => {
    const definition = 'template: intro\ntitle: "12"\nlocales: [de]\nresources: {t_01: Hello}\n';
    const german = header + entry('a#t_01', 'Hello', 'Viel zu lang für dieses Feld ${nme}');
    expect(printedProblems({ 'videos/a.yaml': definition, 'locales/de.po': german }, LOCALES)).toMatchSnapshot();
    expect(printedProblems({ 'videos/a.yaml': definition, 'locales/de.po': 'msgid "' }, LOCALES)).toMatchSnapshot();
  });

  it('are where a value of a video is, of its texts and of its columns; a column of the locale is its cell', () => {
    const files = {
      'videos/a.yaml': `title: "In \${slug}"
each: {from: ./rows.csv, id: "\${slug}"}
locales: [en, de]
scenes:
  - {template: intro, resources: {t_01: "\${claim}"}}
  - {template: card, resources: {t_01: "\${name}", t_02: Only now}}
`,
      'videos/rows.csv': 'slug,claim,name,name_de\nlamp,Light,Lamp,Lampe\n',
      'locales/de.po': `${header}${entry('a#@title', 'In ${slug}', 'Bei ${slug}')}${entry('a/lamp#${claim}', 'Light', 'Licht')}${entry('a#card.t_02', 'Only now', 'Nur jetzt')}`, // biome-ignore format: one text
    };
    const { videos, filled, diagnostics } = resolveScenes(files, LOCALES);
    expect(diagnostics).toEqual([]);
    const source = (file: string): string | undefined => files[file as keyof typeof files];
    const lineAt = ({ file, start, end }: Span): string => `${file}: ${source(file)!.slice(start, end)}`;
    const places = (index: number): string[] => {
      const { video } = videos[index]!;
      const keys = ['@title', 'intro.t_01', 'card.t_01', 'card.t_02'];
      return keys.map((key) => lineAt(valueSpan(video, key, { filled, source })));
    };
    expect(places(0)).toEqual([
      'locales/de.po: msgctxt "a#@title"',
      'locales/de.po: msgctxt "a/lamp#${claim}"',
      'videos/rows.csv: Lampe',
      'locales/de.po: msgctxt "a#card.t_02"',
    ]);
    expect(places(1)).toEqual([
      'videos/rows.csv: lamp',
      'videos/rows.csv: Light',
      'videos/rows.csv: Lamp',
      'videos/a.yaml: Only now',
    ]);
    const title = (part: string): string => lineAt(valueSpan(videos[0]!.video, '@title', { filled, source }, part));
    expect([title('lamp'), title('Bei')]).toEqual(['videos/rows.csv: lamp', 'locales/de.po: msgctxt "a#@title"']);
  });

  it('translate cues of the definition and of scenes, and what captions show of speech', () => {
    const definition = `title: "12"
locales: [en, de]
captions: {from: [{start: 0, end: 1, text: Good morning}, {start: 1, end: 2, text: "12"}]}
scenes:
  - {template: intro, resources: {t_01: "1"}}
  - {id: second, template: card, resources: {t_01: "2"}, captions: {from: [{start: 0, end: 1, text: Good night, speaker: Ann}]}}
`;
    const german = [entry('a#@captions.1', 'Good morning', 'Guten Morgen'), entry('a#@second.captions.1', 'Good night', 'Gute Nacht')]; // biome-ignore format: one list
    const files = { 'videos/a.yaml': definition, 'locales/de.po': header + german.join('') };
    const { videos, diagnostics } = resolveScenes(files, LOCALES);
    expect(diagnostics).toEqual([]);
    const cues = videos.map(({ video }) => [video.id, ...(video.captions?.cues ?? []), ...(video.scenes[1]!.captions?.cues ?? [])].map((cue) => (typeof cue === 'string' ? cue : cue.text))); // biome-ignore format: one expression
    expect(cues).toEqual([
      ['a/de', 'Guten Morgen', '12', 'Gute Nacht'],
      ['a/en', 'Good morning', '12', 'Good night'],
    ]);
    expect(resolved({ 'videos/a.yaml': definition }).texts).toEqual(['a/de 2 0 0 waits @captions.1 en videos/a.yaml']);
  });

  it('are reported where they lose a placeholder', () => {
    const definition = 'template: intro\ntitle: "12"\nlocales: [de]\nresources: {t_01: "Hi ${locale}"}\n';
    const german = header + entry('a#t_01', 'Hi ${locale}', 'Hallo');
    expect(printedProblems({ 'videos/a.yaml': definition, 'locales/de.po': german }, LOCALES)).toMatchInlineSnapshot(`
      "locales/de.po:4:1
        warning  The translation of a#t_01 to de does not have \${locale}  placeholder_lost
                 Add it, unless the language needs none

          3 |
        > 4 | msgctxt "a#t_01"
            | ^^^^^^^^^^^^^^^^
          5 | msgid "Hi \${locale}"

      1 warning in 1 file
      "
    `);
    expect(resolved({ 'videos/a.yaml': definition, 'locales/de.po': german }).videos).toEqual(['a/de: 12 | Hallo']);
  });
});
