import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../src/digest.ts';
import { compactOutputRecords, readOutputRecords, recordOutput } from '../../src/project/output-records.ts';
import { makeFolder } from '../support/repository.ts';

const record = (bytes: number) => ({ bytes, sha256: sha256(String(bytes)) });

describe('recordOutput()', () => {
  it('records what each file is like, the last time that it was written', async () => {
    const root = makeFolder({});
    expect(readOutputRecords(root)).toEqual(new Map());
    await recordOutput(root, 'renders/a.mp4', record(1));
    await recordOutput(root, 'renders/b.mp4', record(2));
    await recordOutput(root, 'renders/a.mp4', record(3));
    expect([...readOutputRecords(root)].map(([path, { bytes }]) => [path, bytes])).toEqual([
      ['renders/a.mp4', 3],
      ['renders/b.mp4', 2],
    ]);
  });

  it('fails no render where it cannot write', async () => {
    const root = makeFolder({ '.reelform': 'a file' });
    await recordOutput(root, 'renders/a.mp4', record(1));
    expect(readOutputRecords(root).size).toBe(0);
  });

  it.each(['{"path":"renders/a.mp4"', 'null', '[]', '{"path":1,"bytes":1,"sha256":""}', '\0'])(
    'passes over %j',
    async (line) => {
      const root = makeFolder({ '.reelform/outputs.ndjson': `${line}\n` });
      await recordOutput(root, 'renders/b.mp4', record(2));
      expect([...readOutputRecords(root).keys()]).toEqual(['renders/b.mp4']);
    },
  );
});

describe('compactOutputRecords()', () => {
  const FILE = '.reelform/outputs.ndjson';
  const lines = (paths: readonly string[]): string =>
    paths.map((path) => `${JSON.stringify({ path, ...record(1) })}\n`).join('');

  it('drops what was written over, and what is gone, once that is most of it', async () => {
    const gone = Array.from({ length: 600 }, (_, index) => `renders/gone-${index}.mp4`);
    const again = Array.from({ length: 600 }, () => 'renders/here.mp4');
    const root = makeFolder({ [FILE]: lines([...gone, ...again]), 'renders/here.mp4': 'x' });
    await compactOutputRecords(root);
    expect(readFileSync(join(root, FILE), 'utf8')).toBe(lines(['renders/here.mp4']));
  });

  it('leaves a short file alone', async () => {
    const root = makeFolder({ [FILE]: lines(['renders/gone.mp4']) });
    await compactOutputRecords(root);
    expect(readFileSync(join(root, FILE), 'utf8')).toBe(lines(['renders/gone.mp4']));
  });
});
