import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { anyDatabases } from '../../support/databases.ts';
import { startServer } from '../../support/http-server.ts';
import { startInterfaceService } from '../../support/interface-service.ts';
import { CONFIG, makeRepository } from '../../support/repository.ts';
import { startService } from '../../support/running-service.ts';
import { type Ran, reelform } from '../../support/test-io.ts';

const FILM = `title: Spring
resources: { c_01: "#EEADA7" }
scenes:
  - template: small
    resources: { t_01: Spring }
  - id: product
    template: small
    each: { from: data/products.csv, where: { campaign: spring }, id: "\${slug}" }
    resources: { t_01: "\${name}" }
    transition: { type: slide, direction: left, duration: 0.2 }
  - id: outro
    template: small
    resources: { t_01: Bye }
    duration: 2
`;
const PRODUCTS = 'slug,name,campaign\nlamp,Lamp,spring\nsofa,Sofa,winter\nchair,Chair,spring\n';

/** Creates a repository whose only video has several scenes. */
function openFilm(config = CONFIG) {
  const root = makeRepository({ 'reelform.yaml': config, 'videos/film.yaml': FILM, 'data/products.csv': PRODUCTS });
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const other of ['berlin', 'oslo', 'rome']) rmSync(join(root, `videos/${other}.yaml`));
  const read = (path: string): Buffer => readFileSync(join(root, path));
  return {
    root,
    read,
    edit: (path: string, from: string, to: string) =>
      writeFileSync(join(root, path), read(path).toString().replace(from, to)),
    run: (args: readonly string[], token = ''): Promise<Ran> =>
      reelform(root, args, { env: token === '' ? {} : { REELFORM_TOKEN: token }, now: Date.now }),
    entry: () => JSON.parse(read('reelform.lock.json').toString()).videos.film,
  };
}

it('renders a video of scenes, records them, and renders only the segments of an edited scene', async () => {
  const { run, entry, edit } = openFilm();
  expect(await run(['apply', '--auto-approve'])).toMatchObject({ exitCode: 0 });
  expect(entry().scenes.map(({ id }: { id: string }) => id)).toEqual([
    ...['small', 'product/lamp', 'product/chair', 'outro'],
  ]);
  expect((await run(['plan', '--detailed-exitcode'])).exitCode).toBe(0);

  edit('data/products.csv', 'Chair', 'Stool');
  const planned = await run(['plan', '--json']);
  const [change] = JSON.parse(planned.stdout).changes;
  expect(change).toMatchObject({
    id: 'film',
    action: 'update',
    inputs: [{ key: 'product/chair.t_01', after: 'Stool' }],
  });
  const applied = await run(['apply', '--auto-approve']);
  expect(applied.exitCode).toBe(0);
  const [, total, reused] = /(\d+) of \d+ segments, (\d+) reused/.exec(applied.stderr)!;
  // Its own segments, and that in which the next scene slides over it.
  expect(Number(total) - Number(reused)).toBeLessThanOrEqual(2);
  expect(Number(reused)).toBeGreaterThanOrEqual(2);
});

it('gives the same file through a service, whose sessions have the scenes', async () => {
  const service = await startService(await anyDatabases.address());
  const { token, api } = await service.client('acme');
  const remote = openFilm(CONFIG.replace('service: embedded', `service: { url: "${service.url}" }`));
  const applied = await remote.run(['apply', '--auto-approve'], token);
  expect(applied).toMatchObject({ exitCode: 0 });
  const { session } = remote.entry();
  const { body } = await api('GET', `/v2/render_sessions/${session}`);
  expect(body.render_session.scenes.map(({ id }: { id: string }) => id)).toEqual([
    ...['small', 'product/lamp', 'product/chair', 'outro'],
  ]);
  expect((await api('GET', '/v2/features')).body).toEqual({
    features: { scenes: { max_scenes: 200, max_seconds: 1800 }, sound: true, captions: true, languages: true },
  });
  const local = openFilm();
  await local.run(['apply', '--auto-approve']);
  expect(body.render_session.video_sha256).toBe(local.entry().sha256);
});

it('renders scenes that cover a video of another shape', async () => {
  const { run, edit, entry } = openFilm();
  edit('videos/film.yaml', 'title: Spring', 'title: Spring\nsize: [36, 64]');
  for (const id of ['small', 'product', 'outro']) edit('videos/film.yaml', `template: small\n    resources`, `template: small\n    fit: cover # ${id}\n    resources`); // biome-ignore format: one edit
  edit('videos/film.yaml', 'template: small\n    each', 'template: small\n    fit: cover\n    each');
  const { exitCode, stderr } = await run(['apply', '--auto-approve', '--no-lint']);
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  expect(entry().video_url).toBeTruthy();
});

