import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { EditAnswer } from '../../src/studio/edit-protocol.ts';
import type { LanguageTable, TranslationRequest } from '../../src/studio/language-protocol.ts';
import type { PreviewError } from '../../src/studio/problem-protocol.ts';
import { PreviewClient } from '../support/preview-client.ts';
import { CONFIG, definition, makeRepository } from '../support/repository.ts';

/** Laid out as gettext-parser would not write it. */
const GERMAN = `# by Anna
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"

msgctxt "rome#@title"
msgid "Rome"
msgstr "Rom"


#, fuzzy
#| msgctxt "rome#t_01"
#| msgid "Roma"
msgctxt "rome#t_01"
msgid "Rome"
msgstr ""
"Rom"
`;
const ROME = `${definition('Rome')}locales: all\nvariants:\n  day: {}\n  night: {resources: {c_01: "#202040"}}\n`;

let root: string;
let page: PreviewClient;

beforeAll(async () => {
  root = makeRepository({
    'reelform.yaml': `${CONFIG}locales: {source: en, targets: [de, ja], files: "locales/{locale}.po"}\n`,
    'videos/rome.yaml': ROME,
    'locales/de.po': GERMAN,
  });
  page = await PreviewClient.start(root);
  await page.listen();
});

afterAll(async () => {
  expect(await page.close()).toBe(0);
});

const catalogue = (locale = 'de'): string => join(root, `locales/${locale}.po`);
const table = (row = ''): Promise<LanguageTable> => page.json(`/api/languages?definition=rome&row=${row}`);

async function translate(fields: Partial<TranslationRequest>) {
  const request = {
    definition: 'rome',
    locale: 'de',
    context: 'rome#t_01',
    source: 'Rome',
    former: 'Rom',
    text: 'Rom!',
  };
  return page.post('/api/translation', { ...request, ...fields });
}

beforeEach(async () => {
  writeFileSync(catalogue(), GERMAN);
  rmSync(catalogue('ja'), { force: true });
  await page.until(({ videos }) => videos.every(({ id }) => !id.startsWith('rome/') || id.endsWith('/en')));
});

describe('the languages of a definition', () => {
  it('are a table of its videos, with those that wait', async () => {
    const { locales, variants, rows, cells, source } = await table();
    expect({ locales, variants, rows, source }).toEqual({
      locales: ['en', 'de', 'ja'],
      variants: ['day', 'night'],
      rows: [''],
      source: 'en',
    });
    expect(cells.map(({ locale, variant, id, missing }) => [locale, variant, id, missing])).toEqual([
      ['de', 'day', null, '1 text, 1 stale'],
      ['en', 'day', 'rome/day/en', null],
      ['ja', 'day', null, '2 texts'],
      ['de', 'night', null, '1 text, 1 stale'],
      ['en', 'night', 'rome/night/en', null],
      ['ja', 'night', null, '2 texts'],
    ]);
    const { videos } = await page.state();
    expect(videos.find(({ id }) => id === 'rome/day/en')?.languages).toEqual({ definition: 'rome', row: '' });
    expect(videos.find(({ id }) => id === 'oslo')?.languages).toBeUndefined();
  });

  it('have pictures of videos that wait', async () => {
    const { cells } = await table();
    const waiting = cells.filter(({ id }) => id === null);
    for (const { fingerprint, posterFrame } of [waiting[0]!, waiting[3]!]) {
      const { status, headers } = await page.get(`/api/still/${fingerprint}/${posterFrame}.png`);
      expect([status, headers['content-type']]).toEqual([200, 'image/png']);
    }
  });

  it('have texts with the state of each translation, and the frame that shows it', async () => {
    const { texts } = await table();
    expect(texts.map(({ context, label, text, maxLength }) => [context, label, text, maxLength])).toEqual([
      ['rome#@title', 'title', 'Rome', null],
      ['rome#t_01', 'Headline', 'Rome', 20],
    ]);
    expect(texts[1]!.translations).toEqual([
      {
        locale: 'de',
        file: 'locales/de.po',
        text: 'Rom',
        state: 'stale',
        previous: 'Roma',
        seen: { variant: 'day', frame: expect.any(Number) },
      },
      { locale: 'ja', file: 'locales/ja.po', text: '', state: 'untranslated', previous: null, seen: expect.anything() },
    ]);
    expect(texts[0]!.translations[0]).toMatchObject({ state: 'translated', seen: null });
  });

  it('are refused for a definition without them', async () => {
    expect((await page.get('/api/languages?definition=oslo')).status).toBe(404);
  });
});

