import { describe, expect, it } from 'vitest';
import { resolvePath } from '../../src/definition/repository-path.ts';

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
