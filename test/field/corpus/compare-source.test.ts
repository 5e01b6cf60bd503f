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
    ['disputed', { ...documentOf('mask, expanded'), layers: withContractedMask() }],
    ['silent', { ...documentOf('mask, expanded'), layers: withContractedMaskAndPath() }],
    ['reported', documentOf('effect, drop shadow')],
    ['reported', { ...documentOf('mask, feathered'), layers: withLightenMask() }],
    ['refused', { ...documentOf('rectangle'), layers: 'none' }],
    ['no_reference', { ...documentOf('rectangle'), layers: [] }],
  ])('finds a document to be %s', async (outcome, document) => {
    expect(await compareSource(document, references)).toMatchObject({ outcome });
  });
});

/** A mask that lottie-web contracts by squares, which cuts more off slanted edges. */
function withContractedMask(): unknown[] {
  const layers = structuredClone(documentOf('mask, expanded').layers) as { masksProperties?: { x: unknown }[] }[];
  for (const { masksProperties = [] } of layers) for (const mask of masksProperties) mask.x = { a: 0, k: -12 };
  return layers;
}

/** The same with a motion path that ThorVG follows otherwise, so that neither player draws it as the engine does. */
function withContractedMaskAndPath(): unknown[] {
  const [moving] = documentOf('straight motion path, handles beyond its end').layers;
  return [{ ...(moving as object), ind: 9 }, ...withContractedMask()];
}

/** A translucent mask that hides everything in lottie-web, and less here. */
function withLightenMask(): unknown[] {
  const layers = structuredClone(documentOf('mask, feathered').layers) as {
    masksProperties?: { mode: string; o: unknown }[];
  }[];
  for (const { masksProperties = [] } of layers)
    for (const mask of masksProperties) Object.assign(mask, { mode: 'l', o: { a: 0, k: 50 } });
  return layers;
}
