import { arch } from 'node:process';
import { describe, expect, it } from 'vitest';
import { renderBuild, SOFTWARE } from '../../../src/engine/codec/video-encoder.ts';
import { epochNames, RENDER_EPOCH } from '../../../src/engine/render-epoch.ts';
import { soundKey } from '../../../src/engine/segments/segment.ts';
import type { RenderInput } from '../../../src/template/render-input.ts';

const sounds = [
  { bytes: new Uint8Array([1]), name: 'a', startSeconds: 0, endSeconds: 1, transform: {}, optional: false },
] satisfies RenderInput['sounds'];
const input = {
  sounds,
  fps: 10,
  frameCount: 10,
  output: { format: 'mp4', quality: 'high', fingerprint: null },
} as const;

describe('renderBuild()', () => {
  it('does not mention a sound epoch of 0, so that existing keys stay valid', () => {
    expect(renderBuild('1.0.0', SOFTWARE, epochNames(0))).toBe(
      `1.0.0, epoch ${RENDER_EPOCH}, ${SOFTWARE.h264}, ${arch}`,
    );
  });

  it('gives a sound of an older mixer another key', () => {
    const [before, after] = [0, 1].map((epoch) => {
      return soundKey(input, 'aac', renderBuild('1.0.0', SOFTWARE, epochNames(epoch)));
    });
    expect(before).not.toBeNull();
    expect(after).not.toBe(before);
  });
});
