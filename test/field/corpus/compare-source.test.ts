import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FEATURES } from '../features.ts';
import { CHROMIUM, openLottieWeb } from '../lottie-web.ts';
import { openThorvg } from '../thorvg.ts';
import { compareSource, type References } from './compare-source.ts';

const documentOf = (feature: string) => FEATURES.find(({ name }) => name === feature)!.document;

describe.skipIf(CHROMIUM === null)('compareSource()', () => {
  let references: References;
  beforeAll(async () => {
    references = { lottieWeb: await openLottieWeb(), thorvg: openThorvg() };
  });
  afterAll(async () => {
    await references.lottieWeb.close();
    await references.thorvg.close();
  });

  it.each([
    ['right', documentOf('rectangle')],
    ['silent', documentOf('effect, drop shadow')],
    ['reported', { ...documentOf('mask, feathered'), layers: withLightenMask() }],
    ['refused', { ...documentOf('rectangle'), layers: 'none' }],
    ['no_reference', { ...documentOf('rectangle'), layers: [] }],
  ])('finds a document to be %s', async (outcome, document) => {
    expect(await compareSource(document, references)).toMatchObject({ outcome });
  });
});

/** A translucent mask that hides everything in lottie-web, and less here. */
function withLightenMask(): unknown[] {
  const layers = structuredClone(documentOf('mask, feathered').layers) as {
    masksProperties?: { mode: string; o: unknown }[];
  }[];
  for (const { masksProperties = [] } of layers)
    for (const mask of masksProperties) Object.assign(mask, { mode: 'l', o: { a: 0, k: 50 } });
  return layers;
}
