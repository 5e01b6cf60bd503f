import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CaptionStyle } from '../../src/contract/captions/caption-style.ts';
import type { Cue } from '../../src/contract/captions/cue.ts';
import { drawingsOf, segmentKeysOf } from '../../src/engine/segments/drawings.ts';
import { segmentRanges } from '../../src/engine/segments/segment.ts';
import { sha256 } from '../../src/kernel/digest.ts';
import type { ScenesInput } from '../../src/template/render-input.ts';
import { movingInput } from '../engine/inputs.ts';
import { captioned, spokenWords } from '../support/captioned-inputs.ts';
import { count, tell } from '../support/proof.ts';
import { sceneVideo } from '../support/scene-videos.ts';
import { drawFrames } from '../support/segment-frames.ts';

const FPS = 5;
const SCENES = sceneVideo([
  { id: 'a', of: movingInput({ fps: FPS, frameCount: 15 }) },
  { id: 'b', of: movingInput({ fps: FPS, frameCount: 15 }), transition: { type: 'fade', duration: 0.6 } },
]);

/** Times are tenths of seconds, so that edges often meet. */
const cue = fc
  .record({
    start: fc.integer({ min: 0, max: 58 }),
    length: fc.integer({ min: 1, max: 25 }),
    text: fc.constantFrom('Light', 'Light that lands', 'one\ntwo', 'softly on every room', '春の新作', 'אור רך'),
    hasWords: fc.boolean(),
    place: fc.constantFrom(undefined, undefined, 'top' as const),
  })
  .map(({ start, length, text, hasWords, place }): Cue => {
    const [from, seconds] = [start / 10, length / 10];
    const words = hasWords ? { words: spokenWords(text, from, seconds / text.split(/\s+/).length) } : {};
    return { start: from, end: from + seconds, text, ...words, ...(place === undefined ? {} : { place }) };
  });
const style: fc.Arbitrary<CaptionStyle> = fc.record(
  {
    animation: fc.constantFrom('none' as const, 'fade' as const, 'pop' as const, 'word' as const, 'karaoke' as const),
    size: fc.constantFrom(8, 12),
    active_color: fc.constant('FFE600'),
    active_background: fc.constant('7C3AED'),
    background: fc.constant('00000099'),
    outline: fc.constant(10),
    words: fc.constantFrom(1, 2),
  },
  { requiredKeys: [] },
);

const edits = fc.record({
  cues: fc.array(cue, { minLength: 1, maxLength: 5 }),
  sceneCues: fc.array(cue, { maxLength: 2 }),
  style,
  /** Which cue is edited, and by what it is replaced; removed if null. */
  at: fc.nat(),
  replacement: fc.option(cue),
});

async function digestsOf(video: ScenesInput): Promise<Map<string, string>> {
  const keys = segmentKeysOf(video, [video.output], 'build');
  const digests = new Map<string, string>();
  for (const range of segmentRanges(video)) {
    const frames: Buffer[] = [];
    for (const { renderInput, ranges, span } of drawingsOf(video, [range])) {
      for (const { first, end } of ranges) {
        const drawn = await drawFrames(renderInput, { first: first - span.offset, end: end - span.offset });
        frames.push(...drawn.values());
      }
    }
    digests.set(keys(range)[0]!, sha256(Buffer.concat(frames)));
  }
  return digests;
}

/** Shows that no edit of a cue reuses a segment that would look different. */
test('segments with equal keys are equal, whatever cue is edited', async () => {
  const edited = count(2000, 40);
  let reused = 0;
  await fc.assert(
    fc.asyncProperty(edits, async ({ cues, sceneCues, style: look, at, replacement }) => {
      const index = at % cues.length;
      const changed = cues.flatMap((given, position) => {
        return position !== index ? [given] : replacement === null ? [] : [replacement];
      });
      const videoOf = (list: readonly Cue[]): ScenesInput =>
        captioned(SCENES, { cues: list, style: look }, [undefined, { cues: sceneCues, style: { size: 10 } }]);
      const [before, after] = [await digestsOf(videoOf(cues)), await digestsOf(videoOf(changed))];
      for (const [key, digest] of after) {
        const known = before.get(key);
        if (known === undefined) continue;
        reused += 1;
        expect(digest).toBe(known);
      }
    }),
    { numRuns: edited },
  );
  expect(reused).toBeGreaterThan(10);
  tell(`${edited} edits: ${reused} reused segments, 0 wrong`);
});
