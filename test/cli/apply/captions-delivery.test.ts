import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { anyDatabases } from '../../support/databases.ts';
import { CONFIG, makeRepository } from '../../support/repository.ts';
import { startService } from '../../support/running-service.ts';
import { startS3Server } from '../../support/s3-server.ts';
import { reelform } from '../../support/test-io.ts';

const VTT = 'WEBVTT\n\n00:00.200 --> 00:00.800\nLight that lands\n';

/** Creates a repository of one video whose captions are beside it, here and at its destination. */
function setUp(more: string, config = CONFIG) {
  const root = makeRepository({ 'reelform.yaml': config, 'captions/en.vtt': VTT });
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const other of ['berlin', 'oslo']) rmSync(join(root, `videos/${other}.yaml`));
  const path = join(root, 'videos/rome.yaml');
  writeFileSync(
    path,
    `${readFileSync(path, 'utf8')}captions: {from: captions/en.vtt, burn: false, files: [vtt, srt]}\n${more}`,
  );
  const keys = { KEY_ID: 'S3RVER', KEY: 'S3RVER' };
  const run = (args: readonly string[], token = '') =>
    reelform(root, args, { env: token === '' ? keys : { REELFORM_TOKEN: token }, now: Date.now });
  return {
    root,
    run,
    read: (file: string) => readFileSync(join(root, file), 'utf8'),
    has: (file: string) => existsSync(join(root, file)),
    edit: (file: string, from: string, to: string) =>
      writeFileSync(join(root, file), readFileSync(join(root, file), 'utf8').replace(from, to)),
    entry: () => JSON.parse(readFileSync(join(root, 'reelform.lock.json'), 'utf8')).videos.rome,
    async plan() {
      const { changes, estimate } = JSON.parse((await run(['plan', '--json'])).stdout);
      const { action = 'noop', destinations = [] } = changes[0] ?? {};
      return { action, destinations, renders: estimate.renders };
    },
  };
}

const DELIVERED = ['file:out/rome.mp4', 'file:out/rome.srt', 'file:out/rome.vtt'];

it('captions go where the video goes, and a change of them is delivered without a render', async () => {
  const { run, read, has, edit, entry, plan } = setUp('deliver: "file:out/"\n');
  expect(await run(['apply', '--auto-approve'])).toMatchObject({ exitCode: 0 });
  const first = entry();
  expect(first.deliveries.map(({ to }: { to: string }) => to)).toEqual(DELIVERED);
  expect(read('out/rome.vtt')).toBe('WEBVTT\n\n00:00:00.200 --> 00:00:00.800\nLight that lands\n');
  expect(read('out/rome.srt')).toBe('1\n00:00:00,200 --> 00:00:00,800\nLight that lands\n');
  expect((await plan()).action).toBe('noop');

  edit('captions/en.vtt', 'lands', 'falls');
  expect(await plan()).toMatchObject({
    action: 'deliver',
    renders: 0,
    destinations: [
      { kind: 'deliver', to: 'file:out/rome.vtt', captions: 'vtt' },
      { kind: 'deliver', to: 'file:out/rome.srt', captions: 'srt' },
    ],
  });
  const applied = await run(['apply', '--auto-approve']);
  expect(applied).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^Done: 0 rendered/) });
  expect([read('out/rome.vtt'), read('out/rome.srt')]).toEqual([
    expect.stringContaining('Light that falls'),
    expect.stringContaining('Light that falls'),
  ]);
  expect(entry()).toMatchObject({ session: first.session, sha256: first.sha256, rendered_at: first.rendered_at });
  expect((await plan()).action).toBe('noop');

  edit('videos/rome.yaml', 'files: [vtt, srt]', 'files: [vtt]');
  await run(['apply', '--auto-approve']);
  expect(entry().deliveries.map(({ to }: { to: string }) => to)).toEqual(['file:out/rome.mp4', 'file:out/rome.vtt']);
  expect(has('out/rome.srt')).toBe(true);
});

it('captions go to a bucket beside the video, and a change of them is uploaded alone', async () => {
  const server = await startS3Server();
  onTestFinished(() => server.close());
  const access = `kind: s3, endpoint: "${server.url}", region: us-east-1, path_style: true`;
  const keys = 'access_key_id_env: KEY_ID, secret_access_key_env: KEY, allow: ["s3://videos/"]';
  const { run, edit, entry, plan } = setUp(
    'deliver: [{to: "s3://videos/{id}.{extension}", credential: main}]\n',
    `${CONFIG}credentials: {main: {${access}, ${keys}}}\n`,
  );
  expect(await run(['apply', '--auto-approve'])).toMatchObject({ exitCode: 0 });
  const objects = ['s3://videos/rome.mp4', 's3://videos/rome.srt', 's3://videos/rome.vtt'];
  expect(entry().deliveries.map(({ to }: { to: string }) => to)).toEqual(objects);
  const first = await server.read('videos', 'rome.mp4');
  expect(String(await server.read('videos', 'rome.vtt'))).toContain('Light that lands');
  const uploads = server.requests.filter(({ method, path }) => method === 'PUT' && path.endsWith('.mp4')).length;
  edit('captions/en.vtt', 'lands', 'falls');
  expect(await plan()).toMatchObject({ action: 'deliver', renders: 0 });
  expect((await run(['apply', '--auto-approve'])).stdout).toMatch(/^Done: 0 rendered/);
  expect(String(await server.read('videos', 'rome.vtt'))).toContain('Light that falls');
  expect(String(await server.read('videos', 'rome.srt'))).toContain('Light that falls');
  expect(await server.read('videos', 'rome.mp4')).toEqual(first);
  const again = server.requests.filter(({ method, path }) => method === 'PUT' && path.endsWith('.mp4'));
  expect([uploads, again.length]).toEqual([1, 1]);
});

