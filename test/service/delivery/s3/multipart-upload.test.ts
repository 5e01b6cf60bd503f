import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { putObject } from '../../../../src/service/delivery/s3/multipart-upload.ts';
import { OWN_ACCESS, openBucket } from '../../../../src/service/delivery/s3/open-bucket.ts';
import { BUSY, startS3Server } from '../../../support/s3-server.ts';

it('putObject() uploads large bytes in parts and aborts the upload on failure', async () => {
  const s3 = await startS3Server();
  const keys = {
    accessKeyId: { kind: 'env', name: 'AWS_ACCESS_KEY_ID' },
    secretAccessKey: { kind: 'env', name: 'AWS_SECRET_ACCESS_KEY' },
    sessionToken: null,
  } as const;
  const access = { ...OWN_ACCESS, endpoint: s3.url, pathStyle: true, keys };
  const bucket = await openBucket({ bucket: 'videos', access, env: s3.env });
  const sizes = { oneRequest: 1000, part: 500 };
  const bytes = randomBytes(2222);
  await putObject(bucket, 'large', bytes, sizes);
  expect((await s3.read('videos', 'large'))?.equals(bytes)).toBe(true);
  expect(s3.requests.filter(({ query }) => query.partNumber !== undefined)).toHaveLength(5);
  s3.fault(({ query }) => (query.partNumber === '3' ? BUSY : null));
  await expect(putObject(bucket, 'other', bytes, sizes)).rejects.toMatchObject({ isRetryable: true });
  expect(s3.requests.filter(({ method }) => method === 'DELETE')).toHaveLength(1);
  expect(await s3.keys('videos')).toEqual(['large']);
  bucket.close();
  await s3.close();
});
