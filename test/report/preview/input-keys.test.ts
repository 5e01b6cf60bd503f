import { expect, it } from 'vitest';
import { inputKeys } from '../../../src/report/preview/input-keys.ts';
import type { RenderInput } from '../../../src/template/render-input.ts';

const base: RenderInput = {
  output: { format: 'mp4', quality: 'high', fingerprint: null },
  width: 16,
  height: 16,
  fps: 25,
  frameCount: 25,
  animation: { w: 16, h: 16, fr: 25, ip: 0, op: 25, layers: [] },
  fonts: [],
  images: [],
  clips: [],
  sounds: [],
  stills: [],
};
const outputKey = (output: Partial<RenderInput['output']>): string =>
  inputKeys({ ...base, output: { ...base.output, ...output } }).output;

it('inputKeys() distinguishes every setting of the file, such as its codec, but not its fingerprint', () => {
  const keys = [{}, { codec: 'hevc' }, { codec: 'av1' }, { quality: 'low' }, { format: 'mov' }] as const;
  expect(new Set(keys.map(outputKey)).size).toBe(keys.length);
  expect(outputKey({ fingerprint: 'a'.repeat(64) })).toBe(outputKey({}));
});
