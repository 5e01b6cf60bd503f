import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FileCredential } from '../../../src/contract/destinations/credential.ts';
import type { Delivered, DeliveredFile } from '../../../src/contract/destinations/destination.ts';
import { parseDestination } from '../../../src/contract/destinations/destination-address.ts';
import { sha256 } from '../../../src/kernel/digest.ts';
import { openDestination } from '../../../src/service/delivery/open-destination.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'reelform-files-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

function fileOf(text: string, over: Partial<DeliveredFile> = {}): DeliveredFile {
  const bytes = Buffer.from(text);
  return {
    size: bytes.length,
    contentType: 'video/mp4',
    sha256: sha256(bytes),
    stream: () => Readable.from([bytes.subarray(0, 3), bytes.subarray(3)]),
    ...over,
  };
}

async function deliver(to: string, file: DeliveredFile, credential: FileCredential | null = null): Promise<Delivered> {
  const parsed = parseDestination(to);
  if (!parsed.ok) throw new Error(parsed.problem.message);
  const destination = await openDestination(parsed.target, credential, { env: {}, directory });
  const signal = new AbortController().signal;
  return await destination.deliver(file, { signal, state: null, onState: async () => undefined });
}

describe('file destination', () => {
  const credential = (): FileCredential => ({
    kind: 'file',
    name: 'disk',
    allow: ['file:out/', 'file:out/public/'],
    publicUrl: 'https://cdn.example.com/',
    tenants: null,
    directory,
  });

  it('replaces an earlier delivery and returns its public URL', async () => {
    await deliver('file:out/public/a b/1.mp4', fileOf('the first'), credential());
    const delivered = await deliver('file:out/public/a b/1.mp4', fileOf('the second'), credential());
    expect(delivered).toEqual({ remoteId: null, url: 'https://cdn.example.com/a%20b/1.mp4' });
    expect(await readFile(join(directory, 'out/public/a b/1.mp4'), 'utf8')).toBe('the second');
    expect(await readdir(join(directory, 'out/public/a b'))).toEqual(['1.mp4']);
  });

  it('keeps the old file when the new one has the wrong size or digest', async () => {
    await deliver('file:out/1.mp4', fileOf('the first'));
    const short = deliver('file:out/1.mp4', fileOf('the second', { size: 11 }));
    await expect(short).rejects.toMatchObject({ isRetryable: true });
    const other = deliver('file:out/1.mp4', fileOf('the second', { sha256: sha256('another') }));
    await expect(other).rejects.toMatchObject({ isRetryable: false });
    expect(await readdir(join(directory, 'out'))).toEqual(['1.mp4']);
    expect(await readFile(join(directory, 'out/1.mp4'), 'utf8')).toBe('the first');
  });

  it('rejects links and paths that leave the allowed directories', async () => {
    await mkdir(join(directory, 'elsewhere'));
    await mkdir(join(directory, 'out'));
    await symlink(join(directory, 'elsewhere'), join(directory, 'out/link'));
    for (const to of ['file:out/link/1.mp4', 'file:out/link/deeper/1.mp4', 'file:outside/1.mp4', 'file:/etc/1.mp4']) {
      await expect(deliver(to, fileOf('x'), credential())).rejects.toMatchObject({ isRetryable: false });
    }
    await expect(deliver('file:/etc/reelform.mp4', fileOf('x'))).rejects.toMatchObject({ isRetryable: false });
    expect(await readdir(join(directory, 'elsewhere'))).toEqual([]);
  });

  it('replaces a symbolic link without touching its target', async () => {
    await writeFile(join(directory, 'kept'), 'kept');
    await mkdir(join(directory, 'out'));
    await symlink(join(directory, 'kept'), join(directory, 'out/1.mp4'));
    await deliver('file:out/1.mp4', fileOf('new'), credential());
    expect(await readFile(join(directory, 'kept'), 'utf8')).toBe('kept');
    expect(await readFile(join(directory, 'out/1.mp4'), 'utf8')).toBe('new');
  });
});
