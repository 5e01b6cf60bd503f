import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readTemplateFolder } from '../../../src/reconciler/project/read-package.ts';
import { temporaryRepository } from '../../support/temporary-repository.ts';

const at = { file: 'reelform.yaml', start: 0, end: 1 };

describe('readTemplateFolder()', () => {
  it('reads regular files below the folder, except links and hidden files', () => {
    const root = temporaryRepository({
      't/template.yaml': 'a',
      't/fonts/a/b.ttf': 'b',
      't/.DS_Store': 'c',
      't/.git/x': 'd',
      'other.yaml': 'e',
    });
    symlinkSync(join(root, 'other.yaml'), join(root, 't/link.yaml'));
    symlinkSync(join(root, 't'), join(root, 't/loop'));
    const read = readTemplateFolder(root, 't', at);
    expect(read.ok && [...read.value.keys()]).toEqual(['template.yaml', 'fonts/a/b.ttf']);
    expect(read.ok && new TextDecoder().decode(read.value.get('fonts/a/b.ttf'))).toBe('b');
  });

  it.each(['nope', 'file.txt', 'out'])('refuses %s', (folder) => {
    const root = temporaryRepository({ 'file.txt': '' });
    const outside = temporaryRepository({ 'template.yaml': '' });
    mkdirSync(join(root, 'x'));
    symlinkSync(outside, join(root, 'out'));
    expect(readTemplateFolder(root, folder, at)).toMatchObject({
      ok: false,
      diagnostics: [{ code: 'template_invalid', at }],
    });
  });

  it('refuses more than 50 MB', () => {
    const root = temporaryRepository({ 't/a.bin': new Uint8Array(26 << 20), 't/b.bin': new Uint8Array(26 << 20) });
    expect(readTemplateFolder(root, 't', at)).toMatchObject({ ok: false, diagnostics: [{ code: 'template_invalid' }] });
  });
});
