import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkScene } from '../../src/engine/check-scene.ts';
import { sceneCutter, segmentScene } from '../../src/engine/segments/segment-scene.ts';
import type { Scene } from '../../src/template/scene.ts';
import { count, tell } from '../support/proof.ts';
import { FRAMES, mutateScene, sceneArbitrary } from '../support/scene-arbitrary.ts';
import { differingFrames, segmentKeys } from '../support/segment-frames.ts';

const RANGES = [
  { first: 0, end: 4 },
  { first: 4, end: 8 },
  { first: 8, end: FRAMES },
];

function isValid(scene: Scene): boolean {
  try {
    checkScene(scene);
    return true;
  } catch {
    return false;
  }
}

/** Each shows its figures when it ends. Of them, several can run side by side: `-t "part 3"`. */
const PARTS = Array.from({ length: count(10, 1) }, (_, index) => index + 1);

test.each(PARTS)(
  'a segment is drawn the same from its own scene, from the whole, and from any scene with the same key, part %i',
  async () => {
    const runs = count(1_000, 40);
    const figures = { segments: 0, reused: 0, wrong: 0 };
    const mutation = fc.tuple(fc.nat(), fc.nat(3));
    await fc.assert(
      fc.asyncProperty(sceneArbitrary, mutation, async (scene, [at, to]) => {
        const mutated = mutateScene(scene, at, to);
        fc.pre(isValid(scene) && isValid(mutated));
        const [keys, others] = [segmentKeys(scene, RANGES), segmentKeys(mutated, RANGES)];
        // The first and the last are drawn from one scene, as by a process that renders both.
        const ends = [RANGES[0]!, RANGES[2]!];
        const united = sceneCutter(scene)(ends);
        for (const range of ends) {
          const differing = await differingFrames(scene, united, range);
          if (differing.length > 0) figures.wrong += 1;
          expect(differing).toEqual([]);
        }
        for (const [index, range] of RANGES.entries()) {
          const isReused = keys[index] === others[index];
          const differing = [
            ...(await differingFrames(scene, segmentScene(scene, range), range)),
            ...(await differingFrames(mutated, isReused ? scene : segmentScene(mutated, range), range)),
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
    tell(`${runs} random scenes and a mutation of each: ${segments} segments, ${reused} reused, ${wrong} wrong`);
  },
);
