import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { writeFileAtomic, writeLinkedFile } from '../../../src/reconciler/project/write-file.ts';
import { temporaryRepository } from '../../support/temporary-repository.ts';

describe('writeFileAtomic()', () => {
  it('creates files and folders, replaces files, and leaves nothing else behind', async () => {
    const root = temporaryRepository({ 'a.json': 'old' });
    await writeFileAtomic(join(root, 'a.json'), 'new');
    await writeFileAtomic(join(root, 'b/c/d.bin'), new Uint8Array([1, 2]));
    expect(readFileSync(join(root, 'a.json'), 'utf8')).toBe('new');
    expect([...readFileSync(join(root, 'b/c/d.bin'))]).toEqual([1, 2]);
    expect(readdirSync(root).sort()).toEqual(['a.json', 'b']);
    expect(readdirSync(join(root, 'b/c'))).toEqual(['d.bin']);
  });

  it('throws write_failed with its cause and leaves nothing behind', async () => {
    const root = temporaryRepository({ file: '', 'folder/x/y': '' });
    const failed = expect.objectContaining({ code: 'write_failed', cause: expect.anything() });
    await expect(writeFileAtomic(join(root, 'file/a'), 'x')).rejects.toEqual(failed);
    await expect(writeFileAtomic(join(root, 'folder/x'), 'x')).rejects.toEqual(failed);
    expect(readdirSync(join(root, 'folder'))).toEqual(['x']);
  });

  it('explains that the path is a folder', async () => {
    const root = temporaryRepository({ 'folder/x': '' });
    await expect(writeFileAtomic(join(root, 'folder'), 'x')).rejects.toMatchObject({
      code: 'write_failed',
      message: `${join(root, 'folder')} could not be written: it is a folder`,
      hint: 'Add the name of a file in it, or choose another path',
    });
  });

  it('leaves the complete old or new file if its process is killed', async () => {
    const root = temporaryRepository({});
    const source = join(import.meta.dirname, '../../../src/reconciler/project/write-file.ts');
    const script = join(root, 'writer.mjs');
    await build({
      stdin: {
        contents: `import { writeFileAtomic } from ${JSON.stringify(source)};
for (let i = 0; ; i += 1) {
  await writeFileAtomic(process.argv[2], String(i % 10).repeat(400_000));
  process.stdout.write('.');
}`,
        resolveDir: root,
      },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: script,
    });
    const target = join(root, 'lock.json');
    for (let kill = 1; kill <= 10; kill += 1) {
      const writer = spawn(process.execPath, [script, target]);
      let writes = 0;
      for await (const chunk of writer.stdout) {
        writes += (chunk as Buffer).length;
        if (writes >= kill) break;
      }
      writer.kill('SIGKILL');
      await once(writer, 'close');
      expect(readFileSync(target, 'utf8')).toMatch(/^(\d)\1{399999}$/);
    }
  });
});

describe('writeLinkedFile()', () => {
  it('writes the target of a chain of links and keeps the links', async () => {
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

  it('refuses dangling and circular links, and folders', async () => {
    const root = temporaryRepository({ 'folder/x': '' });
    symlinkSync('../outside/a.json', join(root, 'nowhere'));
    symlinkSync('circle', join(root, 'circle'));
    for (const name of ['nowhere', 'circle', 'folder']) {
      await expect(writeLinkedFile(join(root, name), 'x')).rejects.toMatchObject({ code: 'write_failed' });
    }
    expect(readdirSync(root).sort()).toEqual(['circle', 'folder', 'nowhere']);
  });

  it('writes to a device', async () => {
    await writeLinkedFile('/dev/null', 'x');
    expect(lstatSync('/dev/null').isCharacterDevice()).toBe(true);
  });
});
