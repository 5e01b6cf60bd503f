import { describe, expect, test } from 'vitest';
import type { EncoderFactory } from '../../src/engine/h264/encoder.ts';
import { ffmpegEncoder } from '../../src/engine/h264/ffmpeg-encoder.ts';
import { openWebcodecsEncoder } from '../../src/engine/h264/webcodecs-encoder.ts';
import { renderScene } from '../../src/engine/render-scene.ts';
import { joinSegments, renderSegment, sceneSegments } from '../../src/engine/render-segment.ts';
import type { Scene } from '../../src/template/scene.ts';
import { hasFfprobe } from '../support/ffprobe.ts';
import { movingScene } from './scenes.ts';

const hasFfmpeg = await hasFfprobe();
const ENCODERS: [string, EncoderFactory, boolean][] = [
  ['the embedded encoder', openWebcodecsEncoder, true],
  ['ffmpeg', ffmpegEncoder('ffmpeg'), hasFfmpeg],
];

/** Three segments: 20, 20 and 5 frames; a still in the last. */
function scene(changes: Partial<Scene> = {}): Scene {
  const output = { format: 'mp4', quality: 'high', fingerprint: 'v1:4f0c' } as const;
  return movingScene({ fps: 10, frameCount: 45, output, ...changes });
}

describe.each(ENCODERS)('renderSegment() with %s', (_, encoder, isThere) => {
  test.skipIf(!isThere)(
    'makes segments that join to the bytes of a render in one piece, whatever their order',
    async () => {
      const segments = [];
      for (const index of [2, 0, 1]) segments.push(await renderSegment(scene(), index, { encoder }));
      const joined = await joinSegments(
        scene(),
        segments.map((segment) => structuredClone(segment)),
      );
      const whole = await renderScene(scene(), { encoder });
      expect(Buffer.compare(joined.video, whole.video)).toBe(0);
      expect(joined).toEqual(whole);
      expect(joined.stills).toHaveLength(1);
    },
  );

  test.skipIf(!isThere)('gives every segment the same parameter sets, and a key frame to begin with', async () => {
    const [first, last] = [await renderSegment(scene(), 0, { encoder }), await renderSegment(scene(), 2, { encoder })];
    expect(last.configuration).toEqual(first.configuration);
    expect([first, last].map(({ packets }) => packets.length)).toEqual([20, 5]);
    expect([first, last].map(({ packets }) => packets[0]!.isKey)).toEqual([true, true]);
    // Nothing that the encoder says about itself.
    expect(Buffer.concat(first.packets.map(({ bytes }) => bytes)).includes('x264')).toBe(false);
  });
});

describe('renderSegment()', () => {
  test('reports the frames of its own', async () => {
    const seen: [number, number][] = [];
    await renderSegment(scene(), 2, { onProgress: (done, count) => seen.push([done, count]) });
    expect(seen).toEqual([1, 2, 3, 4, 5].map((done) => [done, 5]));
  });

  test('stops when it is aborted, with the reason', async () => {
    const controller = new AbortController();
    const onProgress = (): void => controller.abort(new Error('enough'));
    const segment = renderSegment(scene(), 1, { signal: controller.signal, onProgress });
    await expect(segment).rejects.toThrow('enough');
  });

  test('has none of another format', async () => {
    const gif = scene({ output: { format: 'gif', quality: 'high', fingerprint: null } });
    expect(sceneSegments(gif)).toEqual([]);
    await expect(renderSegment(gif, 0)).rejects.toThrow(RangeError);
  });
});

describe('joinSegments()', () => {
  test('refuses segments that are missing, there twice, cut short or of another size', async () => {
    const [zero, one, two] = await Promise.all([0, 1, 2].map((index) => renderSegment(scene(), index)));
    const other = await renderSegment(scene({ width: 320 }), 1);
    const refused = { name: 'SceneError', code: 'encode_failed' };
    await expect(joinSegments(scene(), [zero!, two!])).rejects.toMatchObject(refused);
    await expect(joinSegments(scene(), [zero!, one!, one!])).rejects.toMatchObject(refused);
    await expect(joinSegments(scene(), [zero!, other, two!])).rejects.toMatchObject(refused);
    const short = { ...one!, packets: one!.packets.slice(1) };
    await expect(joinSegments(scene(), [zero!, short, two!])).rejects.toMatchObject(refused);
  });
});
