import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findRoot } from '../../../src/reconciler/project/repository-layout.ts';
import { temporaryRepository } from '../../support/temporary-repository.ts';

describe('findRoot()', () => {
  it('finds the nearest reelform.yaml in the parent folders', () => {
    const root = temporaryRepository({
      'reelform.yaml': '',
      'a/reelform.yaml': '',
      'a/b/c/x.yaml': '',
      'd/x.yaml': '',
    });
    expect(findRoot(join(root, 'a/b/c'))).toBe(join(root, 'a'));
    expect(findRoot(join(root, 'd'))).toBe(root);
    expect(findRoot(root)).toBe(root);
  });

  it('ignores a folder named reelform.yaml', () => {
    const root = temporaryRepository({ 'reelform.yaml': '', 'a/reelform.yaml/x': '' });
    expect(findRoot(join(root, 'a'))).toBe(root);
  });

  it('suggests another name for a reelform.yml', () => {
    const other = temporaryRepository({ 'reelform.yml': 'templates: {}\n' });
    expect(() => findRoot(other)).toThrow(
      expect.objectContaining({ code: 'config_missing', hint: 'Rename it to reelform.yaml' }),
    );
  });

  it('throws config_missing without a configuration', () => {
    const root = temporaryRepository({ 'a/x.yaml': '' });
    expect(() => findRoot(join(root, 'a'))).toThrow(expect.objectContaining({ code: 'config_missing' }));
  });
});
