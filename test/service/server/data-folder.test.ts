import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDataFolder } from '../../../src/service/server/data-folder.ts';
import { SILENT } from '../../support/databases.ts';
import { mountSmallDisk } from '../../support/small-disk.ts';

const NAMES = ['objects', 'sources'];

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'reelform-data-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

/** Opens the folder. @returns the logged warnings */
async function open(directory: string): Promise<object[]> {
  const warnings: object[] = [];
  await openDataFolder(directory, NAMES, { ...SILENT, warn: (fields) => void warnings.push(fields) });
  return warnings;
}

describe.skipIf(process.platform === 'win32')('openDataFolder()', () => {
  it('creates the directories for their owner only, without a warning', async () => {
    const directory = join(folder(), 'data');
    expect(await open(directory)).toEqual([]);
    for (const name of ['', ...NAMES]) expect(modeOf(join(directory, name))).toBe('700');
    expect(await open(directory)).toEqual([]);
  });

  it('corrects directories that other users can open and logs a warning', async () => {
    const directory = folder();
    for (const name of [...NAMES, 'database']) mkdirSync(join(directory, name));
    chmodSync(directory, 0o755);
    chmodSync(join(directory, 'objects'), 0o750);
    chmodSync(join(directory, 'sources'), 0o700);
    chmodSync(join(directory, 'database'), 0o777);
    expect(await open(directory)).toEqual([
      { path: directory, was: '755' },
      { path: join(directory, 'objects'), was: '750' },
      { path: join(directory, 'database'), was: '777' },
    ]);
    for (const name of ['', ...NAMES, 'database']) expect(modeOf(join(directory, name))).toBe('700');
    expect(await open(directory)).toEqual([]);
  });

  it('rejects directories with content that it cannot make private and warns of the data directory itself', async (context) => {
    const disk = mountSmallDisk(1);
    if (disk === null) return context.skip();
    const { directory } = disk;
    for (const name of NAMES) mkdirSync(join(directory, name), { mode: 0o700 });
    chmodSync(directory, 0o755);
    disk.setReadOnly(true);
    expect(await open(directory)).toEqual([{ directory }]);
    disk.setReadOnly(false);
    chmodSync(join(directory, 'objects'), 0o755);
    disk.setReadOnly(true);
    await expect(open(directory)).rejects.toMatchObject({
      code: 'data_exposed',
      message: expect.stringContaining(join(directory, 'objects')),
    });
  });
});
