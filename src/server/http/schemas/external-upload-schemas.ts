import { MAX_UPLOADS } from '../../../session/session-deliveries.ts';
import { EXTERNAL_UPLOAD_STATUSES } from '../../../wire/render-session.ts';
import { EXAMPLES } from './examples.ts';
import { type Component, closedObjectOf, listOf, objectOf, ref, type Schema } from './json-schema.ts';

const TO: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: 2048,
  description:
    'Where to: `s3://bucket/key`, `gs://bucket/key`, `azblob://account/container/key` (also spelled `wasbs://container@account.blob.core.windows.net/key`), or `file:path` where the service allows that. `{session_id}`, `{title}`, `{extension}` and `{date}` stand for what they say; a place that ends with `/` gets `{session_id}.{extension}`',
  examples: [EXAMPLES.uploads[0].to],
};
const CREDENTIAL: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: 64,
  description: 'The name of a credential that the service has; the default one for the kind of place when absent',
  examples: [EXAMPLES.uploads[0].credential],
};

/** Schema of the uploads in a request. */
export const REQUESTED_UPLOADS: Schema = {
  ...listOf(closedObjectOf({ to: TO, credential: CREDENTIAL }, ['credential'])),
  maxItems: MAX_UPLOADS,
};

export const EXTERNAL_UPLOAD: Component = {
  $id: 'ExternalUpload',
  description: 'A delivery of the finished file.',
  ...objectOf(
    {
      to: { ...TO, maxLength: 4096, description: 'Where to, with its placeholders filled' },
      credential: CREDENTIAL,
      status: {
        type: 'string',
        enum: [...EXTERNAL_UPLOAD_STATUSES],
        description:
          '`pending` until the video is rendered, and between two tries; then `uploading`; in the end `complete` or `failed`',
      },
      remote_id: {
        type: ['string', 'null'],
        description: 'What the storage calls what was written, an ETag or a version; null until it is complete',
      },
      url: {
        type: ['string', 'null'],
        description: 'Under which everybody finds it, where the service knows that; null until it is complete',
      },
      error: {
        anyOf: [
          objectOf({ code: { type: 'string' }, title: { type: 'string' }, detail: { type: 'string' } }, ['detail']),
          { type: 'null' },
        ],
        description: 'Why it failed',
      },
    },
    ['credential'],
  ),
  examples: [EXAMPLES.uploads[0]],
};

export const ADD_EXTERNAL_UPLOADS: Component = {
  $id: 'AddExternalUploads',
  description: 'Where a video is to be delivered further.',
  ...closedObjectOf({ external_uploads: { ...REQUESTED_UPLOADS, minItems: 1 } }),
  examples: [{ external_uploads: [EXAMPLES.uploadAsked] }],
};

/** Schema of the uploads of a session. */
export const SESSION_UPLOADS: Schema = listOf(ref(EXTERNAL_UPLOAD), {
  description:
    'Deliveries of the finished file, those of the tenant too. They begin when it is rendered, and go on while the status is `preview_rendered` already; none of them fails the session',
});
