import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { build } from 'esbuild';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sha256 } from '../../src/kernel/digest.ts';
import { TemporaryFile } from '../../src/kernel/temporary-file.ts';
import { sweepTemporary } from '../../src/kernel/temporary-folder.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reelform-test-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('TemporaryFile', () => {
  it('is read in chunks that share their memory', async () => {
    const bytes = Buffer.from(Array.from({ length: 600_000 }, (_, at) => at % 251));
    const file = await TemporaryFile.of(bytes);
    const copies: Buffer[] = [];
    const memory = new Set<ArrayBufferLike>();
    for await (const chunk of file.chunks()) {
      copies.push(Buffer.from(chunk));
      memory.add(chunk.buffer);
    }
    file.close();
    expect(Buffer.compare(Buffer.concat(copies), bytes)).toBe(0);
    expect([copies.length, memory.size]).toEqual([3, 1]);
  });

  it('is written in any order, read and streamed by ranges, and removed when it is closed', async () => {
    const file = await TemporaryFile.of(Buffer.from('abc'));
    await file.write(Buffer.from('xy'), 5);
    await file.write(Buffer.from('de'), 3);
    expect([file.size, (await file.bytes()).toString()]).toEqual([7, 'abcdexy']);
    expect((await file.bytes({ start: 2, end: 4 })).toString()).toBe('cd');
    expect((await buffer(file.stream({ start: 4, end: 7 }))).toString()).toBe('exy');
    expect((await buffer(file.stream({ start: 4, end: 4 }))).length).toBe(0);
    expect(await file.sha256()).toBe(sha256('abcdexy'));
    const name = file.shareIn(folder);
    expect(existsSync(join(tmpdir(), name))).toBe(true);
    file.close();
    file.close();
    expect(existsSync(join(tmpdir(), name))).toBe(false);
    await expect(file.bytes()).rejects.toThrow('closed');
    const taken = TemporaryFile.take(join(folder, name));
    expect((await taken.bytes()).toString()).toBe('abcdexy');
    expect(readdirSync(folder)).toEqual([]);
    taken.close();
  });

  it('keeps concurrent appends apart', async () => {
    const file = TemporaryFile.create();
    await Promise.all(['aa', 'b', 'cccc'].map((text) => file.append(Buffer.from(text))));
    expect((await file.bytes()).toString()).toBe('aabcccc');
    file.close();
  });

  it.skipIf(process.platform === 'win32')('neither follows a link of another process nor waits for its pipe', () => {
    writeFileSync(join(folder, 'secret'), 'secret');
    symlinkSync(join(folder, 'secret'), join(folder, 'link'));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    mkdirSync(join(folder, 'folder'));
    for (const name of ['link', 'pipe', 'folder', 'missing']) {
      expect(() => TemporaryFile.take(join(folder, name)), name).toThrow();
    }
    expect(readdirSync(folder)).toEqual(['secret']);
  });

  it.skipIf(process.platform !== 'linux')(
    'removes the files of a killed process when the next one starts',
    async () => {
      const program = join(folder, 'program.mjs');
      await build({
        stdin: {
          contents: `import { TemporaryFile } from './temporary-file.ts';
          globalThis.file = await TemporaryFile.of(Buffer.from('abc'));
          console.log('created');
          setInterval(() => undefined, 1000);`,
          resolveDir: join(import.meta.dirname, '../../src/kernel'),
        },
        outfile: program,
        bundle: true,
        format: 'esm',
        platform: 'node',
      });
      const files = (): string[] => readdirSync(folder).filter((name) => name.startsWith('reelform-file-'));
      const start = async (): Promise<ChildProcess> => {
        const child = spawn(process.execPath, [program], {
          env: { TMPDIR: folder },
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        await once(child.stdout!, 'data');
        return child;
      };
      const kill = async (child: ChildProcess): Promise<void> => {
        child.kill('SIGKILL');
        await once(child, 'exit');
      };
      const [killed, other] = [await start(), await start()];
      expect(files()).toHaveLength(2);
      await kill(killed);
      const next = await start();
      // Those of the two that run.
      expect(files()).toHaveLength(2);
      await kill(other);
      await kill(next);
    },
  );

  it('removes files that killed processes left', async () => {
    const file = TemporaryFile.create();
    const left = join(tmpdir(), `reelform-file-${randomUUID()}`);
    writeFileSync(left, '');
    utimesSync(left, 1, 1);
    sweepTemporary('reelform-file-', 0);
    expect(existsSync(left)).toBe(false);
    file.close();
  });
});
