import { readdirSync } from 'node:fs';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sha256 } from '../../../../../src/kernel/digest.ts';
import { startApp, type TestApp, TOKENS } from '../../../../support/service-app.ts';
import { SMALL } from '../../../../support/small-sessions.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startApp({ limits: { uploadBytes: 1000, sourceBytes: 1000, uploadsAtOnce: 1, waitMs: 200 } });
});
afterAll(() => service.close());

const zip = (text: string): string => `PK${text}`;
const asZip = { 'content-type': 'application/zip' };

describe('POST /v2/source_uploads', () => {
  it('answers 201 for new bytes and 200 for known ones', async () => {
    const post = (type: string) =>
      service.api('POST', '/v2/source_uploads', { body: 'bytes', headers: { 'content-type': type } });
    const first = await post('application/octet-stream');
    const second = await post('image/png');
    expect([first.status, second.status]).toEqual([201, 200]);
    expect([(await post('video/mp4')).status, (await post('audio/x-wav')).status]).toEqual([200, 200]);
    expect(second.body).toEqual(first.body);
    expect(first.body).toMatchObject({ remote_url: expect.any(String), bytes: 5 });
  });

  it.each([
    'application/json',
    'text/plain',
    'multipart/form-data; boundary=x',
    'application/zip',
    'image',
    'model/obj',
  ])('rejects %s', async (type) => {
    const answer = await service.api('POST', '/v2/source_uploads', { body: '{}', headers: { 'content-type': type } });
    expect(answer).toMatchObject({
      status: 415,
      body: { code: 'unsupported_media_type', detail: expect.stringMatching(/octet-stream, image\/\*/) },
    });
  });

  it('rejects an empty body and a body without a type', async () => {
    const headers = { 'content-type': 'image/png' };
    expect((await service.api('POST', '/v2/source_uploads', { body: '', headers })).status).toBe(400);
    expect((await service.api('POST', '/v2/source_uploads')).status).toBe(400);
    expect((await service.api('POST', '/v2/source_uploads', { body: new Uint8Array([1]) })).status).toBe(415);
  });

  it('rejects more bytes than the limit, declared or not', async () => {
    const headers = { 'content-type': 'image/png' };
    const answer = await service.api('POST', '/v2/source_uploads', { body: 'x'.repeat(1001), headers });
    expect(answer).toMatchObject({ status: 413, body: { code: 'body_too_large' } });
    const chunked = await fetch(`${service.url}/v2/source_uploads`, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${TOKENS.acme}` },
      body: new ReadableStream({
        start(controller) {
          controller.enqueue(new Uint8Array(600));
          controller.enqueue(new Uint8Array(600));
          controller.close();
        },
      }),
      duplex: 'half',
    } as RequestInit);
    expect(chunked.status).toBe(413);
    await chunked.text();
  });

  /** Starts an upload whose answer arrives when the test sends the rest. */
  async function begunUpload(url: string, sizeBytes: number) {
    const upload = request(`${url}/v2/source_uploads`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${TOKENS.acme}`,
        'content-type': 'image/png',
        'content-length': String(sizeBytes),
        expect: '100-continue',
      },
    });
    const answered = new Promise<number>((resolve) => {
      upload.on('response', (response) => {
        response.resume();
        resolve(response.statusCode!);
      });
    });
    await new Promise((resolve) => upload.on('continue', resolve));
    upload.write('ab');
    return {
      end(): Promise<number> {
        upload.end('x'.repeat(sizeBytes - 2));
        return answered;
      },
      abort(): void {
        upload.on('error', () => undefined).destroy();
      },
    };
  }

  it('limits concurrent uploads and answers 503 when the wait takes too long', async () => {
    const first = await begunUpload(service.url, 4);
    const headers = { 'content-type': 'image/png' };
    const second = await service.api('POST', '/v2/source_uploads', { body: 'later', headers });
    expect(second).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect(second.headers.get('retry-after')).toBe('5');
    expect(await first.end()).toBe(201);
    expect((await service.api('POST', '/v2/source_uploads', { body: 'later', headers })).status).toBe(201);
  });

  it('stores only complete uploads', async () => {
    const app = await startApp();
    const begun = await begunUpload(app.url, 4);
    await expect.poll(() => readdirSync(app.uploadFolder)).toEqual([expect.stringMatching(/^\.unfinished-/)]);
    begun.abort();
    await expect.poll(() => readdirSync(app.uploadFolder)).toEqual([]);
    expect(await (await begunUpload(app.url, 4)).end()).toBe(201);
    expect(readdirSync(app.uploadFolder)).toEqual([sha256('abxx')]);
    await app.close();
  });

  it('accepts a waiting upload when a slot is free', async () => {
    const patient = await startApp({ limits: { uploadsAtOnce: 1 } });
    const first = await begunUpload(patient.url, 4);
    const second = await begunUpload(patient.url, 6);
    const answers = [second.end(), first.end()];
    expect(await Promise.all(answers)).toEqual([201, 201]);
    await patient.close();
  });

  it('limits the total bytes of concurrent uploads but always allows one', async () => {
    const small = await startApp({ limits: { sourceBytes: 1000, uploadBytesAtOnce: 900, waitMs: 200 } });
    const post = (body: string) =>
      small.as(TOKENS.other)('POST', '/v2/source_uploads', { body, headers: { 'content-type': 'image/png' } });
    const first = await begunUpload(small.url, 950);
    expect((await post('x')).status).toBe(503);
    expect(await first.end()).toBe(201);
    const second = await begunUpload(small.url, 500);
    expect([(await post('x'.repeat(401))).status, (await post('x'.repeat(400))).status]).toEqual([503, 201]);
    expect(await second.end()).toBe(201);
    await small.close();
  });
});

