import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defined } from '../../../src/kernel/defined.ts';
import { sha256 } from '../../../src/kernel/digest.ts';
import { emptyLock, type LockEntry } from '../../../src/reconciler/lock/lock.ts';
import {
  compactOutputRecords,
  findUnnamedOutputs,
  notDelivered,
  observeOutputs,
  readOutputRecords,
  recordOutput,
  removeOutputs,
} from '../../../src/reconciler/project/local-outputs.ts';
import { makeFolder } from '../../support/repository.ts';
import { temporaryRepository } from '../../support/temporary-repository.ts';

const entry = (video_url: string, thumbnails: string[] = []): LockEntry => ({
  fingerprint: 'v1:0' as LockEntry['fingerprint'],
  title: '',
  service: 'embedded',
  template: 'small',
  style_version: 'tsv_1',
  inputs: {},
  session: 'rs_1',
  video_url,
  thumbnails,
  rendered_at: '2026-01-01T00:00:00.000Z',
});

describe('notDelivered()', () => {
  it('omits delivered videos', () => {
    const videos = new Map([
      ['here', entry('renders/c.mp4')],
      ['elsewhere', { ...entry('renders/d.mp4'), deliveries: [{ to: 's3://videos/d.mp4' }] }],
    ]);
    const lock = { ...emptyLock, videos };
    expect([...notDelivered(observeOutputs(makeFolder({}), lock).missing, lock)]).toEqual(['here']);
  });
});

describe('observeOutputs()', () => {
  it('finds videos whose files are empty or differ in size from the record', () => {
    const root = makeFolder({
      'renders/a.mp4': 'four',
      'renders/a.jpg': '',
      'renders/b.mp4': 'seven b',
      'renders/empty.mp4': '',
      '.reelform/outputs.ndjson':
        '{"path":"renders/b.mp4","bytes":1,"sha256":"0"}\n{"path":"renders/b.mp4","bytes":7,"sha256":"1"}\n{"path":',
    });
    const sized = (url: string, bytes?: number, stills: string[] = []): LockEntry => ({
      ...entry(url, stills),
      ...defined({ bytes }),
    });
    const videos = new Map([
      ['as recorded', sized('renders/a.mp4', 4)],
      ['not recorded', sized('renders/a.mp4')],
      ['written here', sized('renders/b.mp4', 12)],
      ['other', sized('renders/a.mp4', 5)],
      ['empty', sized('renders/empty.mp4')],
      ['meant to be empty', sized('renders/empty.mp4', 0)],
      ['still', sized('renders/b.mp4', 12, ['renders/a.jpg'])],
    ]);
    const { missing, damaged, sizes } = observeOutputs(root, { ...emptyLock, videos });
    expect([...missing]).toEqual([]);
    expect([...damaged]).toEqual([
      ['other', 'renders/a.mp4'],
      ['empty', 'renders/empty.mp4'],
      ['meant to be empty', 'renders/empty.mp4'],
      ['still', 'renders/a.jpg'],
    ]);
    // An impossible size, so that no plan treats the files as complete.
    expect(new Set(sizes.values())).toEqual(new Set([-1]));
  });

  it('finds videos with a missing file or still, and ignores URLs', () => {
    const root = makeFolder({ 'renders/a.mp4': 'a', 'renders/b.mp4': 'b', 'renders/b.jpg': 'b' });
    const videos = new Map([
      ['there', entry('renders/b.mp4', ['renders/b.jpg'])],
      ['no-video', entry('renders/c.mp4')],
      ['no-still', entry('renders/a.mp4', ['renders/a.jpg'])],
      ['folder', entry('renders')],
      ['remote', entry('https://cdn.example/gone.mp4', ['https://cdn.example/gone.jpg'])],
    ]);
    const { missing } = observeOutputs(root, { ...emptyLock, videos });
    expect([...missing]).toEqual(['no-video', 'no-still', 'folder']);
  });
});

const OLD = [
  'renders/rome-01234567.mp4',
  'renders/rome-01234567.stillcut_01.jpg',
  'renders/shop/a.b/berlin-89abcdef.webm',
  'renders/shop/a.b/berlin-89abcdef.still-2.jpg',
];
const KEPT = ['renders/rome-76543210.mp4', 'renders/rome-76543210.stillcut_01.jpg', 'renders/shop/oslo-00000000.gif'];
/** Names that apply never uses, or outside of `renders/`. */
const FOREIGN = [
  'renders/notes-01234567.md',
  'renders/rome.mp4',
  'renders/rome-0123456.mp4',
  'renders/looks/rome-01234567.mp4',
  'other/rome-01234567.mp4',
];

async function pruneOutputs(root: string, kept: Parameters<typeof findUnnamedOutputs>[1]['kept']): Promise<number> {
  const files = await findUnnamedOutputs(root, { kept });
  return removeOutputs(
    root,
    files.map(({ path }) => path),
  );
}

describe('findUnnamedOutputs() and removeOutputs()', () => {
  it('remove unreferenced outputs and emptied folders, but no other files', async () => {
    const root = temporaryRepository(Object.fromEntries([...OLD, ...KEPT, ...FOREIGN].map((path) => [path, 'x'])));
    const renderings = [
      { video_url: KEPT[0]!, thumbnails: [KEPT[1]!] },
      { video_url: KEPT[2]!, thumbnails: ['https://x.test/a-01234567.jpg'] },
    ];
    expect(await pruneOutputs(root, renderings)).toBe(OLD.length);
    for (const path of OLD) expect([path, existsSync(join(root, path))]).toEqual([path, false]);
    for (const path of [...KEPT, ...FOREIGN]) expect([path, existsSync(join(root, path))]).toEqual([path, true]);
    expect(readdirSync(join(root, 'renders/shop'))).toEqual(['oslo-00000000.gif']);
    expect(await pruneOutputs(root, renderings)).toBe(0);
  });

  it('do nothing without outputs', async () => {
    const root = temporaryRepository({ renders: 'no folder' });
    expect(await pruneOutputs(root, [])).toBe(0);
    expect(await pruneOutputs(temporaryRepository({}), [])).toBe(0);
  });
});

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
