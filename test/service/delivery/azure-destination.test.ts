import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { BlobServiceClient, type ContainerClient, StorageSharedKeyCredential } from '@azure/storage-blob';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AzureCredential } from '../../../src/contract/destinations/credential.ts';
import { type Delivered, type DeliveredFile, DeliveryFailure } from '../../../src/contract/destinations/destination.ts';
import { sha256 } from '../../../src/kernel/digest.ts';
import { openDestination } from '../../../src/service/delivery/open-destination.ts';

/** Directory in which `npm install azurite@3.35.0` was run. Microsoft's emulator is too large to install for every test run. */
const AZURITE = process.env.REELFORM_AZURITE;
if (AZURITE === undefined) {
  console.warn('!!! SKIPPED: REELFORM_AZURITE names no installation of azurite; azblob: is not tried !!!');
}

const ACCOUNT = 'devstoreaccount1';
/** Public account key of every Azurite emulator. */
const KEY = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';

describe.runIf(AZURITE !== undefined)('Azure destination', () => {
  let directory: string;
  let azurite: ChildProcess;
  let endpoint: string;
  let container: ContainerClient;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'reelform-azure-'));
    const program = join(AZURITE!, 'node_modules/azurite/dist/src/blob/main.js');
    const options = ['--blobPort', '0', '--inMemoryPersistence', '--skipApiVersionCheck', '--disableTelemetry'];
    azurite = spawn(process.execPath, [program, ...options], { cwd: directory, stdio: ['ignore', 'pipe', 'inherit'] });
    const address = await new Promise<string>((resolve, reject) => {
      azurite.on('exit', () => reject(new Error('azurite ended')));
      azurite.stdout!.on('data', (text: Buffer) => {
        const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(text.toString()) ?? [];
        if (found !== undefined) resolve(found);
      });
    });
    endpoint = `${address}/${ACCOUNT}`;
    const client = new BlobServiceClient(endpoint, new StorageSharedKeyCredential(ACCOUNT, KEY));
    container = client.getContainerClient('videos');
    await container.create();
  });
  afterAll(async () => {
    azurite.kill();
    await rm(directory, { recursive: true, force: true });
  });

  function fileOf(bytes: Buffer, failsAt = Number.POSITIVE_INFINITY): DeliveredFile & { readonly read: number[] } {
    const read: number[] = [];
    return {
      read,
      size: bytes.length,
      contentType: 'video/mp4',
      sha256: sha256(bytes),
      stream({ start, end } = { start: 0, end: bytes.length }) {
        read.push(start);
        return start >= failsAt
          ? new Readable({
              read() {
                this.destroy(new Error('gone'));
              },
            })
          : Readable.from([bytes.subarray(start, end)]);
      },
    };
  }

  async function deliver(key: string, file: DeliveredFile, secret = KEY, name = 'videos'): Promise<Delivered> {
    const credential: AzureCredential = {
      kind: 'azblob',
      name: 'main',
      allow: [`azblob://${ACCOUNT}/`.concat(name)],
      publicUrl: 'https://cdn.example.com/',
      tenants: null,
      endpoint,
      accountKey: { kind: 'env', name: 'KEY' },
    };
    const target = { kind: 'azblob', account: ACCOUNT, container: name, key } as const;
    const destination = await openDestination(target, credential, { env: { KEY: secret }, directory: '/' });
    const signal = new AbortController().signal;
    return await destination.deliver(file, { signal, state: null, onState: async () => undefined });
  }

  it.each([
    ['small', randomBytes(1000)],
    ['empty', Buffer.alloc(0)],
    ['large', randomBytes(17 * 2 ** 20)],
  ])('delivers a %s file', async (name, bytes) => {
    const { url } = await deliver(`a b/Ü ${name}.mp4`, fileOf(bytes));
    const blob = container.getBlobClient(`a b/Ü ${name}.mp4`);
    expect((await blob.downloadToBuffer()).equals(bytes)).toBe(true);
    expect((await blob.getProperties()).contentType).toBe('video/mp4');
    expect(url).toBe(`https://cdn.example.com/a%20b/%C3%9C%20${name}.mp4`);
  });

  it('resumes a broken delivery from the uploaded blocks', async () => {
    const bytes = randomBytes(17 * 2 ** 20);
    const blockBytes = 8 * 2 ** 20;
    await expect(deliver('again.mp4', fileOf(bytes, 2 * blockBytes))).rejects.toBeInstanceOf(DeliveryFailure);
    expect(await container.getBlobClient('again.mp4').exists()).toBe(false);
    const file = fileOf(bytes);
    await deliver('again.mp4', file);
    expect(file.read).toEqual([2 * blockBytes]);
    expect((await container.getBlobClient('again.mp4').downloadToBuffer()).equals(bytes)).toBe(true);
  });

  it('reports failures in its own words', async () => {
    const file = fileOf(randomBytes(10));
    const wrong = Buffer.alloc(64, 1).toString('base64');
    await expect(deliver('1.mp4', file, wrong)).rejects.toMatchObject({
      isRetryable: false,
      message: expect.stringMatching(/^azblob:\/\/devstoreaccount1\/videos .* \(\w+, 403\)$/),
    });
    await expect(deliver('1.mp4', file, KEY, 'nowhere')).rejects.toMatchObject({
      isRetryable: false,
      message: 'azblob://devstoreaccount1/nowhere is not there (ContainerNotFound, 404)',
    });
  });
});
