import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { replaceFile, sweepUnfinished, unfinishedPath } from '../../src/kernel/replace-file.ts';
import { startChild } from '../support/child-program.ts';
import { makeFolder } from '../support/repository.ts';

const WRITER = join(import.meta.dirname, '../support/slow-writer.ts');

const NOW = Date.parse('2026-01-01T00:00:00.000Z');
const HOUR_MS = 3_600_000;

function write(path: string, ageMs: number, nowMs = NOW): string {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, 'half');
  utimesSync(path, (nowMs - ageMs) / 1000, (nowMs - ageMs) / 1000);
  return path;
}

describe('sweepUnfinished()', () => {
  it('removes old leftovers of a killed process, but no recent, complete or nested files', async () => {
    const root = makeFolder({});
    const old = write(unfinishedPath(root), HOUR_MS);
    const stay = [
      write(unfinishedPath(root), 1_000),
      write(join(root, 'reelform.lock.json'), HOUR_MS),
      write(join(root, '.unfinished-notes'), HOUR_MS),
      write(unfinishedPath(join(root, 'a')), HOUR_MS),
    ];
    await sweepUnfinished(root, NOW);
    expect(existsSync(old)).toBe(false);
    expect(stay.map((path) => existsSync(path))).toEqual([true, true, true, true]);
  });

  it('removes nested leftovers on request, and tolerates a missing folder', async () => {
    const root = makeFolder({});
    const below = write(unfinishedPath(join(root, 'launch')), HOUR_MS);
    await sweepUnfinished(root, NOW, { recursive: true });
    expect(existsSync(below)).toBe(false);
    await sweepUnfinished(join(root, 'nowhere'), NOW, { recursive: true });
  });
});

describe('replaceFile()', () => {
  it('removes leftovers of a killed process in the same folder', async () => {
    const root = makeFolder({});
    write(unfinishedPath(root), HOUR_MS, Date.now());
    await replaceFile(join(root, 'a'), 'whole', { isDurable: false });
    expect(readdirSync(root)).toEqual(['a']);
  });

  it('removes what a killed process has left after ten minutes, and nothing that another process writes', async () => {
    const root = makeFolder({});
    const startWriter = async () => {
      const others = readdirSync(root);
      const child = await startChild(WRITER, [join(root, 'a')]);
      await child.line('writing');
      return { child, file: readdirSync(root).find((name) => !others.includes(name))! };
    };
    const [killed, writing] = [await startWriter(), await startWriter()];
    await killed.child.kill();
    const left = (Date.now() - 600_001) / 1000;
    utimesSync(join(root, killed.file), left, left);
    await replaceFile(join(root, 'b'), 'whole', { isDurable: false });
    expect(readdirSync(root).sort()).toEqual([writing.file, 'b']);
  });

  it('writes again if its temporary file was removed', async () => {
    const root = makeFolder({});
    let attempts = 0;
    async function* data() {
      attempts += 1;
      yield Buffer.from('who');
      if (attempts === 1) await sweepUnfinished(root, Date.now() + HOUR_MS);
      yield Buffer.from('le');
    }
    await replaceFile(join(root, 'a'), data, { isDurable: false });
    expect([attempts, readdirSync(root)]).toEqual([2, ['a']]);
  });
});
