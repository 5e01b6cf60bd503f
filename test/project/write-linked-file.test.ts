import { lstatSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeLinkedFile } from '../../src/project/write-linked-file.ts';
import { temporaryRepository } from '../support/temporary-repository.ts';

describe('writeLinkedFile()', () => {
  it('writes what a chain of links leads to, and leaves the links', async () => {
    const root = temporaryRepository({ 'there/a.json': 'old' });
    symlinkSync('there', join(root, 'folder'));
    symlinkSync('folder/a.json', join(root, 'b.json'));
    symlinkSync('b.json', join(root, 'c.json'));
    await writeLinkedFile(join(root, 'c.json'), 'new');
    await writeLinkedFile(join(root, 'made/d.json'), 'plain');
    expect(readFileSync(join(root, 'there/a.json'), 'utf8')).toBe('new');
    expect(['b.json', 'c.json'].map((name) => lstatSync(join(root, name)).isSymbolicLink())).toEqual([true, true]);
    expect(readdirSync(join(root, 'there'))).toEqual(['a.json']);
    expect(readdirSync(join(root, 'made'))).toEqual(['d.json']);
  });

  it('refuses links that lead nowhere, and folders', async () => {
    const root = temporaryRepository({ 'folder/x': '' });
    symlinkSync('../outside/a.json', join(root, 'nowhere'));
    symlinkSync('circle', join(root, 'circle'));
    for (const name of ['nowhere', 'circle', 'folder']) {
      await expect(writeLinkedFile(join(root, name), 'x')).rejects.toMatchObject({ code: 'write_failed' });
    }
    expect(readdirSync(root).sort()).toEqual(['circle', 'folder', 'nowhere']);
  });

  it('writes into what is no file', async () => {
    await writeLinkedFile('/dev/null', 'x');
    expect(lstatSync('/dev/null').isCharacterDevice()).toBe(true);
  });
});