describe('POST /v2/template_style_versions', () => {
  it('answers 201 for a new package and 200 for a known one, with its location', async () => {
    const first = await service.api('POST', '/v2/template_style_versions', { body: zip('1'), headers: asZip });
    const second = await service.api('POST', '/v2/template_style_versions', { body: zip('1'), headers: asZip });
    expect([first.status, second.status]).toEqual([201, 200]);
    expect(first.headers.get('location')).toBe(`/v2/template_style_versions/${SMALL.spec.id}`);
    expect(first.body.style_version).toMatchObject({ id: SMALL.spec.id, status: 'processing', stillcuts: {} });
  });

  it('reports what is wrong with a package', async () => {
    const answer = await service.api('POST', '/v2/template_style_versions', { body: 'no zip', headers: asZip });
    expect(answer).toMatchObject({
      status: 422,
      body: { code: 'template_invalid', errors: [{ code: 'template_invalid' }] },
    });
  });

  it.each(['application/json', 'application/octet-stream', 'image/png'])('rejects %s', async (type) => {
    const answer = await service.api('POST', '/v2/template_style_versions', {
      body: '{}',
      headers: { 'content-type': type },
    });
    expect(answer.status).toBe(415);
  });
});

describe('GET /v2/template_style_versions', () => {
  it('lists and returns style versions with all fields', async () => {
    const list = await service.api('GET', '/v2/template_style_versions');
    const one = await service.api('GET', `/v2/template_style_versions/${SMALL.spec.id}`);
    expect(list.body.style_versions).toEqual([one.body.style_version]);
    expect(one.body.style_version).toMatchObject({ status: 'edit_ready', width: 64, height: 36, name: 'Small' });
  });

  it('returns the specification exactly as in the interface document', async () => {
    const { body, headers } = await service.api('GET', `/v2/template_style_versions/${SMALL.spec.id}/specs`);
    expect(body).toEqual({ style_version: SMALL.spec });
    expect(Object.keys(body.style_version.editables)).toEqual(Object.keys(SMALL.spec.editables));
    expect(headers.get('etag')).not.toBeNull();
  });

  it('serves still cuts as PNG', async () => {
    const answer = await service.api('GET', `/v2/template_style_versions/${SMALL.spec.id}/stillcuts/stillcut_01.png`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('image/png');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it.each([
    '/tsv_none',
    '/tsv_none/specs',
    '/tsv_none/stillcuts/a.png',
    `/${SMALL.spec.id}/stillcuts/none.png`,
    `/${SMALL.spec.id}/stillcuts/..%2F..%2Fa.png`,
  ])('answers 404 for %s', async (path) => {
    expect(await service.api('GET', `/v2/template_style_versions${path}`)).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    });
  });
});
