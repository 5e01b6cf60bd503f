import { expect, it } from 'vitest';
import type { Cue } from '../../../src/contract/captions/cue.ts';
import { segmentKeysOf } from '../../../src/engine/segments/drawings.ts';
import { segmentRanges } from '../../../src/engine/segments/segment.ts';
import { captioned } from '../../support/captioned-inputs.ts';
import { movingInput } from '../inputs.ts';

it('an edit of one of 40 cues renders hardly more than its segments', () => {
  const video = movingInput({ fps: 10, frameCount: 1200 });
  const cues = Array.from({ length: 40 }, (_, index) => ({
    start: index * 3,
    end: index * 3 + 2,
    text: `Cue ${index}`,
  }));
  const keysOf = (list: readonly Cue[]): (string | null)[] => {
    const input = captioned(video, { cues: list, style: {} });
    const keys = segmentKeysOf(input, [input.output], 'build');
    return segmentRanges(input).map((range) => keys(range)[0]!);
  };
  const before = keysOf(cues);
  for (const index of [0, 17, 39]) {
    const after = keysOf(cues.map((given, at) => (at === index ? { ...given, text: 'Other' } : given)));
    const changed = before.filter((key, at) => key !== after[at]).length;
    const shown = segmentRanges(video).filter(({ first, end }) => index * 30 < end && index * 30 + 20 > first).length;
    expect(changed).toBe(shown);
  }
});
