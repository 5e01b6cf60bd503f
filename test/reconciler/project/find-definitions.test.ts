import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findDefinitions as find } from '../../../src/reconciler/project/find-definitions.ts';
import { temporaryRepository } from '../../support/temporary-repository.ts';

const findDefinitions = (...args: Parameters<typeof find>) => find(...args).paths;

describe('findDefinitions()', () => {
  const files = {
    'videos/b.yaml': '',
    'videos/a.yaml': '',
    'videos/de/a.yml': '',
    'videos/_part.yaml': '',
    'videos/a.jpg': '',
    'videos/.hidden.yaml': '',
    'videos/node_modules/x/a.yaml': '',
    'other/a.yaml': '',
  };

  it('finds YAML files in sorted order', () => {
    const root = temporaryRepository(files);
    expect(findDefinitions(root, 'videos/**/*')).toEqual([
      'videos/_part.yaml',
      'videos/a.yaml',
      'videos/b.yaml',
      'videos/de/a.yml',
    ]);
    expect(findDefinitions(root, './videos/*.yaml')).toHaveLength(3);
    expect(findDefinitions(root, 'nothing/**/*.yaml')).toEqual([]);
    const [first = '', ...rest] = findDefinitions(root, './videos/*.yaml');
    expect(findDefinitions(root, './videos/*.yaml', [first])).toEqual(rest);
    expect(findDefinitions(root, './videos/*.yaml', ['videos'])).toEqual([]);
  });

  it.each([
    ['videos/**/*.yaml', ['videos/B.YAML', 'videos/de/a.yml']],
    ['./videos/**/*.yaml', ['videos/B.YAML', 'videos/de/a.yml']],
    ['videos/*.yaml', ['videos/B.YAML']],
    ['videos/**/*.yml', ['videos/B.YAML', 'videos/_part.yaml', 'videos/a.yaml', 'videos/b.yaml']],
    ['videos/**/*.{yaml,yml}', []],
    ['videos/**/*', []],
    ['videos/de/a.yaml', ['videos/de/a.yml']],
  ])('%s ignores %j because of the file extension', (pattern, ignored) => {
    const root = temporaryRepository({ ...files, 'videos/B.YAML': '' });
    expect(find(root, pattern).ignored).toEqual(ignored);
  });

  it('does not follow links', () => {
    const root = temporaryRepository(files);
    symlinkSync(join(root, 'other'), join(root, 'videos/link'));
    symlinkSync(join(root, 'videos'), join(root, 'videos/loop'));
    symlinkSync(join(root, 'other/a.yaml'), join(root, 'videos/z.yaml'));
    expect(findDefinitions(root, 'videos/**/*.yaml')).toHaveLength(3);
  });
});
