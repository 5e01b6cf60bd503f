import { describe, expect, test } from 'vitest';
import { createPlanCheck } from '../../src/kernel/json-schema/compile-schema.ts';
import type { LocaleTexts } from '../../src/reconciler/definition/locale-texts.ts';
import type { DesiredVideo } from '../../src/reconciler/plan/desired-video.ts';
import type { PlanDocument } from '../../src/reconciler/plan/plan-document.ts';
import { planVideos } from '../../src/reconciler/plan/plan-videos.ts';
import { selectChanges } from '../../src/reconciler/plan/select-changes.ts';
import { planHtml } from '../../src/report/html/plan-html.ts';
import { planMarkdown } from '../../src/report/markdown/plan-markdown.ts';
import { planText } from '../../src/report/terminal/plan-text.ts';
import { desired, emptyLock, lockOf, plan, text } from '../reconciler/plan/videos.ts';
import { documentOf } from './example-plans.ts';

const LOCALES = ['en', 'de', 'fr', 'ja'];
const VARIANTS = ['wide', 'tall'];

/** Returns the videos of `spring` with a text by locale. @param rows their ids, if it has rows */
function spring(textOf: (locale: string, variant: string) => string, rows: readonly string[] = ['']): DesiredVideo[] {
  return rows.flatMap((row) =>
    VARIANTS.flatMap((variant) =>
      LOCALES.map((locale) => {
        const id = ['spring', row, variant, locale].filter((part) => part !== '').join('/');
        const parts = {
          path: 'videos/spring.yaml',
          matrix: { definition: 'spring', variant, locale },
          resources: { t_01: text(textOf(locale, variant)), t_02: text(`${row} ${variant}`) },
        };
        return desired(id, parts);
      }),
    ),
  );
}

const before = spring((locale) => `Spring ${locale}`);
const show = (document: PlanDocument, verbose = false): string =>
  planText(document, { color: false, trueColor: false, columns: 100, verbose });

describe('a plan of definitions with variants and locales', () => {
  test('shows a definition as a row', () => {
    const document = documentOf(plan([...before, desired('oslo')], emptyLock));
    expect(createPlanCheck()(document)).toBeNull();
    expect(show(document)).toMatchInlineSnapshot(`
      "Plan: 9 to create · 9 renders, 1:48 min of video

        + oslo  The video oslo
          videos/oslo.yaml · new
        + spring  4 locales × 2 variants: 8 videos, 8 to render
          videos/spring.yaml · new · spring/tall/de, spring/tall/en, spring/tall/fr and 5 more

      This plan is shortened: 5 videos not listed. Use --verbose for all details.
      "
    `);
    expect(planMarkdown(document)).toMatchInlineSnapshot(`
      "### Reelform plan: 9 to create

      9 renders, 1:48 min of video.

      | | Video | Why |
      |:--|:--|:--|
      | <code>+</code>&nbsp;create | <code>oslo</code><br>The video oslo | new |
      | <code>+</code>&nbsp;create | <code>spring</code><br>4 locales × 2 variants: 8 videos, 8 to render<br><code>spring/tall/de</code>, <code>spring/tall/en</code>, <code>spring/tall/fr</code> and 5 more | new |

      _Videos of the same definition are grouped. Full plan: \`reelform plan --verbose\`, or \`--format html\`._
      "
    `);
    expect(show(document, true)).toContain('  + spring/wide/ja');
    expect(planMarkdown(document, { verbose: true })).toContain('<code>spring/wide/ja</code>');
  });

  test('counts the videos that do not change or wait, and shows what they share', () => {
    const german = spring((locale) => (locale === 'de' ? 'Frühling' : `Spring ${locale}`)).filter(
      ({ id }) => id !== 'spring/tall/ja',
    );
    const waiting: LocaleTexts = {
      id: 'spring/tall/ja' as LocaleTexts['id'],
      path: 'videos/spring.yaml',
      definition: 'spring',
      locale: 'ja',
      untranslated: 1,
      stale: 0,
      fallbacks: 0,
      waits: true,
      first: {
        state: 'untranslated',
        name: 't_01',
        used: 'en',
        at: { file: 'videos/spring.yaml', start: 0, end: 1 },
      },
    };
    const observations = { missingOutputs: new Set<string>() };
    const planned = planVideos({ desired: german, texts: [waiting], lock: lockOf(...before), observations });
    expect(documentOf(planned).matrices).toEqual([
      { definition: 'spring', videos: 8, rows: 1, variants: 2, locales: 4 },
    ]);
    expect(show(documentOf(planned))).toMatchInlineSnapshot(`
      "Plan: 2 to update, 5 unchanged · 2 renders, 24 s of video

        ~ spring  4 locales × 2 variants: 8 videos, 2 to render
          videos/spring.yaml · a value changed · spring/tall/de, spring/wide/de
            Headline  Spring de → Frühling

      1 video waits for translation: ja (1 text):
        ○ spring waits for translation: ja (1 text): t_01 at videos/spring.yaml
      "
    `);
    // The place of a text is the same in each language.
    const french = { ...waiting, id: 'spring/tall/fr' as LocaleTexts['id'], locale: 'fr' };
    const both = documentOf(planVideos({ desired: german, texts: [waiting, french], lock: lockOf(...before), observations })); // biome-ignore format: one expression
    expect(show(both)).toContain(
      'spring waits for translation: fr (1 text), ja (1 text): t_01 at videos/spring.yaml\n',
    );
    // A selection does not know the size of the definition.
    const selected = selectChanges(planned, { targets: ['spring/**/de'], excludes: [] });
    expect(documentOf(selected).matrices).toBeUndefined();
    expect(show(documentOf(selected))).toContain('  ~ spring  2 videos to render\n');
  });

  test('names what differs between the videos, and lists it in Markdown', () => {
    const document = documentOf(
      plan(
        spring((locale) => `Summer ${locale}`),
        lockOf(...before),
      ),
    );
    expect(show(document)).toMatchInlineSnapshot(`
      "Plan: 8 to update · 8 renders, 1:36 min of video

        ~ spring  4 locales × 2 variants: 8 videos, 8 to render
          videos/spring.yaml · a value changed · spring/tall/de, spring/tall/en, spring/tall/fr and 5 more
            Headline  differs between the videos

      This plan is shortened: 5 videos not listed, values of 8 videos not shown. Use --verbose for all
      details.
      "
    `);
    const markdown = planMarkdown(document);
    expect(markdown).toContain('4 locales × 2 variants: 8 videos, 8 to render<br>');
    for (const { id } of before) expect(markdown).toContain(`**<code>${id}</code>**`);
    expect(show(document, true)).not.toContain('differs');
  });

  test('keeps the videos apart that take over another id', () => {
    const moved = before.map((video) => ({ ...video, id: video.id.replace('spring', 'fall') as DesiredVideo['id'] }));
    expect(show(documentOf(plan(moved, lockOf(...before))))).toContain('was spring/tall/de, not rendered again');
  });

  test('folds many rows, and the overview of the page names the definition', () => {
    const rows = Array.from({ length: 60 }, (_, index) => `row-${index}`);
    const others = Array.from({ length: 60 }, (_, index) => desired(`city-${index}`));
    const document = documentOf(plan([...spring((locale) => locale, rows), ...others], emptyLock));
    expect(show(document)).toContain('  + spring  60 rows × 4 locales × 2 variants: 480 videos, 480 to render\n');
    expect(planHtml(document)).toContain(
      'of <code>spring</code> (60 rows × 4 locales × 2 variants: 480 videos, 480 to render)',
    );
  });
});
