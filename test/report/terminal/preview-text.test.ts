import { expect, test } from 'vitest';
import type { PlanPreview, VideoPreview } from '../../../src/report/preview/plan-preview.ts';
import { previewText } from '../../../src/report/terminal/preview-text.ts';
import { examplePreview } from '../html/preview.ts';

test('previewText() lists the largest difference first', () => {
  expect(previewText(examplePreview())).toMatchInlineSnapshot(`
    "
    Visible changes
      berlin  25 % of the frame changes at 2 s; also changes: its sound
      vienna  no visible change
      paris   nothing to compare with
      1 video not shown: the time limit was reached
      Drawn in 2.0 s.
    "
  `);
});

test('previewText() lists twenty videos, counts the others, and limits the width of ids', () => {
  const still = examplePreview().videos.get('berlin')!.stills[0]!;
  const video = (share: number): VideoPreview => ({
    stills: [{ ...still, changedShare: share }],
    isVisible: true,
    unseen: [],
  });
  const videos = new Map(
    Array.from({ length: 25 }, (_, at) => [at === 0 ? 'long/'.repeat(30) : `v${at}`, video(at / 100)]),
  );
  const leftOut = [
    { id: 'a', reason: 'sample' as const },
    { id: 'b', reason: 'sample' as const },
  ];
  const preview: PlanPreview = { ...examplePreview(), videos, leftOut };
  const lines = previewText(preview).trimEnd().split('\n');
  expect(lines[2]).toBe(`  v24${' '.repeat(2)}24 % of the frame changes at 2 s`);
  expect(lines.slice(-3)).toEqual([
    '  and 5 more videos',
    '  2 videos not shown: other videos of the same definition are shown',
    '  Drawn in 2.0 s.',
  ]);
});
