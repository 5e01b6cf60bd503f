import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { SceneRequest } from '../../../../src/contract/wire/scene-request.ts';
import { SCOPES } from '../../../../src/service/server/ports.ts';
import { startServer } from '../../../../src/service/server/start-server.ts';
import { startWorker } from '../../../../src/service/server/start-worker.ts';
import { bindInput } from '../../../../src/service/sessions/bind-template.ts';
import { inputDigest, videoFiles } from '../../../../src/service/sessions/input-digest.ts';
import type { TenantId } from '../../../../src/service/sessions/ports.ts';
import { createSegmentRenderer } from '../../../../src/service/sessions/segments/segment-renderer.ts';
import { emptySources } from '../../../../src/service/sessions/session-scenes.ts';
import { bindMapping } from '../../../../src/template/bind/bind-mapping.ts';
import { openApi, untilEnded } from '../../../support/api.ts';
import { describeOnDatabases } from '../../../support/databases.ts';
import { bytesOf } from '../../../support/in-memory.ts';
import { openPool } from '../../../support/render-pools.ts';
import { sessionBody } from '../../../support/running-service.ts';
import { scenesOfMapping } from '../../../support/scenes-of-mapping.ts';
import { TEST_SETTINGS } from '../../../support/test-settings.ts';
import { FILES, LONG, longPackageFiles } from './distributed-farm.ts';

/** Splits however short the render is. */
const distributionRules = { chunkSeconds: 2, chunkRenderSeconds: 0 };

describeOnDatabases('a long video in chunks', (databases, kind) => {
  it('has the same bytes as a render in one piece when two slots render it', async () => {
    const { url: databaseUrl, directory } = await databases.address();
    const dataDirectory = directory || (await mkdtemp(join(tmpdir(), 'reelform-data-')));
    onTestFinished(() => rm(dataDirectory, { recursive: true, force: true }));
    const log: string[] = [];
    // With a shared database the two slots are in two services.
    const concurrency = kind === 'postgres' ? 1 : 2;
    const settings = { ...TEST_SETTINGS, dataDirectory, databaseUrl, concurrency };
    const version = '0.0.0-test';
    const process = {
      settings,
      version,
      distributionRules,
      log: { write: (line: string) => void log.push(line) },
      now: Date.now,
    };
    const packages = [{ name: 'long', package: LONG, files: longPackageFiles() }];
    const server = await startServer({ ...process, packages });
    onTestFinished(() => server.close({ now: true }));
    if (kind === 'postgres') {
      const worker = await startWorker({ ...process, listens: false });
      onTestFinished(() => worker.close({ now: true }));
    }
    const tenant = 'default' as TenantId;
    const { text } = await server.tokens.create({ tenant, name: '', scopes: SCOPES, expiresAt: null });
    const api = openApi(server.url, text);
    const render = async (request: object, frames = 80) => {
      const { mapping, ...plain } = sessionBody(LONG.spec.id);
      const content = 'scenes' in request ? {} : { mapping };
      const { body } = await api('POST', '/v2/render_sessions', { body: { ...plain, ...content, ...request } });
      const session = await untilEnded(api, body.render_session.id);
      expect(session).toMatchObject({ status: 'preview_rendered', render_progress: 100, usage: { frames } });
      const events = log.splice(0).map((line) => JSON.parse(line) as { event?: string; chunks?: number });
      expect(events.find(({ event }) => event === 'session-distributed')).toMatchObject({ chunks: 2 });
      expect(events.filter(({ event }) => event === 'chunk-rendered')).toHaveLength(2);
      return session;
    };
    const session = await render({});

    const { resources } = session.mapping;
    const fingerprint = inputDigest(scenesOfMapping(LONG, { resources }));
    const whole = await openPool().run('video', bindMapping(LONG, { resources, fingerprint }, new Map()));
    const video = Buffer.from(await (await fetch(session.video_url)).arrayBuffer());
    expect(Buffer.compare(video, await bytesOf(whole.video))).toBe(0);
    const still = Buffer.from(await (await fetch(session.thumbnails[0])).arrayBuffer());
    expect(Buffer.compare(still, whole.stills[0]!.bytes)).toBe(0);

    const { mapping, outputs } = await render({ title: 'Files', outputs: FILES });
    const renderer = createSegmentRenderer({ runner: openPool(), parallel: 1, cache: null });
    const files = videoFiles(scenesOfMapping(LONG, mapping), FILES.slice(1));
    const renderInput = bindMapping(LONG, { ...mapping, fingerprint: files.fingerprint }, new Map());
    const alone = await renderer.render(renderInput, { others: files.others });
    expect(outputs).toHaveLength(FILES.length);
    for (const [at, made] of alone.entries()) {
      const bytes = Buffer.from(await (await fetch(outputs[at].video_url)).arrayBuffer());
      expect(Buffer.compare(bytes, await bytesOf(made.video)), FILES[at]!.name).toBe(0);
    }

    const vtt = Buffer.from('WEBVTT\n\n00:01.000 --> 00:09.000\nLight that lands\n');
    const { body: upload } = await api('POST', '/v2/source_uploads', {
      body: vtt,
      headers: { 'content-type': 'text/vtt' },
    });
    const captions = { style: { font: 'Anton', size: 12 }, fonts: ['Inter'], lang: 'en', embed: true as const };
    const scenes: SceneRequest[] = [
      { id: 'first', mapping: { template_style_version_id: LONG.spec.id, resources } },
      {
        id: 'second',
        mapping: { template_style_version_id: LONG.spec.id, resources },
        seconds: 9.5,
        timing: [{ hold: 30 }],
        transition: { type: 'push', duration: 0.6 },
      },
    ];
    const remote = { source: { remote_url: upload.remote_url as string }, ...captions };
    const composed = await render({ title: 'Scenes', scenes, frames: 175, captions: remote }, 175);
    const input = {
      video: { scenes, captions: { source: { text: vtt.toString() }, ...captions } },
      templates: new Map([[LONG.spec.id, LONG]]),
    };
    const digested = { ...input, sources: emptySources<never>({ scenes }) };
    const together = bindInput({ ...digested, fingerprint: inputDigest(digested) });
    const [onePiece] = await renderer.render(together);
    const composedBytes = Buffer.from(await (await fetch(composed.video_url)).arrayBuffer());
    expect(Buffer.compare(composedBytes, await bytesOf(onePiece!.video))).toBe(0);
  });
});
