import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkInput } from '../../src/engine/check-input.ts';
import { inputCutter, segmentInput } from '../../src/engine/segments/segment-input.ts';
import type { RenderInput } from '../../src/template/render-input.ts';
import { FRAMES, inputArbitrary, mutateInput } from '../support/input-arbitrary.ts';
import { count, tell } from '../support/proof.ts';
import { differingFrames, segmentKeys } from '../support/segment-frames.ts';

const RANGES = [
  { first: 0, end: 4 },
  { first: 4, end: 8 },
  { first: 8, end: FRAMES },
];

function isValid(renderInput: RenderInput): boolean {
  try {
    checkInput(renderInput);
    return true;
  } catch {
    return false;
  }
}

/** Each shows its figures when it ends. Of them, several can run side by side: `-t "part 3"`. */
const PARTS = Array.from({ length: count(10, 1) }, (_, index) => index + 1);

test.each(PARTS)(
  'a segment is drawn the same from its own input, from the whole, and from any input with the same key, part %i',
  async () => {
    const runs = count(1_000, 40);
    const figures = { segments: 0, reused: 0, wrong: 0 };
    const mutation = fc.tuple(fc.nat(), fc.nat(3));
    await fc.assert(
      fc.asyncProperty(inputArbitrary, mutation, async (renderInput, [at, to]) => {
        const mutated = mutateInput(renderInput, at, to);
        fc.pre(isValid(renderInput) && isValid(mutated));
        const [keys, others] = [segmentKeys(renderInput, RANGES), segmentKeys(mutated, RANGES)];
        // The first and the last are drawn from one input, as by a process that renders both.
        const ends = [RANGES[0]!, RANGES[2]!];
        const united = inputCutter(renderInput)(ends);
        for (const range of ends) {
          const differing = await differingFrames(renderInput, united, range);
          if (differing.length > 0) figures.wrong += 1;
          expect(differing).toEqual([]);
        }
        for (const [index, range] of RANGES.entries()) {
          const isReused = keys[index] === others[index];
          const differing = [
            ...(await differingFrames(renderInput, segmentInput(renderInput, range), range)),
            ...(await differingFrames(mutated, isReused ? renderInput : segmentInput(mutated, range), range)),
          ];
          figures.segments += 2;
          if (isReused) figures.reused += 1;
          if (differing.length > 0) figures.wrong += 1;
          expect(differing).toEqual([]);
        }
      }),
      { numRuns: runs },
    );
    const { segments, reused, wrong } = figures;
    tell(`${runs} random inputs and a mutation of each: ${segments} segments, ${reused} reused, ${wrong} wrong`);
  },
);
