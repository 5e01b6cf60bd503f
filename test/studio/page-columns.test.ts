import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { EditAnswer } from '../../src/studio/edit-protocol.ts';
import type { LanguageTable, TranslationRequest } from '../../src/studio/language-protocol.ts';
import type { PreviewError } from '../../src/studio/problem-protocol.ts';
import { PreviewClient } from '../support/preview-client.ts';
import { CONFIG, makeRepository } from '../support/repository.ts';

/** Quoted as no program of ours would, with a column that is a colour and an empty line. */
const PRODUCTS = [
  'slug,name,name_de,claim,claim_de,tone,tone_de,note',
  'lamp,Lamp,"Lampe","Soft, light.","Licht, sanft.",#AA0000,#00AA00,"a ""note"""',
  '',
  'sofa,Sofa,,Sit down,,#AA0000,#00AA00, b ',
  '',
].join('\r\n');
const DEFINITION = `template: small
title: "\${name}: \${claim}"
locales: all
each: {from: ../data/products.csv, id: "\${slug}"}
variants: {day: {}, night: {resources: {t_01: "\${claim}"}}}
resources: {t_01: "\${claim}", c_01: "\${tone}"}
`;

let root: string;
let page: PreviewClient;

beforeAll(async () => {
  root = makeRepository({
    'reelform.yaml': `${CONFIG}locales: {source: en, targets: [de, ja]}\n`,
    'videos/shop.yaml': DEFINITION,
    'data/products.csv': PRODUCTS,
  });
  page = await PreviewClient.start(root);
  await page.listen();
});

afterAll(async () => {
  expect(await page.close()).toBe(0);
});

const data = (): string => readFileSync(join(root, 'data/products.csv'), 'utf8');
const table = (row: string): Promise<LanguageTable> => page.json(`/api/languages?definition=shop&row=${row}`);
const CELL = { path: 'data/products.csv', row: 1, column: 'claim_de', sourceColumn: 'claim' };

function translate(fields: Partial<TranslationRequest>) {
  const request = { definition: 'shop', locale: 'de', context: 'claim', source: 'Sit down', former: '', cell: CELL };
  return page.post('/api/translation', { ...request, text: 'Setz dich, du', ...fields });
}

beforeEach(() => {
  writeFileSync(join(root, 'data/products.csv'), PRODUCTS);
});

