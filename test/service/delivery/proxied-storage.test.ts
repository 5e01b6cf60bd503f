import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { AzureCredential } from '../../../src/contract/destinations/credential.ts';
import { openContainer } from '../../../src/service/delivery/azure-destination.ts';
import { openBucket } from '../../../src/service/delivery/s3/open-bucket.ts';
import { startHttpProxy } from '../../support/http-proxy.ts';
import { startServer } from '../../support/http-server.ts';
import { startS3Server } from '../../support/s3-server.ts';

beforeEach(() => {
  vi.stubEnv('NO_PROXY', '');
  vi.stubEnv('no_proxy', '');
});
afterEach(() => {
  vi.unstubAllEnvs();
});

describe('storage through a proxy', () => {
  it('is reached by the AWS SDK', async () => {
    const server = await startS3Server();
    const proxy = await startHttpProxy({ hosts: { 'store.example:80': Number(new URL(server.url).port) } });
    onTestFinished(async () => {
      await proxy.close();
      await server.close();
    });
    vi.stubEnv('HTTP_PROXY', proxy.url);
    for (const [name, value] of Object.entries(server.env)) vi.stubEnv(name, value);
    const access = { kind: 's3', name: 'x', endpoint: 'http://store.example', region: null, pathStyle: true } as const;
    const bucket = await openBucket({ bucket: 'videos', access: { ...access, keys: null }, env: server.env });
    expect(await bucket.head('nothing.mp4', new AbortController().signal)).toBeNull();
    expect(proxy.requests).toEqual(['HEAD http://store.example/videos/nothing.mp4']);
  });

  it('is reached by the Azure SDK, by the same rules', async () => {
    const server = await startServer((_, answer) => answer.writeHead(200, { etag: '"1"' }).end());
    const proxy = await startHttpProxy({ hosts: { 'blobs.example:80': Number(new URL(server.url).port) } });
    onTestFinished(async () => {
      await proxy.close();
      await server.close();
    });
    vi.stubEnv('HTTP_PROXY', proxy.url);
    vi.stubEnv('NO_PROXY', 'other.example');
    const credential: AzureCredential = {
      kind: 'azblob',
      name: 'x',
      allow: [],
      tenants: null,
      publicUrl: null,
      endpoint: 'http://blobs.example/account',
      accountKey: { kind: 'env', name: 'KEY' },
    };
    const target = { kind: 'azblob', account: 'account', container: 'videos', key: 'a' } as const;
    const container = await openContainer(target, credential, { KEY: Buffer.from('key').toString('base64') });
    expect(await container.exists()).toBe(true);
    expect(proxy.requests).toEqual(['GET http://blobs.example/account/videos?restype=container&timeout=600']);
  });
});
