import type { WebhookDelivery, WebhookEndpoint } from '../../../wire/webhook.ts';
import { EXAMPLES } from './examples.ts';

const CREATED = '2026-01-01T00:00:00.000Z';
const ENDED = '2026-01-01T00:00:07.214Z';

const { download_url: _, ...session } = EXAMPLES.session;

const ENDPOINT: WebhookEndpoint = {
  id: 'whe_4n7Qd0',
  url: 'https://example.com/webhooks/reelform',
  description: 'Publishes finished videos',
  types: ['render_session.status.changed'],
  signature: 'standard',
  client_id: null,
  enabled: true,
  disabled_because: null,
  failing_since: null,
  created_at: CREATED,
  updated_at: CREATED,
};

const DELIVERY: WebhookDelivery = {
  id: 'whd_Zk31pA',
  message_id: 'msg_2fQx8c',
  type: 'render_session.status.changed',
  status: 'delivered',
  attempts: [
    { at: ENDED, status_code: 503, error: 'status', duration_ms: 84 },
    { at: '2026-01-01T00:00:12.391Z', status_code: 204, error: null, duration_ms: 41 },
  ],
  next_attempt_at: null,
  created_at: ENDED,
  ended_at: '2026-01-01T00:00:12.432Z',
};

/** What the description of webhooks shows. */
export const WEBHOOK_EXAMPLES = {
  create: { url: ENDPOINT.url, description: ENDPOINT.description, types: ENDPOINT.types },
  endpoint: ENDPOINT,
  withSecret: { ...ENDPOINT, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw8pUJZ2RPzyA=' },
  delivery: DELIVERY,
  sessionChanged: { type: 'render_session.status.changed', timestamp: ENDED, data: { render_session: session } },
  uploadComplete: {
    type: 'render_session.external_upload.complete',
    timestamp: ENDED,
    data: {
      render_session_id: 'rs_81f2c0',
      to: 's3://videos/berlin.mp4',
      remote_id: '"9b2cf535f27731c974343645a3985328"',
    },
  },
  styleVersionChanged: {
    type: 'template_style_version.status.changed',
    timestamp: ENDED,
    data: { style_version: EXAMPLES.details },
  },
  test: { type: 'webhook_endpoint.test', timestamp: ENDED, data: { webhook_endpoint_id: ENDPOINT.id } },
} as const satisfies Record<string, object>;
