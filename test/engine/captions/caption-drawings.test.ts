import { describe, expect, it } from 'vitest';
import type { CaptionStyle, SpecCaptions } from '../../../src/contract/captions/caption-style.ts';
import { CAPTION_STYLES } from '../../../src/contract/captions/caption-styles.ts';
import { captionDocument } from '../../../src/engine/captions/caption-document.ts';
import { checkInput } from '../../../src/engine/check-input.ts';
import { segmentKeysOf, wholeDrawings } from '../../../src/engine/segments/drawings.ts';
import { segmentRanges } from '../../../src/engine/segments/segment.ts';
import type { VideoInput } from '../../../src/template/render-input.ts';
import { captioned, spokenCue } from '../../support/captioned-inputs.ts';
import { sceneVideo } from '../../support/scene-videos.ts';
import { drawFrames } from '../../support/segment-frames.ts';
import { inputOf, movingInput, rectangleLayer } from '../inputs.ts';

async function drawVideo(video: VideoInput): Promise<Buffer[]> {
  checkInput(video);
  const frames: Buffer[] = [];
  for (const { renderInput, ranges, span } of wholeDrawings(video)) {
    const [range] = ranges;
    const drawn = await drawFrames(renderInput, { first: range!.first - span.offset, end: range!.end - span.offset });
    frames.push(...drawn.values());
  }
  return frames;
}

function keysOf(video: VideoInput): (string | null)[] {
  const keys = segmentKeysOf(video, [video.output], 'build');
  return segmentRanges(video).map((range) => keys(range)[0]!);
}

/** Frames in which two videos differ. */
async function differing(one: VideoInput, other: VideoInput): Promise<number[]> {
  const [frames, others] = [await drawVideo(one), await drawVideo(other)];
  return frames.flatMap((frame, index) => (frame.equals(others[index]!) ? [] : [index]));
}

const short = movingInput({ fps: 10, frameCount: 20 });
const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index);

describe('captions', () => {
  it('are shown from the nearest frame of their start up to that of their end', async () => {
    const video = captioned(short, { cues: [{ start: 0.52, end: 1.24, text: 'Light' }], style: {} });
    expect(await differing(short, video)).toEqual(range(5, 12));
  });

  it('are shown at the same times at another rate', async () => {
    const fast = { ...short, fps: 20, frameCount: 40 };
    const video = captioned(fast, { cues: [{ start: 0.52, end: 1.24, text: 'Light' }], style: {} });
    expect(await differing(fast, video)).toEqual(range(10, 24));
  });

  it.each(Object.entries(CAPTION_STYLES))('of the style %s are drawn', async (_, style) => {
    const video = captioned(short, { cues: [spokenCue('Light that lands', 0.5, 0.2)], style: style as CaptionStyle });
    const drawn = await differing(short, video);
    expect(drawn[0]).toBeGreaterThanOrEqual(5);
    expect(drawn.length).toBeGreaterThanOrEqual(5);
    expect(drawn.at(-1)).toBeLessThan(11);
  });

  it('fill the frame of the video, not that of a scene which covers it', async () => {
    const white = (width: number, height: number) =>
      inputOf([rectangleLayer(1, [0, 0, width, height], [1, 1, 1])], { width, height, fps: 10, frameCount: 10 });
    const size = { size: [90, 160] as const };
    const captions: SpecCaptions = {
      cues: [{ start: 0, end: 1, text: 'Light that lands softly' }],
      style: { color: '000000' },
    };
    const covered = sceneVideo([{ id: 'a', of: white(160, 90), fit: 'cover' }], size);
    const [frame] = await drawVideo(captioned(covered, captions));
    const [expected] = await drawVideo(captioned(sceneVideo([{ id: 'a', of: white(90, 160) }], size), captions));
    expect(expected!.some((byte) => byte < 100)).toBe(true);
    expect(frame!.equals(expected!)).toBe(true);
  });

  it('change the highlighted word alone', async () => {
    const style: CaptionStyle = { active_color: 'FF0000' };
    const video = captioned(short, { cues: [spokenCue('Light that', 0, 0.5)], style });
    const still = captioned(short, { cues: [{ start: 0, end: 1, text: 'Light that' }], style });
    const [marked, plain] = [await drawVideo(video), await drawVideo(still)];
    const columns = (frame: number): number[] => {
      const [a, b] = [marked[frame]!, plain[frame]!];
      return range(0, 160).filter((x) =>
        range(0, 90).some((y) => a.readUInt32LE((y * 160 + x) * 4) !== b.readUInt32LE((y * 160 + x) * 4)),
      );
    };
    const [first, second] = [columns(1), columns(7)];
    expect(first.length).toBeGreaterThan(3);
    expect(second.length).toBeGreaterThan(3);
    expect(Math.max(...first)).toBeLessThan(Math.min(...second));
  });

  it('stand above each other if they overlap', async () => {
    const style: CaptionStyle = { background: '00FF00', size: 8 };
    const cues = [
      { start: 0, end: 1, text: 'One' },
      { start: 0.5, end: 1.5, text: 'Two' },
    ];
    const frames = await drawVideo(captioned(short, { cues, style }));
    const greenRows = (frame: Buffer): number =>
      range(0, 90).filter((y) => range(0, 160).some((x) => frame.readUIntBE((y * 160 + x) * 4, 3) === 0x00ff00)).length;
    const [one, both, two] = [2, 7, 12].map((at) => greenRows(frames[at]!));
    expect(both).toBeGreaterThanOrEqual(one! + two! - 2);
  });

  it('end with their scene, and are not moved by its transition', async () => {
    const scenes = [
      { id: 'a', of: movingInput({ fps: 10, frameCount: 10 }) },
      { id: 'b', of: movingInput({ fps: 10, frameCount: 10 }), transition: { type: 'push', duration: 0.4 } },
    ] as const;
    const video = sceneVideo(scenes);
    const ofScene = captioned(video, undefined, [{ cues: [{ start: 0.5, end: 9, text: 'Light' }], style: {} }]);
    expect(await differing(video, ofScene)).toEqual(range(5, 10));
    const whole = captioned(video, { cues: [{ start: 0.5, end: 9, text: 'Light' }], style: { background: '00FF00' } });
    const frames = await drawVideo(whole);
    const greenAt = (frame: Buffer): number[] =>
      range(0, 160 * 90).filter((at) => frame.readUIntBE(at * 4, 3) === 0x00ff00);
    for (const frame of range(6, 20)) expect(greenAt(frames[frame]!), String(frame)).toEqual(greenAt(frames[5]!));
  });
});

