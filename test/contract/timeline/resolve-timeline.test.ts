import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { frameRateOf } from '../../../src/contract/timeline/frame-rate.ts';
import { outputFrameOf, outputLengthOf, resolveTimeline } from '../../../src/contract/timeline/resolve-timeline.ts';
import type { TimelineInput } from '../../../src/contract/timeline/timeline.ts';
import { timelineJson } from './timeline-json.ts';

/** A case of the corpus, as docs/reference/timeline.md describes it. */
interface Case {
  readonly title: string;
  readonly input: TimelineInput;
  readonly output_rate?: number;
  readonly expect: {
    readonly timeline: object | null;
    readonly findings: readonly object[];
    readonly output?: { readonly starts: readonly number[]; readonly frames: number };
  };
}

const FOLDER = join(import.meta.dirname, 'cases');
const files = readdirSync(FOLDER).map((file) => {
  return { file, cases: JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Case[] };
});

describe.each(files)('the corpus $file', ({ cases }) => {
  it.each(cases)('$title', ({ input, output_rate: outputRate, expect: { output, ...expected } }) => {
    const resolved = resolveTimeline(input);
    expect(timelineJson(resolved)).toMatchObject(expected);
    if (outputRate === undefined || resolved.timeline === null) return;
    const { scenes, frames, rate } = resolved.timeline;
    const to = frameRateOf(outputRate);
    const starts = scenes.map(({ start }) => outputFrameOf(start, rate, to));
    expect({ starts, frames: outputLengthOf(frames, rate, to) }).toEqual(output);
  });
});

it('has at least 80 cases with distinct titles', () => {
  const titles = files.flatMap(({ cases }) => cases.map(({ title }) => title));
  expect(new Set(titles).size).toBe(titles.length);
  expect(titles.length).toBeGreaterThanOrEqual(80);
});

describe('resolveTimeline()', () => {
  const template = { width: 1920, height: 1080, rate: 30, frames: 30, stillcuts: {} };
  const scenesOf = (count: number): TimelineInput => ({
    templates: { card: template },
    scenes: Array.from({ length: count }, (_, index) => ({ id: `a${index}`, template: 'card' })),
  });

  it('accepts 200 scenes', () => {
    expect(resolveTimeline(scenesOf(200)).timeline?.frames).toBe(6000);
  });

  it('rejects 201 scenes', () => {
    expect(timelineJson(resolveTimeline(scenesOf(201)))).toEqual({
      timeline: null,
      findings: [{ code: 'too_many_scenes', wanted: 201 }],
    });
  });
});
