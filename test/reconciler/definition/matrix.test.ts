import { describe, expect, it } from 'vitest';
import { fillDestinations } from '../../../src/reconciler/definition/destinations.ts';
import type { Video } from '../../../src/reconciler/definition/video.ts';
import type { LocaleSettings } from '../../../src/reconciler/locales/locale-settings.ts';
import { printedProblems, resolveScenes, scenesOf } from '../../support/resolve-scenes.ts';

const LOCALES: LocaleSettings = {
  source: 'en',
  targets: ['de', 'pt-BR', 'ja'],
  files: 'locales/{locale}.po',
  missing: 'fallback',
  columns: [],
  ids: 'all',
};

const text = (video: Video, key = 't_01', scene = 0): string | undefined => {
  const value = video.scenes[scene]?.resources.get(key);
  return value?.kind === 'text' ? value.text : undefined;
};

const texts = (videos: readonly Video[]): string[] => videos.map((video) => `${video.id}: ${text(video)}`);

describe('variants and locales', () => {
  it('makes a video of each variant and locale, in ids after the row', () => {
    const videos = scenesOf(
      {
        'videos/spring.yaml': `template: card
title: Spring
each: {from: ./rows.csv, id: "\${slug}"}
variants:
  wide: {}
  tall: {template: tall}
locales: all
resources: {t_01: "\${slug} \${variant} \${locale}"}
`,
        'videos/rows.csv': 'slug,n\nlamp,1\nsofa,2\n',
      },
      { ...LOCALES, targets: ['de'] },
    );
    expect(texts(videos)).toEqual([
      'spring/lamp/tall/de: lamp tall de',
      'spring/lamp/tall/en: lamp tall en',
      'spring/lamp/wide/de: lamp wide de',
      'spring/lamp/wide/en: lamp wide en',
      'spring/sofa/tall/de: sofa tall de',
      'spring/sofa/tall/en: sofa tall en',
      'spring/sofa/wide/de: sofa wide de',
      'spring/sofa/wide/en: sofa wide en',
    ]);
    expect(videos[0]?.matrix).toEqual({ definition: 'spring', variant: 'tall', locale: 'de' });
    expect(videos.map(({ scenes }) => scenes[0]?.template)).toEqual(['tall', 'tall', 'card', 'card', 'tall', 'tall', 'card', 'card']); // biome-ignore format: one line
  });

  it('overrides in the order definition, variant, locale; scenes by their ids, a list replaces', () => {
    const videos = scenesOf(
      {
        'videos/_base.yaml': 'locales: {all: {}, de: {resources: {t_02: locale}}}\n',
        'videos/a.yaml': `extends: ./_base.yaml
title: A
resources: {t_02: definition}
variants:
  wide: {resources: {t_02: variant}}
  short: {scenes: [{template: card, resources: {t_01: only}}]}
  named: {scenes: {second: {resources: {t_01: changed}}}}
scenes:
  - {template: intro, resources: {t_01: first}}
  - {template: card, id: second, resources: {t_01: second}}
`,
      },
      { ...LOCALES, targets: ['de'] },
    );
    const of = (id: string): Video => videos.find((video) => video.id === id)!;
    expect(text(of('a/wide/en'), 't_02', 1)).toBe('variant');
    expect(text(of('a/wide/de'), 't_02', 1)).toBe('locale');
    expect(of('a/short/en').scenes.map(({ template }) => template)).toEqual(['card']);
    expect(text(of('a/named/en'), 't_01', 1)).toBe('changed');
    expect(text(of('a/named/en'), 't_01', 0)).toBe('first');
  });

  it('names the language of translated sounds, and not that of the source', () => {
    const files = {
      'videos/a.yaml': 'template: plain\ntitle: A\nlocales: all\nresources: {t_01: x}\noutput: {height: 90}\n',
      'videos/b.yaml': 'template: plain\ntitle: B\nlocales: [de]\nresources: {t_01: x}\noutput: {format: gif}\n',
      'videos/c.yaml': 'template: plain\ntitle: C\nlocales: [de]\nresources: {t_01: x}\noutput: {lang: de-CH}\n',
    };
    const outputs = (writesLanguages: boolean) => {
      const { videos, diagnostics } = resolveScenes(files, LOCALES, new Map(), writesLanguages);
      expect(diagnostics).toEqual([]);
      return Object.fromEntries(videos.map(({ video: { id, output } }) => [id, output]));
    };
    expect(outputs(true)).toMatchObject({
      'a/en': { height: 90 },
      'a/de': { height: 90, lang: 'de' },
      'b/de': { format: 'gif' },
      'c/de': { lang: 'de-CH' },
    });
    expect(outputs(true)['a/en']).not.toHaveProperty('lang');
    expect(outputs(true)['b/de']).not.toHaveProperty('lang');
    expect(outputs(false)['a/de']).toEqual({ height: 90 });
  });

  it('leaves the ids of the source locale with ids: keep-source', () => {
    const files = { 'videos/a.yaml': 'template: plain\ntitle: A\nlocales: all\nresources: {t_01: x}\n' };
    const videos = scenesOf(files, { ...LOCALES, targets: ['de'], ids: 'keep-source' });
    expect(videos.map(({ id }) => id)).toEqual(['a', 'a/de']);
  });

  it('takes locales of a list, and filters rows and scenes by the locale', () => {
    const videos = scenesOf(
      {
        'videos/a.yaml': `title: A
each: {from: ./rows.csv, where: {markets: "\${locale}"}, id: "\${slug}"}
locales: [en, ja]
scenes:
  - {template: plain, resources: {t_01: "\${slug}"}}
  - {template: card, when: {locale: [ja]}, resources: {t_01: only in Japan}}
`,
        'videos/rows.csv': 'slug,markets\nlamp,en;ja\nsofa,ja\n',
      },
      LOCALES,
    );
    expect(videos.map(({ id, scenes }) => `${id} ${scenes.length}`)).toEqual(['a/lamp/en 1', 'a/lamp/ja 2', 'a/sofa/ja 2']); // biome-ignore format: one line
  });

  it('reads the columns of a locale, of its parents, then the column itself', () => {
    const rows = 'slug,claim,claim_de,claim_pt\nlamp,Light,Licht,Luz\nsofa,Sit,,Senta\n';
    const videos = scenesOf(
      {
        'videos/a.yaml':
          'template: plain\ntitle: A\neach: {from: ./rows.csv, id: "${slug}"}\nlocales: all\nresources: {t_01: "${claim}"}\n',
        'videos/rows.csv': rows,
      },
      LOCALES,
    );
    expect(texts(videos)).toEqual([
      'a/lamp/de: Licht',
      'a/lamp/en: Light',
      'a/lamp/ja: Light',
      'a/lamp/pt-BR: Luz',
      'a/sofa/de: Sit',
      'a/sofa/en: Sit',
      'a/sofa/ja: Sit',
      'a/sofa/pt-BR: Senta',
    ]);
  });

  it('reads the columns of rows of scenes, and gives them the same ids in all locales', () => {
    const videos = scenesOf(
      {
        'videos/a.yaml': `title: A
locales: [en, de]
scenes:
  - {template: card, each: {from: "./\${variant}.csv", id: "\${name}"}, resources: {t_01: "\${name} \${locale}"}}
variants: {rows: {}}
`,
        'videos/rows.csv': 'name,name_de\nlamp,Lampe\n',
      },
      LOCALES,
    );
    expect(videos.map((video) => `${video.scenes[0]?.id} ${text(video)}`)).toEqual(['card/lamp Lampe de', 'card/lamp lamp en']); // biome-ignore format: one line
  });

  it('fills the locale and the variant into destinations', () => {
    const files = {
      'videos/a.yaml':
        'template: plain\ntitle: A\nlocales: [en, de]\nvariants: {wide: {}}\nresources: {t_01: "1"}\ndeliver: "s3://b/{variant}/{locale}.mp4"\n',
    };
    const videos = scenesOf(files, LOCALES);
    const filled = videos.map((video) => fillDestinations(video.deliver[0]!, video, `v1:${'0'.repeat(64)}`)[0]!.to);
    expect(filled).toEqual(['s3://b/wide/de.mp4', 's3://b/wide/en.mp4']);
  });

  it('reports a locale that a list has twice', () => {
    const text = 'template: plain\ntitle: A\nlocales: [de, en, de]\nresources: {t_01: "1"}\n';
    const { diagnostics } = resolveScenes({ 'videos/a.yaml': text }, LOCALES);
    expect(diagnostics.map(({ code, message, at }) => [code, message, at!.start])).toEqual([
      ['definition_invalid', 'locales contains de twice', text.lastIndexOf('de')],
    ]);
  });

  it('reports all mistakes at once, where they are written', () => {
    const files = {
      'videos/a.yaml': `title: A
each: {from: ./rows.csv, id: "\${slug}"}
template: plain
locales: {de: {id: x}, fr: {}, ja: {resources: {t_09: x}}}
variants:
  wide: {each: {from: a.csv, id: x}, locales: all}
  "no good": {}
  Wide: {}
  tall: {tite: x}
resources: {t_01: x}
`,
      'videos/b.yaml': 'template: plain\ntitle: B\nlocales: all\nresources: {t_01: "${claim}"}\n',
      'videos/c.yaml':
        'template: plain\ntitle: C\neach: {from: ./rows.csv, id: "${slug}"}\nlocales: all\nresources: {t_01: x}\n',
      'videos/d.yaml':
        'title: D\nlocales: all\nscenes: [{template: plain, each: {from: ./rows.csv, id: "${slug}"}, resources: {t_01: x}}]\n',
      'videos/rows.csv': 'slug,locale\nlamp,de\n',
    };
    expect(printedProblems(files, LOCALES)).toMatchSnapshot();
    const codes = resolveScenes(files, LOCALES).diagnostics.map(({ code }) => code);
    expect(codes.filter((code) => code === 'unknown_locale')).toHaveLength(1);
    expect(printedProblems({ 'videos/a.yaml': 'template: plain\ntitle: A\nlocales: all\nresources: {t_01: x}\n' })).toMatchSnapshot(); // biome-ignore format: one line
  });
});
