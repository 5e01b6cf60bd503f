import { describe, expect, it } from 'vitest';
import { lintInput } from '../../../src/engine/lint/lint-input.ts';
import { SAFE_AREA_NAMES, type SafeAreaName } from '../../../src/template/lint-severities.ts';
import { embeddedFonts, inputOf, rectangleLayer, textLayer } from '../inputs.ts';

/** A word of about 75 × 27 pixels on dark blue; its left end and baseline are at the position. */
function wordAt(
  x: number,
  y: number,
  { size = [540, 960], ip = 0 }: { size?: readonly [number, number]; ip?: number } = {},
) {
  const layer = textLayer(1, 'Reel', x, y, 36) as { t: { d: { editable?: string } } };
  layer.t.d.editable = 't_01';
  const [width, height] = size;
  const ground = rectangleLayer(2, [0, 0, width, height], [0, 0, 0.3]);
  return inputOf([{ ...layer, ip }, ground], {
    width,
    height,
    fps: 10,
    frameCount: 30,
    document: { fonts: embeddedFonts() },
  });
}

async function edgesOf(renderInput: ReturnType<typeof wordAt>, area: SafeAreaName | null): Promise<string> {
  const findings = await lintInput(renderInput, area);
  return findings
    .map((finding) => (finding.code === 'outside_safe_area' ? finding.edges.join(' ') : finding.code))
    .join(', ');
}

const WIDE = { size: [960, 540] } as const;

describe('lintInput() with a safe area', () => {
  it.each([
    ['instagram-reels', 200, 400, ''],
    ['instagram-reels', 200, 140, 'top'],
    ['instagram-reels', 200, 640, 'bottom'],
    ['instagram-reels', 20, 400, 'left'],
    ['instagram-reels', 445, 400, 'right'],
    ['instagram-reels', 20, 100, 'top left'],
    ['instagram-stories', 20, 640, ''],
    ['instagram-stories', 20, 800, 'bottom'],
    ['tiktok', 100, 640, ''],
    ['tiktok', 40, 640, 'left'],
    ['tiktok', 410, 400, 'right'],
    ['youtube-shorts', 40, 400, ''],
    ['youtube-shorts', 380, 400, 'right'],
    ['youtube-shorts', 40, 640, 'bottom'],
    ['broadcast', 30, 900, ''],
    ['broadcast', 10, 900, 'left'],
  ] as const)('%s, text at %d, %d: %s', async (area, x, y, edges) => {
    expect(await edgesOf(wordAt(x, y), area)).toBe(edges);
  });

  it('checks wide pictures only against the broadcast area', async () => {
    expect(await edgesOf(wordAt(10, 280, WIDE), 'broadcast')).toBe('left');
    for (const area of SAFE_AREA_NAMES.filter((name) => name !== 'broadcast'))
      expect(await edgesOf(wordAt(10, 280, WIDE), area)).toBe('');
  });

  it('reports nothing without a safe area', async () => {
    expect(await edgesOf(wordAt(10, 900), null)).toBe('');
  });

  it('reports the moment at which the text is shown, and its box', async () => {
    const [finding] = await lintInput(wordAt(200, 640, { ip: 20 }), 'instagram-reels');
    expect(finding).toMatchObject({ code: 'outside_safe_area', editable: 't_01', area: 'instagram-reels' });
    expect(finding!.frame).toBeGreaterThanOrEqual(20);
    expect(finding!.box!.x).toBeCloseTo(200 / 540, 1);
  });
});
