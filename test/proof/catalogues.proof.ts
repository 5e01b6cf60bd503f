import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { mo } from 'gettext-parser';
import { describe, expect, it } from 'vitest';
import { xliff2js } from 'xliff';
import { formatOf } from '../../src/reconciler/catalogues/catalogue-formats.ts';
import type { CatalogueUnit } from '../../src/reconciler/locales/catalogue.ts';
import { mergeTexts } from '../../src/reconciler/locales/merge-catalogue.ts';
import { count } from '../support/proof.ts';
import { texts, translated, work } from '../support/random-catalogues.ts';
import { makeFolder } from '../support/repository.ts';

const LOCALES = { source: 'en', target: 'pt-BR' };
/** A step of CI has Debian's gettext, and requires it. */
const HAS_MSGFMT = spawnSync('msgfmt', ['--version']).status === 0;
const IS_REQUIRED = process.env.REELFORM_REQUIRE_MSGFMT === '1';

/** Returns a catalogue that was extracted, translated, and extracted again after its texts changed. */
const merged = (file: string) =>
  fc.tuple(texts, work, texts).map(([before, done, after]) => {
    const format = formatOf(file)!;
    const first = format.write(translated(mergeTexts([], before).units, done), LOCALES, null);
    const read = format.read(file, first);
    if (!read.ok) throw new Error(JSON.stringify(read.diagnostics));
    const { units } = mergeTexts(read.value, [...before.slice(1), ...after.filter(({ context }) => !before.some((text) => text.context === context))]); // biome-ignore format: one call
    return { units, text: format.write(units, LOCALES, first) };
  });

/** What a program that shows translations uses. */
const finished = (units: readonly CatalogueUnit[]): string[][] =>
  units
    .filter(({ target, isStale, isObsolete }) => target !== '' && !isStale && !isObsolete)
    .map(({ context, source, target }) => [context, source, target])
    .sort();

describe.skipIf(!HAS_MSGFMT && !IS_REQUIRED)('PO catalogues in gettext', () => {
  it('pass msgfmt --check, and have the same translations', () => {
    const folder = makeFolder({});
    const [po, output] = [join(folder, 'a.po'), join(folder, 'a.mo')];
    const property = fc.property(merged('a.po'), ({ units, text }) => {
      writeFileSync(po, text);
      execFileSync('msgfmt', ['--check', '--output-file', output, po], { stdio: 'pipe' });
      const { translations } = mo.parse(readFileSync(output));
      const found = Object.values(translations).flatMap((section) =>
        Object.values(section).flatMap(({ msgctxt = '', msgid, msgstr }) =>
          msgid === '' ? [] : [[msgctxt, msgid, msgstr[0]!]],
        ),
      );
      expect(found.sort()).toEqual(finished(units));
    });
    fc.assert(property, { numRuns: count(2000, 200) });
  });
});

describe('XLIFF catalogues in the reader of i18next', () => {
  it('have the same texts and translations', async () => {
    const property = fc.asyncProperty(merged('a.xlf'), async ({ units, text }) => {
      const { resources } = (await xliff2js(text)) as {
        resources: Record<string, Record<string, { source: unknown; target?: unknown }>>;
      };
      const found = Object.values(resources).flatMap((unitsOfFile) =>
        Object.values(unitsOfFile).map(({ source, target }) => [source, target ?? '']),
      );
      expect(found.sort()).toEqual(units.map(({ source, target }) => [source, target]).sort());
    });
    await fc.assert(property, { numRuns: count(2000, 200) });
  });
});
