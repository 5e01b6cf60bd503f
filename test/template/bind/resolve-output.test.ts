import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkOutput, resolveOutput } from '../../../src/template/bind/resolve-output.ts';

const VIDEO = {
  width: 1080,
  height: 1920,
  rate: 30,
  frames: 300,
  stills: [
    { name: 'stillcut_01', frame: 45 },
    { name: 'stillcut_02', frame: 299 },
  ],
};

describe('resolveOutput()', () => {
  it("defaults to the video's own size and rate as MP4 of high quality", () => {
    const { rate: fps, frames: frameCount, ...rest } = VIDEO;
    expect(resolveOutput(VIDEO, undefined)).toEqual({
      output: { format: 'mp4', quality: 'high' },
      ...rest,
      fps,
      frameCount,
    });
  });

  it('derives the width from the height, rounded to an even number', () => {
    expect(resolveOutput(VIDEO, { height: 720 })).toMatchObject({ width: 406, height: 720 });
    expect(resolveOutput(VIDEO, { height: 2 })).toMatchObject({ width: 2, height: 2 });
  });

  it('keeps duration and still times at another frame rate', () => {
    const half = resolveOutput(VIDEO, { fps: 12.5 });
    expect(half).toMatchObject({ fps: 12.5, frameCount: 125 });
    expect(half.stills.map(({ frame }) => frame)).toEqual([19, 124]);
    expect(resolveOutput(VIDEO, { fps: 60 }).stills.map(({ frame }) => frame)).toEqual([90, 598]);
    expect(resolveOutput({ ...VIDEO, frames: 1, stills: [] }, { fps: 1 }).frameCount).toBe(1);
  });

  it('returns an even size within the limits and stills within the video for every valid output', () => {
    const side = fc.integer({ min: 1, max: 2048 }).map((half) => 2 * half);
    const still = fc.integer({ min: 0, max: 299 }).map((frame) => ({ name: 's', frame }));
    const request = fc.record(
      { height: side, fps: fc.double({ min: 1, max: 120, noNaN: true }) },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(side, side, still, request, (width, height, one, output) => {
        const video = { width, height, rate: 30, frames: 300, stills: [one] };
        fc.pre(checkOutput(output, video).length === 0);
        const resolved = resolveOutput(video, output);
        for (const pixels of [resolved.width, resolved.height]) {
          expect(pixels % 2).toBe(0);
          expect(pixels).toBeGreaterThanOrEqual(2);
          expect(pixels).toBeLessThanOrEqual(4096);
        }
        expect(resolved.stills[0]!.frame).toBeLessThan(resolved.frameCount);
        expect(Math.abs(resolved.frameCount / resolved.fps - 10)).toBeLessThanOrEqual(0.5 / resolved.fps + 1e-9);
      }),
    );
  });
});

describe('checkOutput()', () => {
  it.each([
    [undefined, []],
    [{}, []],
    [{ format: 'webm', height: 720, fps: 29.97, quality: 'low' }, []],
    ['mp4', ['/output']],
    [{ format: 'avi' }, ['/output/format']],
    [{ height: 721 }, ['/output/height']],
    [{ height: '720' }, ['/output/height']],
    [{ height: 5000, fps: 0.5, quality: 'best' }, ['/output/height', '/output/fps', '/output/quality']],
    [{ fps: Number.NaN }, ['/output/fps']],
    [{ hieght: 720 }, ['/output/hieght']],
    [JSON.parse('{"__proto__": 1}'), ['/output/__proto__']],
  ])('%j', (output, at) => {
    expect(checkOutput(output, VIDEO).map((problem) => problem.at)).toEqual(at);
  });

  it('rejects a height that makes the width too large and names the largest valid height', () => {
    const [problem] = checkOutput({ height: 2160 }, { ...VIDEO, width: 1920, height: 800 });
    expect(problem).toMatchObject({ code: 'definition_invalid', at: '/output/height' });
    expect(problem?.detail).toContain('at most 1706');
    expect(checkOutput({ height: 1706 }, { ...VIDEO, width: 1920, height: 800 })).toEqual([]);
    expect(checkOutput({ height: 2160 }, null)).toEqual([]);
  });

  it('rejects outputs with too many frames', () => {
    const long = { ...VIDEO, frames: 30 * 1800 };
    expect(checkOutput({ fps: 120 }, long)).toMatchObject([{ at: '/output/fps' }]);
    expect(checkOutput({ fps: 60 }, long)).toEqual([]);
  });

  it('suggests the closest field name', () => {
    expect(checkOutput({ hieght: 720 }, VIDEO)[0]?.detail).toContain('did you mean height');
  });

  it('accepts the codecs of MOV, ProRes 422 when none is given', () => {
    expect(checkOutput({ format: 'mov', codec: 'prores4444' }, VIDEO)).toEqual([]);
    expect(checkOutput({ format: 'mov', codec: 'h264' }, VIDEO)).toMatchObject([{ at: '/output/codec' }]);
    expect(checkOutput({ codec: 'prores422' }, VIDEO)).toMatchObject([{ at: '/output/codec' }]);
    expect(resolveOutput(VIDEO, { format: 'mov', codec: 'prores422' }).output).toEqual(
      resolveOutput(VIDEO, { format: 'mov' }).output,
    );
    expect(resolveOutput(VIDEO, { format: 'mov', codec: 'prores4444' }).output.codec).toBe('prores4444');
  });

  it('accepts the codecs of MP4', () => {
    expect(checkOutput({ codec: 'hevc' }, VIDEO)).toEqual([]);
    expect(checkOutput({ format: 'mp4', codec: 'av1' }, VIDEO)).toEqual([]);
    expect(checkOutput({ format: 'webm', codec: 'av1' }, VIDEO)).toMatchObject([{ at: '/output/codec' }]);
    expect(checkOutput({ codec: 'vp9' }, VIDEO)).toMatchObject([{ at: '/output/codec' }]);
    // Keeps the digest of renderings made before the codec could be chosen.
    expect(resolveOutput(VIDEO, { codec: 'h264' }).output).toEqual({ format: 'mp4', quality: 'high' });
  });
});
