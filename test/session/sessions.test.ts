import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../src/digest.ts';
import { writeFileAtomic } from '../../src/project/write-file.ts';
import { sessionEnd } from '../../src/service/render-service.ts';
import { ServiceError } from '../../src/service/service-error.ts';
import type { CreateRenderSession, RenderSession, Resource } from '../../src/service/wire.ts';
import { createDirectoryOutputs } from '../../src/session/directory-outputs.ts';
import { createEmbeddedService } from '../../src/session/embedded-service.ts';
import { createMemoryStore } from '../../src/session/memory-store.ts';
import { type Renderer, SessionFailure } from '../../src/session/ports.ts';
import { createSourceReader } from '../../src/session/source-reader.ts';
import { createSourceStore } from '../../src/session/source-store.ts';
import { smallPackage, solidPng } from '../support/small-package.ts';

const template = smallPackage();
const instantRenderer: Renderer = {
  async render(_scene, { onProgress }) {
    onProgress?.(5, 10);
    return { video: Buffer.from('video'), stills: [{ name: 'stillcut_01', bytes: Buffer.from('still') }] };
  },
};

function openService(renderer: Renderer = instantRenderer) {
  const directory = mkdtempSync(join(tmpdir(), 'reelform-sessions-'));
  const uploads = createSourceStore(join(directory, 'sources'));
  let ids = 0;
  const service = createEmbeddedService({
    templates: { find: (id) => (id === template.spec.id ? template : null) },
    sources: createSourceReader(uploads, async (url) => {
      throw new SessionFailure({ code: 'asset_unreachable', title: 'Asset could not be fetched', detail: url });
    }),
    renderer,
    outputs: createDirectoryOutputs(join(directory, 'renders'), 'renders', writeFileAtomic),
    store: createMemoryStore(),
    environment: { now: () => 1000, randomId: () => String(++ids) },
    uploads,
  });
  return { service, directory };
}

function request(resources: Record<string, Resource> = {}): CreateRenderSession {
  return {
    title: 'Berlin',
    render: 'preview',
    mapping: {
      template_style_version_id: template.spec.id,
      resources: { t_01: { source: { text: 'Hi' } }, c_01: { source: { text: 'FF0000' } }, ...resources },
    },
  };
}

async function ended(service: ReturnType<typeof openService>['service'], id: string): Promise<RenderSession> {
  for (;;) {
    const session = await service.getRenderSession(id);
    if (sessionEnd(session.status) !== null) return session;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const options = { idempotencyKey: 'key', outputName: 'folder/berlin-12345678' };

describe('createEmbeddedService()', () => {
  it('answers preview_rendering, then preview_rendered with files where the URLs say', async () => {
    const { service, directory } = openService();
    const created = await service.createRenderSession(request(), options);
    expect(created).toMatchObject({ status: 'preview_rendering', render_progress: 0, video_url: null, errors: [] });
    const session = await ended(service, created.id);
    expect(session).toMatchObject({
      status: 'preview_rendered',
      render_progress: 100,
      video_url: 'renders/folder/berlin-12345678.mp4',
      thumbnails: ['renders/folder/berlin-12345678.stillcut_01.jpg'],
      fonts: ['Test-Regular'],
    });
    expect(readFileSync(join(directory, session.video_url!), 'utf8')).toBe('video');
    expect(readFileSync(join(directory, session.thumbnails[0]!), 'utf8')).toBe('still');
    expect(readdirSync(join(directory, 'renders/folder'))).toHaveLength(2);
  });

  it('gives the specification of a style version it has', async () => {
    expect(await openService().service.getStyleVersion(template.spec.id)).toEqual(template.spec);
  });

  it('answers 404 for what it does not have', async () => {
    const { service } = openService();
    await expect(service.getStyleVersion('tsv_none')).rejects.toMatchObject({ status: 404 });
    await expect(service.getRenderSession('rs_none')).rejects.toMatchObject({ status: 404 });
  });

  it('refuses a mapping with mistakes, all of them at once, and renders nothing', async () => {
    const { service } = openService({ render: () => Promise.reject(new Error('it rendered')) });
    const wrong = request({ c_01: { source: { text: 'red' } }, t_02: { source: { text: 'x' } } });
    const error = await service.createRenderSession(wrong, options).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ status: 422, problems: [{ code: 'invalid_color' }, { code: 'unknown_editable' }] });
  });

  it('takes uploads as sources', async () => {
    let images = 0;
    const { service } = openService({
      async render(scene, renderOptions) {
        images = scene.images.filter((image) => image.name === '(Footage)/USER/photo.png').length;
        return instantRenderer.render(scene, renderOptions);
      },
    });
    const bytes = solidPng('blue');
    const { remote_url } = await service.uploadSource({ sha256: sha256(bytes), bytes, name: 'photo.png' });
    const created = await service.createRenderSession(
      request({ '(Footage)/USER/photo.png': { source: { remote_url } } }),
      options,
    );
    expect((await ended(service, created.id)).status).toBe('preview_rendered');
    expect(images).toBe(1);
  });

  it('fails a session, and only it, when a source cannot be had, and names the editable', async () => {
    const { service } = openService();
    const source = { remote_url: 'https://example.com/gone.png' };
    const created = await service.createRenderSession(request({ '(Footage)/USER/photo.png': { source } }), options);
    expect(await ended(service, created.id)).toMatchObject({
      status: 'preview_failed',
      video_url: null,
      errors: [{ code: 'asset_unreachable', editable: '(Footage)/USER/photo.png' }],
    });
  });

  it('fails a session when the renderer throws', async () => {
    const { service } = openService({ render: () => Promise.reject(new Error('boom')) });
    const created = await service.createRenderSession(request(), options);
    expect(await ended(service, created.id)).toMatchObject({
      status: 'preview_failed',
      errors: [{ code: 'internal', detail: 'boom' }],
    });
  });

  it.each(['../outside', 'a/../../outside', '/absolute', 'a\\..\\b'])(
    'does not write an output named %s',
    async (outputName) => {
      const { service } = openService();
      const created = await service.createRenderSession(request(), { ...options, outputName });
      expect(await ended(service, created.id)).toMatchObject({
        status: 'preview_failed',
        errors: [{ code: 'storage_failed' }],
      });
    },
  );

  it('ends what is at work when it is closed', async () => {
    const { service } = openService({
      render: (_scene, { signal }) =>
        new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(new Error('stopped')))),
    });
    const created = await service.createRenderSession(request(), options);
    await service.close();
    expect((await service.getRenderSession(created.id)).status).toBe('preview_failed');
  });
});

describe('createSourceReader()', () => {
  it('fetches a URL once, however many ask for it, and again after a failure', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'reelform-sources-'));
    let fetches = 0;
    const reader = createSourceReader(createSourceStore(directory), async () => {
      fetches += 1;
      if (fetches === 1) throw new Error('first');
      return Buffer.from('bytes');
    });
    const { signal } = new AbortController();
    await expect(reader.read('https://example.com/a.png', signal)).rejects.toThrow('first');
    const all = await Promise.all([1, 2, 3].map(() => reader.read('https://example.com/a.png', signal)));
    expect(all.map((bytes) => Buffer.from(bytes).toString())).toEqual(['bytes', 'bytes', 'bytes']);
    expect(fetches).toBe(2);
  });
});