describe('the texts of columns of locales', () => {
  it('are in the table of the row that is shown, with their cells and the frames that show them', async () => {
    const { texts } = await table('lamp');
    expect(texts.map(({ context, label, text, maxLength }) => [context, label, text, maxLength])).toEqual([
      ['data/products.csv line 2: name', 'name', 'Lamp', null],
      ['data/products.csv line 2: claim', 'claim', 'Soft, light.', 20],
    ]);
    const [title, claim] = texts.map(({ translations }) => translations[0]!);
    expect(claim).toEqual({
      locale: 'de',
      file: 'data/products.csv',
      text: 'Licht, sanft.',
      state: 'translated',
      previous: null,
      seen: { variant: 'day', frame: expect.any(Number) },
      cell: { row: 0, column: 'claim_de', sourceColumn: 'claim' },
    });
    expect(title).toMatchObject({ text: 'Lampe', seen: null });
  });

  it('are missing where the cell is empty, and cannot be edited where the column is', async () => {
    const { texts } = await table('sofa');
    expect(texts[1]!.translations.map(({ locale, state, readOnly }) => [locale, state, readOnly])).toEqual([
      ['de', 'untranslated', undefined],
      ['ja', 'untranslated', 'data/products.csv has no column claim_ja'],
    ]);
  });

  it('are written into their cells: every other byte stays, and the edit is undone', async () => {
    const { status, json } = await translate({});
    expect([status, (json as EditAnswer).files]).toEqual([200, ['data/products.csv']]);
    expect(data()).toBe(PRODUCTS.replace('Sit down,,', 'Sit down,"Setz dich, du",'));
    await translate({ former: 'Setz dich, du', text: '' });
    expect(data()).toBe(PRODUCTS);
    const again = await translate({ text: 'Bitte' });
    await page.post('/api/undo', { undo: (again.json as EditAnswer).undo });
    expect(data()).toBe(PRODUCTS);
  });

  it('are refused if the cell, the row or the file is another by now', async () => {
    const { status, json } = await translate({ former: 'Sitz' });
    expect([status, (json as PreviewError).message]).toEqual([409, 'data/products.csv was changed meanwhile']);
    const [header, ...rows] = PRODUCTS.split('\r\n');
    writeFileSync(join(root, 'data/products.csv'), [header, 'rug,Rug,,Walk,,#AA0000,#00AA00,', ...rows].join('\r\n'));
    expect((await translate({})).status).toBe(409);
    expect((await translate({ cell: { ...CELL, column: 'claim_xx' } })).status).toBe(409);
    expect((await translate({ cell: { ...CELL, path: 'reelform.yaml' } })).status).toBe(404);
    expect(data()).toContain('Sit down,,');
  });

  it('leave the column to a catalogue that has its text', async () => {
    const config = `${CONFIG}locales: {source: en, targets: [de, ja], columns: [claim]}\n`;
    const other = makeRepository({
      'reelform.yaml': config,
      'videos/shop.yaml': DEFINITION,
      'data/products.csv': PRODUCTS,
    });
    const client = await PreviewClient.start(other);
    const { texts }: LanguageTable = await client.json('/api/languages?definition=shop&row=sofa');
    expect(texts.map(({ context }) => context)).toEqual(['shop/sofa#${claim}', 'data/products.csv line 4: name']);
    expect(await client.close()).toBe(0);
  });

  it('are those of rows that the definition has itself: an edit keeps its comments and its other bytes', async () => {
    const definition = `template: small # the card
title: "\${name}"
locales: all
each:
  id: "\${slug}"
  from:
    # In the order of the shop.
    - {slug: lamp, name: Lamp, name_de: "Lampe",   claim: 'Soft light', claim_de: Sanft}
    - slug: sofa
      name: Sofa # short
      name_de: Sofa
      claim: Sit down
      claim_de:
resources: {t_01: "\${claim}", c_01: "#AA0000"}
`;
    const other = makeRepository({
      'reelform.yaml': `${CONFIG}locales: {source: en, targets: [de, ja]}\n`,
      'videos/shop.yaml': definition,
    });
    const client = await PreviewClient.start(other);
    await client.listen();
    const { texts }: LanguageTable = await client.json('/api/languages?definition=shop&row=sofa');
    const [claim] = texts.filter(({ label }) => label === 'claim');
    const list = ['each', 'from'];
    expect(claim!.translations).toMatchObject([
      {
        locale: 'de',
        file: 'videos/shop.yaml',
        text: '',
        state: 'untranslated',
        cell: { list, row: 1, column: 'claim_de' },
      },
      { locale: 'ja', readOnly: 'videos/shop.yaml row 2 has no column claim_ja' },
    ]);
    const cell = { ...claim!.translations[0]!.cell!, path: 'videos/shop.yaml' };
    const request = {
      definition: 'shop',
      locale: 'de',
      context: 'claim',
      source: 'Sit down',
      former: '',
      text: 'Setz: dich',
    };
    const written = (): string => readFileSync(join(other, 'videos/shop.yaml'), 'utf8');
    expect((await client.post('/api/translation', { ...request, former: 'x', cell })).status).toBe(409);
    for (const path of ['reelform.yaml', '../x.yaml', 'templates/small/animation.json']) {
      expect((await client.post('/api/translation', { ...request, cell: { ...cell, path } })).status).toBe(404);
    }
    expect(written()).toBe(definition);
    const { status, json } = await client.post('/api/translation', { ...request, cell });
    expect([status, written()]).toEqual([200, definition.replace('claim_de:\n', 'claim_de: "Setz: dich"\n')]);
    await client.post('/api/undo', { undo: (json as EditAnswer).undo });
    expect(written()).toBe(definition);
    expect(await client.close()).toBe(0);
  });
});
