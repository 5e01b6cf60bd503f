import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { anyDatabases } from '../../support/databases.ts';
import { startServer } from '../../support/http-server.ts';
import { CONFIG, makeRepository } from '../../support/repository.ts';
import { startService } from '../../support/running-service.ts';
import { reelform } from '../../support/test-io.ts';

const VTT = 'WEBVTT\n\n00:00.200 --> 00:00.800\nLight that lands\n';
const CAPTIONS = `captions:
  from: captions/en.vtt
  style: {font: Anton, size: 20}
  fonts: [Inter]
  lang: en
  embed: true
  files: [vtt]
`;

/** Creates a repository of one video with drawn, embedded and written captions. */
function setUp(service = 'service: embedded') {
  const root = makeRepository({
    'reelform.yaml': CONFIG.replace('service: embedded', service),
    'captions/en.vtt': VTT,
  });
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const other of ['berlin', 'oslo']) rmSync(join(root, `videos/${other}.yaml`));
  const path = join(root, 'videos/rome.yaml');
  writeFileSync(path, readFileSync(path, 'utf8') + CAPTIONS);
  const lock = () => JSON.parse(readFileSync(join(root, 'reelform.lock.json'), 'utf8'));
  return {
    root,
    run: (args: readonly string[], token = '') =>
      reelform(root, args, { env: token === '' ? {} : { REELFORM_TOKEN: token }, now: Date.now }),
    entry: () => lock().videos.rome,
  };
}

it('captions are uploaded to a service, which draws and embeds them like this machine', async () => {
  const service = await startService(await anyDatabases.address());
  const { token, api } = await service.client();
  const remote = setUp(`service: { url: "${service.url}" }`);
  expect(await remote.run(['apply', '--auto-approve'], token)).toMatchObject({ exitCode: 0 });
  const { session, caption_files } = remote.entry();
  const { body } = await api('GET', `/v2/render_sessions/${session}`);
  expect(body.render_session).toMatchObject({
    captions: { source: { remote_url: expect.stringMatching(/^urn:sha256:/) }, style: { font: 'Anton', size: 20 } },
    source_uploads: [{ key: 'captions', status: 'fetched' }],
  });
  const local = setUp();
  await local.run(['apply', '--auto-approve']);
  expect(body.render_session.video_sha256).toBe(local.entry().sha256);
  const { path: _, ...file } = local.entry().caption_files[0];
  expect(caption_files[0]).toMatchObject(file);
  expect((await remote.run(['plan', '--detailed-exitcode'], token)).exitCode).toBe(0);
  // A change of the file alone needs no session.
  const before = remote.entry();
  const definition = join(remote.root, 'videos/rome.yaml');
  writeFileSync(definition, readFileSync(definition, 'utf8').replace('files: [vtt]', 'files: [vtt, srt]'));
  expect(await remote.run(['apply', '--auto-approve'], token)).toMatchObject({ exitCode: 0 });
  expect(remote.entry()).toMatchObject({ session: before.session, fingerprint: before.fingerprint });
  expect((await api('GET', '/v2/render_sessions')).body.render_sessions).toHaveLength(1);
});

it('captions are in the request to a service that does not accept files', async () => {
  const service = await startService(await anyDatabases.address());
  const { token, api } = await service.client();
  const front = await startServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    if (incoming.url === '/v2/source_uploads') return void response.writeHead(404).end();
    const { host: _host, 'content-length': _length, connection: _connection, ...headers } = incoming.headers;
    const body = Buffer.concat(chunks);
    const answer = await fetch(`${service.url}${incoming.url}`, {
      method: incoming.method!,
      headers: headers as Record<string, string>,
      ...(body.length > 0 && { body }),
    });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  onTestFinished(() => front.close());
  const { run, entry } = setUp(`service: { url: "${front.url}" }`);
  const applied = await run(['apply', '--auto-approve'], token);
  expect(applied).toMatchObject({ exitCode: 0 });
  const { body } = await api('GET', `/v2/render_sessions/${entry().session}`);
  expect(body.render_session.captions.source.text).toContain('Light that lands');
});