describe('a translation', () => {
  it('is written into the catalogue, which keeps its other bytes, and undone', async () => {
    const { status, json } = await translate({});
    expect([status, (json as EditAnswer).files]).toEqual([200, ['locales/de.po']]);
    const [before] = GERMAN.split('#, fuzzy');
    expect(readFileSync(catalogue(), 'utf8')).toBe(`${before}msgctxt "rome#t_01"\nmsgid "Rome"\nmsgstr "Rom!"\n`);
    await page.until(({ videos }) => videos.some(({ id, title }) => id === 'rome/night/de' && title === 'Rom'));
    const { cells } = await table();
    expect(cells.find(({ locale }) => locale === 'de')).toMatchObject({ id: 'rome/day/de', missing: null });
    expect((await page.post('/api/undo', { undo: (json as EditAnswer).undo })).status).toBe(200);
    expect(readFileSync(catalogue(), 'utf8')).toBe(GERMAN);
  });

  it('keeps the byte order mark of the file', async () => {
    writeFileSync(catalogue(), `\ufeff${GERMAN}`);
    expect((await translate({})).status).toBe(200);
    expect(readFileSync(catalogue(), 'utf8')).toMatch(/^\ufeff# by Anna\n[^\ufeff]*"Rom!"\n$/);
  });

  it('is refused if the file or the text was changed meanwhile', async () => {
    writeFileSync(catalogue(), GERMAN.replace(/"Rom"\n$/, '"Rom am Tiber"\n'));
    const { status, json } = await translate({});
    expect([status, (json as PreviewError).message, (json as PreviewError).hint]).toEqual([
      409,
      'locales/de.po was changed meanwhile',
      'It has "Rom am Tiber" now. Reload the page to see it',
    ]);
    expect((await translate({ source: 'Roma', former: 'Rom am Tiber' })).status).toBe(409);
    expect((await translate({ context: 'rome#t_09' })).status).toBe(404);
    expect(readFileSync(catalogue(), 'utf8')).toContain('Rom am Tiber');
  });

  it('is removed, and added to a catalogue that does not exist yet', async () => {
    await translate({ context: 'rome#@title', text: '' });
    expect(readFileSync(catalogue(), 'utf8')).toContain('msgid "Rome"\nmsgstr ""\n\n\n#, fuzzy');
    expect(existsSync(catalogue('ja'))).toBe(false);
    expect((await translate({ locale: 'ja', former: '', text: 'ローマ' })).status).toBe(200);
    const { texts } = await table();
    expect(texts[1]!.translations[1]).toMatchObject({ locale: 'ja', text: 'ローマ', state: 'translated' });
    expect(readFileSync(catalogue('ja'), 'utf8')).toContain('msgctxt "rome#@title"');
  });

  it('that is too long is written, and its problem answered', async () => {
    const { json } = await translate({ text: 'Rom, die ewige Stadt am Tiber' });
    expect((json as EditAnswer).problems.map(({ code, file }) => [code, file])).toEqual([
      ['text_too_long', 'locales/de.po'],
    ]);
    // Its text stays in the table.
    expect((await table()).texts[1]!.translations[0]!.text).toBe('Rom, die ewige Stadt am Tiber');
  });
});