it('a missing local video is not rendered again for its captions', async () => {
  const { run, root, edit, entry, plan } = setUp('deliver: "file:out/{title}.{extension}"\n');
  await run(['apply', '--auto-approve']);
  rmSync(join(root, entry().video_url));
  edit('captions/en.vtt', 'lands', 'falls');
  expect(await plan()).toMatchObject({ action: 'deliver', renders: 0 });
  expect((await run(['apply', '--auto-approve'])).stdout).toMatch(/^Done: 0 rendered/);
});

it('a delivery of captions that fails is reported, and repeated by the next run', async () => {
  const { run, root, read, entry, plan } = setUp('deliver: "file:out/"\n');
  // A folder in place of the file.
  mkdirSync(join(root, 'out/rome.vtt/inside'), { recursive: true });
  const failed = await run(['apply', '--auto-approve']);
  expect(failed.exitCode).not.toBe(0);
  expect(failed.stdout + failed.stderr).toContain('out/rome.vtt');
  expect(entry().deliveries.map(({ to }: { to: string }) => to)).toEqual(['file:out/rome.mp4', 'file:out/rome.srt']);
  rmSync(join(root, 'out/rome.vtt'), { recursive: true });
  expect(await plan()).toMatchObject({ action: 'deliver', renders: 0, destinations: [{ to: 'file:out/rome.vtt' }] });
  expect(await run(['apply', '--auto-approve'])).toMatchObject({ exitCode: 0 });
  expect(read('out/rome.vtt')).toContain('Light that lands');
});

it('captions of a video on a service are delivered by the client, where it has the credential', async () => {
  const service = await startService(await anyDatabases.address());
  const { token, api } = await service.client();
  const config = `${CONFIG.replace('service: embedded', `service: { url: "${service.url}" }`)}credentials:
  disk: {kind: file, allow: ["file:out/"]}
`;
  const { run, edit, read, entry } = setUp('', config);
  expect(await run(['apply', '--auto-approve'], token)).toMatchObject({ exitCode: 0 });
  const before = entry();
  edit('videos/rome.yaml', 'captions:', 'deliver: [{to: "file:out/", credential: far}]\ncaptions:');
  const told = await run(['validate'], token);
  expect(told.stdout + told.stderr).toContain('captions_undelivered');
  edit('videos/rome.yaml', 'credential: far', 'credential: disk');
  // The service has no such credential for the video, but the captions arrive.
  const applied = await run(['apply', '--auto-approve'], token);
  expect(applied.stdout + applied.stderr).toContain('file:out/rome.mp4');
  expect(read('out/rome.vtt')).toContain('Light that lands');
  expect(entry().deliveries).toMatchObject([{ to: 'file:out/rome.srt' }, { to: 'file:out/rome.vtt' }]);
  expect(entry().session).toBe(before.session);
  expect((await api('GET', '/v2/render_sessions')).body.render_sessions).toHaveLength(1);
});

it('captions that were edited or removed by hand are noticed and delivered again', async () => {
  const { run, root, read, plan } = setUp('deliver: "file:out/"\n');
  await run(['apply', '--auto-approve']);
  const text = read('out/rome.vtt');
  expect((await run(['drift'])).exitCode).toBe(0);
  // As long as before.
  writeFileSync(join(root, 'out/rome.vtt'), text.replace('Light', 'Shade'));
  const drift = await run(['drift', '--json']);
  expect([drift.exitCode, JSON.parse(drift.stdout).drift]).toMatchObject([2, [{ what: 'captions_changed' }]]);
  expect(await plan()).toMatchObject({ action: 'deliver', renders: 0 });
  expect((await run(['apply', '--auto-approve'])).stdout).toMatch(/^Done: 0 rendered/);
  expect(read('out/rome.vtt')).toBe(text);
  expect((await plan()).action).toBe('noop');

  rmSync(join(root, 'out/rome.srt'));
  expect(await plan()).toMatchObject({ action: 'deliver', renders: 0 });
});
