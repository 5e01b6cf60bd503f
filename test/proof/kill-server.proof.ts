import { rmSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { type Api, openApi } from '../support/api.ts';
import { freePort } from '../support/free-port.ts';
import { count, tell } from '../support/proof.ts';
import { makeRepository } from '../support/repository.ts';
import { SMALL_MANIFEST, smallAnimation } from '../support/small-package.ts';
import { createToken, type SpawnedService, spawnService } from '../support/spawned-service.ts';

const RENDERS = count(50, 4);
const KILLS = count(2, 1);

const log: string[] = [];
const root = makeRepository({
  'templates/small/template.yaml': SMALL_MANIFEST,
  // Long enough to be killed during the render.
  'templates/small/animation.json': JSON.stringify(smallAnimation())
    .replaceAll('"op":10', '"op":90')
    .replace('"w":64,"h":36', '"w":640,"h":360'),
});
let service: SpawnedService | null = null;

afterAll(async () => {
  await service?.stop();
  rmSync(root, { recursive: true, force: true });
});

async function statuses(api: Api): Promise<string[]> {
  const { body } = await api('GET', '/v2/render_sessions?limit=100');
  return body.render_sessions.map(({ status }: { status: string }) => status);
}

async function untilRendered(api: Api, wanted: number): Promise<void> {
  for (;;) {
    const rendered = (await statuses(api)).filter((status) => status === 'preview_rendered').length;
    if (rendered >= wanted) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

it(`kill -9 of the service, ${KILLS} times during ${RENDERS} renders: all finish, none is lost or rendered to the end twice`, async () => {
  const port = await freePort();
  service = await spawnService(root, { port, log });
  const token = await createToken(root);
  const api = openApi(service.url, token);
  const versions = await api('GET', '/v2/template_style_versions');
  const styleVersion = versions.body.style_versions[0].id;
  const ids = new Set<string>();
  const sceneOf = (id: string, text: string) => ({
    id,
    mapping: {
      template_style_version_id: styleVersion,
      resources: { t_01: { source: { text } }, c_01: { source: { text: 'EEADA7' } } },
    },
  });
  for (let index = 0; index < RENDERS; index++) {
    const first = sceneOf('first', `No. ${index}`);
    const second = sceneOf('second', `After ${index}`);
    const isOfScenes = index % 2 === 1;
    const { status, body } = await api('POST', '/v2/render_sessions', {
      headers: { 'idempotency-key': `render-${index}` },
      body: {
        title: `Render ${index}`,
        render: 'preview',
        ...(isOfScenes
          ? { scenes: [first, { ...second, transition: { type: 'fade', duration: 0.5 } }] }
          : { mapping: first.mapping }),
      },
    });
    expect(status).toBe(201);
    ids.add(body.render_session.id);
  }
  expect(ids.size).toBe(RENDERS);

  for (let kill = 1; kill <= KILLS; kill++) {
    await untilRendered(api, Math.floor((RENDERS * kill) / (KILLS + 1)));
    await service.kill();
    service = await spawnService(root, { port, log });
  }
  await untilRendered(api, RENDERS);

  const { body } = await api('GET', '/v2/render_sessions?limit=100');
  expect(new Set(body.render_sessions.map(({ id }: { id: string }) => id))).toEqual(ids);
  for (const session of body.render_sessions) {
    const video = await fetch(session.video_url);
    expect(video.status).toBe(200);
    expect(Buffer.from(await video.arrayBuffer()).toString('latin1', 4, 8)).toBe('ftyp');
  }
  const toTheEnd = new Map<string, number>();
  for (const line of log) {
    const event = JSON.parse(line) as { event?: string; inputDigest?: string };
    if (event.event === 'input-rendered') toTheEnd.set(event.inputDigest!, (toTheEnd.get(event.inputDigest!) ?? 0) + 1);
  }
  // A kill right after storing hides a render from the log; none may be logged twice.
  expect([...toTheEnd.values()].filter((times) => times > 1)).toEqual([]);
  const begun = log.filter((line) => line.includes('"session-begun"')).length;
  tell(`${RENDERS} renders, ${KILLS} kills: ${begun} attempts, ${toTheEnd.size} renders to their end, 0 lost, 0 twice`);
});
