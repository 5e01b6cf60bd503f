import { EXTERNAL_UPLOAD_STATUSES } from '../../../../contract/wire/render-session.ts';
import { MAX_UPLOADS } from '../../../sessions/session-deliveries.ts';
import { EXAMPLES } from './examples.ts';
import { type Component, closedObjectOf, listOf, objectOf, ref, type Schema } from './json-schema.ts';

const TO: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: 2048,
  description:
    'Destination: `s3://bucket/key`, `gs://bucket/key`, `azblob://account/container/key` (also written `wasbs://container@account.blob.core.windows.net/key`), or `file:path` if the service allows it. The placeholders `{session_id}`, `{title}`, `{extension}` and `{date}` are replaced. If the destination ends with `/`, `{session_id}.{extension}` is appended',
  examples: [EXAMPLES.uploads[0].to],
};
const CREDENTIAL: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: 64,
  description: 'Name of a credential of the service. Defaults to the default credential for this kind of destination',
  examples: [EXAMPLES.uploads[0].credential],
};

const OUTPUT: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: 32,
  description: 'Name of the output to deliver, for a session with `outputs`. Defaults to the main one',
};

/** Schema of the uploads in a request. */
export const REQUESTED_UPLOADS: Schema = {
  ...listOf(closedObjectOf({ to: TO, credential: CREDENTIAL, output: OUTPUT }, ['credential', 'output'])),
  maxItems: MAX_UPLOADS,
};

export const EXTERNAL_UPLOAD: Component = {
  $id: 'ExternalUpload',
  description: 'Delivery of the finished file.',
  ...objectOf(
    {
      to: { ...TO, maxLength: 4096, description: 'Destination, with placeholders replaced' },
      credential: CREDENTIAL,
      output: OUTPUT,
      status: {
        type: 'string',
        enum: [...EXTERNAL_UPLOAD_STATUSES],
        description:
          '`pending` until the video is rendered and between attempts, then `uploading`, finally `complete` or `failed`',
      },
      remote_id: {
        type: ['string', 'null'],
        description: 'Version of the written object in the storage, such as an ETag; null until complete',
      },
      url: {
        type: ['string', 'null'],
        description: 'Public URL of the file, if the service knows it; null until complete',
      },
      error: {
        anyOf: [
          objectOf({ code: { type: 'string' }, title: { type: 'string' }, detail: { type: 'string' } }, ['detail']),
          { type: 'null' },
        ],
        description: 'Reason of the failure',
      },
    },
    ['credential', 'output'],
  ),
  examples: [EXAMPLES.uploads[0]],
};

export const ADD_EXTERNAL_UPLOADS: Component = {
  $id: 'AddExternalUploads',
  description: 'An additional destination for a video.',
  ...closedObjectOf({ external_uploads: { ...REQUESTED_UPLOADS, minItems: 1 } }),
  examples: [{ external_uploads: [EXAMPLES.uploadAsked] }],
};

/** Schema of the uploads of a session. */
export const SESSION_UPLOADS: Schema = listOf(ref(EXTERNAL_UPLOAD), {
  description:
    "Deliveries of the finished file, including the tenant's default destinations. They start when the video is rendered and may still run when the status is `preview_rendered`. A failed delivery does not fail the session",
});
