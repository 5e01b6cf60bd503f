import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../src/digest.ts';
import { compactOutputRecords, readOutputRecords, recordOutput } from '../../src/project/output-records.ts';
import { makeFolder } from '../support/repository.ts';

const record = (bytes: number) => ({ bytes, sha256: sha256(String(bytes)) });

describe('recordOutput()', () => {
  it('keeps the latest record of each file', async () => {
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

  it('does not fail the render if it cannot write', async () => {
    const root = makeFolder({ '.reelform': 'a file' });
    await recordOutput(root, 'renders/a.mp4', record(1));
    expect(readOutputRecords(root).size).toBe(0);
  });

  it.each(['{"path":"renders/a.mp4"', 'null', '[]', '{"path":1,"bytes":1,"sha256":""}', '\0'])(
    'skips the invalid line %j',
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

  it('drops overwritten and missing entries once they are the majority', async () => {
    const gone = Array.from({ length: 600 }, (_, index) => `renders/gone-${index}.mp4`);
    const again = Array.from({ length: 600 }, () => 'renders/here.mp4');
    const root = makeFolder({ [FILE]: lines([...gone, ...again]), 'renders/here.mp4': 'x' });
    await compactOutputRecords(root);
    expect(readFileSync(join(root, FILE), 'utf8')).toBe(lines(['renders/here.mp4']));
  });

  it('does not rewrite a short file', async () => {
    const root = makeFolder({ [FILE]: lines(['renders/gone.mp4']) });
    await compactOutputRecords(root);
    expect(readFileSync(join(root, FILE), 'utf8')).toBe(lines(['renders/gone.mp4']));
  });
});
