import { appendFileSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { makeRepository } from '../../support/repository.ts';
import { reelform } from '../../support/test-io.ts';

interface Entry {
  readonly video_url: string;
  readonly thumbnails: readonly string[];
  readonly bytes?: number;
  readonly sha256?: string;
}

const LOCK = 'reelform.lock.json';

function entries(root: string): Record<string, Entry> {
  return (JSON.parse(readFileSync(join(root, LOCK), 'utf8')) as { videos: Record<string, Entry> }).videos;
}

function videoOf(root: string, id: string): string {
  return join(root, entries(root)[id]!.video_url);
}

/** Creates a repository with its three videos rendered. */
async function rendered(): Promise<string> {
  const root = makeRepository();
  await applied(root);
  // The second plan finds no changes; the third can use the plan cache.
  for (const _ of [1, 2]) expect(await planned(root)).toEqual([]);
  return root;
}

async function applied(root: string): Promise<void> {
  expect(await reelform(root, ['apply', '--auto-approve'])).toMatchObject({ exitCode: 0 });
}

async function planned(root: string, ...flags: string[]): Promise<string[]> {
  const { stdout } = await reelform(root, ['plan', '--json', ...flags]);
  const { changes } = JSON.parse(stdout) as { changes: { id: string; action: string; reason: string }[] };
  return changes.map(({ id, action, reason }) => `${action} ${id}: ${reason}`);
}

/** Changes the last byte of a file, so that its size stays the same. */
function swap(path: string): void {
  const bytes = readFileSync(path);
  bytes[bytes.length - 1]! ^= 1;
  writeFileSync(path, bytes);
}

const DAMAGES: readonly [string, (path: string) => void][] = [
  ['empty', (path) => truncateSync(path)],
  ['cut off', (path) => truncateSync(path, Math.floor(statSync(path).size / 2))],
  ['longer', (path) => appendFileSync(path, 'x')],
  ['another file', (path) => writeFileSync(path, 'not a video')],
];

describe('a local video file with another size than recorded', () => {
  it.each(DAMAGES)('is planned as a restore: %s', async (_, damage) => {
    const root = await rendered();
    const path = videoOf(root, 'rome');
    const whole = readFileSync(path);
    const lock = readFileSync(join(root, LOCK), 'utf8');
    damage(path);
    expect(await planned(root)).toEqual(['restore rome: output_damaged']);
    expect(await planned(root, '--no-cache')).toEqual(['restore rome: output_damaged']);
    expect((await reelform(root, ['plan'])).stdout).toContain('its local file is damaged');
    await applied(root);
    expect(readFileSync(path).equals(whole)).toBe(true);
    expect(readFileSync(join(root, LOCK), 'utf8')).toBe(lock);
    expect(await planned(root)).toEqual([]);
  });

  test('is reported by lock verify, drift and doctor', async () => {
    const root = await rendered();
    truncateSync(videoOf(root, 'rome'));
    const verified = await reelform(root, ['lock', 'verify', '--json']);
    expect({ ...verified, stdout: JSON.parse(verified.stdout) }).toMatchObject({
      exitCode: 1,
      stdout: { valid: false, diagnostics: [{ code: 'output_damaged', message: expect.stringContaining('"rome"') }] },
    });
    const drifted = await reelform(root, ['drift', '--json']);
    expect({ ...drifted, stdout: JSON.parse(drifted.stdout) }).toMatchObject({
      exitCode: 2,
      stdout: { drift: [{ id: 'rome', what: 'output_damaged' }] },
    });
    expect((await reelform(root, ['doctor'])).stdout).toContain('1 with damaged local files');
  });

  test('is also detected for an empty still', async () => {
    const root = await rendered();
    truncateSync(join(root, entries(root).rome!.thumbnails[0]!));
    expect(await planned(root)).toEqual(['restore rome: output_damaged']);
  });

  test('is not adopted by other videos', async () => {
    const root = await rendered();
    truncateSync(videoOf(root, 'rome'));
    writeFileSync(join(root, 'videos/roma.yaml'), readFileSync(join(root, 'videos/rome.yaml')));
    expect(await planned(root)).toEqual(['create roma: new', 'restore rome: output_damaged']);
  });
});

describe('a local video file of the recorded size with other bytes', () => {
  test('is found by lock verify, drift and --refresh, but not by a plain plan', async () => {
    const root = await rendered();
    swap(videoOf(root, 'rome'));
    expect(await planned(root)).toEqual([]);
    expect(await planned(root, '--refresh')).toEqual(['restore rome: output_damaged']);
    expect((await reelform(root, ['lock', 'verify'])).stderr).toContain('output_damaged');
    const { exitCode, stdout } = await reelform(root, ['drift']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: expect.stringContaining('its local file is damaged') });
    expect(stdout).toContain('`reelform apply --refresh`');
    expect(await reelform(root, ['apply', '--refresh', '--auto-approve'])).toMatchObject({ exitCode: 0 });
    expect(await reelform(root, ['drift'])).toMatchObject({ exitCode: 0 });
    expect(await reelform(root, ['lock', 'verify'])).toMatchObject({ exitCode: 0 });
  });
});

