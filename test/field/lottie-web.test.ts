import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LottieDocument } from '../../src/template/scene.ts';
import { FEATURES } from './features.ts';
import { CHROMIUM, openLottieWeb, type Reference } from './lottie-web.ts';
import { fieldDifference } from './measure.ts';

const DOCS = readFileSync(join(import.meta.dirname, '../../docs/reference/lottie-support.md'), 'utf8');
const SHIPPED = join(createRequire(import.meta.url).resolve('lottie-web/package.json'), '../test/animations');

/** Documented difference of each row: the share of a frame, 0..1, and its description. */
const told = new Map(
  [...DOCS.matchAll(/^\| (.+?) \| ([\d.]+) % \| (.+?) \|$/gm)].map(([, name, share, what]) => [
    name!,
    { share: Number(share) / 100, what: what! },
  ]),
);
const animations = [...told.keys()].filter((name) => name.endsWith('.json'));

describe.skipIf(CHROMIUM === null)('the engine compared with lottie-web in Chromium', () => {
  let web: Reference;
  beforeAll(async () => {
    web = await openLottieWeb();
  });
  afterAll(() => web.close());

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

describe('the documentation', () => {
  it('has a row for every compared feature and describes the difference', () => {
    expect(FEATURES.map(({ name }) => name).filter((name) => !told.has(name))).toEqual([]);
    expect([...told].filter(([, { share, what }]) => share > 0.005 === (what === 'same'))).toEqual([]);
    const count = (word: string): number => FEATURES.filter(({ name }) => told.get(name)?.what.startsWith(word)).length;
    expect(DOCS).toContain(
      `Of ${FEATURES.length} features, ${count('same')} are the same, ${count('close')} close, ` +
        `${count('right here')} right here and wrong in lottie-web, ${count('differs')} different, ${count('missing')} missing.`,
    );
    const words = /^(?:same$|close: |missing: |differs: |right here; )/;
    expect(FEATURES.filter(({ name }) => !words.test(told.get(name)?.what ?? ''))).toEqual([]);
  });
});

/** The next version of Chromium may antialias slightly differently. */
function holds(name: string, measured: number): void {
  const { share } = told.get(name)!;
  expect(Math.abs(measured - share)).toBeLessThanOrEqual(Math.max(0.004, share * 0.15));
}
