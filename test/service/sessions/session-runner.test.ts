import { describe, expect, it } from 'vitest';
import type { CreateRenderSession } from '../../../src/contract/wire/render-session.ts';
import type { RenderFinding } from '../../../src/engine/input-media.ts';
import { RenderError } from '../../../src/engine/render-error.ts';
import { sha256 } from '../../../src/kernel/digest.ts';
import type {
  OutputStore,
  Renderer,
  SourceReader,
  StoredFile,
  TemplateRegistry,
} from '../../../src/service/sessions/ports.ts';
import type { RenderInput } from '../../../src/template/render-input.ts';
import { renderedFile } from '../../support/in-memory.ts';
import { CLIP, mediaPackage, VOICE } from '../../support/media-package.ts';
import {
  ACME,
  exampleSources,
  heldRenderer,
  instantRenderer,
  openSmallSessions,
  smallRequest,
} from '../../support/small-sessions.ts';

const PHOTO = '(Footage)/USER/photo.png';
const PHOTO_POINTER = '#/mapping/resources/(Footage)~1USER~1photo.png/source/remote_url';

function photo(remote_url: string) {
  return smallRequest({ [PHOTO]: { source: { remote_url } } });
}

/** Output store that remembers saved inputs, as a service does. */
function keptOutputs(): Pick<OutputStore, 'find' | 'save'> & { saves: number } {
  const known = new Set<string>();
  const digest = sha256('video');
  const files = (name: string): StoredFile[] => [
    { video_url: `https://x/${name}.mp4`, thumbnails: [], bytes: 5, sha256: digest },
  ];
  const store = {
    saves: 0,
    async find(renderInput: string, name: string) {
      return known.has(renderInput) ? files(name) : null;
    },
    async save(renderInput: string, name: string) {
      store.saves += 1;
      known.add(renderInput);
      return files(name);
    },
  };
  return store;
}

