import { describe, expect, it } from 'vitest';
import { renderSegmentStills } from '../../../src/engine/render-segments.ts';
import { renderStills } from '../../../src/engine/render-stills.ts';
import { sceneSpans } from '../../../src/engine/scenes/scene-spans.ts';
import { segmentKeysOf } from '../../../src/engine/segments/drawings.ts';
import { segmentRanges } from '../../../src/engine/segments/segment.ts';
import type { RenderInput, ScenesInput } from '../../../src/template/render-input.ts';
import { joinSegments, renderFile, renderSegments } from '../../support/in-memory.ts';
import { sceneVideo, type TestScene } from '../../support/scene-videos.ts';
import { embeddedFonts, inputOf, movingInput, textLayer } from '../inputs.ts';

const SILENCE = { track: null, findings: [] };
const fade = { type: 'fade', duration: 0.4 } as const;

/** 45 + 30 + 25 frames at 10 frames per second. */
function scenes(): TestScene[] {
  return [
    { id: 'a', of: movingInput({ fps: 10, frameCount: 45 }) },
    { id: 'b', of: movingInput({ fps: 10, frameCount: 12 }), duration: 3, transition: fade },
    { id: 'c', of: movingInput({ fps: 10, frameCount: 25 }), transition: { ...fade, at: 'before' } },
  ];
}

const bounds = (video: ScenesInput): number[][] => segmentRanges(video).map(({ first, end }) => [first, end]);

describe('segmentRanges() of several scenes', () => {
  it('start again at each scene, and join remainders below half a second', () => {
    expect(bounds(sceneVideo(scenes()))).toEqual([
      [0, 20],
      [20, 40],
      [40, 45],
      [45, 65],
      [65, 75],
      [75, 95],
      [95, 100],
    ]);
  });

  it('have a boundary at the end of a long transition', () => {
    const [a, b] = scenes();
    const video = sceneVideo([a!, { ...b!, transition: { type: 'push', duration: 0.8 } }]);
    expect(sceneSpans(video).map(({ first, end }) => [first, end])).toEqual([
      [0, 45],
      [45, 53],
      [53, 75],
    ]);
    expect(bounds(video).slice(3)).toEqual([
      [45, 53],
      [53, 65],
      [65, 75],
    ]);
  });
});

describe('files of several scenes', () => {
  it('have the same bytes whole and joined from segments, however they are grouped, with stills', async () => {
    const stills = [3, 46, 60, 74, 99].map((frame) => ({ name: `at.${frame}`, frame }));
    const video = sceneVideo(scenes(), { stills });
    const whole = await renderFile(video);
    expect(whole.frameCount).toBe(100);
    const ranges = segmentRanges(video);
    for (const groups of [[ranges], [ranges.filter((_, at) => at % 2 === 0), ranges.filter((_, at) => at % 2 === 1)]]) {
      const segments = [];
      for (const group of groups) segments.push(...(await renderSegments(video, group)));
      const joined = await joinSegments(video, segments, SILENCE);
      expect(Buffer.compare(joined.video, whole.video)).toBe(0);
      expect(joined.stills).toEqual(whole.stills);
    }
    const drawn = await renderSegmentStills(video, [46, 60]);
    expect(drawn.map(({ bytes }) => Buffer.from(bytes))).toEqual(
      whole.stills.slice(1, 3).map(({ bytes }) => Buffer.from(bytes)),
    );
    expect((await renderStills(video)).map(({ name }) => name)).toEqual(stills.map(({ name }) => name));
  });

  it('are written whole in formats without segments', async () => {
    for (const format of ['gif', 'webp', 'webm'] as const) {
      const output = { format, quality: 'low', fingerprint: null } as const;
      const stills = [{ name: 'c.end', frame: 99 }];
      const seen: number[] = [];
      const file = await renderFile(sceneVideo(scenes(), { output, stills }), {
        onProgress: (done) => seen.push(done),
      });
      expect([file.format, file.frameCount, seen.at(-1)]).toEqual([format, 100, 100]);
      expect(file.stills.map(({ name }) => name)).toEqual(['c.end']);
    }
  });

  it('share the segments of scenes that are not changed, wherever they lie', () => {
    const keys = (list: readonly TestScene[]): (string | null)[] => {
      const video = sceneVideo(list);
      return segmentRanges(video).flatMap(segmentKeysOf(video, [video.output], 'test'));
    };
    const before = keys(scenes());
    const first = { id: 'first', of: movingInput({ fps: 10, frameCount: 33 }) };
    expect(keys([first, ...scenes()]).slice(-before.length)).toEqual(before);
    // Ids are no part of a key, and a scene alone has the keys of its template.
    expect(keys(scenes().map((scene) => ({ ...scene, id: `new_${scene.id}` })))).toEqual(before);
    const alone = movingInput({ fps: 10, frameCount: 45, stills: [] });
    const [start] = segmentRanges(alone).map(segmentKeysOf(alone, [alone.output], 'test'));
    expect(before[0]).toBe(start![0]);
    // A longer hold keeps the segments before it.
    const [a, b, c] = scenes();
    const longer = keys([a!, { ...b!, duration: 6 }, c!]);
    expect(longer.slice(0, 4)).toEqual(before.slice(0, 4));
  });

  it('name the scene of a text in findings', async () => {
    const lacking = (word: string): RenderInput => {
      const layer = textLayer(1, word, 4, 30, 20);
      (layer.t as { d: { editable?: string } }).d.editable = 't_01';
      return inputOf([layer], { fps: 10, frameCount: 20, document: { fonts: embeddedFonts() } });
    };
    const list = [
      { id: 'a', of: lacking('A') },
      { id: 'product/lamp', of: lacking('ᚠ'), transition: fade },
      { id: 'c', of: lacking('B'), transition: { ...fade, at: 'before' as const } },
    ];
    for (const format of ['mp4', 'gif'] as const) {
      const { findings } = await renderFile(
        sceneVideo(list, { output: { format, quality: 'low', fingerprint: null } }),
      );
      expect(findings).toMatchObject([{ code: 'glyph_missing', editable: 'product/lamp.t_01' }]);
      expect(findings[0]).not.toHaveProperty('scene');
    }
  });
});
