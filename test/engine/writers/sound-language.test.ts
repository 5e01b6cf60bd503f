import { BufferSource, Input, MP4, QTFF, WEBM } from 'mediabunny';
import { expect, it } from 'vitest';
import { renderFile } from '../../../src/engine/render-file.ts';
import { segmentKeysOf } from '../../../src/engine/segments/drawings.ts';
import { soundKey } from '../../../src/engine/segments/segment.ts';
import type { RenderInput } from '../../../src/template/render-input.ts';
import { bytesOf } from '../../support/in-memory.ts';
import { toneWav } from '../../support/tone.ts';
import { movingInput } from '../inputs.ts';

function inputIn(format: RenderInput['output']['format'], lang?: string): RenderInput {
  const sound = {
    bytes: toneWav(1, 440),
    startSeconds: 0,
    endSeconds: 1.2,
    transform: {},
    name: 'voice',
    optional: false,
  };
  const output = { format, quality: 'low', fingerprint: null, ...(lang !== undefined && { lang }) } as const;
  return movingInput({ fps: 10, frameCount: 12, output, sounds: [sound] });
}

it.each([
  ['mp4', 'pt-BR', 'por'],
  ['mov', 'de', 'deu'],
  ['webm', 'ja', 'jpn'],
  ['mp4', undefined, 'und'],
] as const)('a file %s in %s names the language of its sound: %s', async (format, lang, code) => {
  const { video } = await renderFile(inputIn(format, lang));
  const file = new Input({ source: new BufferSource(await bytesOf(video)), formats: [MP4, QTFF, WEBM] });
  expect(await (await file.getPrimaryAudioTrack())!.getLanguageCode()).toBe(code);
});

it('the language is in the key of no segment and of no sound', () => {
  const [plain, tagged] = [inputIn('mp4'), inputIn('mp4', 'de')];
  const keys = [plain, tagged].map((input) => {
    return [segmentKeysOf(input, [input.output], 'b')({ first: 0, end: 12 }), soundKey(input, 'aac', 'b')];
  });
  expect(keys[1]).toEqual(keys[0]);
});
