import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { EmbeddedOptions } from '../../../src/contract/render-service.ts';
import type { CreateRenderSession } from '../../../src/contract/wire/render-session.ts';
import { sha256 } from '../../../src/kernel/digest.ts';
import { writeFileAtomic } from '../../../src/reconciler/project/write-file.ts';
import { createDirectoryOutputs } from '../../../src/service/sessions/directory-outputs.ts';
import { createEmbeddedService } from '../../../src/service/sessions/embedded-service.ts';
import type { Renderer } from '../../../src/service/sessions/ports.ts';
import { ALLOW_EVERYTHING } from '../../../src/service/sessions/sources/allow-list.ts';
import { describeSource } from '../../../src/service/sessions/sources/describe-source.ts';
import { createSources } from '../../../src/service/sessions/sources/sources.ts';
import type { RenderInput } from '../../../src/template/render-input.ts';
import { testDestinations } from '../../support/destinations.ts';
import { renderedFile } from '../../support/in-memory.ts';
import { pointerTo } from '../../support/lfs-pointer.ts';
import { solidPng } from '../../support/small-package.ts';
import { heldRenderer, instantRenderer, SMALL, smallRequest, smallTemplates } from '../../support/small-sessions.ts';

const PHOTO = '(Footage)/USER/photo.png';
const OPTIONS: EmbeddedOptions = {
  outputName: 'folder/berlin-12345678',
  signal: new AbortController().signal,
  onProgress: () => undefined,
};

interface OpenOptions {
  readonly directory?: string;
  /** Waits before a repeated attempt of a delivery. */
  wait?(milliseconds: number, signal: AbortSignal): Promise<void>;
}

function openService(
  renderer: Renderer = instantRenderer(),
  { directory = mkdtempSync(join(tmpdir(), 'reelform-embedded-')), wait = async () => undefined }: OpenOptions = {},
) {
  const sources = createSources({
    directory: join(directory, 'sources'),
    allow: ALLOW_EVERYTHING,
    inspect: describeSource,
    mayRead: async () => true,
    isOneRun: true,
    now: () => 1000,
  });
  let ids = 0;
  const service = createEmbeddedService({
    templates: smallTemplates,
    sources: sources.reader,
    renderer,
    outputs: createDirectoryOutputs(join(directory, 'renders'), 'renders', writeFileAtomic),
    destinations: testDestinations({ isServer: false, directory }),
    environment: {
      now: () => 1000,
      monotonicNow: () => 0,
      randomId: () => String(++ids),
      wait,
      random: () => 0.5,
    },
    uploads: sources.uploads,
  });
  const render = (request: CreateRenderSession, options: Partial<EmbeddedOptions> = {}) =>
    service.render(request, { ...OPTIONS, ...options });
  return { service, directory, render };
}

