import { expect, it } from 'vitest';
import { resourceSpan } from '../../src/definition/definition-span.ts';

const TEXT = 'resources:\n  t_01: Hello\naudio:\n  main: ./m.mp3\n';

it.each([
  ['an editable', 't_01', 'Hello'],
  ['a track', 'audio_tracks.main', './m.mp3'],
  ['an inherited value', 't_02', ''],
  ['an unknown key', null, ''],
])('resourceSpan() locates the value of %s', (_what, key, text) => {
  const { file, start, end } = resourceSpan('a.yaml', TEXT, key);
  expect(file).toBe('a.yaml');
  expect(TEXT.slice(start, end)).toBe(text);
});