describe('SessionRunner.run()', () => {
  it.each([-3_600_000, 3_600_000])(
    'measures durations with a monotonic clock (wall clock set by %i ms)',
    async (set) => {
      const time = { wall: Date.parse('2026-01-01T00:00:00Z'), monotonic: 5 };
      const instant = instantRenderer();
      const renderer: Renderer = {
        async render(...args) {
          time.wall += set;
          time.monotonic += 7_000;
          return instant.render(...args);
        },
      };
      const clocks = { now: () => time.wall, monotonicNow: () => time.monotonic };
      const { sessions, ended } = openSmallSessions(renderer, { clocks });
      const { session } = await sessions.create(ACME, smallRequest());
      expect(await ended(session.id)).toMatchObject({
        status: 'preview_rendered',
        usage: { queue_seconds: 0, render_seconds: 7 },
      });
    },
  );

  it('lists the fetched sources', async () => {
    const { sessions, ended } = openSmallSessions();
    const { session } = await sessions.create(ACME, photo('https://example.com/a.png'));
    expect((await ended(session.id)).source_uploads).toMatchObject([
      { key: PHOTO, remote_url: 'https://example.com/a.png', status: 'fetched', content_type: 'image/png', width: 16 },
    ]);
  });

  it('fails only the session whose source cannot be fetched and points to it in the request', async () => {
    const { sessions, ended } = openSmallSessions();
    const failing = await sessions.create(ACME, photo('https://example.com/gone.png'));
    const fine = await sessions.create(ACME, photo('https://example.com/there.png'));
    expect(await ended(failing.session.id)).toMatchObject({
      status: 'preview_failed',
      video_url: null,
      errors: [{ code: 'asset_unreachable', editable: PHOTO, pointer: PHOTO_POINTER }],
      source_uploads: [{ key: PHOTO, status: 'failed' }],
    });
    expect((await ended(fine.session.id)).status).toBe('preview_rendered');
  });

  it('fails a session when the renderer throws', async () => {
    const { sessions, ended } = openSmallSessions({ render: () => Promise.reject(new Error('boom')) });
    const { session } = await sessions.create(ACME, smallRequest());
    expect(await ended(session.id)).toMatchObject({
      status: 'preview_failed',
      errors: [{ code: 'internal', detail: 'boom' }],
    });
  });

  it('renders identical inputs once whatever the title and gives each session its own URL', async () => {
    const renderer = instantRenderer();
    const { sessions, ended } = openSmallSessions(renderer, { outputs: keptOutputs() });
    const urls: (string | null)[] = [];
    for (const title of ['Berlin', 'Oslo']) {
      const { session } = await sessions.create(ACME, smallRequest({}, title));
      urls.push((await ended(session.id)).video_url);
    }
    expect(renderer.renders).toBe(1);
    expect(new Set(urls).size).toBe(2);
    const other = await sessions.create(ACME, smallRequest({ t_01: { source: { text: 'Other' } } }));
    await ended(other.session.id);
    expect(renderer.renders).toBe(2);
  });

  it('shares a render between concurrent sessions with the same input', async () => {
    const renderer = heldRenderer();
    const outputs = keptOutputs();
    const { sessions, ended } = openSmallSessions(renderer, { outputs });
    const first = await sessions.create(ACME, smallRequest());
    const second = await sessions.create(ACME, smallRequest());
    await expect.poll(() => renderer.held.length).toBe(1);
    await expect.poll(async () => (await sessions.get(ACME, second.session.id)).phase).toBe('rendering');
    await sessions.cancel(ACME, first.session.id);
    expect(renderer.held[0]?.signal.aborted).toBe(false);
    renderer.held[0]?.finish();
    expect((await ended(second.session.id)).status).toBe('preview_rendered');
    expect((await ended(first.session.id)).status).toBe('preview_canceled');
    expect([renderer.held.length, outputs.saves]).toEqual([1, 1]);
  });

  it('leaves the session of a stopped worker to the next worker', async () => {
    const renderer = heldRenderer();
    const { sessions, runner, stopWorker, ended } = openSmallSessions(renderer);
    const { session } = await sessions.create(ACME, smallRequest());
    await expect.poll(() => renderer.held.length).toBe(1);
    stopWorker();
    await expect.poll(() => renderer.held[0]?.signal.aborted).toBe(true);
    expect((await sessions.get(ACME, session.id)).status).toBe('preview_rendering');
    const next = runner.run(session.id, new AbortController().signal);
    await expect.poll(() => renderer.held.length).toBe(2);
    renderer.held[1]?.finish();
    await next;
    expect((await ended(session.id)).status).toBe('preview_rendered');
  });

  it('stops an attempt when a newer one has begun, and only that one writes', async () => {
    const renderer = heldRenderer();
    const { sessions, runner, ended } = openSmallSessions(renderer);
    const { session } = await sessions.create(ACME, smallRequest());
    await expect.poll(() => renderer.held.length).toBe(1);
    await runner.fail(session.id, { code: 'render_crashed', title: 'Lost', severity: 'error', retryable: true });
    renderer.held[0]?.finish();
    expect(await ended(session.id)).toMatchObject({ status: 'preview_failed', errors: [{ code: 'render_crashed' }] });
  });

  it('does nothing for a session that was removed or has ended', async () => {
    const renderer = instantRenderer();
    const { sessions, runner, ended } = openSmallSessions(renderer);
    const { session } = await sessions.create(ACME, smallRequest());
    await ended(session.id);
    await runner.run(session.id, new AbortController().signal);
    await runner.run('rs_none', new AbortController().signal);
    expect(renderer.renders).toBe(1);
  });

  it('sets the expiry of an ended session where retention is configured', async () => {
    const { sessions, ended } = openSmallSessions(instantRenderer(), { retentionMs: 86_400_000 });
    const { session } = await sessions.create(ACME, smallRequest());
    const { expires_at, updated_at } = await ended(session.id);
    expect(Date.parse(expires_at!) - Date.parse(updated_at)).toBe(86_400_000);
  });
});

