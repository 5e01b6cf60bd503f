import { createHash } from 'node:crypto';
import type { Agent } from 'node:http';
import type { Agent as SecureAgent } from 'node:https';
import { env as processEnv } from 'node:process';
import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import {
  type Credential,
  needsCredential,
  resolveSecret,
  type S3Credential,
} from '../../../contract/destinations/credential.ts';
import { openAgents } from '../../../kernel/http/agents.ts';
import { S3Bucket } from './s3-bucket.ts';

/** How a bucket is accessed: the relevant part of a credential. */
export type S3Access = Pick<S3Credential, 'kind' | 'name' | 'endpoint' | 'region' | 'pathStyle' | 'keys'>;

interface BucketOptions {
  readonly bucket: string;
  readonly access: S3Access;
  /** Environment variables that the credential refers to. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

const GOOGLE = 'https://storage.googleapis.com';
/** Attempts for one request, including the first. */
const ATTEMPTS = 3;
const CONNECT_MS = 10_000;
/** Milliseconds without a byte in either direction. */
const IDLE_MS = 60_000;
/** Milliseconds for one request, which must suffice for one part. */
const REQUEST_MS = 600_000;
/** The default of the SDK. */
const MAX_SOCKETS = 50;

/** Uses the default chain of the AWS SDK. */
export const OWN_ACCESS: S3Access = {
  kind: 's3',
  name: 'from the environment',
  endpoint: null,
  region: null,
  pathStyle: false,
  keys: null,
};

/** @throws DeliveryFailure if there is no credential and the default chain of the AWS SDK is of no use */
export function s3AccessOf(kind: 's3' | 'gs', credential: Credential | null): S3Access {
  if (credential?.kind === 's3' || credential?.kind === 'gs') return credential;
  if (kind === 'gs') throw needsCredential('gs');
  return OWN_ACCESS;
}

/**
 * Opens a bucket of S3 or of an S3-compatible store. Loads the AWS SDK and the secrets but sends no request.
 *
 * @throws DeliveryFailure if a secret is missing
 */
export async function openBucket({ bucket, access, env }: BucketOptions): Promise<S3Bucket> {
  // Suppresses the SDK's warning about Node versions on stderr; package.json pins a compatible SDK.
  processEnv.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  const keys = await readKeys(access, env);
  const sdk = await import('./s3-sdk.ts');
  const client = new sdk.S3Client(configOf(access, keys, await agentFor(bucket, access)));
  addContentMd5(client);
  const host = access.endpoint ?? (access.kind === 'gs' ? GOOGLE : null);
  const place = host === null ? `s3://${bucket}` : `The bucket ${bucket} at ${new URL(host).host}`;
  return new S3Bucket({ sdk, client, bucket, place: access.kind === 'gs' ? `gs://${bucket}` : place });
}

/** Returns a new agent, because the SDK destroys the agents of a client that it closes. */
function agentFor(bucket: string, { kind, endpoint, region }: S3Access): Promise<Agent> {
  const url = endpoint ?? (kind === 'gs' ? GOOGLE : `https://${bucket}.s3.${region ?? 'us-east-1'}.amazonaws.com`);
  return openAgents({ keepAlive: true, maxSockets: MAX_SOCKETS }).agentFor(new URL(url));
}

function configOf({ kind, endpoint, region, pathStyle }: S3Access, keys: Keys | null, agent: Agent): S3ClientConfig {
  const url = endpoint ?? (kind === 'gs' ? GOOGLE : null);
  return {
    maxAttempts: ATTEMPTS,
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      socketTimeout: IDLE_MS,
      requestTimeout: REQUEST_MS,
      throwOnRequestTimeout: true,
      httpAgent: agent,
      httpsAgent: agent as SecureAgent,
    },
    ...(keys === null ? {} : { credentials: keys }),
    ...(region === null ? {} : { region }),
    ...(url === null
      ? { followRegionRedirects: true }
      : {
          endpoint: url,
          // The SDK requires a region even if the store ignores it.
          region: region ?? (kind === 'gs' ? 'auto' : 'us-east-1'),
          forcePathStyle: pathStyle || kind === 'gs',
          // Other stores save the checksum trailers of streams as part of the file.
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
  const accessKeyId = await resolveSecret(keys.accessKeyId, name, env);
  const secretAccessKey = await resolveSecret(keys.secretAccessKey, name, env);
  if (keys.sessionToken === null) return { accessKeyId, secretAccessKey };
  return { accessKeyId, secretAccessKey, sessionToken: await resolveSecret(keys.sessionToken, name, env) };
}

/** S3-compatible stores often require Content-MD5 for DeleteObjects, which the SDK no longer sends. */
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
