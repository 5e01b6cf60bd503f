import { BufferSource, Input, MP4 } from 'mediabunny';
import { describe, expect, test } from 'vitest';
import { joinParts, renderPart, sceneSegments } from '../../src/engine/render-part.ts';
import { renderScene } from '../../src/engine/render-scene.ts';
import type { Scene } from '../../src/template/scene.ts';
import { toneWav } from '../support/tone.ts';
import { movingScene } from './scenes.ts';

/** Three segments: 20, 20 and 5 frames; a still in the last. */
function scene(changes: Partial<Scene> = {}): Scene {
  const output = { format: 'mp4', quality: 'high', fingerprint: 'v1:4f0c' } as const;
  return movingScene({ fps: 10, frameCount: 45, output, ...changes });
}

describe('renderPart()', () => {
  test('makes parts that join to the bytes of a render in one piece, wherever it is cut', async () => {
    const whole = await renderScene(scene());
    for (const bounds of [
      [0, 1, 2, 3],
      [0, 2, 3],
      [0, 1, 3],
    ]) {
      const parts = [];
      for (const [at, first] of bounds.slice(0, -1).entries()) {
        parts.unshift(await renderPart(scene(), { first, end: bounds[at + 1]! }));
      }
      const joined = await joinParts(
        scene(),
        parts.map((part) => structuredClone(part)),
      );
      expect(Buffer.compare(joined.video, whole.video)).toBe(0);
      expect(joined).toEqual(whole);
      expect(joined.stills).toHaveLength(1);
    }
  });

  test('gives every segment the same parameter sets, and a key frame to begin with', async () => {
    const first = await renderPart(scene(), { first: 0, end: 2 });
    const last = await renderPart(scene(), { first: 2, end: 3 });
    expect(last.configuration).toEqual(first.configuration);
    const keys = [first, last].map(({ packets }) => packets.flatMap(({ isKey }, at) => (isKey ? [at] : [])));
    expect(keys).toEqual([[0, 20], [0]]);
    expect([first, last].map(({ packets }) => packets.length)).toEqual([40, 5]);
    // Nothing that the encoder says about itself.
    expect(Buffer.concat(first.packets.map(({ bytes }) => bytes)).includes('x264')).toBe(false);
  });

  test('reports the frames of its own', async () => {
    const seen: [number, number][] = [];
    await renderPart(scene(), { first: 2, end: 3 }, { onProgress: (done, count) => seen.push([done, count]) });
    expect(seen).toEqual([1, 2, 3, 4, 5].map((done) => [done, 5]));
  });

  test('stops when it is aborted, with the reason', async () => {
    const controller = new AbortController();
    const onProgress = (): void => controller.abort(new Error('enough'));
    const part = renderPart(scene(), { first: 1, end: 2 }, { signal: controller.signal, onProgress });
    await expect(part).rejects.toThrow('enough');
  });

  test('has none of another format', async () => {
    const gif = scene({ output: { format: 'gif', quality: 'high', fingerprint: null } });
    expect(sceneSegments(gif)).toEqual([]);
    await expect(renderPart(gif, { first: 0, end: 1 })).rejects.toThrow(RangeError);
    await expect(renderPart(scene(), { first: 2, end: 2 })).rejects.toThrow(RangeError);
    await expect(renderPart(scene(), { first: 2, end: 4 })).rejects.toThrow(RangeError);
  });
});

describe('joinParts()', () => {
  test('makes the sound of one piece: a tone goes on across parts, sample by sample', async () => {
    const tone = { bytes: toneWav(5), startSeconds: 0, endSeconds: 4.5, name: 'tone', optional: false, transform: {} };
    const sounding = scene({ sounds: [tone] });
    const parts = [await renderPart(sounding, { first: 0, end: 1 }), await renderPart(sounding, { first: 1, end: 3 })];
    const [joined, whole] = [await joinParts(sounding, parts), await renderScene(sounding)];
    expect(Buffer.compare(joined.video, whole.video)).toBe(0);
    const input = new Input({ source: new BufferSource(joined.video), formats: [MP4] });
    const track = await input.getPrimaryAudioTrack();
    expect(await track?.computeDuration()).toBeCloseTo(4.5, 1);
  });

  test('refuses segments that are missing, there twice, cut short or of another size', async () => {
    const [zero, one, two] = await Promise.all(
      [0, 1, 2].map((first) => renderPart(scene(), { first, end: first + 1 })),
    );
    const other = await renderPart(scene({ width: 320 }), { first: 1, end: 2 });
    const whole = await renderPart(scene(), { first: 0, end: 3 });
    const refused = { name: 'SceneError', code: 'encode_failed' };
    await expect(joinParts(scene(), [zero!, two!])).rejects.toMatchObject(refused);
    await expect(joinParts(scene(), [zero!, one!, one!])).rejects.toMatchObject(refused);
    await expect(joinParts(scene(), [zero!, one!, whole])).rejects.toMatchObject(refused);
    await expect(joinParts(scene(), [])).rejects.toMatchObject(refused);
    await expect(joinParts(scene(), [zero!, other, two!])).rejects.toMatchObject(refused);
    const short = { ...one!, packets: one!.packets.slice(1) };
    await expect(joinParts(scene(), [zero!, short, two!])).rejects.toMatchObject(refused);
  });
});