describe('SessionRunner.run() of videos, sounds and fonts', () => {
  const MEDIA = mediaPackage();
  const templates: TemplateRegistry = { find: async () => MEDIA };
  const remote = (name: string) => ({ source: { remote_url: `https://example.com/${name}` } });
  const request = (mapping: Partial<CreateRenderSession['mapping']>, more: Partial<CreateRenderSession> = {}) => ({
    title: 'Berlin',
    render: 'preview' as const,
    mapping: { template_style_version_id: MEDIA.spec.id, resources: {}, ...mapping },
    ...more,
  });

  /** Renderer that returns the given findings without rendering and records the last input. */
  function recordingRenderer(findings: readonly RenderFinding[] = []): Renderer & { renderInput: RenderInput | null } {
    const renderer = {
      renderInput: null as RenderInput | null,
      async render(renderInput: RenderInput) {
        renderer.renderInput = renderInput;
        return [await renderedFile({ format: renderInput.output.format, findings })];
      },
    };
    return renderer;
  }

  it('fetches all sources and lists each under its key', async () => {
    const renderer = recordingRenderer();
    const kinds: string[] = [];
    const sources: SourceReader = {
      async read(tenant, wanted, signal) {
        kinds.push(wanted.kind);
        return exampleSources.read(tenant, wanted, signal);
      },
    };
    const { sessions, ended } = openSmallSessions(renderer, { templates, sources });
    const mapping = {
      resources: { [CLIP]: remote('clip'), [VOICE]: remote('voice'), f_01: { source: { font: 'Spare-Italic' } } },
      audio_tracks: { main: remote('music') },
    };
    const { session } = await sessions.create(ACME, request(mapping, { output: { fps: 20 } }));
    const rendered = await ended(session.id);
    expect(rendered).toMatchObject({
      status: 'preview_rendered',
      errors: [],
      fonts: ['Spare-Italic'],
      usage: { frames: 20 },
      audio_tracks: mapping.audio_tracks,
    });
    expect(rendered.source_uploads.map(({ key, status }) => [key, status])).toEqual([
      [CLIP, 'fetched'],
      [VOICE, 'fetched'],
      ['audio_tracks.main', 'fetched'],
    ]);
    expect(kinds).toEqual(['video', 'audio', 'audio']);
    const { clips, sounds, frameCount, output } = renderer.renderInput!;
    expect([clips.length, sounds.map(({ name }) => name), frameCount]).toEqual([
      1,
      [VOICE, 'audio/music.wav', 'audio_tracks.main'],
      20,
    ]);
    expect(output.fingerprint).toMatch(/^[0-9a-f]{64}$/);
  });

  it('points to the track that cannot be fetched', async () => {
    const { sessions, ended } = openSmallSessions(recordingRenderer(), { templates });
    const { session } = await sessions.create(ACME, request({ audio_tracks: { 'a/b': remote('gone') } }));
    const pointer = '#/mapping/audio_tracks/a~1b/source/remote_url';
    expect((await ended(session.id)).errors).toMatchObject([
      { code: 'asset_unreachable', editable: 'audio_tracks.a/b', pointer },
    ]);
  });

  it.each([
    ['audio_tracks.main', { editable: 'audio_tracks.main', pointer: '#/mapping/audio_tracks/main/source/remote_url' }],
    ['audio/music.wav', { detail: 'No sound. It concerns audio/music.wav of the template' }],
  ])('names the file that the renderer could not use: %s', async (imageName, told) => {
    const error = new RenderError('asset_decode_failed', 'No sound', { imageName });
    const { sessions, ended } = openSmallSessions({ render: () => Promise.reject(error) }, { templates });
    const { session } = await sessions.create(ACME, request({ audio_tracks: { main: remote('music') } }));
    const [first] = (await ended(session.id)).errors;
    expect(first).toMatchObject({ code: 'asset_decode_failed', ...told });
    expect(first!.pointer).toBe('pointer' in told ? told.pointer : undefined);
  });

  it('renders with warnings about findings that a viewer would notice', async () => {
    const text = { text: 'Hi', font: 'Test-Regular', overflow: 0, characters: [] as string[] };
    const renderer = recordingRenderer([
      { ...text, code: 'glyph_missing', editable: 't_01', characters: ['漢'] },
      { ...text, code: 'text_overflow', editable: null, overflow: 0.25 },
      {
        code: 'clip_ends_early',
        editable: 'v_01',
        frame: 20,
        seconds: 2,
        still: null,
        freezesAtSeconds: 2,
        lengthSeconds: 2,
        neededSeconds: 4,
      },
    ]);
    const { sessions, ended } = openSmallSessions(renderer, { templates });
    const { session } = await sessions.create(ACME, request({ resources: { t_01: { source: { text: '漢' } } } }));
    expect(await ended(session.id)).toMatchObject({
      status: 'preview_rendered',
      video_url: expect.any(String),
      errors: [
        {
          code: 'glyph_missing',
          detail: 'Neither Test-Regular nor a fallback font of the template contains 漢',
          editable: 't_01',
          pointer: '#/mapping/resources/t_01/source/text',
          severity: 'warning',
          occurred_at: expect.any(String),
        },
        { code: 'text_overflow', detail: 'The text is 25 % larger than its box', severity: 'warning' },
        { code: 'clip_ends_early', editable: 'v_01', severity: 'warning' },
      ],
    });
  });
});
