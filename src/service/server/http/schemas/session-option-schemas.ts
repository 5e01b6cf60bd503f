import { SESSION_PRIORITIES } from '../../../../contract/wire/render-session.ts';
import type { Schema } from './json-schema.ts';

const METADATA_KEY = '[A-Za-z0-9_.-]{1,40}';
/** PostgreSQL cannot store NUL in an indexed value. */
const METADATA_VALUE = '[^\\u0000]{0,500}';

const METADATA: Schema = {
  type: 'object',
  maxProperties: 20,
  propertyNames: { pattern: `^${METADATA_KEY}$` },
  additionalProperties: { type: 'string', pattern: `^${METADATA_VALUE}$` },
  description: 'Your own references. Answers and webhook events repeat them, and lists can be filtered by them',
  examples: [{ order: '4711' }],
};

/** A single filter or several; all must match. */
export const METADATA_FILTER: Schema = {
  type: 'array',
  maxItems: 20,
  items: { type: 'string', pattern: `^${METADATA_KEY}:${METADATA_VALUE}$` },
  description: 'Only sessions with this entry in their `metadata`, as `key:value`. Repeatable: all entries must match',
  examples: [['order:4711']],
};

/** Fields of a session that do not affect its video. */
export const OPTION_FIELDS = {
  metadata: METADATA,
  priority: {
    type: 'string',
    enum: SESSION_PRIORITIES,
    description: 'Order among the waiting sessions of the tenant. Other tenants are not affected. Defaults to normal',
  },
  webhook_url: {
    type: 'string',
    format: 'uri',
    maxLength: 2000,
    description:
      'Receives the events of this session. One of your webhook endpoints must have the same scheme, host and port: its secret signs the events, and it does not receive them itself',
    examples: ['https://example.com/hooks/reelform?order=4711'],
  },
  retention_days: {
    type: 'integer',
    minimum: 1,
    maximum: 36_500,
    description:
      'Days after its end at which the session and its files are removed, at most the retention of the service, which is the default',
  },
} satisfies Record<string, Schema>;
export const OPTION_NAMES = Object.keys(OPTION_FIELDS);