describe('createEmbeddedService()', () => {
  it('reports that neither the service nor its keys outlive the process', () => {
    const { service } = openService();
    expect([service.outlivesProcess, service.keyLifetimeMs()]).toEqual([false, null]);
  });

  it('writes the video and stills to the paths in their URLs and no other file', async () => {
    const { directory, render } = openService();
    const session = await render(smallRequest());
    expect(session).toMatchObject({
      status: 'preview_rendered',
      video_url: 'renders/folder/berlin-12345678.mp4',
      thumbnails: ['renders/folder/berlin-12345678.stillcut_01.jpg'],
    });
    expect(readFileSync(join(directory, session.video_url!), 'utf8')).toBe('video');
    expect(readFileSync(join(directory, session.thumbnails[0]!), 'utf8')).toBe('still');
    expect(readdirSync(join(directory, 'renders/folder'))).toHaveLength(2);
  });

  it('writes files with the extension of their format', async () => {
    const { directory, render } = openService({
      render: async () => [await renderedFile({ format: 'png_sequence', video: new TextEncoder().encode('zip') })],
    });
    const session = await render(smallRequest());
    expect(session.video_url).toBe('renders/folder/berlin-12345678.zip');
    expect(readFileSync(join(directory, session.video_url!), 'utf8')).toBe('zip');
  });

  it('returns the specification of a known style version', async () => {
    expect(await openService().service.getStyleVersion(SMALL.spec.id)).toEqual(SMALL.spec);
  });

  it('accepts uploads as sources', async () => {
    let images = 0;
    const { service, render } = openService({
      async render(renderInput, options) {
        images = (renderInput as RenderInput).images.filter((image) => image.name === PHOTO).length;
        return instantRenderer().render(renderInput, options);
      },
    });
    const bytes = solidPng('#0000ff');
    const { remote_url } = await service.uploadSource({ sha256: sha256(bytes), bytes, name: 'photo.png' });
    expect((await render(smallRequest({ [PHOTO]: { source: { remote_url } } }))).status).toBe('preview_rendered');
    expect(images).toBe(1);
  });

  it.each(['../outside', 'a/../../outside', '/absolute', 'a\\..\\b'])(
    'rejects the output name %s',
    async (outputName) => {
      const { render } = openService();
      expect(await render(smallRequest(), { outputName })).toMatchObject({
        status: 'preview_failed',
        errors: [{ code: 'storage_failed' }],
      });
    },
  );

  it('delivers the video of a session, and an earlier video on request', async () => {
    const { service, directory, render } = openService();
    const external_uploads = [{ to: 'file:out/{title}.{extension}' }];
    const { id, video_url, title } = await render({ ...smallRequest(), external_uploads });
    expect(await service.waitForUploads(id)).toMatchObject({
      status: 'preview_rendered',
      external_uploads: [{ to: 'file:out/Berlin.mp4', status: 'complete', error: null }],
    });
    expect(readFileSync(join(directory, 'out/Berlin.mp4'), 'utf8')).toBe('video');

    const { service: later } = openService(instantRenderer(), { directory });
    const video = { id: 'rs_old', video_url: video_url!, title };
    const asked = [{ to: 'file:out/{session_id}.{extension}' }, { to: 'file:out/again.mp4' }];
    const delivered = await later.deliverVideo(video, asked);
    expect(delivered.map(({ to, status }) => `${to} ${status}`)).toEqual([
      'file:out/rs_old.mp4 complete',
      'file:out/again.mp4 complete',
    ]);
    expect(readFileSync(join(directory, 'out/rs_old.mp4'), 'utf8')).toBe('video');
    expect(await later.deliverVideo({ ...video, video_url: 'renders/../secret.mp4' }, [asked[1]!])).toMatchObject([
      { status: 'failed', error: { code: 'delivery_failed', detail: expect.stringContaining('no longer exists') } },
    ]);
    await expect(later.deliverVideo(video, [{ to: 'nowhere' }])).rejects.toMatchObject({ code: 'upload_invalid' });
  });

  it('repeats a failed delivery after longer and longer delays, and then reports its error', async () => {
    const delays: number[] = [];
    const wait = async (milliseconds: number): Promise<void> => void delays.push(milliseconds);
    const { service, directory, render } = openService(instantRenderer(), { wait });
    const { video_url } = await render(smallRequest());
    writeFileSync(join(directory, 'file'), '');
    const video = { id: 'rs_old', video_url: video_url!, title: 'Berlin' };
    const [failed] = await service.deliverVideo(video, [{ to: 'file:file/below.mp4' }]);
    expect(failed).toMatchObject({ status: 'failed', remote_id: null, error: { code: 'delivery_failed' } });
    expect(delays).toEqual([2_000, 10_000, 30_000]);
  });

  it('succeeds once the destination works again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'reelform-embedded-'));
    const wait = async (): Promise<void> => rmSync(join(folder, 'file'), { force: true });
    const { service, directory, render } = openService(instantRenderer(), { directory: folder, wait });
    writeFileSync(join(directory, 'file'), '');
    const { id } = await render({ ...smallRequest(), external_uploads: [{ to: 'file:file/below.mp4' }] });
    expect((await service.waitForUploads(id)).external_uploads).toMatchObject([{ status: 'complete', error: null }]);
    expect(readFileSync(join(directory, 'file/below.mp4'), 'utf8')).toBe('video');
  });

  it('fails deliveries that wait for another attempt when it is closed', async () => {
    const wait = (milliseconds: number, signal: AbortSignal): Promise<void> =>
      setTimeout(milliseconds, undefined, { signal });
    const { service, directory, render } = openService(instantRenderer(), { wait });
    writeFileSync(join(directory, 'file'), '');
    const { id } = await render({ ...smallRequest(), external_uploads: [{ to: 'file:file/below.mp4' }] });
    const delivering = service.waitForUploads(id);
    await service.close();
    expect((await delivering).external_uploads).toMatchObject([
      { status: 'failed', error: { detail: 'The service was closed before the delivery' } },
    ]);
  });

  it('delivers nothing of a video that failed', async () => {
    const { directory, render } = openService({ render: () => Promise.reject(new Error('boom')) });
    const session = await render({ ...smallRequest(), external_uploads: [{ to: 'file:out/a.mp4' }] });
    expect(session).toMatchObject({
      status: 'preview_failed',
      errors: [{ code: 'internal', detail: 'boom' }],
      external_uploads: [{ status: 'failed' }],
    });
    expect(existsSync(join(directory, 'out'))).toBe(false);
  });

  it('rejects an invalid request with all of its problems, and an unknown style version, before it renders', async () => {
    const renderer = instantRenderer();
    const { render } = openService(renderer);
    const request = smallRequest({ c_01: { source: { text: 'red' } }, x_01: { source: { text: '' } } });
    await expect(render(request)).rejects.toMatchObject({ code: 'mapping_invalid', problems: { length: 2 } });
    const unknown = { ...request, mapping: { ...request.mapping, template_style_version_id: 'none' } };
    await expect(render(unknown)).rejects.toMatchObject({ status: 404 });
    expect(renderer.renders).toBe(0);
  });

  it('renders two requests with the same files once, and writes both', async () => {
    const renderer = heldRenderer();
    const { directory, render } = openService(renderer);
    const sessions = ['a', 'b'].map((outputName) => render(smallRequest({}, outputName), { outputName }));
    await expect.poll(() => renderer.held.length).toBe(1);
    // Binding the second request takes a few turns.
    await setTimeout(50);
    renderer.held[0]!.finish();
    expect((await Promise.all(sessions)).map(({ video_url }) => video_url)).toEqual(['renders/a.mp4', 'renders/b.mp4']);
    expect(renderer.held).toHaveLength(1);
    expect(readFileSync(join(directory, 'renders/b.mp4'), 'utf8')).toBe('video');
  });

  it('refuses to deliver a Git LFS pointer that has taken the place of the video', async () => {
    const { service, directory, render } = openService();
    const { id, video_url, title } = await render(smallRequest());
    writeFileSync(join(directory, video_url!), pointerTo(Buffer.from('video')));
    const video = { id, video_url: video_url!, title };
    expect(await service.deliverVideo(video, [{ to: 'file:out/berlin.mp4' }])).toMatchObject([
      {
        status: 'failed',
        error: {
          code: 'lfs_pointer',
          detail: expect.stringMatching(
            /^"renders\/.*\.mp4" is a Git LFS pointer; its content was not fetched\. Run git lfs pull/,
          ),
        },
      },
    ]);
    expect(existsSync(join(directory, 'out'))).toBe(false);
  });

  it('reports progress, and stops waiting when the signal is aborted', async () => {
    const { service, render } = openService(heldRenderer());
    const percents: number[] = [];
    const controller = new AbortController();
    const session = render(smallRequest(), {
      signal: controller.signal,
      onProgress: (percent) => void percents.push(percent),
    });
    await expect.poll(() => percents.at(-1)).toBe(50);
    controller.abort(new Error('enough'));
    await expect(session).rejects.toThrow('enough');
    await service.close();
  });

  it('fails running sessions when it is closed', async () => {
    const renderer = heldRenderer();
    const { service, render } = openService(renderer);
    const session = render(smallRequest());
    await expect.poll(() => renderer.held.length).toBe(1);
    await service.close();
    expect(await session).toMatchObject({ status: 'preview_failed', errors: [{ code: 'canceled' }] });
  });
});
