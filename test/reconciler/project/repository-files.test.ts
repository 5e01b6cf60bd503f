import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startOf } from '../../../src/kernel/diagnostic.ts';
import { sha256 } from '../../../src/kernel/digest.ts';
import { unreadable } from '../../../src/reconciler/definition/definition-file.ts';
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
    expect(reason('folder')).toBe('folder');
    expect(reason('folder/x/y')).toBe('missing');
    expect(reason('loop.yaml')).toBe('missing');
    expect(reason('link.yaml')).toBe('outside');
    expect(reason('out/secret.yaml')).toBe('outside');
    expect(files.asset('link.yaml')).toBe('outside');
    expect(reason('latin1.yaml')).toBe('not_text');
    expect(reason('inside.yaml')).toBe('ok');
  });

  it('reports captions in other encodings, with what to do', () => {
    const folder = join(import.meta.dirname, '../../contract/captions/files');
    const names = readdirSync(folder).filter((name) => /^4[5-9]-/.test(name));
    const root = temporaryRepository(Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name))])));
    const files = new RepositoryFiles(root);
    const reported = names.map((name) => {
      const text = files.text(name);
      if (text.ok) return [name, text.text];
      const { message, hint } = unreadable(name, text.reason, startOf(name));
      return `${message}. ${hint}`;
    });
    expect(reported).toMatchInlineSnapshot(`
      [
        ""45-latin1.srt" is not valid UTF-8. Save it as UTF-8, for example with iconv -f ENCODING -t UTF-8; older programs use WINDOWS-1252 in the West, and SHIFT_JIS in Japan",
        ""46-utf16.srt" is UTF-16, not UTF-8. Save it as UTF-8, for example with iconv -f UTF-16 -t UTF-8",
        ""47-utf16-be.srt" is UTF-16, not UTF-8. Save it as UTF-8, for example with iconv -f UTF-16 -t UTF-8",
        ""48-windows-1251.srt" is not valid UTF-8. Save it as UTF-8, for example with iconv -f ENCODING -t UTF-8; older programs use WINDOWS-1252 in the West, and SHIFT_JIS in Japan",
        ""49-shift-jis.vtt" is not valid UTF-8. Save it as UTF-8, for example with iconv -f ENCODING -t UTF-8; older programs use WINDOWS-1252 in the West, and SHIFT_JIS in Japan",
      ]
    `);
  });

  it('recognizes UTF-16 with and without a byte order mark', () => {
    const little = Buffer.from('WEBVTT', 'utf16le');
    const root = temporaryRepository({
      'le.vtt': Buffer.concat([Buffer.from([0xff, 0xfe]), little]),
      'be.vtt': Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(little).swap16()]),
      'le-plain.vtt': little,
      'be-plain.vtt': Buffer.from(little).swap16(),
      'utf-8.vtt': '\ufeffWEBVTT',
    });
    const files = new RepositoryFiles(root);
    for (const name of ['le', 'be', 'le-plain', 'be-plain']) {
      expect(files.text(`${name}.vtt`), name).toEqual({ ok: false, reason: 'utf_16' });
    }
    expect(files.text('utf-8.vtt')).toEqual({ ok: true, text: 'WEBVTT' });
  });
});
