import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sha256 } from '../../../../src/kernel/digest.ts';
import { createSourceUploads, createUploadTable } from '../../../../src/service/server/templates/source-uploads.ts';
import type { TenantId } from '../../../../src/service/sessions/ports.ts';
import { describeSource } from '../../../../src/service/sessions/sources/describe-source.ts';
import { createSourceStore } from '../../../../src/service/sessions/sources/source-store.ts';
import { colorsGif } from '../../../support/colors-gif.ts';
import { anyDatabases } from '../../../support/databases.ts';
import { createMemoryUploads } from '../../../support/memory-tables.ts';
import { solidPng } from '../../../support/small-package.ts';
import { toneWav } from '../../../support/tone.ts';

const ACME = 'acme' as TenantId;
const OTHER = 'other' as TenantId;
const PNG = solidPng('#ff0000', 20, 10);

async function open(table = createMemoryUploads()) {
  const directory = await mkdtemp(join(tmpdir(), 'reelform-uploads-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const store = createSourceStore(directory, { isDurable: true, now: () => Date.now() });
  const uploads = createSourceUploads({ store, table, inspect: describeSource });
  const put = async (tenant: TenantId, bytes: Uint8Array) => {
    const receiver = await uploads.receive();
    await receiver.add(bytes);
    return uploads.put(tenant, receiver);
  };
  return { store, table, directory, uploads: { put } };
}

describe('SourceUploads', () => {
  test('stores and describes an image', async () => {
    const { store, uploads } = await open();
    const digest = sha256(PNG);
    expect(await uploads.put(ACME, PNG)).toEqual({
      isNew: true,
      upload: {
        remote_url: `urn:sha256:${digest}`,
        sha256: digest,
        bytes: PNG.length,
        content_type: 'image/png',
        width: 20,
        height: 10,
      },
    });
    expect(await readFile((await store.get(digest))!.path)).toEqual(Buffer.from(PNG));
    expect((await uploads.put(ACME, PNG)).isNew).toBe(false);
  });

  test('stores and describes a video and a sound', async () => {
    const { uploads } = await open();
    const { upload: clip } = await uploads.put(ACME, colorsGif([[255, 0, 0]], 20, 10));
    expect(clip).toMatchObject({ content_type: 'image/gif', width: 20, height: 10 });
    const wav = toneWav(0.1);
    const { upload: sound } = await uploads.put(ACME, wav);
    expect(sound).toEqual({
      remote_url: `urn:sha256:${sha256(wav)}`,
      sha256: sha256(wav),
      bytes: wav.length,
      content_type: 'audio/wav',
    });
  });

  test('records who uploaded a file and who is new to it', async () => {
    const { uploads, table } = await open(createUploadTable((await anyDatabases.open()).database));
    const digest = sha256(PNG);
    await uploads.put(ACME, PNG);
    expect(await table.has(ACME, digest)).toBe(true);
    expect(await table.has(OTHER, digest)).toBe(false);
    expect((await uploads.put(OTHER, PNG)).isNew).toBe(true);
    expect(await table.has(OTHER, digest)).toBe(true);
  });

  test('writes bytes that are new to a tenant even when another has uploaded them', async () => {
    const { store, uploads, directory } = await open();
    const file = join(directory, sha256(PNG));
    await uploads.put(ACME, PNG);
    const { ino: first } = await stat(file);
    await uploads.put(ACME, PNG);
    expect((await stat(file)).ino).toBe(first);
    await uploads.put(OTHER, PNG);
    expect((await stat(file)).ino).not.toBe(first);
    expect(await readFile((await store.get(sha256(PNG)))!.path)).toEqual(Buffer.from(PNG));
  });

  test('repairs damaged bytes on disk', async () => {
    const { store, uploads, directory } = await open();
    await uploads.put(ACME, PNG);
    await rm(directory, { recursive: true });
    expect((await uploads.put(ACME, PNG)).isNew).toBe(false);
    expect(await store.has(sha256(PNG))).toBe(true);
  });

  test.each([
    ['asset_type_unsupported', new TextEncoder().encode('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['asset_type_unsupported', new Uint8Array(0)],
    ['asset_decode_failed', PNG.slice(0, 20)],
  ])('rejects unusable files with %s', async (code, bytes) => {
    const { uploads, table } = await open();
    await expect(uploads.put(ACME, bytes)).rejects.toMatchObject({
      name: 'ServiceError',
      status: 422,
      code: 'source_invalid',
      problems: [{ code, pointer: '#' }],
    });
    expect(await table.has(ACME, sha256(bytes))).toBe(false);
  });
});
