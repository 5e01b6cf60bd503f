import { createHash } from 'node:crypto';
import { env as processEnv } from 'node:process';
import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import { readSecret, type S3Credential } from '../credential.ts';
import { S3Bucket } from './s3-bucket.ts';

/** How a bucket is reached: a credential, or less than that. */
export type S3Access = Pick<S3Credential, 'kind' | 'name' | 'endpoint' | 'region' | 'pathStyle' | 'keys'>;

export interface BucketOptions {
  readonly bucket: string;
  readonly access: S3Access;
  /** Where secrets stand that a credential names. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

const GOOGLE = 'https://storage.googleapis.com';
/** Tries of one request, the first among them. */
const ATTEMPTS = 3;
const CONNECT_MS = 10_000;
/** Without a byte in either direction. */
const IDLE_MS = 60_000;
/** For one request; a part has to fit into it. */
const REQUEST_MS = 600_000;

/** With what the AWS SDK finds by itself. */
export const OWN_ACCESS: S3Access = {
  kind: 's3',
  name: 'of the environment',
  endpoint: null,
  region: null,
  pathStyle: false,
  keys: null,
};

/**
 * A bucket of S3, or of what speaks like it. Loads the AWS SDK, reads the secrets, asks nobody.
 *
 * @throws DeliveryFailure when a secret is not there
 */
export async function openBucket({ bucket, access, env }: BucketOptions): Promise<S3Bucket> {
  // It would say on stderr until when it supports this version of Node; which one of it is used is said in package.json.
  processEnv.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  const keys = await readKeys(access, env);
  const sdk = await import('@aws-sdk/client-s3');
  const client = new sdk.S3Client(configOf(access, keys));
  addContentMd5(client);
  const host = access.endpoint ?? (access.kind === 'gs' ? GOOGLE : null);
  const place = host === null ? `s3://${bucket}` : `The bucket ${bucket} at ${new URL(host).host}`;
  return new S3Bucket({ sdk, client, bucket, place: access.kind === 'gs' ? `gs://${bucket}` : place });
}

function configOf({ kind, endpoint, region, pathStyle }: S3Access, keys: Keys | null): S3ClientConfig {
  const own = endpoint ?? (kind === 'gs' ? GOOGLE : null);
  return {
    maxAttempts: ATTEMPTS,
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      socketTimeout: IDLE_MS,
      requestTimeout: REQUEST_MS,
      throwOnRequestTimeout: true,
    },
    ...(keys === null ? {} : { credentials: keys }),
    ...(region === null ? {} : { region }),
    ...(own === null
      ? { followRegionRedirects: true }
      : {
          endpoint: own,
          // Every SDK wants one; few others than Amazon do.
          region: region ?? (kind === 'gs' ? 'auto' : 'us-east-1'),
          forcePathStyle: pathStyle || kind === 'gs',
          // Others store the checksums of streams as if they were part of the file.
          requestChecksumCalculation: 'WHEN_REQUIRED',
          responseChecksumValidation: 'WHEN_REQUIRED',
        }),
  };
}

interface Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

async function readKeys({ name, keys }: S3Access, env: BucketOptions['env']): Promise<Keys | null> {
  if (keys === null) return null;
  const accessKeyId = await readSecret(keys.accessKeyId, name, env);
  const secretAccessKey = await readSecret(keys.secretAccessKey, name, env);
  if (keys.sessionToken === null) return { accessKeyId, secretAccessKey };
  return { accessKeyId, secretAccessKey, sessionToken: await readSecret(keys.sessionToken, name, env) };
}

/** Amazon takes newer checksums of the removal of many objects; what speaks like it often wants the old one. */
function addContentMd5(client: S3Client): void {
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const { request } = args as { request?: { body?: unknown; headers?: Record<string, string> } };
      if (context.commandName === 'DeleteObjectsCommand' && typeof request?.body === 'string' && request.headers) {
        request.headers['content-md5'] = createHash('md5').update(request.body).digest('base64');
      }
      return await next(args);
    },
    { step: 'build', name: 'reelformContentMd5' },
  );
}
