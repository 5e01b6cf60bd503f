import { BufferSource, Input, MP4 } from 'mediabunny';
import { describe, expect, test } from 'vitest';
import type { EncoderFactory } from '../../src/engine/codec/encoded-track.ts';
import { encoderOf, SOFTWARE } from '../../src/engine/codec/video-encoder.ts';
import { renderSound } from '../../src/engine/input-media.ts';
import { renderSegments as renderRanges } from '../../src/engine/render-segments.ts';
import type { RenderedSegment } from '../../src/engine/segments/rendered-segment.ts';
import { segmentRanges } from '../../src/engine/segments/segment.ts';
import type { RenderInput } from '../../src/template/render-input.ts';
import { joinSegments, renderFile, renderSegments } from '../support/in-memory.ts';
import { toneWav } from '../support/tone.ts';
import { embeddedFonts, inputOf, movingInput, textLayer } from './inputs.ts';

const SILENCE = { track: null, findings: [] };

/** Three segments of 20, 13 and 12 frames, with a still in the last. */
function renderInput(changes: Partial<RenderInput> = {}): RenderInput {
  const output = { format: 'mp4', quality: 'high', fingerprint: 'v1:4f0c' } as const;
  return movingInput({ fps: 10, frameCount: 45, output, ...changes });
}

const RANGES = segmentRanges(renderInput());

describe('segmentRanges()', () => {
  const lengths = (frameCount: number, fps = 30): number[] =>
    segmentRanges(renderInput({ frameCount, fps })).map(({ first, end }) => end - first);

  test('are two seconds long, except for the last two, which are equally long', () => {
    expect(lengths(1)).toEqual([1]);
    expect(lengths(60)).toEqual([60]);
    expect(lengths(61)).toEqual([31, 30]);
    expect(lengths(120)).toEqual([60, 60]);
    expect(lengths(324)).toEqual([60, 60, 60, 60, 42, 42]);
    expect(lengths(125, 25)).toEqual([50, 38, 37]);
  });

  test('follow each other without gaps', () => {
    for (let frameCount = 1; frameCount < 200; frameCount++) {
      const ranges = segmentRanges(renderInput({ frameCount, fps: 10 }));
      expect(ranges.map(({ first }) => first)).toEqual([0, ...ranges.slice(0, -1).map(({ end }) => end)]);
      expect(ranges.at(-1)!.end).toBe(frameCount);
    }
  });

  test('rejects other formats', () => {
    expect(segmentRanges(renderInput({ output: { format: 'gif', quality: 'high', fingerprint: null } }))).toEqual([]);
  });
});