it('reports captions with unknown characters and those that are too long', async () => {
  const cues = [
    { start: 0, end: 1, text: '春 and \u{1f600}' },
    { start: 1, end: 2, text: 'Light that lands softly on every room you love, and then on some more rooms' },
  ];
  const { captions } = captioned(short, { cues, style: { size: 12, lines: 2 } });
  const { findings } = await captionDocument(captions!, { width: 160, height: 90, fps: 10 });
  expect(findings).toMatchObject([
    { code: 'glyph_missing', characters: ['春', '\u{1f600}'], text: cues[0]!.text, font: 'Inter', editable: null },
    { code: 'text_overflow', overflow: 1 },
  ]);
});

describe('segment keys of captions', () => {
  const long = movingInput({ fps: 10, frameCount: 100 });
  const cues = range(0, 5).map((index) => ({ start: index * 2 + 0.5, end: index * 2 + 1.5, text: `Cue ${index}` }));
  const at = (edited: SpecCaptions['cues'], style: CaptionStyle = {}) =>
    keysOf(captioned(long, { cues: edited, style }));

  it('differ only where an edited cue is shown', () => {
    const edited = cues.map((cue, index) => (index === 2 ? { ...cue, text: 'Other' } : cue));
    const [before, after] = [at(cues), at(edited)];
    expect(before.map((key, index) => key === after[index])).toEqual([true, true, false, true, true]);
  });

  it('equal those of the video without captions where none is shown', () => {
    const [plain, one] = [keysOf(long), at([cues[2]!])];
    expect(plain.map((key, index) => key === one[index])).toEqual([true, true, false, true, true]);
  });

  it('depend on the cues below', () => {
    const pair = [
      { start: 0.5, end: 2.5, text: 'Below' },
      { start: 1, end: 3.5, text: 'Above' },
    ];
    const [before, after] = [at(pair), at([{ ...pair[0]!, text: 'Below\nin two lines' }, pair[1]!])];
    expect(before.map((key, index) => key === after[index])).toEqual([false, false, true, true, true]);
  });

  it('are relative to the scene', () => {
    const scene = (id: string, frameCount: number) => ({ id, of: movingInput({ fps: 10, frameCount }) });
    const cue = { cues: [{ start: 0.5, end: 1.5, text: 'Light' }], style: {} };
    const [short20, short40] = [
      sceneVideo([scene('a', 20), scene('b', 20)]),
      sceneVideo([scene('a', 40), scene('b', 20)]),
    ];
    const keys = [short20, short40].map((video) => keysOf(captioned(video, undefined, [undefined, cue])));
    expect(keys[0]!.at(-1)).toBe(keys[1]!.at(-1));
  });
});
