import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LottieDocument } from '../../src/template/render-input.ts';
import { FEATURES } from './features.ts';
import { CHROMIUM, openLottieWeb, type Reference } from './lottie-web.ts';
import { fieldDifference } from './measure.ts';

const PAGE = join(import.meta.dirname, '../../docs/reference/lottie-support.md');
const DOCS = readFileSync(PAGE, 'utf8');
/** `REELFORM_FIELD=write npm run field -- lottie-web` writes the rows and counts of the page instead of comparing them. */
const WRITES = process.env.REELFORM_FIELD === 'write';
const SHIPPED = join(createRequire(import.meta.url).resolve('lottie-web/package.json'), '../test/animations');

/** Documented difference of each row: the share of a frame, 0..1, and its description. */
const told = new Map(
  [...DOCS.matchAll(/^\| (.+?) \| ([\d.]+) % \| (.+?) \|$/gm)].map(([, name, share, what]) => [
    name!,
    { share: Number(share) / 100, what: what! },
  ]),
);
const animations = [...told.keys()].filter((name) => name.endsWith('.json'));
/** What a new row says that is not the same. */
const UNDESCRIBED = 'differs: to be described';
const measuredShares = new Map<string, number>();

describe.skipIf(CHROMIUM === null)('the engine compared with lottie-web in Chromium', () => {
  let web: Reference;
  beforeAll(async () => {
    web = await openLottieWeb();
  });
  afterAll(async () => {
    await web.close();
    if (WRITES) writeFileSync(PAGE, writtenPage());
  });

  it.each(FEATURES)('$name is drawn as documented', async ({ name, document }) => {
    holds(name, await fieldDifference(document, web, 4));
  });

  it.each(animations)('%s is drawn as documented', async (name) => {
    const document = JSON.parse(readFileSync(join(SHIPPED, name), 'utf8')) as LottieDocument;
    holds(name, await fieldDifference(document, web, 6));
  });
});

describe('fieldDifference()', () => {
  it.skipIf(CHROMIUM === null)('refuses a reference in which lottie-web draws nothing', async () => {
    const web = await openLottieWeb();
    const { document } = FEATURES.find(({ name }) => name === 'stroke, dashed')!;
    // lottie-web fails on two dashes with the same name.
    const broken = JSON.parse(JSON.stringify(document).replaceAll('"nm":"gap"', '"nm":"dash"')) as LottieDocument;
    await expect(fieldDifference(broken, web, 1)).rejects.toThrow('lottie-web cannot draw it');
    await expect(fieldDifference({ ...document, layers: [] }, web, 1)).rejects.toThrow('lottie-web draws nothing');
    await web.close();
  });
});

describe.skipIf(WRITES)('the documentation', () => {
  it('has a row for every compared feature and describes the difference', () => {
    expect(FEATURES.map(({ name }) => name).filter((name) => !told.has(name))).toEqual([]);
    expect([...told].filter(([, { share, what }]) => share > 0.005 === (what === 'same'))).toEqual([]);
    expect(DOCS).toContain(counts(FEATURES.map(({ name }) => told.get(name)?.what ?? '')));
    expect(DOCS).not.toContain(UNDESCRIBED);
    const words = /^(?:same$|close: |missing: |differs: |right here; )/;
    expect(FEATURES.filter(({ name }) => !words.test(told.get(name)?.what ?? ''))).toEqual([]);
  });
});

/** The next version of Chromium may antialias slightly differently. */
function isClose(measured: number, documented: number): boolean {
  return Math.abs(measured - documented) <= Math.max(0.004, documented * 0.15);
}

function holds(name: string, measured: number): void {
  if (WRITES) measuredShares.set(name, measured);
  else {
    const { share } = told.get(name)!;
    expect(measured).toSatisfy((value: number) => isClose(value, share), `The page says ${share}`);
  }
}

/** @param results those of all features */
function counts(results: readonly string[]): string {
  const count = (word: string): number => results.filter((result) => result.startsWith(word)).length;
  return (
    `Of ${results.length} features, ${count('same')} are the same, ${count('close')} close, ` +
    `${count('right here')} right here and wrong in lottie-web, ${count('differs')} different, ${count('missing')} missing.`
  );
}

/** The page with a row for each measured document. Rows that still hold stay as they are; a new difference has to be described. */
function writtenPage(): string {
  const resultOf = (name: string): { readonly share: number; readonly what: string } => {
    const [row, measured] = [told.get(name), measuredShares.get(name)];
    if (row !== undefined && (measured === undefined || isClose(measured, row.share))) return row;
    const share = measured ?? 0;
    if (share <= 0.005) return { share, what: 'same' };
    return { share, what: row === undefined || row.what === 'same' ? UNDESCRIBED : row.what };
  };
  const table = (names: readonly string[]): string =>
    names
      .map((name) => [name, resultOf(name)] as const)
      .map(([name, { share, what }]) => `| ${name} | ${(share * 100).toFixed(1)} % | ${what} |\n`)
      .join('');
  const names = FEATURES.map(({ name }) => name);
  return DOCS.replace(/^Of \d+ features, .*$/m, counts(names.map((name) => resultOf(name).what)))
    .replace(/(?<=^\| feature .*\n\|[-|]+\|\n)(?:\|.*\n)+/m, table(names))
    .replace(/(?<=^\| animation .*\n\|[-|]+\|\n)(?:\|.*\n)+/m, table(animations));
}
