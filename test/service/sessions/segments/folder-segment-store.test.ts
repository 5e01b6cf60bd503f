import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Sha256, sha256 } from '../../../../src/kernel/digest.ts';
import { FolderSegmentStore } from '../../../../src/service/sessions/segments/folder-segment-store.ts';
import { isIntact, packRecord, unpackRecord } from '../../../../src/service/sessions/segments/segment-cache.ts';

const ROOT = join(import.meta.dirname, '../../../..');
let folder: string;
let now = 1_000_000_000_000;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reelform-segments-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = (maxBytes = 1e9): FolderSegmentStore =>
  new FolderSegmentStore({ folder, maxBytes, now: () => (now += 1000) });
const keyOf = (name: string): Sha256 => sha256(name);
const pathOf = (key: string): string => join(folder, key.slice(0, 2), key);

describe('packRecord()', () => {
  it('round-trips trees of values and bytes and detects any damage', () => {
    const value = {
      first: 0,
      list: [{ bytes: new Uint8Array([97, 98]) }, { bytes: new Uint8Array() }],
      text: 'é',
      none: null,
    };
    const packed = packRecord(value);
    expect(unpackRecord(packed)).toEqual({
      ...value,
      list: [{ bytes: new Uint8Array([97, 98]) }, { bytes: new Uint8Array() }],
    });
    for (let at = 0; at < packed.length; at++) {
      const changed = Buffer.from(packed);
      changed[at]! ^= 1;
      expect(unpackRecord(changed)).toBeNull();
      expect(isIntact(packed.subarray(0, at))).toBe(false);
    }
  });
});

describe('FolderSegmentStore', () => {
  it('stores files for other processes too', async () => {
    expect(await open().get(keyOf('a'))).toBeNull();
    await open().put(keyOf('a'), packRecord('a'));
    expect(unpackRecord((await open().get(keyOf('a')))!)).toBe('a');
  });

  it('knows the files of other processes, and those that it writes and removes', async () => {
    await open().put(keyOf('a'), packRecord('a'));
    const store = open();
    const known = () => Promise.all(['a', 'b'].map((name) => store.has(keyOf(name))));
    expect(await known()).toEqual([true, false]);
    await store.put(keyOf('b'), packRecord('b'));
    expect(await known()).toEqual([true, true]);
    await store.prune(0);
    expect(await known()).toEqual([false, false]);
  });

  it('removes a damaged file on read and on verify', async () => {
    const store = open();
    for (const name of ['a', 'b', 'c']) await store.put(keyOf(name), packRecord(name));
    for (const name of ['a', 'b']) writeFileSync(pathOf(keyOf(name)), readFileSync(pathOf(keyOf(name))).subarray(1));
    expect(await store.get(keyOf('a'))).toBeNull();
    expect((await store.verify()).map(({ key }) => key)).toEqual([keyOf('b')]);
    expect((await store.list()).map(({ key }) => key)).toEqual([keyOf('c')]);
  });

  it('evicts the least recently used files beyond its size limit', async () => {
    const record = packRecord('x'.repeat(1000));
    const store = open(record.length * 3 + 10);
    for (const name of ['a', 'b', 'c']) {
      await store.put(keyOf(name), record);
      await store.get(keyOf(name));
    }
    await store.get(keyOf('a'));
    await store.put(keyOf('d'), record);
    expect(await store.get(keyOf('b'))).toBeNull();
    expect(await store.get(keyOf('a'))).not.toBeNull();
    expect((await store.list()).reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(record.length * 3 + 10);
    await store.put(keyOf('huge'), packRecord('x'.repeat(5000)));
    expect(await store.get(keyOf('huge'))).toBeNull();
  });

  it('contains only whole files even when processes that share it are killed', async () => {
    const script = `
      import { FolderSegmentStore } from ${JSON.stringify(join(ROOT, 'src/service/sessions/segments/folder-segment-store.ts'))};
      import { packRecord } from ${JSON.stringify(join(ROOT, 'src/service/sessions/segments/segment-cache.ts'))};
      import { sha256 } from ${JSON.stringify(join(ROOT, 'src/kernel/digest.ts'))};
      const store = new FolderSegmentStore({ folder: process.argv[2], maxBytes: 4e6, now: Date.now });
      for (let at = 0; ; at++) {
        if (at === 1) console.log('ready');
        const name = String(at % 40);
        const found = await store.get(sha256(name));
        if (found === null) await store.put(sha256(name), packRecord({ name, bytes: Buffer.alloc(200_000, name) }));
      }`;
    const outfile = join(folder, 'writer.mjs');
    const stdin = { contents: script, resolveDir: ROOT, loader: 'ts' } as const;
    await build({ bundle: true, format: 'esm', platform: 'node', stdin, outfile, logLevel: 'error' });
    const shared = join(folder, 'shared');
    for (let round = 0; round < 4; round++) {
      const writers = [0, 1].map(() =>
        spawn(process.execPath, [outfile, shared], { stdio: ['ignore', 'pipe', 'inherit'] }),
      );
      await Promise.all(writers.map((writer) => once(writer.stdout!, 'data')));
      await new Promise((resolve) => setTimeout(resolve, 30 + round * 23));
      for (const writer of writers) writer.kill('SIGKILL');
      await Promise.all(writers.map((writer) => once(writer, 'exit')));
      const store = new FolderSegmentStore({ folder: shared, maxBytes: 4e6, now: Date.now });
      const files = await store.list();
      expect(files.length).toBeGreaterThan(0);
      expect(await store.verify()).toEqual([]);
      for (const { key } of files) {
        const value = unpackRecord<{ name: string }>((await store.get(key as Sha256))!);
        expect(sha256(value!.name)).toBe(key);
      }
    }
  });
});
