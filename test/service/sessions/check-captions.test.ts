import { expect, it } from 'vitest';
import type { CaptionsRequest } from '../../../src/contract/wire/captions.ts';
import { checkCaptions } from '../../../src/service/sessions/check-captions.ts';

const VTT = 'WEBVTT\n\n00:00.500 --> 00:02.000\nLight\n';
const SPECS = [{ fonts: ['Display'], editables: {} }];

function problems(captions: CaptionsRequest): [pointer: string, code: string][] {
  return checkCaptions({ captions, scenes: [] }, SPECS).map(({ pointer, code }) => [pointer, code]);
}

it('accepts captions with fonts of a template or of Reelform', () => {
  expect(problems({ source: { text: VTT } })).toEqual([]);
  expect(problems({ source: { text: VTT }, style: { font: 'Display', size: 6 }, fonts: ['Inter'] })).toEqual([]);
});

it('reports every problem at its place', () => {
  const style = { size: 400, colour: 'FFFFFF', font: 'Missing' } as CaptionsRequest['style'] & object;
  expect(problems({ source: { text: 'no captions' }, style, fonts: ['Inter', 'Other'] })).toEqual([
    ['#/captions/source/text', 'definition_invalid'],
    ['#/captions/style/size', 'definition_invalid'],
    ['#/captions/style/colour', 'definition_invalid'],
    ['#/captions/style/font', 'font_missing'],
    ['#/captions/fonts/1', 'font_missing'],
  ]);
});

it('names the scene', () => {
  const scene = {
    id: 'a',
    mapping: { template_style_version_id: 't', resources: {} },
    captions: { source: { text: '' } },
  };
  expect(checkCaptions({ scenes: [scene] }, SPECS)).toMatchObject([
    { pointer: '#/scenes/0/captions/source/text', scene: 'a' },
  ]);
});

it('accepts captions in a text only with a template that has one, and without a style', () => {
  const layer = { source: { text: VTT }, layer: true } as const;
  expect(problems(layer)).toEqual([['#/captions/layer', 'definition_invalid']]);
  const s_01 = { input_type: 'captions', stillcut: 'a' } as const;
  const specs = [{ fonts: [], editables: { s_01 } }];
  expect(checkCaptions({ captions: layer, scenes: [] }, specs)).toEqual([]);
  expect(checkCaptions({ captions: { ...layer, style: {} }, scenes: [] }, specs)).toMatchObject([
    { pointer: '#/captions/layer', detail: 'layer cannot be used with style' },
  ]);
});
