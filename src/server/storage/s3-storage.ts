import { Readable } from 'node:stream';
import { DeliveryFailure } from '../../delivery/destination.ts';
import { putWhole } from '../../delivery/s3/put-whole.ts';
import type { S3Bucket } from '../../delivery/s3/s3-bucket.ts';
import { serviceError } from '../../service/service-error.ts';
import type { ObjectStorage } from '../ports.ts';
import { errorMessage, type Log } from '../telemetry/log.ts';

export interface S3StorageOptions {
  readonly bucket: S3Bucket;
  /** Before every key; empty, or with a slash at its end. */
  readonly prefix: string;
  /** Told why the bucket does not answer: clients are not. */
  readonly log: Log;
}

/**
 * Objects below a prefix of a bucket, for any number of machines. A reader finds all of the old or all of the new; what is
 * removed goes one after the other.
 *
 * All of it: @throws ServiceError 503 `unavailable` when the bucket does not do what it is asked for
 */
export function createS3Storage({ bucket, prefix, log }: S3StorageOptions): ObjectStorage {
  const failed = (error: unknown): never => {
    if (!(error instanceof DeliveryFailure)) throw error;
    log.warn({ error: errorMessage(error) }, 'the storage does not do what it is asked for');
    throw serviceError('unavailable', 'The storage of the service cannot be reached or used');
  };
  return {
    put: (key, bytes) => putWhole(bucket, prefix + key, bytes).catch(failed),
    async stat(key) {
      const facts = await bucket.head(prefix + key).catch(failed);
      return facts === null ? null : { size: facts.size };
    },
    read: (key) => bucket.get(prefix + key).catch(failed),
    stream(key, range) {
      const pieces = async function* (): AsyncGenerator<Buffer> {
        try {
          yield* bucket.stream(prefix + key, range) as AsyncIterable<Buffer>;
        } catch (error) {
          failed(error);
        }
      };
      return Readable.from(pieces(), { objectMode: false });
    },
    async remove(below) {
      try {
        for await (const { objects } of bucket.list(prefix + below)) await bucket.remove(objects.map(({ key }) => key));
      } catch (error) {
        failed(error);
      }
    },
    async list(below) {
      const names = new Map<string, number>();
      try {
        // Without a delimiter: folders of a bucket have no time, what is in them has.
        for await (const { objects } of bucket.list(prefix + below)) {
          for (const { key, modifiedAt } of objects) {
            const [name = ''] = key.slice(prefix.length + below.length).split('/');
            names.set(name, Math.max(modifiedAt, names.get(name) ?? 0));
          }
        }
      } catch (error) {
        failed(error);
      }
      return [...names].map(([name, modifiedAt]) => ({ name, modifiedAt }));
    },
  };
}
