import { describe, expect, it } from 'vitest';
import { resolvePath } from '../../../src/reconciler/definition/definition-file.ts';
import { resourceSpan } from '../../../src/reconciler/definition/scene-spans.ts';

describe('resolvePath()', () => {
  it.each([
    ['images/a.jpg', 'images/a.jpg'],
    ['./a.jpg', 'videos/de/a.jpg'],
    ['../a.jpg', 'videos/a.jpg'],
    ['../../a.jpg', 'a.jpg'],
    ['images/../a.jpg', 'a.jpg'],
    ['images//a.jpg', 'images/a.jpg'],
    ['.../a.jpg', '.../a.jpg'],
    ['a b/ü.jpg', 'a b/ü.jpg'],
  ])('resolves %s in videos/de/x.yaml to %s', (written, path) => {
    expect(resolvePath(written, 'videos/de/x.yaml')).toEqual({ ok: true, path });
  });

  it.each([
    ['../../../a.jpg', 'path_outside'],
    ['images/../../a.jpg', 'path_outside'],
    ['..', 'path_outside'],
    ['/etc/passwd', 'path_outside'],
    ['//host/a.jpg', 'path_outside'],
    ['C:/a.jpg', 'path_outside'],
    ['images\\a.jpg', 'definition_invalid'],
    ['', 'definition_invalid'],
    ['./', 'definition_invalid'],
    ['images/', 'definition_invalid'],
  ])('refuses %j with %s', (written, code) => {
    expect(resolvePath(written, 'videos/de/x.yaml')).toMatchObject({ ok: false, code });
  });
});

const TEXT = 'resources:\n  t_01: Hello\naudio:\n  main: ./m.mp3\n';

it.each([
  ['an editable', 't_01', 'Hello'],
  ['a track', 'audio_tracks.main', './m.mp3'],
  ['an inherited value', 't_02', ''],
  ['an unknown key', null, ''],
])('resourceSpan() locates the value of %s', (_what, key, text) => {
  const { file, start, end } = resourceSpan('a.yaml', () => TEXT, key);
  expect(file).toBe('a.yaml');
  expect(TEXT.slice(start, end)).toBe(text);
});
