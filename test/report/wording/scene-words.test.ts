import { describe, expect, it } from 'vitest';
import { frameRateOf } from '../../../src/contract/timeline/frame-rate.ts';
import { resolveTimeline } from '../../../src/contract/timeline/resolve-timeline.ts';
import type { DurationWish, SceneInput, TemplateFacts } from '../../../src/contract/timeline/timeline.ts';
import { lengthWords, placeWords } from '../../../src/report/wording/scene-words.ts';

const CARD = { width: 320, height: 180, rate: 30, frames: 150, stillcuts: {} } satisfies TemplateFacts;
const VOICE = { name: 'voice', samples: 277_830, rate: 44_100 };

/** Returns the words about the only scene of a video. */
function wordsOf(scene: Omit<SceneInput, 'id' | 'template'>, facts: Partial<TemplateFacts> = {}): string[] {
  const { timeline } = resolveTimeline({
    templates: { card: { ...CARD, ...facts } },
    scenes: [{ id: 'a', template: 'card', ...scene }],
    duration: scene.duration === 'fill' ? 9 : undefined!,
  });
  const { why } = timeline!.scenes[0]!;
  return [lengthWords(why, timeline!), ...why.places.map((place) => placeWords(place, timeline!, frameRateOf(30)))];
}

describe('lengthWords() and placeWords()', () => {
  it.each<[DurationWish | undefined, string[]]>([
    [undefined, ['as designed']],
    [9.5, ['set to 9.5 s', 'holds its picture at 4.97 s for 4.5 s']],
    ['fill', ['what is left of 9 s', 'holds its picture at 4.97 s for 4 s']],
    ['content', ['as long as its voice, 6.3 s, and 0.5 s after it', 'holds its picture at 4.97 s for 1.8 s']],
    [
      { content: true, max: 6 },
      ['as long as its voice, 6.3 s, and 0.5 s after it, but at most `max`', 'holds its picture at 4.97 s for 1 s'],
    ],
  ])('of %j are %j', (duration, words) => {
    expect(wordsOf({ ...(duration !== undefined && { duration }), content: [VOICE] })).toEqual(words);
  });

  it('tell loops, stretches and what is left out', () => {
    expect(wordsOf({ duration: 9.5 }, { timing: [{ loop: [30, 90] }] })).toEqual([
      'set to 9.5 s',
      'plays 1 s to 3 s 3 times, 4.5 s longer',
    ]);
    expect(wordsOf({ duration: 4 }, { timing: [{ stretch: [60, 120], min: 20 }] })).toEqual([
      'set to 4 s',
      'plays 2 s to 4 s faster, 1 s shorter',
    ]);
    expect(wordsOf({ duration: 4, shorten: 'cut' })).toEqual(['set to 4 s, 1 s are left out at the end']);
    expect(wordsOf({ duration: 'content', content: [] })).toEqual(['as designed, because it has no content']);
  });
});