it('sends nothing to a service that has no scenes', async () => {
  const service = await startInterfaceService({ looks: 1 });
  onTestFinished(() => service.close());
  const { run } = openFilm(CONFIG.replace('service: embedded', `service: { url: "${service.url}" }`));
  const { exitCode, stdout } = await run(['apply', '--auto-approve'], service.token);
  expect(exitCode).toBe(4);
  expect(stdout).toContain('service_lacks_scenes');
  expect(service.count('POST /v2/render_sessions')).toBe(0);
});

type Body = Record<string, unknown>;

interface FrontOptions {
  /** Changes the body of a request for a session. */
  readonly request?: (body: Body) => Body;
  /** Changes a session in an answer. */
  readonly session?: (session: Body) => Body;
}

/** A server in front of a service that changes requests and answers. */
async function openFront(url: string, { request = (body) => body, session = (found) => found }: FrontOptions = {}) {
  const asked: string[] = [];
  const front = await startServer(async (incoming, response) => {
    asked.push(`${incoming.method} ${incoming.url}`);
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const sent = Buffer.concat(chunks);
    const isPost = incoming.method === 'POST' && incoming.url === '/v2/render_sessions';
    const body = isPost ? JSON.stringify(request(JSON.parse(sent.toString()) as Body)) : sent;
    const { host: _host, 'content-length': _length, connection: _connection, ...headers } = incoming.headers;
    const answer = await fetch(`${url}${incoming.url}`, {
      method: incoming.method!,
      headers: headers as Record<string, string>,
      ...(sent.length > 0 && { body }),
    });
    const text = await answer.text();
    const json = answer.headers.get('content-type')?.includes('json') === true ? (JSON.parse(text) as Body) : null;
    const changed = json?.render_session ? { ...json, render_session: session(json.render_session as Body) } : json;
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
    response.end(changed === null ? text : JSON.stringify(changed));
  });
  onTestFinished(() => front.close());
  return { url: front.url, asked };
}

it.each([
  {
    who: 'the service, whose scenes have another length than the plan',
    front: { request: ({ scenes, ...body }) => ({ ...body, scenes: (scenes as Body[]).slice(1) }) },
    words: 'frames_differ: the scenes have',
    isPosted: false,
  },
  {
    who: 'the client, whose plan has another length than the answer',
    front: { session: (session) => ({ ...session, frames: 7 }) },
    words: 'frames is 7, not ',
    isPosted: true,
  },
] satisfies { who: string; front: FrontOptions; words: string; isPosted: boolean }[])(
  'is refused by $who',
  async ({ front: changes, words, isPosted }) => {
    const service = await startService(await anyDatabases.address());
    const { token, api } = await service.client('acme');
    const front = await openFront(service.url, changes);
    const { run, read } = openFilm(CONFIG.replace('service: embedded', `service: { url: "${front.url}" }`));
    const { exitCode, stdout, stderr } = await run(['apply', '--auto-approve'], token);
    expect(exitCode).not.toBe(0);
    expect(stdout + stderr).toContain(words);
    expect(() => read('reelform.lock.json')).toThrow();
    const { body } = await api('GET', '/v2/render_sessions');
    expect(body.render_sessions).toHaveLength(isPosted ? 1 : 0);
  },
);

it('does not ask a service for its scenes if it sends nothing', async () => {
  const service = await startService(await anyDatabases.address());
  const { token } = await service.client('acme');
  const front = await openFront(service.url);
  const { run, root, entry } = openFilm(CONFIG.replace('service: embedded', `service: { url: "${front.url}" }`));
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: root });
  git('init', '--quiet');
  expect(await run(['apply', '--auto-approve'], token)).toMatchObject({ exitCode: 0 });
  const { session } = entry();
  git('add', '-A');
  git('commit', '--quiet', '-m', 'rendered');
  writeFileSync(join(root, 'reelform.lock.json'), '{"lockfile_version": 1, "videos": {}}');
  git('commit', '--quiet', '-a', '-m', 'lost');
  front.asked.splice(0);
  const adopted = await run(['apply', '--auto-approve'], token);
  expect(adopted).toMatchObject({ exitCode: 0 });
  expect(entry().session).toBe(session);
  expect(front.asked).toEqual([`GET /v2/render_sessions/${session}`]);
});
