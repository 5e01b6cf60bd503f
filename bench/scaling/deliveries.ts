import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { Credential } from '../../src/contract/destinations/credential.ts';
import type { DeliveredFile } from '../../src/contract/destinations/destination.ts';
import { sha256 } from '../../src/kernel/digest.ts';
import { openDestination } from '../../src/service/delivery/open-destination.ts';
import { percentile } from '../../test/support/proof.ts';
import { startS3Server } from '../../test/support/s3-server.ts';

const MEGABYTES = 128;
const ROUNDS = 5;

/** Measures the delivery of a file against a plain upload to the same server, and against a copy on disk. */
export async function measureDeliveries(): Promise<void> {
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
  const folder = await mkdtemp(join(tmpdir(), 'reelform-bench-'));
  const bucket = await startS3Server({ buckets: ['deliveries'] });
  try {
    const bytes = randomBytes(MEGABYTES * 2 ** 20);
    const path = join(folder, 'video.mp4');
    await writeFile(path, bytes);
    const file: DeliveredFile = {
      size: bytes.length,
      contentType: 'video/mp4',
      sha256: sha256(bytes),
      // The end of a stream is inclusive.
      stream: (range) => createReadStream(path, range === undefined ? {} : { start: range.start, end: range.end - 1 }),
    };
    const env = { ...process.env, ...bucket.env };
    const keys = { accessKeyId: 'AWS_ACCESS_KEY_ID', secretAccessKey: 'AWS_SECRET_ACCESS_KEY' } as const;
    const place = (name: string) => ({ kind: 'env', name }) as const;
    const s3: Credential = {
      kind: 's3',
      name: 'bench',
      allow: null,
      publicUrl: null,
      tenants: null,
      endpoint: bucket.url,
      region: 'us-east-1',
      pathStyle: true,
      keys: {
        accessKeyId: place(keys.accessKeyId),
        secretAccessKey: place(keys.secretAccessKey),
        sessionToken: null,
      },
    };
    const deliver = async (to: Parameters<typeof openDestination>[0], credential: Credential | null) => {
      const destination = await openDestination(to, credential, { env, directory: folder });
      await destination.deliver(file, { signal: new AbortController().signal, state: null, async onState() {} });
    };
    const client = new S3Client({
      endpoint: bucket.url,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: {
        accessKeyId: bucket.env[keys.accessKeyId]!,
        secretAccessKey: bucket.env[keys.secretAccessKey]!,
      },
      requestChecksumCalculation: 'WHEN_REQUIRED',
    });
    const put = () =>
      client.send(
        new PutObjectCommand({
          Bucket: 'deliveries',
          Key: 'plain.mp4',
          Body: createReadStream(path),
          ContentLength: bytes.length,
        }),
      );
    // Alternating, so that other load on the machine affects all of them.
    const taken: Record<string, number[]> = { put: [], s3: [], copy: [], file: [] };
    for (let round = 0; round < ROUNDS; round++) {
      taken.put!.push(await timed(put));
      taken.s3!.push(await timed(() => deliver({ kind: 's3', bucket: 'deliveries', key: 'video.mp4' }, s3)));
      taken.copy!.push(await timed(() => copyFile(path, join(folder, `copy-${round}.mp4`))));
      taken.file!.push(await timed(() => deliver({ kind: 'file', path: `delivered-${round}.mp4` }, null)));
    }
    const rate = (name: string): number => MEGABYTES / percentile(taken[name]!, 0.5);
    const line = (name: string, peer: string): string =>
      `${rate(name).toFixed(0)} MB/s, ${peer} ${rate(peer === 'a plain upload' ? 'put' : 'copy').toFixed(0)} MB/s`;
    console.log(`${MEGABYTES} MB delivered and verified; the server is in the same process`);
    console.log(`  s3:    ${line('s3', 'a plain upload')}, ratio ${(rate('s3') / rate('put')).toFixed(2)}`);
    console.log(`  file:  ${line('file', 'a copy')}, ratio ${(rate('file') / rate('copy')).toFixed(2)}`);
  } finally {
    await bucket.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begunAt = performance.now();
  await work();
  return (performance.now() - begunAt) / 1000;
}
