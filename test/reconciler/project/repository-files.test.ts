import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../../src/kernel/digest.ts';
import { RepositoryFiles } from '../../../src/reconciler/project/repository-files.ts';
import { temporaryRepository, writeFiles } from '../../support/temporary-repository.ts';

describe('RepositoryFiles', () => {
  it('reads text without its byte order mark and keeps it for code frames', () => {
    const files = new RepositoryFiles(temporaryRepository({ 'a.yaml': '\ufeffa: ü' }));
    expect(files.source('b.yaml')).toBeUndefined();
    expect(files.text('a.yaml')).toEqual({ ok: true, text: 'a: ü' });
    expect(files.source('a.yaml')).toBe('a: ü');
  });

  it('returns the same state of a file every time', () => {
    const root = temporaryRepository({ 'a.yaml': 'old', 'a.jpg': 'old' });
    const files = new RepositoryFiles(root);
    const before = [files.text('a.yaml'), files.asset('a.jpg')];
    writeFiles(root, { 'a.yaml': 'new', 'a.jpg': 'new' });
    expect([files.text('a.yaml'), files.asset('a.jpg')]).toEqual(before);
  });

  it('hashes files of any size', () => {
    const bytes = Buffer.alloc((1 << 20) + 7, 'x');
    const files = new RepositoryFiles(temporaryRepository({ 'a.jpg': bytes, 'empty.jpg': '' }));
    expect(files.asset('a.jpg')).toEqual({ path: 'a.jpg', sha256: sha256(bytes), sizeBytes: bytes.length });
    expect(files.asset('empty.jpg')).toMatchObject({ sha256: sha256(''), sizeBytes: 0 });
  });

  it('reports why a file cannot be read', () => {
    const root = temporaryRepository({ 'folder/x': '', 'latin1.yaml': new Uint8Array([0x61, 0xfc]) });
    const outside = temporaryRepository({ 'secret.yaml': 'a: 1' });
    symlinkSync(join(outside, 'secret.yaml'), join(root, 'link.yaml'));
    symlinkSync(outside, join(root, 'out'));
    symlinkSync(join(root, 'loop.yaml'), join(root, 'loop.yaml'));
    symlinkSync(join(root, 'folder/x'), join(root, 'inside.yaml'));
    const files = new RepositoryFiles(root);
    const reason = (path: string): string => {
      const text = files.text(path);
      return text.ok ? 'ok' : text.reason;
    };
    expect(reason('nope.yaml')).toBe('missing');
    expect(reason('folder')).toBe('missing');
    expect(reason('folder/x/y')).toBe('missing');
    expect(reason('loop.yaml')).toBe('missing');
    expect(reason('link.yaml')).toBe('outside');
    expect(reason('out/secret.yaml')).toBe('outside');
    expect(files.asset('link.yaml')).toBe('outside');
    expect(reason('latin1.yaml')).toBe('not_text');
    expect(reason('inside.yaml')).toBe('ok');
  });
});
