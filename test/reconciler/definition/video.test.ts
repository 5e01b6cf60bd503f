import { describe, expect, it } from 'vitest';
import { globBase, idOfPath, isFragment, parseVideoId, videoIdHint } from '../../../src/reconciler/definition/video.ts';

describe('parseVideoId()', () => {
  it.each(['berlin', 'de/berlin', 'A-1_b.c', '2026.06', '.hidden', 'x'.repeat(200)])('accepts %s', (id) => {
    expect(parseVideoId(id)).toBe(id);
  });

  it.each([
    '',
    '/',
    'a/',
    '/a',
    'a//b',
    '.',
    '..',
    'a/../b',
    'a b',
    'ü',
    'a\\b',
    'a:b',
    '${x}',
    'a\n',
    'x'.repeat(201),
  ])('refuses %j', (id) => {
    expect(parseVideoId(id)).toBeNull();
  });
});

describe('idOfPath()', () => {
  it.each([
    ['videos/berlin.yaml', 'videos', 'berlin'],
    ['videos/de/berlin.v2.yml', 'videos', 'de/berlin.v2'],
    ['clips/a/b.YAML', 'clips/a', 'b'],
    ['berlin.yaml', '', 'berlin'],
  ])('turns %s below %j into the id %s', (path, folder, id) => {
    expect(idOfPath(path, folder)).toBe(id);
  });
});

describe('isFragment()', () => {
  it('considers only the file name', () => {
    expect(isFragment('videos/_brand.yaml')).toBe(true);
    expect(isFragment('videos/_old/brand.yaml')).toBe(false);
  });
});

describe('videoIdHint()', () => {
  it.each([
    ['Spring Sale!', 'Spring-Sale'],
    ['campaign/été 2026/ 9:16', 'campaign/ete-2026/9-16'],
    ['a\\b', 'a-b'],
  ])('suggests a valid id for %s', (invalid, similar) => {
    expect(videoIdHint(invalid)).toMatch(new RegExp(`, like "${similar}"$`));
    expect(parseVideoId(similar)).not.toBeNull();
  });

  it.each(['', '日本', '../a', 'a//b', 'x'.repeat(201)])('suggests nothing for %s', (invalid) => {
    expect(videoIdHint(invalid)).toMatch(/at most 200 characters$/);
  });
});

describe('globBase()', () => {
  it.each([
    ['videos/**/*.yaml', 'videos'],
    ['./videos/de/*.yaml', 'videos/de'],
    ['videos/berlin.yaml', 'videos'],
    ['**/*.yaml', ''],
    ['{videos,clips}/**/*.yaml', ''],
    ['videos/2026-*/x.yaml', 'videos'],
  ])('of %s is %j', (pattern, folder) => {
    expect(globBase(pattern)).toBe(folder);
  });
});
