import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseLock, serialiseLock } from '../../../src/reconciler/lock/lock-format.ts';
import { entryRanges, readEntries } from '../../../src/reconciler/plan-cache/lock-entries.ts';
import { statTuple } from '../../../src/reconciler/project/read-log.ts';
import { runs } from '../../support/full-run.ts';
import { temporaryRepository } from '../../support/temporary-repository.ts';
import { lock as anyLock } from '../lock/lock-arbitrary.ts';
import { desired, lockOf } from '../plan/videos.ts';

const LOCK = lockOf(desired('berlin'), desired('oslo'), desired('rome'));

/** Writes a lockfile, and returns its path and stat data. */
function written(text: string) {
  const path = join(temporaryRepository({ 'reelform.lock.json': text }), 'reelform.lock.json');
  return { path, tuple: statTuple(statSync(path)) };
}

describe('entryRanges()', () => {
  it('finds every entry of every lockfile that Reelform writes', () => {
    fc.assert(
      fc.property(anyLock, (lock) => {
        const { path, tuple } = written(serialiseLock(lock));
        const ranges = entryRanges(lock, Buffer.from(serialiseLock(lock)))!;
        expect(readEntries(path, [...ranges.values()], tuple)?.videos).toEqual(lock.videos);
        for (const [id, range] of ranges) {
          expect([...readEntries(path, [range], tuple)!.videos]).toEqual([[id, lock.videos.get(id)]]);
        }
      }),
      { numRuns: runs(300) },
    );
  });

  it('returns null for a lockfile with another layout', () => {
    expect(entryRanges(LOCK, Buffer.from(serialiseLock(LOCK).replaceAll('\n', '\r\n')))).toBeNull();
    const text = serialiseLock(LOCK);
    const [begin, end] = [text.indexOf('    "oslo"'), text.indexOf(',\n    "rome"')];
    const oslo = text.slice(begin, end);
    // An entry that is there twice, at another place, and without its comma.
    for (const other of [
      text.replace(oslo, `${oslo},\n${oslo}`),
      text.replace(`${oslo},\n`, '').replace('    "berlin"', `${oslo},\n    "berlin"`),
      text.replace(`${oslo},\n`, `${oslo}\n`),
    ]) {
      expect(entryRanges(LOCK, Buffer.from(other))).toBeNull();
    }
  });

  it('is not misled by braces in texts, and by lines that end like an entry', () => {
    const text = serialiseLock(LOCK);
    const later = '"later": {"a": "}\\\\\\"{", "b": {\n    }},\n';
    const odd = text.replaceAll('      "service"', `      ${later}      "service"`);
    const { path, tuple } = written(odd);
    const lock = parseLock(odd, 'reelform.lock.json');
    const ranges = entryRanges(LOCK, Buffer.from(odd))!;
    expect(odd.length).toBeGreaterThan(text.length);
    expect({ ok: true, value: readEntries(path, [...ranges.values()], tuple) }).toEqual(lock);
  });
});

describe('readEntries()', () => {
  it('returns null for a lockfile that has changed, and for ranges that are not entries', () => {
    const text = serialiseLock(LOCK);
    const { path, tuple } = written(text);
    const ranges = [...entryRanges(LOCK, Buffer.from(text))!.values()];
    expect(readEntries(path, ranges.slice(1), tuple)?.videos.size).toBe(2);
    expect(readEntries(path, [], null)?.videos.size).toBe(0);
    expect(readEntries(path, ranges, null)).toBeNull();
    expect(readEntries(path, [[0, 20]], tuple)).toBeNull();
    // The same entry twice is one video only.
    expect(readEntries(path, [ranges[0]!, ranges[0]!], tuple)).toBeNull();
    writeFileSync(path, `${text}\n`);
    expect(readEntries(path, ranges, tuple)).toBeNull();
  });
});
