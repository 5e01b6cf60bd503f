import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import type S3rver from 's3rver';
import type { S3rverContext, S3rverObject } from 's3rver';
import S3Error from 's3rver/lib/models/error.js';
import { byCodeUnit } from '../../src/kernel/digest.ts';

/** Requests whose bodies are corrupted on the way. */
export const CORRUPTED = new WeakSet<object>();

/**
 * Adds the behaviour of S3 that s3rver lacks: objects appear completely or not at all, and before the response;
 * Content-MD5 is verified; a multipart upload can be listed and aborted, and completes only with the parts that were
 * sent; pages of lists hold the requested number of names, including folders.
 */
export function completeStore(
  app: S3rver,
  { key: known, pageSize }: { readonly key: string; readonly pageSize: number },
): void {
  const { store } = app;
  const uploadPath = (bucket: string, upload: string): string =>
    join(store.getResourcePath(bucket, undefined, 'uploads'), upload);
  const keep = async (object: S3rverObject, bytes: Buffer, md5: string): Promise<{ md5: string; size: number }> => {
    await replace(store.getResourcePath(object.bucket, object.key, 'object'), bytes);
    await store.putMetadata(object.bucket, object.key, object.metadata, md5);
    return { md5, size: bytes.length };
  };

  store.putObject = async (object) => {
    const bytes = await bodyOf(object.content);
    return await keep(object, bytes, hexOf(bytes));
  };
  store.putPart = async (bucket, upload, number, content) => {
    const folder = await existing(uploadPath(bucket, upload));
    const bytes = await bodyOf(content);
    await replace(join(folder, String(number)), bytes);
    return { md5: hexOf(bytes), size: bytes.length };
  };
  store.putObjectMultipart = async (bucket, upload, parts) => {
    const folder = await existing(uploadPath(bucket, upload));
    const contents = await Promise.all(
      parts.map(({ number }) => readFile(join(folder, String(number))).catch(() => null)),
    );
    const isWhole = contents.every((bytes, index) => bytes !== null && hexOf(bytes) === parts[index]?.etag);
    if (!isWhole) throw new S3Error('InvalidPart', 'One or more of the specified parts could not be found.');
    const bytes = Buffer.concat(contents.filter((bytes) => bytes !== null));
    const key = await readFile(join(folder, 'key'), 'utf8');
    const metadata = JSON.parse(await readFile(join(folder, 'metadata'), 'utf8')) as Record<string, string>;
    const digests = Buffer.concat(parts.map(({ etag }) => Buffer.from(etag, 'hex')));
    const object = { bucket, key, metadata, content: bytes, size: bytes.length, lastModifiedDate: new Date() };
    const kept = await keep(object, bytes, `${hexOf(digests)}-${parts.length}`);
    await rm(folder, { recursive: true, force: true });
    return kept;
  };

  const answer = async (context: S3rverContext, next: () => Promise<void>): Promise<void> => {
    const [, bucket = '', ...rest] = context.path.split('/').map((part) => decodeURIComponent(part));
    const { method, query } = context;
    const key = rest.join('/');
    // s3rver does not see requests that are answered here, and it accepts every signature of the right key.
    if (context.headers.authorization?.includes(`Credential=${known}/`) !== true) {
      throw new S3Error('InvalidAccessKeyId', 'The access key does not exist.');
    }
    if (key === '' && method === 'GET' && query['list-type'] === '2') {
      if ((await store.getBucket(bucket)) === null) throw new S3Error('NoSuchBucket', 'The bucket does not exist');
      context.body = { ListBucketResult: pageOf(await store.listObjects(bucket, query), query, pageSize) };
    } else if (method === 'GET' && query.uploadId !== undefined) {
      context.body = { ListPartsResult: await partsOf(await existing(uploadPath(bucket, query.uploadId)), query) };
    } else if (method === 'DELETE' && query.uploadId !== undefined) {
      await rm(await existing(uploadPath(bucket, query.uploadId)), { recursive: true, force: true });
      context.status = 204;
    } else {
      await next();
    }
  };
  // After its logger and its conversion of bodies to XML.
  app.middleware.splice(2, 0, answer);
}

type Query = S3rverContext['query'];

/** @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html */
function pageOf(
  { objects, commonPrefixes }: { objects: readonly S3rverObject[]; commonPrefixes: readonly string[] },
  query: Query,
  pageSize: number,
): object {
  const after = query['continuation-token'] ?? query['start-after'] ?? '';
  const most = Math.min(pageSize, Number(query['max-keys'] ?? 1000));
  const encode = (name: string): string => (query['encoding-type'] === 'url' ? encodeURIComponent(name) : name);
  const entries = [
    ...objects.map((object) => ({ name: object.key, object })),
    ...commonPrefixes.map((name) => ({ name, object: null })),
  ]
    .filter(({ name }) => name > after)
    .sort((a, b) => byCodeUnit(a.name, b.name));
  const page = entries.slice(0, most);
  return {
    Prefix: query.prefix ?? '',
    KeyCount: page.length,
    MaxKeys: most,
    ...(page.length < entries.length ? { NextContinuationToken: page.at(-1)?.name } : {}),
    IsTruncated: page.length < entries.length,
    Contents: page.flatMap(({ name, object }) =>
      object === null
        ? []
        : [{ Key: encode(name), LastModified: object.lastModifiedDate.toISOString(), Size: object.size }],
    ),
    CommonPrefixes: page.flatMap(({ name, object }) => (object === null ? [{ Prefix: encode(name) }] : [])),
  };
}

/** @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListParts.html */
async function partsOf(folder: string, query: Query): Promise<object> {
  const numbers = (await readdir(folder)).filter((name) => /^\d+$/.test(name)).map(Number);
  const after = Number(query['part-number-marker'] ?? 0);
  const left = numbers.filter((number) => number > after).sort((a, b) => a - b);
  const page = left.slice(0, Math.min(1000, Number(query['max-parts'] ?? 1000)));
  return {
    IsTruncated: page.length < left.length,
    ...(page.length < left.length ? { NextPartNumberMarker: page.at(-1) } : {}),
    Part: await Promise.all(
      page.map(async (number) => {
        const bytes = await readFile(join(folder, String(number)));
        return { PartNumber: number, ETag: `"${hexOf(bytes)}"`, Size: bytes.length };
      }),
    ),
  };
}

async function existing(folder: string): Promise<string> {
  const found = await stat(folder).catch(() => null);
  if (found === null) throw new S3Error('NoSuchUpload', 'The specified multipart upload does not exist.');
  return folder;
}

async function bodyOf(content: Buffer | Readable): Promise<Buffer> {
  if (Buffer.isBuffer(content)) return content;
  const pieces: Buffer[] = [];
  for await (const piece of content as AsyncIterable<Buffer>) pieces.push(piece);
  const bytes = Buffer.concat(pieces);
  if (CORRUPTED.has(content) && bytes.length > 0) bytes[0]! ^= 1;
  const told = (content as Partial<IncomingMessage>).headers?.['content-md5'];
  if (typeof told === 'string' && Buffer.from(told, 'base64').toString('hex') !== hexOf(bytes)) {
    throw new S3Error('BadDigest', 'The Content-MD5 you specified did not match what we received.');
  }
  return bytes;
}

function hexOf(bytes: Uint8Array): string {
  return createHash('md5').update(bytes).digest('hex');
}

async function replace(path: string, bytes: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const unfinished = join(dirname(path), `.${randomUUID()}`);
  await writeFile(unfinished, bytes);
  await rename(unfinished, path);
}
