import { expect, it } from 'vitest';
import type { SpecCaptions } from '../../../src/contract/captions/caption-style.ts';
import { featureLack } from '../../../src/contract/render-service.ts';
import { captionsOfRequest, captionsRequest } from '../../../src/contract/wire/captions.ts';
import { spokenCue } from '../../support/captioned-inputs.ts';

const captions: SpecCaptions = {
  cues: [
    { start: 0.5, end: 2, text: 'Light <& shade>\nin two lines', speaker: 'Anna' },
    spokenCue('Light that lands', 2, 0.3),
    { start: 4, end: 5.25, text: 'Above', place: 'top' },
  ],
  style: { size: 6 },
  fonts: ['Anton'],
  lang: 'en',
  embed: true,
};

it('captions survive the way to a service', () => {
  expect(captionsOfRequest(captionsRequest(captions)!)).toEqual(captions);
});

it('a service that cannot write languages is refused before anything is sent', () => {
  const scene = { id: 'a', template: 't', resources: new Map(), fonts: new Map(), audio: new Map() };
  const video = { scenes: [scene], audio: new Map(), output: { lang: 'de' } };
  expect(featureLack('https://s.example', {}, video, null)?.code).toBe('service_lacks_languages');
  expect(featureLack('https://s.example', { languages: true }, video, null)).toBeNull();
});

it('captions that no file contains are not sent', () => {
  expect(captionsRequest({ cues: captions.cues, lang: 'en' })).toBeUndefined();
  expect(captionsRequest(undefined)).toBeUndefined();
});

it('a service without captions is refused before anything is sent', () => {
  const scene = { id: 'a', template: 't', resources: new Map(), fonts: new Map(), audio: new Map() };
  const video = { scenes: [scene], audio: new Map(), output: null };
  expect(featureLack('https://s.example', {}, video, null)).toBeNull();
  expect(featureLack('https://s.example', {}, { ...video, captions }, null)?.code).toBe('service_lacks_captions');
  expect(featureLack('https://s.example', { captions: true }, { ...video, captions }, null)).toBeNull();
  const inScene = { ...video, scenes: [{ ...scene, captions }, scene] };
  expect(featureLack('https://s.example', { scenes: { max_scenes: 9, max_seconds: 9 } }, inScene, null)?.code).toBe(
    'service_lacks_captions',
  );
});