describe('renderSegments()', () => {
  test('produces segments that join to the bytes of a whole render, however they are grouped', async () => {
    const whole = await renderFile(renderInput());
    const apart = [RANGES[0]!, RANGES[2]!];
    for (const groups of [[RANGES], [RANGES.slice(1, 2), apart], RANGES.map((range) => [range])]) {
      const segments: RenderedSegment[] = [];
      for (const ranges of groups) segments.push(...(await renderSegments(renderInput(), ranges)));
      const joined = await joinSegments(renderInput(), structuredClone(segments), SILENCE);
      expect(Buffer.compare(joined.video, whole.video)).toBe(0);
      expect(joined).toEqual(whole);
      expect(joined.stills).toHaveLength(1);
    }
  });

  test('gives every segment the same parameter sets and a leading key frame', async () => {
    const [first, second, last] = await renderSegments(renderInput(), RANGES);
    expect(last!.configuration).toEqual(first!.configuration);
    for (const { packets } of [first!, second!, last!]) {
      expect(packets.flatMap(({ isKey }, at) => (isKey ? [at] : []))).toEqual([0]);
    }
    expect([first, second, last].map((segment) => segment!.packets.length)).toEqual([20, 13, 12]);
    // No SEI messages of the encoder.
    expect(Buffer.concat(first!.packets.map(({ bytes }) => bytes)).includes('x264')).toBe(false);
  });

  test('draws consecutive ranges together, each with its own stills and text defects', async () => {
    const layers = [
      { ...textLayer(1, 'ᚠ', 4, 30, 20), ip: 22, op: 32 },
      { ...textLayer(2, 'Reel', 4, 30, 20), ip: 0, op: 10 },
    ];
    const stills = [3, 30, 31, 44].map((frame) => ({ name: `at_${frame}`, frame }));
    const texts = inputOf(layers, { fps: 10, frameCount: 45, stills, document: { fonts: embeddedFonts() } });
    const together = await renderSegments(texts, RANGES);
    expect(together.map(({ findings }) => findings.map(({ text }) => text))).toEqual([[], ['ᚠ'], []]);
    expect(together.map((segment) => segment.stills.map(({ frame }) => frame))).toEqual([[3], [30, 31], [44]]);
    for (const [at, range] of RANGES.entries()) expect(await renderSegments(texts, [range])).toEqual([together[at]]);
  });

  test('draws ranges that are encoded at once in one thread, with the same segments', async () => {
    // Frames after 25 repeat, and their stills are encoded while other ranges are drawn in between.
    const layers = [
      { ...textLayer(1, 'ᚠ', 4, 30, 20), ip: 22, op: 45 },
      { ...textLayer(2, 'Reel', 4, 30, 20), ip: 0, op: 10 },
    ];
    const stills = [3, 8, 28, 31, 40, 44].map((frame) => ({ name: `at_${frame}`, frame }));
    const texts = inputOf(layers, { fps: 10, frameCount: 45, stills, document: { fonts: embeddedFonts() } });
    const outputs = [texts.output, { ...texts.output, codec: 'hevc' as const }];
    for (const drawn of [texts, renderInput()]) {
      const seen: number[] = [];
      const onProgress = (done: number): void => void seen.push(done);
      const atOnce = await renderRanges(drawn, outputs, RANGES, { isAtOnce: true, onProgress });
      expect(atOnce).toEqual(await renderRanges(drawn, outputs, RANGES));
      expect(seen).toEqual(Array.from({ length: 45 }, (_, at) => at + 1));
    }
  });

  test('draws for the next range while the encoder of the first waits', async () => {
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const open = encoderOf(SOFTWARE);
    let count = 0;
    const encoder: EncoderFactory = async (...format) => {
      const at = count++;
      const opened = await open(...format);
      return {
        ...opened,
        async encode(pixels, frame) {
          if (at === 0) await begun;
          if (at === 1) begin();
          await opened.encode(pixels, frame);
        },
      };
    };
    const { output } = renderInput();
    const segments = await renderRanges(renderInput(), [output], RANGES, { isAtOnce: true, encoder });
    expect(segments).toEqual(await renderRanges(renderInput(), [output], RANGES));
  });

  test('fails like ranges in sequence if a range that is encoded at once fails', async () => {
    const open = encoderOf(SOFTWARE);
    const closed: string[] = [];
    const encoder: EncoderFactory = async (...format) => {
      const opened = await open(...format);
      return {
        ...opened,
        encode: (pixels, frame) => (frame === 15 ? Promise.reject(new Error('full')) : opened.encode(pixels, frame)),
        finish: () => opened.finish(),
        close() {
          closed.push('closed');
          opened.close();
        },
      };
    };
    const { output } = renderInput();
    const segments = renderRanges(renderInput(), [output], RANGES, { isAtOnce: true, encoder });
    await expect(segments).rejects.toThrow('full');
    // Shorter ranges may have ended before.
    expect(closed).toHaveLength(3);
    const stopping = new AbortController();
    const onProgress = (): void => stopping.abort(new Error('enough'));
    const options = { isAtOnce: true, signal: stopping.signal, onProgress };
    await expect(renderRanges(renderInput(), [output], RANGES, options)).rejects.toThrow('enough');
  });

  test('reports the frames of its ranges', async () => {
    const seen: [number, number][] = [];
    await renderSegments(renderInput(), RANGES.slice(2), { onProgress: (done, count) => seen.push([done, count]) });
    expect(seen).toEqual(Array.from({ length: 12 }, (_, at) => [at + 1, 12]));
  });

  test('stops with the reason when it is aborted', async () => {
    const controller = new AbortController();
    const onProgress = (): void => controller.abort(new Error('enough'));
    const segments = renderSegments(renderInput(), RANGES.slice(1, 2), { signal: controller.signal, onProgress });
    await expect(segments).rejects.toThrow('enough');
  });
});

describe('joinSegments()', () => {
  test('adds the sound of the whole, continuous across segments', async () => {
    const tone = { bytes: toneWav(5), startSeconds: 0, endSeconds: 4.5, name: 'tone', optional: false, transform: {} };
    const sounding = renderInput({ sounds: [tone] });
    const segments = await renderSegments(sounding, RANGES);
    const sound = await renderSound(sounding, 'aac');
    const [joined, whole] = [await joinSegments(sounding, segments, sound), await renderFile(sounding)];
    sound.track!.packets.close();
    expect(Buffer.compare(joined.video, whole.video)).toBe(0);
    const input = new Input({ source: new BufferSource(joined.video), formats: [MP4] });
    const track = await input.getPrimaryAudioTrack();
    expect(await track?.computeDuration()).toBeCloseTo(4.5, 1);
  });

  test('rejects missing, duplicate, truncated or mismatched segments', async () => {
    const [head, middle, tail] = (await renderSegments(renderInput(), RANGES)) as [
      RenderedSegment,
      RenderedSegment,
      RenderedSegment,
    ];
    const [narrow] = await renderSegments(renderInput({ width: 320 }), RANGES.slice(1, 2));
    const refused = { name: 'RenderError', code: 'encode_failed' };
    for (const segments of [
      [head, tail],
      [head, middle, middle],
      [head, middle, middle, tail],
      [head, narrow!, tail],
      [],
      [head, { ...middle, packets: middle.packets.slice(1) }, tail],
      [head, middle, { ...tail, stills: [] }],
    ]) {
      await expect(joinSegments(renderInput(), segments, SILENCE)).rejects.toMatchObject(refused);
    }
  });
});
