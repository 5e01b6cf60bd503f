import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSourcePublisher } from '../../../src/cli/service/publish-sources.ts';
import { sha256 } from '../../../src/kernel/digest.ts';
import { hashSourceFile } from '../../../src/kernel/read-source.ts';
import { loadProject } from '../../../src/reconciler/project/load-project.ts';
import { startServer } from '../../support/http-server.ts';
import { startS3Server } from '../../support/s3-server.ts';
import { temporaryRepository } from '../../support/temporary-repository.ts';

/** Larger than the files that are read into memory. */
const CLIP = Buffer.alloc(3 * 2 ** 20, 'clip');

async function openPublisher() {
  const bucket = await startS3Server({ buckets: ['assets'] });
  const front = await startServer((_, answer) => answer.writeHead(404).end());
  onTestFinished(async () => {
    await bucket.close();
    await front.close();
  });
  const root = temporaryRepository({
    'reelform.yaml': [
      `service: {url: "${front.url}"}`,
      'templates: {small: tsv_stranger}',
      `credentials: {main: {kind: s3, endpoint: "${bucket.url}", region: us-east-1, path_style: true,`,
      '  access_key_id_env: KEY, secret_access_key_env: KEY}}',
      `assets: {publish: s3://assets/files, public_url: "${front.url}/files", credential: main}\n`,
    ].join('\n'),
    'clip.mp4': CLIP,
  });
  const env = { KEY: 'S3RVER', REELFORM_ALLOW_SOURCES: new URL(front.url).host };
  const publish = createSourcePublisher(await loadProject({ cwd: root }), { env })!;
  return { bucket, publish, clip: await hashSourceFile(join(root, 'clip.mp4')) };
}

describe('createSourcePublisher()', () => {
  it('publishes a large file under its digest', async () => {
    const { bucket, publish, clip } = await openPublisher();
    const { remote_url } = await publish({ bytes: clip, sha256: clip.sha256, name: 'clip.mp4' });
    const key = `files/${sha256(CLIP)}.mp4`;
    expect(remote_url.endsWith(`/${key}`)).toBe(true);
    expect((await bucket.read('assets', key))?.equals(CLIP)).toBe(true);
  });

  it('publishes nothing of a file that has changed', async () => {
    const { bucket, publish, clip } = await openPublisher();
    appendFileSync(clip.path, 'more');
    await expect(publish({ bytes: clip, sha256: clip.sha256, name: 'clip.mp4' })).rejects.toMatchObject({
      code: 'changed_since_plan',
    });
    expect(await bucket.keys('assets')).toEqual([]);
  });
});