describe('an entry of an earlier version, without size and digest', () => {
  function withoutSizes(root: string): void {
    const lock = readFileSync(join(root, LOCK), 'utf8');
    writeFileSync(join(root, LOCK), lock.replaceAll(/,\n\s+"(?:bytes|sha256)": [^\n]*?(?=,?\n)/g, ''));
    rmSync(join(root, '.reelform/outputs.ndjson'));
    for (const { bytes, sha256 } of Object.values(entries(root)))
      expect([bytes, sha256]).toEqual([undefined, undefined]);
  }

  test('is accepted and stays unchanged until it is rendered', async () => {
    const root = await rendered();
    withoutSizes(root);
    const lock = readFileSync(join(root, LOCK), 'utf8');
    expect(await planned(root)).toEqual([]);
    expect(await reelform(root, ['lock', 'verify'])).toMatchObject({ exitCode: 0 });
    rmSync(videoOf(root, 'rome'));
    await applied(root);
    expect(readFileSync(join(root, LOCK), 'utf8')).toBe(lock);
    expect(await reelform(root, ['apply', '--auto-approve', '--replace', 'rome'])).toMatchObject({ exitCode: 0 });
    const { rome, oslo } = entries(root);
    expect([typeof rome!.bytes, typeof oslo!.bytes]).toEqual(['number', 'undefined']);
  });

  test('is damaged if its file is empty or differs from the file that this machine restored', async () => {
    const root = await rendered();
    withoutSizes(root);
    truncateSync(videoOf(root, 'oslo'));
    expect(await planned(root)).toEqual(['restore oslo: output_damaged']);
    await applied(root);
    truncateSync(videoOf(root, 'oslo'), 100);
    expect(await planned(root)).toEqual(['restore oslo: output_damaged']);
  });
});

describe('a file that this machine renders differently from the one that recorded it', () => {
  test('is accepted and not restored again', async () => {
    const root = await rendered();
    // As if a machine with more cores had rendered and committed it.
    const lock = readFileSync(join(root, LOCK), 'utf8');
    const { bytes, sha256 } = entries(root).rome!;
    const other = lock.replace(`"bytes": ${bytes}`, '"bytes": 12345').replace(sha256!, sha256!.replaceAll(/./g, '0'));
    writeFileSync(join(root, LOCK), other);
    expect(await planned(root)).toEqual([]);
    rmSync(videoOf(root, 'rome'));
    expect(await planned(root)).toEqual(['restore rome: output_missing']);
    await applied(root);
    expect(readFileSync(join(root, LOCK), 'utf8')).toBe(other);
    expect(await planned(root)).toEqual([]);
    expect(await reelform(root, ['lock', 'verify'])).toMatchObject({ exitCode: 0 });
    swap(videoOf(root, 'rome'));
    expect(await reelform(root, ['lock', 'verify'])).toMatchObject({ exitCode: 1 });
  });

  test('is restored once more without a record that this machine wrote it', async () => {
    const root = await rendered();
    const lock = readFileSync(join(root, LOCK), 'utf8');
    writeFileSync(join(root, LOCK), lock.replace(`"bytes": ${entries(root).rome!.bytes}`, '"bytes": 12345'));
    rmSync(join(root, '.reelform/outputs.ndjson'));
    expect(await planned(root)).toEqual(['restore rome: output_damaged']);
    await applied(root);
    expect(await planned(root)).toEqual([]);
  });
});
